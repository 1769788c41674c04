"""How the ledger families make and check cases. Loaded only for that: judging an answer needs none of it."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from families.ledger.checks.difficulty import depth, wrong_answers
from families.ledger.checks.invariants import Truth, truth
from families.ledger.checks.invariants import problems as book_problems
from families.ledger.domain.formats import cents_of_plain, day_of, iso, money, plain
from families.ledger.domain.names import KINDS
from families.ledger.files.case_files import Binder, book_of
from families.ledger.planning.planned_case import Planned
from families.ledger.planning.year_outline import Frame, Unlucky
from trapcli.answers.amount.line import EXAMPLE, equal, instructions
from trapcli.core.contract import Case, Files, Problem
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

if TYPE_CHECKING:
    from families.ledger.family import LedgerFamily

FRAMES, PLANS = 25, 40  # frames of a case, and plans within each, before we give up
README = "README.md"


class Craft(Protocol):
    """What is different between the families: a module with these functions."""

    @staticmethod
    def outline(draw: Draw, knobs: Any) -> Frame:
        """What a case keeps whatever else has to be drawn again."""

    @staticmethod
    def plan(draw: Draw, knobs: Any, kind: str, within: Frame) -> Planned:
        """A case of the kind within the frame; Unlucky if what is drawn does not come out."""

    @staticmethod
    def render(planned: Planned) -> dict[str, str]:
        """All files of a case but its README."""

    @staticmethod
    def read(files: Files) -> Binder:
        """What `render` was given, from the files; ValueError, KeyError or IndexError if they are damaged."""

    @staticmethod
    def problems(binder: Binder, true: Truth) -> Iterator[Problem]:
        """What is wrong with a binder beside its book."""

    @staticmethod
    def needed(binder: Binder, true: Truth) -> Iterable[str]:
        """The files without which the answer cannot be had."""

    @staticmethod
    def solve(files: Files, mistake: str | None) -> str:
        """What an agent prints that makes this mistake, or none."""


def generate(family: "LedgerFamily", seed: str, knobs: Any, k: int) -> Case:
    """Case `k` of the seed; TrapError if none can be planned with these knobs."""
    craft, kind, why = family.craft, KINDS[k % len(KINDS)], ""
    draw = Draw(f"{family.name}/{family.version}/{seed}/{k}")
    for number in range(FRAMES):
        frame = craft.outline(draw.stream(f"frame-{number}"), knobs)
        for attempt in range(PLANS):
            try:
                planned = craft.plan(draw.stream(f"plan-{number}-{attempt}"), knobs, kind, frame)
            except Unlucky as unlucky:
                why = str(unlucky)
                continue
            found = first_problem(family, planned.binder, planned.switch, knobs.min_change_evidence)
            if found is None:
                plans = number * PLANS + attempt + 1
                case = _case(family, kind, planned, knobs.min_change_evidence, plans)
                found = next(leaks(case.files, cents_of_plain(case.gold)), None)
                if found is None:
                    return case
            why = str(found)
    raise TrapError(
        f"{family.name}: no case {k + 1} ({kind}) can be planned with these knobs: {why}. "
        "Give it more months or entries, or another number of customers."
    )


def _case(family: "LedgerFamily", kind: str, planned: Planned, evidence: int, plans: int) -> Case:
    binder = planned.binder
    true = truth_of(family, binder, planned.switch, evidence)
    needed = list(family.craft.needed(binder, true))
    facts = {
        "changeover": iso(planned.switch),
        "change_evidence": evidence,
        "short_month": binder.late.period if binder.late else "",
        "recoded": [list(codes) for codes in true.book.successions],
        "mistakes": mistakes(family, true),
        "must_be_read": needed,
        "horizon": len(needed),
        "depth": depth(true),
        "plans": plans,
    }
    readme = f"{family.readme.strip()}\n\n{instructions()}"
    files = {README: readme, **family.craft.render(planned)}
    return Case(family.name, kind, files, plain(true.answer), family.mistakes, facts)


def truth_of(family: "LedgerFamily", binder: Binder, switch: int, evidence: int) -> Truth:
    """The binder's book settled; ValueError if its question cannot be read."""
    return truth(book_of(binder), switch, evidence, family.mistakes)


def mistakes(family: "LedgerFamily", true: Truth) -> list[dict[str, Any]]:
    """What each mistake, and each two together, lead to, as JSON data."""
    return [
        {"mechanisms": list(made), "answer": plain(cents)}
        for made, cents in wrong_answers(true.book, true.switch, family.mistakes)
    ]


def problems(family: "LedgerFamily", binder: Binder, switch: int, evidence: int) -> Iterator[Problem]:
    """What is wrong with a binder and its book, cheap checks first."""
    true = truth_of(family, binder, switch, evidence)
    return chain(family.craft.problems(binder, true), book_problems(true))


# Of an equal binder the same holds: what was checked while planning is not checked again.
@lru_cache(maxsize=8)
def first_problem(family: "LedgerFamily", binder: Binder, switch: int, evidence: int) -> Problem | None:
    """The first of its problems, or None."""
    return next(problems(family, binder, switch, evidence), None)


def check(family: "LedgerFamily", case: Case) -> Iterator[Problem]:
    """What is wrong with a case: its files, read back, must give its answer and hold all invariants."""
    try:
        switch, evidence = day_of(case.facts["changeover"]), case.facts["change_evidence"]
        binder = family.craft.read(case.files)
        true = truth_of(family, binder, switch, evidence)
    except (KeyError, IndexError, ValueError) as error:
        yield Problem(f"the files cannot be read: {error}", "arithmetic")
        return
    if first_problem(family, binder, switch, evidence):
        yield from problems(family, binder, switch, evidence)
    if case.gold != plain(true.answer):
        yield Problem(f"the files give {plain(true.answer)}, the plan {case.gold}", "agrees")
    if case.facts["mistakes"] != mistakes(family, true):
        yield Problem("mistakes lead to other answers than those that are kept", "agrees")
    yield from leaks(case.files, true.answer)


def leaks(files: Files, cents: int) -> Iterator[Problem]:
    """Files that show the answer; an answer that is the example of the README."""
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
