"""JSON documents as commands print them: each begins with the name and version of its schema."""

import json
from collections.abc import Mapping
from typing import Any


def json_document(schema: str, document: Mapping[str, Any], indent: int | None = 2) -> str:
    """Return a document as JSON text in ASCII.

    schema: name and version of its JSON Schema, such as "run/1"; see `trapcli.schemas`.
    indent: spaces a level; None puts the document on one line.
    """
    return json.dumps({"schema": schema, **document}, indent=indent)
