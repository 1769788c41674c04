"""How `inspect FAMILY` shows a family."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from trapcli.core.contract import Family, Section
from trapcli.views.suite_view import FoundSuite, case_list, case_table, found_json, suite_tables
from trapcli.views.view import View, pairs


def about_family(family: Family, suites: Sequence[FoundSuite]) -> View:
    """Return the view of a family: its traps, mistakes, knobs and levels.

    suites: those of the family; if there is only one, its cases are shown too.
    """
    knobs = _knobs(family)
    document: dict[str, Any] = {
        "name": family.name,
        "title": family.title,
        "version": family.version,
        "cases": family.cases,
        "traps": dict(family.traps),
        "mistakes": dict(family.mistakes),
        "knobs": knobs,
        "levels": [dict(level) for level in family.levels],
        "suites": [found_json(found) for found in suites],
    }
    head = (
        ("title", family.title),
        ("version", family.version),
        ("cases", f"{family.cases} by default"),
    )
    ranges = tuple(
        (knob["name"], knob["type"], str(knob["default"]), f"{knob['low']} to {knob['high']}", knob["help"])
        for knob in knobs
    )
    levels = tuple((str(n), pairs(level) or "the defaults") for n, level in enumerate(family.levels, 1))
    sections = [
        Section(family.name, (), head),
        Section("Traps", ("trap", "what it is about"), tuple(family.traps.items())),
        Section("Mistakes that verdicts name", ("mistake", "what it is"), tuple(family.mistakes.items())),
        Section("Knobs (--set KNOB=VALUE)", ("knob", "type", "default", "range", "help"), ranges),
        Section("Levels, easiest first (--level N)", ("level", "knobs"), levels),
        *suite_tables(suites),
    ]
    if len(suites) == 1:
        cases = case_list(suites[0].suite or suites[0].public)
        document["suites"][0]["case_list"] = cases
        sections += case_table(cases)
    return View("family/1", document, tuple(sections))


def _knobs(family: Family) -> list[dict[str, Any]]:
    return [
        {
            "name": knob.name,
            "type": getattr(knob.type, "__name__", str(knob.type)),
            "default": knob.default,
            "low": knob.metadata.get("low"),
            "high": knob.metadata.get("high"),
            "help": knob.metadata.get("help", ""),
        }
        for knob in fields(family.knobs)
    ]
