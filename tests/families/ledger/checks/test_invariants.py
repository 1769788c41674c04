"""The checks of a ledger case: each notices what it is there for, and a sound case passes."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from families.ledger import audit_case, case_maker, close_case
from families.ledger.audit import FAMILY as AUDIT
from families.ledger.checks import invariants as inv
from families.ledger.checks.close_checks import months_tie, prior_year, quiet, recoded
from families.ledger.checks.invariants import Truth, truth
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.book import Book, Worked
from families.ledger.domain.formats import day_of, money, plain
from families.ledger.domain.names import CITATION_NEVER, OWED_SINCE
from families.ledger.domain.questions import Question
from families.ledger.files.case_files import Binder, Document, book_of
from families.ledger.planning.planned_case import Planned
from trapcli.core.contract import Case, Problem
from trapcli.core.errors import TrapError

Change = Callable[[Book], Book]


@pytest.fixture
def case(closes: list[Case]) -> Case:
    return closes[0]


@pytest.fixture
def binder(case: Case) -> Binder:
    return close_case.read(case.files)


def settled(case: Case, book: Book, **more: Any) -> Truth:
    given = {"evidence": 3, "mechanisms": CLOSE.mistakes, **more}
    return truth(book, day_of(case.facts["changeover"]), **given)


def named(problems: Iterable[Problem]) -> set[str]:
    return {problem.where for problem in problems}


def last_receipt(book: Book) -> int:
    return max(i for i, entry in enumerate(book.entries) if entry.amount < 0)


def changed(book: Book, place: int, **fields: Any) -> Book:
    entries = list(book.entries)
    entries[place] = entries[place]._replace(**fields)
    return replace(book, entries=tuple(entries))


def memo_with(book: Book, place: int, **fields: Any) -> Book:
    memo = list(book.memo)
    memo[place] = memo[place]._replace(**fields)
    return replace(book, memo=tuple(memo))


def test_a_sound_case_has_no_problem(closes: list[Case], audits: list[Case]) -> None:
    """What the planner gives passes every check, read back from its public files."""
    for family, cases in ((CLOSE, closes), (AUDIT, audits)):
        for case in cases:
            assert list(family.check(case)) == []


def test_a_memo_that_the_policy_does_not_give(case: Case, binder: Binder) -> None:
    """An amount of the memo that is off by a cent, or a line left out, is noticed."""
    book = book_of(binder)
    invoice, cents = book.memo[4].settles[0]
    wrong = memo_with(book, 4, settles=((invoice, cents - 1), *book.memo[4].settles[1:]), unapplied=1)
    gap = replace(book, memo=(*book.memo[:4], *book.memo[5:]))
    assert named(inv.agrees(settled(case, book))) == set()
    assert named(inv.agrees(settled(case, wrong))) == {"agrees"}
    assert named(inv.agrees(settled(case, gap))) == {"agrees"}


def test_a_memo_that_shows_too_much(case: Case, binder: Binder) -> None:
    """More than 55% of the receipts, or fewer than six left, is too much."""
    book = book_of(binder)
    true = settled(case, book)
    longer = tuple(
        Worked(one.event.day, one.event.voucher, -one.event.amount, tuple(sorted(one.pieces.items())), 0)
        for one in true.seen
    )
    fits = len(true.seen) * 55 // 100
    assert named(inv.enough_left(settled(case, replace(book, memo=longer[:fits])))) == set()
    assert named(inv.enough_left(settled(case, replace(book, memo=longer[: fits + 1])))) == {"enough_left"}
    few = replace(book, memo=longer[:1], entries=tuple(e for e in book.entries if e.amount > 0))
    assert named(inv.enough_left(settled(case, few))) == {"enough_left"}


def test_a_memo_that_does_not_tell_the_policy(case: Case, binder: Binder) -> None:
    """Two receipts of two narrations must tell it before the changeover, and so many after it."""
    book = book_of(binder)
    before, after = inv.evidence(settled(case, book))
    assert named(inv.inducible(settled(case, book, evidence=len(after)))) == set()
    assert named(inv.inducible(settled(case, book, evidence=len(after) + 1))) == {"inducible"}
    vouchers = {one.event.voucher for one in before}
    alike = replace(
        book, entries=tuple(e._replace(narration="x") if e.voucher in vouchers else e for e in book.entries)
    )
    assert named(inv.inducible(settled(case, alike))) == {"inducible"}
    late = replace(book, memo=tuple(line for line in book.memo if line.receipt not in vouchers))
    assert named(inv.inducible(settled(case, late))) == {"inducible"}


def test_an_event_that_the_memo_has_no_example_of(case: Case, binder: Binder) -> None:
    """A later receipt of a new narration, one that pays too much, or cites nobody's invoice, is noticed."""
    book = book_of(binder)
    place = last_receipt(book)
    assert named(inv.exemplified(settled(case, book))) == set()
    for fields in ({"narration": "Barter"}, {"ref": "of old"}):
        assert named(inv.exemplified(settled(case, changed(book, place, **fields)))) == {"exemplified"}
    without = replace(book, memo=tuple(line for line in book.memo if not line.unapplied))
    much = changed(without, place, amount=-90_000_000)
    assert named(inv.exemplified(settled(case, much))) == {"exemplified"}


