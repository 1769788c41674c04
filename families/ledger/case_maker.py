"""Make and check the cases of the ledger families. Judging an answer needs none of this."""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Any

from families.ledger.case_craft import CraftedFamily
from families.ledger.checks.difficulty import depth, wrong_answers
from families.ledger.checks.invariants import book_problems
from families.ledger.checks.truth import Truth, find_truth
from families.ledger.domain.formats import cents_of_plain, day_of, iso, money, plain
from families.ledger.domain.traps_and_mistakes import TRAPS
from families.ledger.files.case_files import CaseFiles, book_of
from families.ledger.planning.planned_case import PlanFailed, PlannedCase
from trapcli.answers.amount.answers import EXAMPLE, equal
from trapcli.core.contract import Case, Files, Problem
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

OUTLINES, PLANS = 25, 40  # how many outlines, and plans for each, are tried for one case
README = "README.md"


def generate(family: CraftedFamily, seed: str, knobs: Any, k: int) -> Case:
    """Return case `k` of the seed; TrapError if none can be planned with these knobs."""
    trap, why = tuple(TRAPS)[k % len(TRAPS)], ""
    draw = Draw(f"{family.name}/{family.version}/{seed}/{k}")
    for number in range(OUTLINES):
        outline = family.craft.draw_outline(draw.stream(f"frame-{number}"), knobs)
        for attempt in range(PLANS):
            stream = draw.stream(f"plan-{number}-{attempt}")
            try:
                planned = family.craft.plan_case(stream, knobs, trap, outline)
            except PlanFailed as failure:
                why = str(failure)
                continue
            evidence = knobs.min_change_evidence
            problem = first_problem(family, planned.case_files, planned.changeover, evidence)
            if problem is None:
                case = _case(family, trap, planned, evidence, number * PLANS + attempt + 1)
                problem = next(leak_problems(case.files, cents_of_plain(case.gold)), None)
                if problem is None:
                    return case
            why = str(problem)
    raise TrapError(
        f"{family.name}: case {k + 1} ({trap}) cannot be planned with these knobs: {why}. "
        "Give it more months or entries, or another number of customers."
    )


def _case(family: CraftedFamily, trap: str, planned: PlannedCase, evidence: int, plans: int) -> Case:
    case_files = planned.case_files
    truth = truth_of(family, case_files, planned.changeover, evidence)
    required = list(family.craft.required_files(case_files, truth))
    facts = {
        "changeover": iso(planned.changeover),
        "min_change_evidence": evidence,
        "short_month": case_files.supplement.period if case_files.supplement else "",
        "successions": [list(codes) for codes in truth.book.successions],
        "wrong_answers": wrong_answer_facts(truth),
        "required_files": required,
        "horizon": len(required),
        "depth": depth(truth),
        "plans": plans,
    }
    readme = f"{family.readme.strip()}\n\n{family.answers.instructions()}"
    files = {README: readme, **family.craft.write_files(planned)}
    return Case(family.name, trap, files, plain(truth.answer), tuple(family.mistakes), facts)


def truth_of(family: CraftedFamily, case_files: CaseFiles, changeover: int, evidence: int) -> Truth:
    """Settle the book of the files; ValueError if the question cannot be read."""
    return find_truth(book_of(case_files), changeover, evidence, tuple(family.mistakes))


def wrong_answer_facts(truth: Truth) -> list[dict[str, Any]]:
    """Return the answer that each mistake leads to, and each two together, as JSON data."""
    return [
        {"mistakes": list(mistakes), "answer": plain(cents)}
        for mistakes, cents in wrong_answers(truth.book, truth.changeover, truth.mistakes)
    ]


def problems(
    family: CraftedFamily, case_files: CaseFiles, changeover: int, evidence: int
) -> Iterator[Problem]:
    """Yield what is wrong with the files and their book, cheap checks first."""
    truth = truth_of(family, case_files, changeover, evidence)
    return chain(family.craft.file_problems(case_files, truth), book_problems(truth))


# Equal files have equal problems: what was checked while planning is not checked again.
@lru_cache(maxsize=8)
def first_problem(
    family: CraftedFamily, case_files: CaseFiles, changeover: int, evidence: int
) -> Problem | None:
    """Return the first of the problems, or None."""
    return next(problems(family, case_files, changeover, evidence), None)


def check(family: CraftedFamily, case: Case) -> Iterator[Problem]:
    """Yield what is wrong with a case: read back, its files must give its answer and hold all invariants."""
    try:
        changeover, evidence = day_of(case.facts["changeover"]), case.facts["min_change_evidence"]
        case_files = family.craft.read_files(case.files)
        truth = truth_of(family, case_files, changeover, evidence)
    except (KeyError, IndexError, ValueError) as error:
        yield Problem(f"the files cannot be read: {error}", "arithmetic")
        return
    if first_problem(family, case_files, changeover, evidence):
        yield from problems(family, case_files, changeover, evidence)
    if case.gold != plain(truth.answer):
        yield Problem(f"the files give {plain(truth.answer)}, the plan {case.gold}", "agrees")
    if case.facts["wrong_answers"] != wrong_answer_facts(truth):
        yield Problem("mistakes lead to other answers than those in the private half", "agrees")
    yield from leak_problems(case.files, truth.answer)


def leak_problems(files: Files, cents: int) -> Iterator[Problem]:
    """Yield the files that show the answer; and if so, that the answer is the example of the README."""
    if equal(Decimal(plain(cents)), EXAMPLE):
        yield Problem("the answer is the example of the README", "leak")
    for spelled in dict.fromkeys((plain(cents), money(cents))):
        for path, text in files.items():
            at = text.find(spelled)
            while at >= 0:
                if text[at - 1 : at] not in tuple("0123456789.,"):
                    yield Problem(f"{path} shows the answer {spelled}", "leak")
                    break
                at = text.find(spelled, at + 1)
