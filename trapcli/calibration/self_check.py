"""The self-check: before an agent is measured, every known mistake and every no-op agent must fail."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import Case, Family
from trapcli.core.errors import TrapError
from trapcli.core.output import Output, output_of
from trapcli.judging.judge import NOOP, judge_output
from trapcli.suites.reader import Suite, read_case

EMPTY = "empty"  # the name of printing nothing, beside the names of mistakes


def check_suites(
    suites: Sequence[tuple[Suite, Sequence[str]]],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Judge every known mistake of every case, and the two ways of doing nothing, in this process.

    suites: each with the ids of the cases to check.
    on_progress: called after each case with the number of cases that are done, and of all.

    Return JSON data: how many "cases" and "outputs" were judged, and as "wrong" a list of {"suite"
    (position), "case", "mistake", "what"} for each output that did not score 0.0, or that the judge
    failed on. Raises TrapError if a case is damaged.
    """
    total = sum(len(cases) for _, cases in suites)
    cases_done = outputs_done = 0
    wrong = []
    for position, (suite, case_ids) in enumerate(suites):
        family = registry.family(suite.family)
        for case_id in case_ids:
            case = read_case(suite, case_id)
            for name, output in _wrong_outputs(family, case):
                outputs_done += 1
                if what := _why_wrong(family, case, output):
                    wrong.append({"suite": position, "case": case_id, "mistake": name, "what": what})
            cases_done += 1
            on_progress(cases_done, total)
    return {"cases": cases_done, "outputs": outputs_done, "wrong": wrong}


def _wrong_outputs(family: Family, case: Case) -> Iterator[tuple[str, Output]]:
    """Yield a name and the output of each agent that must fail the case."""
    for known in case.known_mistakes:
        files = {path: text.encode() for path, text in known.files.items()}
        yield known.name, output_of(known.text, files)
    yield NOOP, output_of(family.answers.noop)
    yield EMPTY, output_of("")


def _why_wrong(family: Family, case: Case, output: Output) -> str:
    """Return what is wrong with the judge's answer to an output that must fail; "" if nothing is."""
    try:
        verdict = judge_output(family, case, output)
    except TrapError as error:
        return str(error)
    return f"passes: {verdict.reason}" if verdict.score else ""