def test_a_question_that_does_not_see_a_mistake(case: Case, binder: Binder) -> None:
    """All that is owed is the same whatever citations did: both mistakes about them go unseen."""
    book = replace(book_of(binder), question=Question(OWED_SINCE, since=1))
    unseen = {
        problem.message.split()[0] for problem in inv.bites(settled(case, book)) if problem.where == "bites"
    }
    assert {"citation_never", "citation_always"} <= unseen


def test_mistakes_that_cannot_be_told_apart(case: Case, binder: Binder) -> None:
    """Two mistakes with one answer are noticed."""
    true = settled(case, book_of(binder), mechanisms=(CITATION_NEVER, CITATION_NEVER))
    assert named(inv.bites(true)) == {"distinct"}


def test_a_memo_with_two_readings(case: Case, binder: Binder) -> None:
    """A memo that stops at the changeover leaves it open whether there is one."""
    book = book_of(binder)
    switch = day_of(case.facts["changeover"])
    early = replace(book, memo=tuple(line for line in book.memo if line.day < switch))
    assert named(inv.identifiable(settled(case, book))) == set()
    assert named(inv.identifiable(settled(case, early))) == {"identifiable"}


def test_an_answer_that_stands_in_the_totals(case: Case, binder: Binder) -> None:
    """An answer near a total, the balance, or what the memo alone gives, or of three digits, is noticed."""
    book = book_of(binder)
    true = settled(case, book)
    assert named(inv.shortcut(true)) == set()
    forms = dict(inv.closed_forms(true))
    assert len(forms) >= 9
    for cents in forms.values():
        near = replace(true, answer=abs(cents) + 2_499)
        assert named(inv.shortcut(near)) == {"shortcut"}
    assert named(inv.shortcut(replace(true, answer=99_999))) == {"shortcut"}


def with_sheet(binder: Binder, place: int, **fields: Any) -> Binder:
    months = list(binder.months)
    months[place] = months[place]._replace(**fields)
    return replace(binder, months=tuple(months))


def test_months_that_do_not_tie_as_they_should(binder: Binder) -> None:
    """One month is short, by the supplement, neither the first nor the last; the account opens at zero."""
    assert named(months_tie(binder)) == set()
    assert binder.late
    first, last = binder.months[0], binder.months[-1]
    entry = binder.late.entries[0]
    for broken in (
        with_sheet(binder, 0, opening=5),
        with_sheet(binder, len(binder.months) - 1, opening=last.opening + 1),
        replace(binder, late=None),
        replace(binder, late=binder.late._replace(entries=(entry._replace(amount=entry.amount + 1),))),
        replace(binder, late=binder.late._replace(period=last.period)),
        replace(binder, months=(binder.months[0], *binder.months[1:][::-1])),
        with_sheet(binder, 0, entries=first.entries[::-1]),
        with_sheet(binder, 0, entries=(*first.entries, last.entries[0])),
    ):
        assert named(months_tie(broken)) == {"months_tie"}


