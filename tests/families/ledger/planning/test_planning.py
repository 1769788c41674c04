"""The planner: outlines, years, numbering, decoys, and how a question is found."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from families.ledger import close_craft
from families.ledger.checks.difficulty import depth, required_files
from families.ledger.checks.truth import find_truth
from families.ledger.domain.book import Book, answer, answer_of, settle_book, settle_memo_only
from families.ledger.domain.formats import day_of
from families.ledger.domain.limits import MIN_EFFECT
from families.ledger.domain.questions import Question
from families.ledger.domain.traps_and_mistakes import CITATION_NEVER, OWED_SINCE, TRAPS
from families.ledger.files.case_files import book_of
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.audit_plan import posted_vouchers
from families.ledger.planning.close_plan import CHANGES
from families.ledger.planning.labels import monthly_vouchers
from families.ledger.planning.planned_case import PlanFailed
from families.ledger.planning.question_search import find_question
from families.ledger.planning.year_builder import YearBuilder
from families.ledger.planning.year_outline import YearOutline, draw_case_outline, draw_year_outline
from families.ledger.planning.year_state import DraftEntry
from trapcli.core.contract import Case
from trapcli.core.draw import Draw


def first_year(seed: int) -> tuple[YearOutline, list[DraftEntry]]:
    """Return the first year that succeeds at the default knobs."""
    for attempt in range(20):
        draw = Draw(f"planning/{seed}/{attempt}")
        outline = draw_case_outline(draw, 7, 91, 6, True, CHANGES)
        try:
            year = draw_year_outline(draw, outline, 13, 3, 3, about_recoded=False, late_to_slow=50, over="")
            return year, YearBuilder(draw, year).build()
        except PlanFailed:
            continue
    raise AssertionError("no year succeeds")


@pytest.mark.parametrize("seed", range(5))
def test_a_year_keeps_to_its_outline(seed: int) -> None:
    """The memo gets as many receipts as planned on either side of the changeover; every slot is filled."""
    year, drafts = first_year(seed)
    in_memo = [draft for draft in drafts if draft.in_memo]
    assert [draft.day for draft in drafts] == [day for day, _ in year.slots]
    assert sum(draft.day < year.changeover for draft in in_memo) == year.early
    assert len(in_memo) == year.early + year.after
    assert not any(draft.late for draft in in_memo)
    assert sum(draft.late for draft in drafts) == 3
    assert sum(draft.amount < 0 and not draft.in_memo and not draft.late for draft in drafts) <= year.rest


@pytest.mark.parametrize("seed", range(5))
def test_no_customer_has_two_entries_on_a_day(seed: int) -> None:
    """No order within a day is in doubt; and a receipt cites an earlier invoice of its customer."""
    _, drafts = first_year(seed)
    assert max(Counter((draft.customer, draft.day) for draft in drafts).values()) == 1
    for draft in drafts:
        if draft.cited >= 0:
            cited = drafts[draft.cited]
            assert cited.customer == draft.customer
            assert cited.day < draft.day
            assert not cited.late


def test_vouchers_of_late_entries_follow_those_of_their_month() -> None:
    """Numbers run through a month in the order of its entries; what was booked late comes after them."""
    march, april = day_of("2026-03-01"), day_of("2026-04-01")
    drafts = [
        DraftEntry(march, 0, 5),
        DraftEntry(march + 1, 1, 5, late=True),
        DraftEntry(march + 2, 0, 5),
        DraftEntry(april, 0, 5),
    ]
    assert monthly_vouchers("XY", drafts) == ["XY2603-001", "XY2603-003", "XY2603-002", "XY2604-001"]


def test_vouchers_of_an_audit_follow_posting() -> None:
    """Without delays vouchers follow dates; with them they do not, but none is lost."""
    drafts = [DraftEntry(day, 0, 5) for day in range(100, 140)]
    assert posted_vouchers(Draw("p"), "XY", drafts, 0) == [f"XY26-{n:04d}" for n in range(1, 41)]
    late = posted_vouchers(Draw("p"), "XY", drafts, 40)
    assert late != sorted(late)
    assert sorted(late) == posted_vouchers(Draw("p"), "XY", drafts, 0)


@pytest.mark.parametrize("decoys", [1, 2, 3, 4])
def test_the_number_of_decoys(decoys: int) -> None:
    """The decoys are a file of last year, then in turn one of another account and one of last year."""
    knobs = CloseKnobs(decoys=decoys)
    outline = close_craft.draw_outline(Draw("decoys"), knobs)
    for attempt in range(30):
        try:
            planned = close_craft.plan_case(Draw(f"decoys/{attempt}"), knobs, OWED_SINCE, outline)
        except PlanFailed:
            continue
        break
    case_files = planned.case_files
    assert [sheet.period for sheet in case_files.prior] == ["2025-11", "2025-12"][-((decoys + 1) // 2) :]
    assert len(case_files.other_accounts) == decoys // 2
    accounts = {sheet.account for sheet in (*case_files.other_accounts, *case_files.months)}
    assert len(accounts) == 1 + decoys // 2


@pytest.mark.parametrize("entries", [36, 91, 480])
def test_a_case_outline_fits_its_year(entries: int) -> None:
    """The short month is neither first nor last, and nobody is left with fewer than eight entries."""
    for seed in range(40):
        months = max(3, entries // 40)
        outline = draw_case_outline(Draw(f"frame/{seed}"), months, entries, 20, True, CHANGES)
        assert 1 < outline.short < months
        assert outline.recoded < outline.customers <= max(3, entries // 8)
        days = outline.starts[-1] - outline.starts[0]
        assert days * 20 // 100 <= outline.changeover - outline.starts[0] <= days * 45 // 100


# A skips v01 before the changeover on day 8, and pays it in part after it; the memo shows two receipts.
LINES = [
    (1, "A", 200_000, "", ""),
    (2, "B", 300_000, "", ""),
    (3, "A", 500_000, "", ""),
    (5, "A", 400_000, "", ""),
    (6, "A", -300_000, "v03", "bank"),
    (9, "A", -50_000, "v04", "bank"),
    (11, "A", -50_000, "v04", "card"),
    (12, "B", -100_000, "", "card"),
]


def test_the_question_found_sees_the_mistake(year: Callable[..., Book]) -> None:
    """Its bound excludes the skipped invoice, and includes the one that was paid instead."""
    book = year(LINES, 2, 8, Question(OWED_SINCE))
    right, memo_only = settle_book(book, 8), settle_memo_only(book, 8)
    mistaken = [settle_book(book, 8, (CITATION_NEVER,))]
    question = find_question(Draw("find"), OWED_SINCE, (), right, memo_only, mistaken)
    assert question is not None
    assert question.since == 2  # later bounds leave B out, whose receipt the memo does not show
    wrong = answer(replace(book, question=question), 8, (CITATION_NEVER,))
    assert abs(wrong - answer_of(question, right)) >= MIN_EFFECT
    assert find_question(Draw("find"), OWED_SINCE, (), right, right, mistaken) is None
    assert find_question(Draw("find"), OWED_SINCE, (), right, memo_only, [right]) is None


def test_how_deep_a_wrong_turn_goes(year: Callable[..., Book]) -> None:
    """The depth counts a customer's receipts from the first one that alone decides the answer."""
    book = year(LINES, 2, 8, Question(OWED_SINCE, since=2))
    assert depth(find_truth(book, 8, 1, ())) == 3
    assert depth(find_truth(replace(book, question=Question(OWED_SINCE, since=1)), 8, 1, ())) == 0


def test_which_files_must_be_read(closes: list[Case]) -> None:
    """Leaving out a required month changes the answer; leaving out another one does not."""
    case = closes[1]
    case_files = close_craft.read_files(case.files)
    truth = find_truth(book_of(case_files), day_of(case.facts["changeover"]), 3, ())
    required = set(required_files(case_files, truth))
    for sheet in case_files.months:
        rest = tuple(entry for entry in truth.book.entries if entry not in sheet.entries)
        changes = answer(replace(truth.book, entries=rest), truth.changeover) != truth.answer
        assert changes == (f"ledgers/{sheet.period}.txt" in required)


@pytest.mark.parametrize("trap", TRAPS)
def test_every_trap_can_be_planned(trap: str) -> None:
    """Within a few dozen plans each trap finds a year that it fits."""
    knobs = CloseKnobs()
    for attempt in range(40):
        outline = close_craft.draw_outline(Draw(f"kind/{attempt}"), knobs)
        try:
            close_craft.plan_case(Draw(f"kind/{trap}/{attempt}"), knobs, trap, outline)
        except PlanFailed:
            continue
        return
    raise AssertionError("no plan succeeds")
