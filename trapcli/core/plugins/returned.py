"""Whether what a family's methods return is what the contract says, so that nothing later trips over it."""

from collections.abc import Iterator, Mapping
from typing import Any

from trapcli.core.contract import Answer, Case, Problem, Section, Verdict


def case_problems(case: Any) -> Iterator[str]:
    """Yield what is wrong with what `generate` returned."""
    if not isinstance(case, Case):
        yield f"{_type(case)}, not a Case"
        return
    if not _texts((case.family, case.trap)):
        yield f"a case whose family or trap is not text: {case.family!r:.40}, {case.trap!r:.40}"
    if not _is(case.files, Mapping):
        yield f"a case whose files are {_type(case.files)}, not a mapping"
    elif wrong := [path for path, text in case.files.items() if not _texts((path, text))]:
        yield f"a case with a file that is not a path and a text: {wrong[0]!r:.60}"
    if not _is(case.mistakes, tuple) or not _texts(case.mistakes):
        yield "a case whose mistakes are not a tuple of names"
    if not _is(case.facts, Mapping):
        yield f"a case whose facts are {_type(case.facts)}, not a mapping"


def answer_problems(answer: Any) -> Iterator[str]:
    """Yield what is wrong with what `extract` returned."""
    if not isinstance(answer, Answer | Problem):
        yield f"{_type(answer)}, not an Answer or a Problem"
    elif isinstance(answer, Answer) and not (_is(answer.notes, tuple) and _texts(answer.notes)):
        yield f"notes that are not a tuple of texts: {answer.notes!r:.60}"


def verdict_problems(verdict: Any) -> Iterator[str]:
    """Yield what is wrong with what `judge` returned: a score must mean something."""
    if not isinstance(verdict, Verdict):
        yield f"{_type(verdict)}, not a Verdict"
        return
    if verdict.status not in ("passed", "failed"):
        yield f"the status {verdict.status!r}, not 'passed' or 'failed'"
    if not _texts((verdict.reason,)):
        yield f"{verdict.reason!r} as the reason, which is not text"
    credit = verdict.partial_credit
    if _is(credit, bool) or not (_is(credit, (int, float)) and 0 <= credit <= 1):
        yield f"{credit!r} as partial credit, which is not from 0 to 1"
    if not _texts((verdict.result, verdict.mistake)):
        yield "a result or a mistake that is not text"
    if not (_is(verdict.notes, tuple) and _texts(verdict.notes)):
        yield f"notes that are not a tuple of texts: {verdict.notes!r:.60}"
    if not _is(verdict.details, Mapping):
        yield f"details that are {_type(verdict.details)}, not a mapping"


def problem_problems(problems: Any) -> Iterator[str]:
    """Yield what is wrong with what `check` returned, as a list."""
    for one in problems:
        if not isinstance(one, Problem) or not _texts((one.message, one.where)):
            yield f"{one!r:.60}, not a Problem"


def section_problems(sections: Any) -> Iterator[str]:
    """Yield what is wrong with what `explain` or `view` returned."""
    if not isinstance(sections, tuple | list) or not all(isinstance(one, Section) for one in sections):
        yield f"{sections!r:.60}, not a sequence of Section"
        return
    for section in sections:
        if not _texts((section.title, section.text)):
            yield f"a section whose title or text is not text: {section.title!r:.60}"
        rows = [row for row in (section.columns, *section.rows) if row]
        if not all(isinstance(row, tuple | list) and _texts(row) for row in rows):
            yield f"a cell of the section {section.title!r} that is not text"
        elif len({len(row) for row in rows}) > 1:
            yield f"a row of the section {section.title!r} that is not as wide as its header"


def _is(value: Any, types: Any) -> bool:
    """Whether a value has one of these types, also if a type checker is sure of it."""
    return isinstance(value, types)


def _texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _type(value: object) -> str:
    return type(value).__name__
