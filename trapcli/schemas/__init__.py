"""JSON Schemas (draft 2020-12) of everything that commands print as JSON, and of the JSON that they read.

Each schema is a file of this package, NAME.schema.json. A document begins with the name and the
version of its schema, such as "schema": "run/1", so a program can check what it was given:

    jsonschema.validate(document, load_schema(document["schema"]))

The verdict and the grade for trap-cli must be short, so they do not name their schemas, and neither
do the formats that are read: `answer` (a line of `judge --answers`) and `usage` (usage.json).
"""

import json
import re
from importlib.resources import files
from typing import Any

from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted

SCHEMAS = (
    "verdict",  # judge --json, judge --answers ... --json
    "batch",  # judge --answers ... --json: the last line of a batch that left something out
    "rejudged-trial",  # judge --run N --json
    "traptask-verdict",  # judge, for trap-cli
    "traptask-grade",
    "build",  # build --json
    "run",  # calibrate --json, inspect run N --json
    "comparison",  # calibrate --compare A B --json
    "overview",  # inspect --json
    "family",  # inspect FAMILY --json
    "suite",  # inspect SUITE --json
    "public-suite",  # the same with --public
    "case",  # inspect CASE --json
    "public-case",  # the same with --public
    "prompt",  # the same with --prompt
    "runs",  # inspect run --json
    "trials",  # inspect run N CASE --json
    "trial",  # the same with --trial K
    "answer",  # read: a line of judge --answers FILE
    "usage",  # read: usage.json
)
REFERENCE = re.compile(r'"\$ref": "\.\./([a-z-]+)/')  # in the text of a schema: the name of another


def load_schema(name: str) -> dict[str, Any]:
    """Return a schema as JSON data. The schemas that it refers to are in its "$defs", by their "$id".

    name: one of `SCHEMAS`; a version may follow, as in "run/1".

    Raises TrapError if there is no such schema, or not in this version.
    """
    root = name.partition("/")[0]
    found = {root: _read(root)} if root in SCHEMAS else {}
    if not found or (name != root and not found[root]["$id"].endswith(f"/{name}.json")):
        raise TrapError(f"there is no JSON Schema {quoted(name)}; there are {', '.join(SCHEMAS)}.")
    waiting = [root]
    while waiting:
        for other in REFERENCE.findall(json.dumps(found[waiting.pop()])):
            if other not in found:
                found[other] = _read(other)
                waiting.append(other)
    schema = found.pop(root)
    return {**schema, "$defs": {**schema.get("$defs", {}), **{one["$id"]: one for one in found.values()}}}


def _read(name: str) -> dict[str, Any]:
    text = files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
