"""Check documents against the JSON Schemas, and that what differs from them a little does not match."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from trapcli.schemas import load_schema

Json = dict[str, Any]

WITHOUT_KEY = {"traptask-verdict", "traptask-grade", "answer", "usage"}  # documents that name no schema
OPTIONAL = {"line", "file", "problems", "runs"}  # top-level keys that a document may lack


@lru_cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(load_schema(name))


def errors(name: str, document: Any) -> list[str]:
    """Return how a document breaks a schema."""
    return [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)]


def near_misses(document: Json) -> Iterator[Json]:
    """Yield the document with one more key, and without each of the keys that must be there."""
    yield {**document, "extra": None}
    for key in document.keys() - OPTIONAL:
        yield {name: value for name, value in document.items() if name != key}


def checked(text: str, name: str) -> Json:
    """Return a document; assert that it matches the schema and names it, and near misses do not."""
    document: Json = json.loads(text)
    assert errors(name, document) == []
    if name in WITHOUT_KEY:
        assert "schema" not in document
    else:
        assert next(iter(document.items())) == ("schema", f"{name}/1")
        assert errors(name, {**document, "schema": f"{name}/2"})
    for near in near_misses(document):
        assert errors(name, near), document.keys() ^ near.keys()
    return document


def changed(document: Any, place: str, value: Any) -> Any:
    """Return the document with another value at a place such as "cases/0/rate"; ... removes the key."""
    key, _, rest = place.partition("/")
    if isinstance(document, list):
        part = changed(document[int(key)], rest, value) if rest else value
        return [part if number == int(key) else one for number, one in enumerate(document)]
    if value is ... and not rest:
        return {name: one for name, one in document.items() if name != key}
    return {**document, key: changed(document[key], rest, value) if rest else value}
