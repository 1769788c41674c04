"""Planned cases of every level: whatever is missed changes the answer, and years are as they must be."""

from itertools import combinations

import pytest

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.checks.rivals import Search
from families.ledger.checks.shortcuts import shortcut_problems
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.limits import MIN_ANSWER, MIN_EFFECT
from families.ledger.domain.settlement import CREDIT, INVOICE, RECEIPT, RETURN
from families.ledger.family import LedgerFamily
from families.ledger.obstacles.library import KINDS, SIMPLE, draw_kinds
from families.ledger.obstacles.outside import OpeningItems, OtherAccount, PriorYear, StrayEntry
from families.ledger.planning.frame import draw_frame, is_workday
from families.ledger.planning.misses import fixed_orders
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.year import Features, YearBuilder
from trapcli.core.draw import Draw
from trapcli.core.knobs import parse_knobs

LEVELS = [(family, level) for family in (CLOSE, AUDIT) for level in range(1, len(family.levels) + 1)]


def planned(family: LedgerFamily, level: int, trap: str) -> object:
    """Return the first case that can be planned."""
    knobs = parse_knobs(family, {**family.levels[level - 1]})
    draw = Draw(f"plans/{family.name}/{level}/{trap}")
    for outline in range(20):
        frame = family.craft.draw_outline(draw.stream(f"outline-{outline}"), knobs)
        for attempt in range(40):
            try:
                return family.craft.plan_case(draw.stream(f"{outline}-{attempt}"), knobs, trap, frame)
            except PlanFailed:
                continue
    raise AssertionError("no case can be planned")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "level"), LEVELS, ids=[f"{family.name}-{level}" for family, level in LEVELS]
)
def test_what_is_missed_changes_the_answer(family: LedgerFamily, level: int) -> None:
    """Each thing missed, and each two, move the answer by 100.00; so does one order for all receipts."""
    traps = list(family.traps)
    for trap in traps[level % 2 :: 2] if level < 6 else [traps[level % len(traps)]]:
        case = planned(family, level, trap)
        ledger, misses = case.ledger, case.misses  # type: ignore[attr-defined]
        right = ledger.answer()
        assert right >= MIN_ANSWER
        assert right == ledger.answer(kept=False)
        for miss in misses:
            assert abs(ledger.answer([miss]) - right) >= MIN_EFFECT
            if not miss.kept_only:
                assert abs(ledger.answer([miss], kept=False) - right) >= MIN_EFFECT
        for pair in combinations(misses, 2):
            if pair != misses[:2]:
                assert abs(ledger.answer(pair) - right) >= MIN_EFFECT
        for order in fixed_orders():
            assert abs(ledger.answer([order]) - right) >= MIN_EFFECT
            assert abs(ledger.answer([order], kept=False) - right) >= MIN_EFFECT


@pytest.mark.parametrize("count", range(2, 13))
def test_the_kinds_of_obstacles(count: int) -> None:
    """Up to four obstacles are of the simple kinds; above that all occur, and none excludes another."""
    drawn = [draw_kinds(Draw(f"{count}/{number}"), count) for number in range(80)]
    for kinds in drawn:
        assert len(kinds) == len(set(kinds)) == count
        assert not {OpeningItems, PriorYear} <= set(kinds)
        assert StrayEntry not in kinds or OtherAccount in kinds
        assert kinds == [kind for kind in KINDS if kind in kinds]
    seen = {kind for kinds in drawn for kind in kinds}
    assert seen == (set(SIMPLE) if count <= len(SIMPLE) else set(KINDS))


def test_each_obstacle_is_in_a_fifth_of_the_hardest_cases() -> None:
    """With ten obstacles a case, each kind is in at least a fifth of the cases."""
    drawn = [draw_kinds(Draw(f"share/{number}"), 10) for number in range(200)]
    for kind in KINDS:
        assert sum(kind in kinds for kinds in drawn) >= 40


@pytest.mark.parametrize("seed", range(6))
def test_a_year_of_entries(seed: int) -> None:
    """Entries are on workdays, one a customer and day; what is cited is billed already, in order."""
    frame = draw_frame(Draw(f"frame/{seed}"), 9, 7, 2, True, ("narration", "office"))
    features = Features(returns=2, credits=3, bound=4_000, opening=4, overpaid=1)
    drafts = YearBuilder(Draw(f"year/{seed}"), frame, 16, features).build()
    keys = [draft.event.key for draft in drafts]
    assert keys == list(range(len(drafts)))
    days = [(draft.customer, draft.event.day) for draft in drafts if draft.event.day >= frame.starts[0]]
    assert len(set(days)) == len(days)
    assert all(is_workday(draft.event.day) for draft in drafts)
    for draft in drafts:
        event = draft.event
        if event.ref >= 0:
            other = drafts[event.ref]
            assert event.ref < event.key and other.customer == draft.customer
            assert other.event.kind == (RECEIPT if event.kind == RETURN else INVOICE)
    kinds = [draft.event.kind for draft in drafts]
    assert (kinds.count(RETURN), kinds.count(CREDIT)) == (2, 3)
    assert sum(draft.event.day < frame.starts[0] for draft in drafts) == 4


@pytest.mark.slow
def test_no_plan_leaves_a_doubt_that_its_case_has() -> None:
    """The cases that are made, unlike the plans, have no rival and are near no figure that is easily had."""
    for k in range(4):
        case = CLOSE.generate("77", CLOSE.knobs(), k)
        assert case.facts["plans"] >= 1
    trap = next(iter(CLOSE.traps))
    clear = planned(CLOSE, 4, trap)
    rivals = list(Search(clear.ledger).rivals())  # type: ignore[attr-defined]
    problems = list(shortcut_problems(clear.ledger))  # type: ignore[attr-defined]
    assert all(rival.answer != clear.ledger.answer() for rival in rivals)  # type: ignore[attr-defined]
    assert all(problem.where == "shortcut" for problem in problems)
