"""What `inspect` shows, once as JSON data and once for a person; and how values become text in both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trapcli.core.contract import Section


@dataclass(frozen=True, slots=True)
class View:
    """The result of one `inspect` command.

    schema: name and version of the document's JSON Schema, such as "case/1"; see `trapcli.schemas`.
    document: JSON data, without the key "schema".
    sections: the same for a person.
    """

    schema: str
    document: dict[str, Any]
    sections: tuple[Section, ...]


def section_json(section: Section) -> dict[str, Any]:
    """Return a section as JSON data."""
    rows = [list(row) for row in section.rows]
    return {"title": section.title, "columns": list(section.columns), "rows": rows, "text": section.text}


def pairs(values: Mapping[str, Any]) -> str:
    """Return names and values as text: "lines=6, largest=50"."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def described(name: str, descriptions: Mapping[str, str]) -> str:
    """Return a name with its description, if there is one."""
    return f"{name}: {descriptions[name]}" if descriptions.get(name) else name
