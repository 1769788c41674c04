"""The planner: shapes, sketches, numbering, decoys, and how a question is found."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from families.ledger import close_case
from families.ledger.checks.difficulty import depth, must_be_read
from families.ledger.checks.invariants import truth
from families.ledger.domain.book import Book, answer, answer_of, settled, stopped
from families.ledger.domain.formats import day_of
from families.ledger.domain.names import CITATION_NEVER, KINDS, OWED_SINCE
from families.ledger.domain.questions import Question
from families.ledger.files.case_files import book_of
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.audit_plan import posted
from families.ledger.planning.close_plan import CHANGES
from families.ledger.planning.labels import monthly_vouchers
from families.ledger.planning.question_search import BITE, find
from families.ledger.planning.year_builder import Line, Sketch
from families.ledger.planning.year_outline import Frame, Shape, Unlucky, frame, shape
from trapcli.core.contract import Case
from trapcli.core.draw import Draw


def drawn(seed: int) -> tuple[Frame, Shape, list[Line]]:
    """The first sketch that succeeds at the default knobs, from this seed on."""
    for attempt in range(20):
        draw = Draw(f"planning/{seed}/{attempt}")
        within = frame(draw, 7, 91, 6, True, CHANGES)
        try:
            form = shape(draw, within, 13, 3, 3, asked=False, to_slow=50, over="")
            return within, form, Sketch(draw, form).run()
        except Unlucky:
            continue
    raise AssertionError("no sketch succeeds")


@pytest.mark.parametrize("seed", range(5))
def test_a_sketch_keeps_to_its_shape(seed: int) -> None:
    """The memo gets as many receipts as planned on either side of the changeover; every slot is filled."""
    _, form, lines = drawn(seed)
    worked = [line for line in lines if line.worked]
    assert [line.day for line in lines] == [day for day, _ in form.slots]
    assert sum(line.day < form.switch for line in worked) == form.early
    assert len(worked) == form.early + form.after
    assert not any(line.late for line in worked)
    assert sum(line.late for line in lines) == 3
    assert sum(line.amount < 0 and not line.worked and not line.late for line in lines) <= form.rest


@pytest.mark.parametrize("seed", range(5))
def test_no_customer_has_two_entries_on_a_day(seed: int) -> None:
    """So no order within a day is in doubt; and a receipt cites an invoice of its customer from before."""
    _, _, lines = drawn(seed)
    assert max(Counter((line.who, line.day) for line in lines).values()) == 1
    for line in lines:
        if line.cited >= 0:
            assert lines[line.cited].who == line.who
            assert lines[line.cited].day < line.day
            assert not lines[line.cited].late


def test_vouchers_of_late_entries_follow_those_of_their_month() -> None:
    """Numbers run through a month in the order of its entries; what was booked late comes after them."""
    march, april = day_of("2026-03-01"), day_of("2026-04-01")
    lines = [Line(march, 0, 5), Line(march + 1, 1, 5, late=True), Line(march + 2, 0, 5), Line(april, 0, 5)]
    assert monthly_vouchers("XY", lines) == ["XY2603-001", "XY2603-003", "XY2603-002", "XY2604-001"]


def test_vouchers_of_an_audit_follow_posting() -> None:
    """Without delays vouchers follow dates; with them they do not, but none is lost."""
    lines = [Line(day, 0, 5) for day in range(100, 140)]
    assert posted(Draw("p"), "XY", lines, 0) == [f"XY26-{n:04d}" for n in range(1, 41)]
    late = posted(Draw("p"), "XY", lines, 40)
    assert late != sorted(late)
    assert sorted(late) == posted(Draw("p"), "XY", lines, 0)


@pytest.mark.parametrize("decoys", [1, 2, 3, 4])
def test_the_decoys_that_were_asked_for(decoys: int) -> None:
    """One file of last year and then, in turns, another account's, another month of last year, and so on."""
    knobs = CloseKnobs(decoys=decoys)
    within = close_case.outline(Draw("decoys"), knobs)
    for attempt in range(30):
        try:
            binder = close_case.plan(Draw(f"decoys/{attempt}"), knobs, OWED_SINCE, within).binder
        except Unlucky:
            continue
        break
    assert [sheet.period for sheet in binder.prior] == ["2025-11", "2025-12"][-((decoys + 1) // 2) :]
    assert len(binder.others) == decoys // 2
    assert len({sheet.account for sheet in (*binder.others, *binder.months)}) == 1 + decoys // 2


@pytest.mark.parametrize("entries", [36, 91, 480])
def test_a_frame_fits_its_year(entries: int) -> None:
    """The short month is neither first nor last, and nobody is left with fewer than eight entries."""
    for seed in range(40):
        months = max(3, entries // 40)
        within = frame(Draw(f"frame/{seed}"), months, entries, 20, True, CHANGES)
        assert 1 < within.short < months
        assert within.recoded < within.customers <= max(3, entries // 8)
        days = within.starts[-1] - within.starts[0]
        assert days * 20 // 100 <= within.switch - within.starts[0] <= days * 45 // 100


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


def test_a_question_is_found_that_sees_the_mistake(year: Callable[..., Book]) -> None:
    """It is bounded so that the skipped invoice is out and the one that was paid for it is in."""
    book = year(LINES, 2, 8, Question(OWED_SINCE))
    views = [settled(book, 8), stopped(book, 8), [settled(book, 8, (CITATION_NEVER,))]]
    question = find(Draw("find"), OWED_SINCE, (), *views)  # type: ignore[arg-type]
    assert question is not None
    assert question.since == 2  # later bounds leave B out, whose receipt the memo does not show
    right = answer_of(question, *settled(book, 8))
    assert abs(answer(replace(book, question=question), 8, (CITATION_NEVER,)) - right) >= BITE
    assert find(Draw("find"), OWED_SINCE, (), views[0], views[0], views[2]) is None  # type: ignore[arg-type]
    assert find(Draw("find"), OWED_SINCE, (), views[0], views[1], [views[0]]) is None  # type: ignore[arg-type]


def test_how_deep_a_wrong_turn_goes(year: Callable[..., Book]) -> None:
    """The depth counts the receipts of a customer from the first whose treatment alone decides the answer."""
    book = year(LINES, 2, 8, Question(OWED_SINCE, since=2))
    assert depth(truth(book, 8, 1, ())) == 3
    assert depth(truth(replace(book, question=Question(OWED_SINCE, since=1)), 8, 1, ())) == 0


def test_which_files_must_be_read(closes: list[Case]) -> None:
    """Leaving a named month out changes the answer; leaving out another one does not."""
    case = closes[1]
    binder = close_case.read(case.files)
    true = truth(book_of(binder), day_of(case.facts["changeover"]), 3, ())
    named = set(must_be_read(binder, true))
    for sheet in binder.months:
        rest = tuple(entry for entry in true.book.entries if entry not in sheet.entries)
        changes = answer(replace(true.book, entries=rest), true.switch) != true.answer
        assert changes == (f"ledgers/{sheet.period}.txt" in named)


def test_every_kind_can_be_planned() -> None:
    """Within a few dozen plans each kind of question finds a year that it fits."""
    knobs = CloseKnobs()
    for kind in KINDS:
        found = 0
        for attempt in range(40):
            within = close_case.outline(Draw(f"kind/{attempt}"), knobs)
            try:
                close_case.plan(Draw(f"kind/{kind}/{attempt}"), knobs, kind, within)
            except Unlucky:
                continue
            found = 1
            break
        assert found, kind
