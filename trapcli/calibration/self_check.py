"""The instrument check: before anything is measured, each known mistake and doing nothing must fail."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from trapcli.core import registry
from trapcli.core.errors import TrapError
from trapcli.core.output import read_output
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import Suite, read_case

NOTHING = ("noop", "empty")  # doing nothing in the family's own form, and printing nothing


def check(
    suites: Sequence[tuple[Suite, Sequence[str]]], advance: Callable[[int, int], None]
) -> dict[str, Any]:
    """Judge every slip of every case, and the two ways of doing nothing, in this process.

    suites: each with the ids of the cases that are meant. advance(done, total) is called after
    each case. Gives JSON data: "cases" and "slips" checked, and "wrong", a list of {"suite"
    (position), "case", "mechanism", "what"} for each that did not get 0.0, or on which no verdict
    could be given.
    """
    total = sum(len(cases) for _, cases in suites)
    found: dict[str, Any] = {"cases": 0, "slips": 0, "wrong": []}
    for position, (suite, cases) in enumerate(suites):
        family = registry.family(suite.family)
        for case_id in cases:
            case = read_case(suite, case_id)
            texts = [(slip.mechanism, slip.text) for slip in case.slips]
            texts += zip(NOTHING, (family.noop, ""), strict=True)
            for mechanism, text in texts:
                found["slips"] += 1
                output = read_output(io.BytesIO(text.encode("utf-8", "surrogatepass")))
                try:
                    verdict = judge_output(family, case, output)
                except TrapError as error:
                    what = str(error)
                else:
                    if not verdict.score:
                        continue
                    what = f"passes: {verdict.reason}"
                found["wrong"].append(
                    {"suite": position, "case": case_id, "mechanism": mechanism, "what": what}
                )
            found["cases"] += 1
            advance(found["cases"], total)
    return found
