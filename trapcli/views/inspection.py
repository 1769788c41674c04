"""What `inspect` tells: each view once as JSON data and once as sections for a reader."""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from trapcli.building.invariants import called
from trapcli.core import registry
from trapcli.core.contract import Case, Family, Files, Section
from trapcli.core.errors import TrapError
from trapcli.core.files import as_object, read_file
from trapcli.core.output import read_output
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import ANSWER, INPUTS, README, PublicSuite, Suite, read_case

FIRST = (README, "ticket.md")  # in a prompt; the other files follow by name
NO_SUITES = "None here; `trapcli build` makes them in traps/."
RUNS = ".trapcli"  # where runs are kept
LANGUAGES = {"py": "python", "md": "markdown"}


@dataclass(frozen=True, slots=True)
class View:
    """One answer of `inspect`: `document` is JSON data, `sections` say the same to a person."""

    document: dict[str, Any]
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A suite that was found: what of it could be opened, and why not all of it."""

    path: str
    public: PublicSuite | None = None
    suite: Suite | None = None
    problem: str = ""


def overview(suites: Sequence[Found], runs: View | None = None, problem: str = "") -> View:
    """The installed families, also those that do not load, the suites at hand, and the runs if there are any.

    problem: why there are runs that cannot be read.
    """
    families: list[dict[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    problems: list[tuple[str, str]] = []
    for name in registry.names():
        try:
            family = registry.family(name)
        except TrapError as error:
            families.append({"name": name, "problem": str(error)})
            rows.append((name, "(does not load)"))
            problems.append((name, str(error)))
            continue
        families.append(
            {"name": name, "title": family.title, "cases": family.cases, "kinds": dict(family.kinds)}
        )
        rows.append((name, family.title, str(family.cases), ", ".join(family.kinds)))
    hint = "" if rows else "None is installed: a package declares them as entry points of trapcli.families."
    shown = Section("Families", ("family", "title", "cases", "trap kinds"), tuple(rows), hint)
    document = {"families": families, "suites": [_found(one) for one in suites]}
    if problem:
        document["problems"] = [{"where": RUNS, "what": problem}]
        problems.append((RUNS, problem))
    if runs is not None:
        document |= runs.document
    table, *wrong = _suites(suites, problems)
    return View(document, (shown, table, *(runs.sections if runs else ()), *wrong))


def about_family(family: Family, suites: Sequence[Found]) -> View:
    """What a family is and what can be set; with its suites, and the cases if there is only one."""
    knobs = [
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
    document: dict[str, Any] = {
        "name": family.name,
        "title": family.title,
        "version": family.version,
        "cases": family.cases,
        "kinds": dict(family.kinds),
        "mechanisms": dict(family.mechanisms),
        "knobs": knobs,
        "ladder": [dict(rung) for rung in family.ladder],
        "suites": [_found(one) for one in suites],
    }
    head = (("title", family.title), ("version", family.version), ("cases", f"{family.cases} unless told"))
    ranges = tuple(
        (k["name"], k["type"], str(k["default"]), f"{k['low']} to {k['high']}", k["help"]) for k in knobs
    )
    rungs = tuple((str(n), _pairs(rung) or "the defaults") for n, rung in enumerate(family.ladder, 1))
    mistakes = tuple(family.mechanisms.items())
    sections = [
        Section(family.name, (), head),
        Section("Trap kinds", ("kind", "what it is about"), tuple(family.kinds.items())),
        Section("Mechanisms: mistakes that are told apart", ("mechanism", "what it is"), mistakes),
        Section("Knobs (--set knob=value)", ("knob", "type", "default", "range", "help"), ranges),
        Section("Ladder, easiest first", ("rung", "knobs"), rungs),
        *_suites(suites),
    ]
    if len(suites) == 1:
        cases = _cases(suites[0].suite or suites[0].public)
        document["suites"][0]["cases"] = cases
        sections += _case_list(cases)
    return View(document, tuple(sections))


def about_suite(suite: Suite | PublicSuite) -> View:
    """A suite and its cases; of a whole one also the trap kinds, the seed and the knobs."""
    cases = _cases(suite)
    document: dict[str, Any] = {**_half(suite), "cases": cases}
    rows = [("family", f"{suite.family} {suite.version}")]
    if isinstance(suite, Suite):
        document["redraws"] = suite.redraws
        rows += [*_origin(suite), ("redraws", f"{suite.redraws} cases were drawn and dropped")]
    return View(document, (Section(str(suite.directory), (), tuple(rows)), *_case_list(cases)))


def about_case(family: Family, suite: Suite, case_id: str) -> View:
    """A case with all that is private: the trap, the gold, and what each slip gets, judged now."""
    case = read_case(suite, case_id)
    path = suite.expected / case_id / ANSWER
    record = as_object(read_file(path), path)
    sections = called(family, "explain", family.explain, case, False)
    slips = [_slip(family, case, slip.mechanism, slip.text) for slip in case.slips]
    slips.append(_slip(family, case, "noop", family.noop))
    document = {
        **_half(suite),
        "case": case_id,
        "index": record.get("index"),
        "attempt": record.get("attempt"),
        "category": case.category,
        "gold": case.gold,
        "mechanisms": list(case.mechanisms),
        "facts": dict(case.facts),
        "slips": slips,
        "files": dict(case.files),
        "sections": [_section(section) for section in sections],
    }
    drawn = f"case {record.get('index')} of the seed, counted from 0; draw {record.get('attempt')}"
    head = [
        ("family", f"{suite.family} {suite.version}: {family.title}"),
        ("suite", str(suite.directory)),
        ("trap", _described(case.category, family.kinds)),
        *_origin(suite),
        ("drawn as", drawn),
    ]
    rows = tuple(
        (slip["mechanism"], slip["about"], str(slip["verdict"]["score"]), slip["verdict"]["reason"])
        for slip in slips
    )
    table = Section("Slips, and what each gets", ("mechanism", "what it is", "score", "reason"), rows)
    return View(document, (Section(f"{suite.family} {case_id}", (), tuple(head)), *sections, table))


def about_public(family: Family, suite: PublicSuite, case: Case) -> View:
    """A case as anyone may see it: its files, and what the family says of them."""
    home = suite.directory / INPUTS / case.id
    sections = _explained(family, case, home)
    document = {
        **_half(suite),
        "case": case.id,
        "files": dict(case.files),
        "sections": [_section(section) for section in sections],
    }
    head = (("family", f"{suite.family} {suite.version}: {family.title}"), ("suite", str(suite.directory)))
    listed = tuple(
        (name, str(len(text.splitlines())), str(len(text.encode()))) for name, text in case.files.items()
    )
    files = Section(f"Files in {home}", ("file", "lines", "bytes"), listed)
    return View(document, (Section(f"{suite.family} {case.id}", (), head), files, *sections))


def _explained(family: Family, case: Case, home: Path) -> Sequence[Section]:
    """What the family says of public files, which nothing vouches for; TrapError if it cannot read them."""
    try:
        return family.explain(case, True)
    except TrapError:
        raise
    except Exception as error:
        raise TrapError(
            f"{home} cannot be explained by the family {family.name!r}: {type(error).__name__}: {error}. "
            "Was a file there changed or removed? Then restore it; else this is a fault of the family."
        ) from error


def read_public(suite: PublicSuite, case_id: str) -> Case:
    """The case from its public files alone: no gold, no category, no slips.

    Hidden files and Python's caches, which running a script may leave, are none of them.
    Raises TrapError if there is no such case, or if a file of it is no UTF-8 text.
    """
    if case_id not in suite.cases:
        has = f"it has {suite.cases[0]} to {suite.cases[-1]}" if suite.cases else "it has none"
        raise TrapError(f"{suite.directory} has no case {case_id!r}; {has}.")
    home = suite.directory / INPUTS / case_id
    paths = {path.relative_to(home): path for path in home.rglob("*") if not path.is_dir()}
    files = {}
    for name in sorted(paths, key=lambda name: name.as_posix()):
        if any(part.startswith(".") or part == "__pycache__" for part in name.parts):
            continue
        try:
            files[name.as_posix()] = read_file(paths[name]).decode("utf-8")
        except UnicodeDecodeError as error:
            raise TrapError(
                f"{paths[name]} is no UTF-8 text (byte {error.start}), so it is no file of the case. "
                "Move it away, or restore it from a copy."
            ) from error
    if not files:
        raise TrapError(f"{home} is empty. Restore it from a copy, or build the suite again.")
    return Case(suite.family, "", files, None, (), id=case_id)


def prompt(files: Files) -> str:
    """All of a case in one text, for an agent without tools: README, then each file in a fence."""
    names = [name for name in FIRST if name in files] + sorted(files.keys() - set(FIRST))
    return "\n".join(
        files[name].strip("\n") + "\n" if name == README else _fenced(name, files[name]) for name in names
    )


def _fenced(name: str, text: str) -> str:
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    suffix = Path(name).suffix[1:]
    end = "" if text.endswith("\n") or not text else "\n"
    return f"## {name}\n\n{fence}{LANGUAGES.get(suffix, suffix)}\n{text}{end}{fence}\n"


def _slip(family: Family, case: Case, mechanism: str, text: str) -> dict[str, Any]:
    verdict = judge_output(family, case, read_output(io.BytesIO(text.encode("utf-8", "surrogatepass"))))
    about = "an agent that does nothing" if mechanism == "noop" else family.mechanisms.get(mechanism, "")
    return {"mechanism": mechanism, "about": about, "output": text, "verdict": verdict.to_json()}


def _cases(suite: Suite | PublicSuite | None) -> list[dict[str, Any]]:
    if isinstance(suite, Suite):
        cases = [read_case(suite, case_id) for case_id in suite.cases]
        return [
            {"id": case.id, "category": case.category, "mechanisms": list(case.mechanisms)} for case in cases
        ]
    return [{"id": case_id} for case_id in suite.cases] if suite else []


def _case_list(cases: Sequence[Mapping[str, Any]]) -> list[Section]:
    if cases and "category" not in cases[0]:
        return [Section("Cases", (), tuple((case["id"],) for case in cases))]
    rows = tuple((case["id"], case["category"], ", ".join(case["mechanisms"])) for case in cases)
    return [Section("Cases", ("case", "trap", "slips"), rows)]


def _suites(suites: Sequence[Found], problems: Sequence[tuple[str, str]] = ()) -> list[Section]:
    """A table of suites, and one of what is wrong with some, after the problems that are given."""
    rows = []
    for one in suites:
        half = one.suite or one.public
        practice = ("yes" if one.suite.practice else "no") if one.suite else "unknown"
        known = (half.family, half.version, str(len(half.cases)), practice) if half else ("?", "?", "?", "?")
        rows.append((*known, one.path))
    columns = ("family", "version", "cases", "practice", "path")
    table = Section("Suites", columns, tuple(rows)) if rows else Section("Suites", text=NO_SUITES)
    wrong = (*problems, *((one.path, one.problem) for one in suites if one.problem))
    return [table, Section("Problems", ("where", "what"), wrong)] if wrong else [table]


def _found(one: Found) -> dict[str, Any]:
    half = one.suite or one.public
    known: dict[str, Any] = {**_half(half), "cases": len(half.cases)} if half else {}
    return {**known, "path": one.path, **({"problem": one.problem} if one.problem else {})}


def _half(suite: Suite | PublicSuite) -> dict[str, Any]:
    known: dict[str, Any] = {"path": str(suite.directory), "family": suite.family, "version": suite.version}
    if isinstance(suite, Suite):
        known |= {"practice": suite.practice, "seed": suite.seed, "knobs": dict(suite.knobs)}
    return known


def _origin(suite: Suite) -> list[tuple[str, str]]:
    use = "for practice: anyone can rebuild its answers" if suite.practice else "keep it secret"
    return [("seed", f"{suite.seed} ({use})"), ("knobs", _pairs(suite.knobs) or "none")]


def _section(section: Section) -> dict[str, Any]:
    rows = [list(row) for row in section.rows]
    return {"title": section.title, "columns": list(section.columns), "rows": rows, "text": section.text}


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _described(name: str, descriptions: Mapping[str, str]) -> str:
    return f"{name}: {descriptions[name]}" if descriptions.get(name) else name
