"""Answers that are edits of tables: the answer kind, and a family made from declarations.

What an author of such a family imports is here; `authoring` and `solving` hold tools for larger ones.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trapcli.answers.edits.answers import EditsAnswers
    from trapcli.answers.edits.authoring.plan import Plan, PlanFailed, Trap
    from trapcli.answers.edits.family import EditsFamily
    from trapcli.answers.edits.tables import Row, Table, Tables

__all__ = ["EditsAnswers", "EditsFamily", "Plan", "PlanFailed", "Row", "Table", "Tables", "Trap"]

_PLACES = {
    "EditsAnswers": "answers",
    "EditsFamily": "family",
    "Plan": "authoring.plan",
    "PlanFailed": "authoring.plan",
    "Trap": "authoring.plan",
}


def __getattr__(name: str) -> Any:
    # A reference solver runs in a process of its own and imports `solving` only, so that nothing else
    # may be loaded here.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_PLACES.get(name, 'tables')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