def test_a_short_month_at_the_end_of_the_year_is_refused(binder: Binder) -> None:
    """If the gap stands after the first month it is noticed, whatever the supplement says."""
    assert binder.late
    short = next(i for i, sheet in enumerate(binder.months) if sheet.period == binder.late.period)
    cut = replace(binder, months=tuple(s for s in binder.months[short:]))
    cut = with_sheet(cut, 0, opening=0)
    assert "months_tie" in named(months_tie(cut))


def test_what_points_at_the_supplement(case: Case, binder: Binder) -> None:
    """Its vouchers are in no memo and no index, and no number is missing in a month's file."""
    assert binder.late
    true = settled(case, book_of(binder))
    assert named(quiet(binder, true)) == set()
    voucher = binder.late.entries[0].voucher
    sheet = binder.months[1]
    receipt = next(i for i, e in enumerate(sheet.entries) if e.amount < 0)
    cites = [
        *sheet.entries[:receipt],
        sheet.entries[receipt]._replace(ref="XX-1"),
        *sheet.entries[receipt + 1 :],
    ]
    for broken in (
        replace(binder, documents=(*binder.documents, Document("XX-1", voucher, "bill"))),
        replace(binder, memo=(binder.memo[0]._replace(settles=((voucher, 1),)), *binder.memo[1:])),
        with_sheet(binder, 1, entries=sheet.entries[1:]),
        with_sheet(binder, 1, entries=tuple(cites)),
    ):
        assert named(quiet(broken, true)) == {"quiet"}


def test_last_year_must_be_seen_to_be_closed(binder: Binder) -> None:
    """Its file ends at zero, by one entry without a customer, and is not of this year."""
    assert named(prior_year(binder)) == set()
    (sheet,) = binder.prior
    for broken in (
        replace(binder, prior=()),
        replace(binder, prior=(sheet._replace(closing=1),)),
        replace(binder, prior=(sheet._replace(entries=sheet.entries[:-1]),)),
        replace(
            binder, prior=(sheet._replace(entries=(sheet.entries[0]._replace(code=""), *sheet.entries[1:])),)
        ),
        replace(binder, prior=(sheet._replace(closing=1), sheet)),
        replace(binder, prior=(sheet._replace(entries=(binder.months[1].entries[0], *sheet.entries)),)),
    ):
        assert named(prior_year(broken)) == {"prior_year"}


def test_the_master_must_tell_of_the_recoding(case: Case, binder: Binder) -> None:
    """One note tells of it, both codes have one name and follow each other, and the memo has an example."""
    true = settled(case, book_of(binder))
    assert named(recoded(binder, true)) == set()
    ((old, new),) = true.book.successions
    silent = replace(binder, customers=tuple(c._replace(note="") for c in binder.customers))
    renamed = tuple(c._replace(name="Other") if c.code == new else c for c in binder.customers)
    unknown = tuple(c for c in binder.customers if c.code != binder.months[0].entries[0].code)
    unseen = replace(binder, memo=tuple(line for line in binder.memo if len(line.settles) > 9))
    assert named(recoded(silent, settled(case, book_of(silent)))) == {"recoded"}
    for broken in (replace(binder, customers=renamed), replace(binder, customers=unknown), unseen):
        assert named(recoded(broken, true)) == {"recoded"}
    swapped = replace(true, book=replace(true.book, successions=((new, old),)))
    assert named(recoded(binder, swapped)) == {"recoded"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("question.md", "{plain}"),
        ("policy/allocation-memo.md", "it was {money}."),
        ("ledgers/2026-01.txt", " {money}"),
    ],
)
def test_an_answer_that_stands_in_a_file(case: Case, path: str, text: str) -> None:
    """The answer's amount, in either spelling, may stand nowhere; as part of another number it may."""
    cents = int(case.gold.replace(".", ""))
    shown = text.format(plain=plain(cents), money=money(cents))
    assert named(case_maker.leaks({path: shown}, cents)) == {"leak"}
    assert named(case_maker.leaks({path: f"9{plain(cents)} 1,{money(cents)}"}, cents)) == set()


def test_the_example_of_the_readme_is_no_answer() -> None:
    """12345.67 is never gold."""
    assert named(case_maker.leaks({}, 1_234_567)) == {"leak"}


def test_dates_must_decide_in_an_audit(audits: list[Case]) -> None:
    """A sheet whose worked receipts come out the same in the order of vouchers is noticed."""
    binder = audit_case.read(audits[0].files)
    (sheet,) = binder.months
    switch = day_of(audits[0].facts["changeover"])
    in_order = {entry.voucher: f"ZZ-{i:04d}" for i, entry in enumerate(sorted(sheet.entries))}
    entries = tuple(
        e._replace(voucher=in_order[e.voucher], ref=in_order.get(e.ref, "")) for e in sorted(sheet.entries)
    )
    memo = tuple(
        line._replace(
            receipt=in_order[line.receipt], settles=tuple(sorted((in_order[v], c) for v, c in line.settles))
        )
        for line in binder.memo
    )
    orderly = replace(binder, months=(sheet._replace(entries=entries),), memo=memo)
    assert named(audit_case.problems(binder, case_maker.truth_of(AUDIT, binder, switch, 3))) == set()
    assert named(audit_case.problems(orderly, case_maker.truth_of(AUDIT, orderly, switch, 3))) == {
        "dates_decide"
    }


def test_a_case_whose_private_half_is_wrong(case: Case) -> None:
    """Gold or kept mistakes that the public files do not give are noticed, and so is a damaged file."""
    other = {**case.facts, "mistakes": case.facts["mistakes"][1:]}
    assert named(CLOSE.check(replace(case, gold="1234.00"))) == {"agrees"}
    assert named(CLOSE.check(replace(case, facts=other))) == {"agrees"}
    damaged = {**case.files, "ledgers/2026-01.txt": case.files["ledgers/2026-01.txt"].replace("0", "1", 40)}
    assert named(CLOSE.check(replace(case, files=damaged))) == {"arithmetic"}


EVERYTHING = (
    "At the end of 2026-07-31, how much do customers still owe on invoices billed on or after 2026-01-01?"
)
SABOTAGE: dict[str, Callable[[Binder], Binder]] = {
    "months_tie": lambda b: with_sheet(b, 0, opening=1),
    "quiet": lambda b: replace(b, documents=b.documents[:3]),
    "prior_year": lambda b: replace(b, prior=()),
    "recoded": lambda b: replace(b, customers=tuple(c._replace(note="") for c in b.customers)),
    "agrees": lambda b: replace(b, memo=(b.memo[0]._replace(amount=1), *b.memo[1:])),
    "inducible": lambda b: replace(b, memo=b.memo[:5]),
    "identifiable": lambda b: replace(b, memo=b.memo[:5]),
    "enough_left": lambda b: replace(b, memo=b.memo * 2),
    "exemplified": lambda b: with_sheet(
        b, 6, entries=tuple(e._replace(narration="Barter") for e in b.months[6].entries)
    ),
    "shortcut": lambda b: replace(b, question=EVERYTHING.replace("2026-01-01", "2026-07-31")),
    "bites": lambda b: replace(b, question=EVERYTHING),
}


@pytest.mark.parametrize("invariant", SABOTAGE)
def test_the_build_refuses_a_plan_that_breaks(
    case: Case, invariant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a planner hands over, a case that breaks an invariant is not made, and the error says why."""
    sound = close_case.read(case.files)
    planned = Planned(SABOTAGE[invariant](sound), day_of(case.facts["changeover"]), ("", "", "", ""))
    monkeypatch.setattr(close_case, "plan", lambda *given: planned)
    assert invariant in named(case_maker.problems(CLOSE, planned.binder, planned.switch, 3))
    with pytest.raises(TrapError, match=r"can be planned with these knobs: [a-z_]+: "):
        CLOSE.generate("1", CLOSE.knobs(), 0)
