"""The checks of a ledger case: each notices its own problem, and a sound case passes."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from families.ledger import audit_craft, case_maker, close_craft
from families.ledger.audit import FAMILY as AUDIT
from families.ledger.checks import invariants as inv
from families.ledger.checks.close_checks import (
    balance_problems,
    prior_year_problems,
    recoding_problems,
    supplement_problems,
)
from families.ledger.checks.closed_forms import closed_forms
from families.ledger.checks.truth import Truth, find_truth
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.book import Book, WorkedReceipt
from families.ledger.domain.formats import day_of, money, plain
from families.ledger.domain.questions import Question
from families.ledger.domain.traps_and_mistakes import CITATION_NEVER, CLOSE_MISTAKES, OWED_SINCE
from families.ledger.files.case_files import CaseFiles, Document, book_of
from families.ledger.planning.planned_case import PlannedCase
from trapcli.core.contract import Case, Problem
from trapcli.core.errors import TrapError

Change = Callable[[Book], Book]


@pytest.fixture
def case(closes: list[Case]) -> Case:
    return closes[0]


@pytest.fixture
def case_files(case: Case) -> CaseFiles:
    return close_craft.read_files(case.files)


def truth_of(case: Case, book: Book, **more: Any) -> Truth:
    """Return the truth about a variant of the case's book."""
    options = {"min_evidence": 3, "mistakes": tuple(CLOSE_MISTAKES), **more}
    return find_truth(book, day_of(case.facts["changeover"]), **options)


def names(problems: Iterable[Problem]) -> set[str]:
    """Return the invariants that are broken."""
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


@pytest.mark.slow
def test_a_sound_case_has_no_problem(closes: list[Case], audits: list[Case]) -> None:
    """A generated case passes every check, read back from its public files."""
    for family, cases in ((CLOSE, closes), (AUDIT, audits)):
        for case in cases:
            assert list(family.check(case)) == []


def test_a_memo_that_the_policy_does_not_give(case: Case, case_files: CaseFiles) -> None:
    """An amount of the memo that is off by a cent, or a line left out, is noticed."""
    book = book_of(case_files)
    invoice, cents = book.memo[4].settles[0]
    wrong = memo_with(book, 4, settles=((invoice, cents - 1), *book.memo[4].settles[1:]), unapplied=1)
    gap = replace(book, memo=(*book.memo[:4], *book.memo[5:]))
    assert names(inv.memo_problems(truth_of(case, book))) == set()
    assert names(inv.memo_problems(truth_of(case, wrong))) == {"agrees"}
    assert names(inv.memo_problems(truth_of(case, gap))) == {"agrees"}


def test_a_memo_that_shows_too_much(case: Case, case_files: CaseFiles) -> None:
    """More than 55% of the receipts, or fewer than six left, is too much."""
    book = book_of(case_files)
    truth = truth_of(case, book)
    longer = tuple(
        WorkedReceipt(
            one.event.day, one.event.voucher, -one.event.amount, tuple(sorted(one.pieces.items())), 0
        )
        for one in truth.receipts
    )
    fits = len(truth.receipts) * 55 // 100
    assert names(inv.length_problems(truth_of(case, replace(book, memo=longer[:fits])))) == set()
    assert names(inv.length_problems(truth_of(case, replace(book, memo=longer[: fits + 1])))) == {
        "enough_left"
    }
    few = replace(book, memo=longer[:1], entries=tuple(e for e in book.entries if e.amount > 0))
    assert names(inv.length_problems(truth_of(case, few))) == {"enough_left"}


def test_a_memo_that_does_not_show_the_policy(case: Case, case_files: CaseFiles) -> None:
    """Two receipts of two narrations must show it before the changeover, and `min_evidence` after it."""
    book = book_of(case_files)
    before, after = inv.decisive_receipts(truth_of(case, book))
    assert names(inv.evidence_problems(truth_of(case, book, min_evidence=len(after)))) == set()
    assert names(inv.evidence_problems(truth_of(case, book, min_evidence=len(after) + 1))) == {"inducible"}
    vouchers = {one.event.voucher for one in before}
    alike = replace(
        book, entries=tuple(e._replace(narration="x") if e.voucher in vouchers else e for e in book.entries)
    )
    assert names(inv.evidence_problems(truth_of(case, alike))) == {"inducible"}
    late = replace(book, memo=tuple(line for line in book.memo if line.receipt not in vouchers))
    assert names(inv.evidence_problems(truth_of(case, late))) == {"inducible"}


def test_an_event_that_the_memo_has_no_example_of(case: Case, case_files: CaseFiles) -> None:
    """A later receipt of a new narration, one that pays too much, or cites nobody's invoice, is noticed."""
    book = book_of(case_files)
    place = last_receipt(book)
    assert names(inv.example_problems(truth_of(case, book))) == set()
    for fields in ({"narration": "Barter"}, {"ref": "of old"}):
        assert names(inv.example_problems(truth_of(case, changed(book, place, **fields)))) == {"exemplified"}
    without = replace(book, memo=tuple(line for line in book.memo if not line.unapplied))
    much = changed(without, place, amount=-90_000_000)
    assert names(inv.example_problems(truth_of(case, much))) == {"exemplified"}


def test_a_question_that_does_not_see_a_mistake(case: Case, case_files: CaseFiles) -> None:
    """All that is owed is the same whatever citations did: both mistakes about them go unseen."""
    book = replace(book_of(case_files), question=Question(OWED_SINCE, since=1))
    unseen = {
        problem.message.split()[0]
        for problem in inv.mistake_problems(truth_of(case, book))
        if problem.where == "bites"
    }
    assert {"citation_never", "citation_always"} <= unseen


def test_two_mistakes_with_one_answer(case: Case, case_files: CaseFiles) -> None:
    """Mistakes that give the same answer are noticed."""
    truth = truth_of(case, book_of(case_files), mistakes=(CITATION_NEVER, CITATION_NEVER))
    assert names(inv.mistake_problems(truth)) == {"distinct"}


def test_a_memo_with_two_readings(case: Case, case_files: CaseFiles) -> None:
    """A memo that stops at the changeover leaves it open whether there is one."""
    book = book_of(case_files)
    changeover = day_of(case.facts["changeover"])
    early = replace(book, memo=tuple(line for line in book.memo if line.day < changeover))
    assert names(inv.identity_problems(truth_of(case, book))) == set()
    assert names(inv.identity_problems(truth_of(case, early))) == {"identifiable"}


def test_an_answer_that_is_near_a_total(case: Case, case_files: CaseFiles) -> None:
    """An answer near a total, the balance, or what the memo alone gives, or of three digits, is noticed."""
    book = book_of(case_files)
    truth = truth_of(case, book)
    assert names(inv.shortcut_problems(truth)) == set()
    forms = dict(closed_forms(truth))
    assert len(forms) >= 9
    for cents in forms.values():
        near = replace(truth, answer=abs(cents) + 2_499)
        assert names(inv.shortcut_problems(near)) == {"shortcut"}
    assert names(inv.shortcut_problems(replace(truth, answer=99_999))) == {"shortcut"}


def with_sheet(case_files: CaseFiles, place: int, **fields: Any) -> CaseFiles:
    months = list(case_files.months)
    months[place] = months[place]._replace(**fields)
    return replace(case_files, months=tuple(months))


def test_months_that_do_not_tie_as_they_should(case_files: CaseFiles) -> None:
    """One month is short, by the supplement, neither the first nor the last; the account opens at zero."""
    assert names(balance_problems(case_files)) == set()
    assert case_files.supplement
    first, last = case_files.months[0], case_files.months[-1]
    entry = case_files.supplement.entries[0]
    for broken in (
        with_sheet(case_files, 0, opening=5),
        with_sheet(case_files, len(case_files.months) - 1, opening=last.opening + 1),
        replace(case_files, supplement=None),
        replace(
            case_files,
            supplement=case_files.supplement._replace(entries=(entry._replace(amount=entry.amount + 1),)),
        ),
        replace(case_files, supplement=case_files.supplement._replace(period=last.period)),
        replace(case_files, months=(case_files.months[0], *case_files.months[1:][::-1])),
        with_sheet(case_files, 0, entries=first.entries[::-1]),
        with_sheet(case_files, 0, entries=(*first.entries, last.entries[0])),
    ):
        assert names(balance_problems(broken)) == {"months_tie"}


def test_a_short_month_at_the_end_of_the_year_is_refused(case_files: CaseFiles) -> None:
    """A gap after the first month is noticed, whatever the supplement says."""
    assert case_files.supplement
    short = next(
        i for i, sheet in enumerate(case_files.months) if sheet.period == case_files.supplement.period
    )
    cut = replace(case_files, months=tuple(s for s in case_files.months[short:]))
    cut = with_sheet(cut, 0, opening=0)
    assert "months_tie" in names(balance_problems(cut))


def test_what_points_at_the_supplement(case: Case, case_files: CaseFiles) -> None:
    """Its vouchers are in no memo and no index, and no number is missing in a month's file."""
    assert case_files.supplement
    truth = truth_of(case, book_of(case_files))
    assert names(supplement_problems(case_files, truth)) == set()
    voucher = case_files.supplement.entries[0].voucher
    sheet = case_files.months[1]
    receipt = next(i for i, e in enumerate(sheet.entries) if e.amount < 0)
    cites = [
        *sheet.entries[:receipt],
        sheet.entries[receipt]._replace(ref="XX-1"),
        *sheet.entries[receipt + 1 :],
    ]
    for broken in (
        replace(case_files, documents=(*case_files.documents, Document("XX-1", voucher, "bill"))),
        replace(
            case_files, memo=(case_files.memo[0]._replace(settles=((voucher, 1),)), *case_files.memo[1:])
        ),
        with_sheet(case_files, 1, entries=sheet.entries[1:]),
        with_sheet(case_files, 1, entries=tuple(cites)),
    ):
        assert names(supplement_problems(broken, truth)) == {"quiet"}


def test_last_year_must_be_seen_to_be_closed(case_files: CaseFiles) -> None:
    """Its file ends at zero, by one entry without a customer, and is not of this year."""
    assert names(prior_year_problems(case_files)) == set()
    (sheet,) = case_files.prior
    for broken in (
        replace(case_files, prior=()),
        replace(case_files, prior=(sheet._replace(closing=1),)),
        replace(case_files, prior=(sheet._replace(entries=sheet.entries[:-1]),)),
        replace(
            case_files,
            prior=(sheet._replace(entries=(sheet.entries[0]._replace(code=""), *sheet.entries[1:])),),
        ),
        replace(case_files, prior=(sheet._replace(closing=1), sheet)),
        replace(
            case_files, prior=(sheet._replace(entries=(case_files.months[1].entries[0], *sheet.entries)),)
        ),
    ):
        assert names(prior_year_problems(broken)) == {"prior_year"}


def test_the_master_must_show_the_recoding(case: Case, case_files: CaseFiles) -> None:
    """One note says so, both codes have one name and follow each other, and the memo has an example."""
    truth = truth_of(case, book_of(case_files))
    assert names(recoding_problems(case_files, truth)) == set()
    ((old, new),) = truth.book.successions
    silent = replace(case_files, customers=tuple(c._replace(note="") for c in case_files.customers))
    renamed = tuple(c._replace(name="Other") if c.code == new else c for c in case_files.customers)
    unknown = tuple(c for c in case_files.customers if c.code != case_files.months[0].entries[0].code)
    unseen = replace(case_files, memo=tuple(line for line in case_files.memo if len(line.settles) > 9))
    assert names(recoding_problems(silent, truth_of(case, book_of(silent)))) == {"recoded"}
    for broken in (replace(case_files, customers=renamed), replace(case_files, customers=unknown), unseen):
        assert names(recoding_problems(broken, truth)) == {"recoded"}
    swapped = replace(truth, book=replace(truth.book, successions=((new, old),)))
    assert names(recoding_problems(case_files, swapped)) == {"recoded"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("question.md", "{plain}"),
        ("policy/allocation-memo.md", "it was {money}."),
        ("ledgers/2026-01.txt", " {money}"),
    ],
)
def test_an_answer_in_a_file(case: Case, path: str, text: str) -> None:
    """The answer's amount must not be in a file in either spelling, except as part of another number."""
    cents = int(case.gold.replace(".", ""))
    shown = text.format(plain=plain(cents), money=money(cents))
    assert names(case_maker.leak_problems({path: shown}, cents)) == {"leak"}
    assert names(case_maker.leak_problems({path: f"9{plain(cents)} 1,{money(cents)}"}, cents)) == set()


def test_the_example_of_the_readme_is_not_an_answer() -> None:
    """12345.67 is never gold."""
    assert names(case_maker.leak_problems({}, 1_234_567)) == {"leak"}


@pytest.mark.slow
def test_dates_must_decide_in_an_audit(audits: list[Case]) -> None:
    """A sheet with worked receipts that come out the same in the order of vouchers is noticed."""
    case_files = audit_craft.read_files(audits[0].files)
    (sheet,) = case_files.months
    changeover = day_of(audits[0].facts["changeover"])
    in_order = {entry.voucher: f"ZZ-{i:04d}" for i, entry in enumerate(sorted(sheet.entries))}
    entries = tuple(
        e._replace(voucher=in_order[e.voucher], ref=in_order.get(e.ref, "")) for e in sorted(sheet.entries)
    )
    memo = tuple(
        line._replace(
            receipt=in_order[line.receipt], settles=tuple(sorted((in_order[v], c) for v, c in line.settles))
        )
        for line in case_files.memo
    )
    orderly = replace(case_files, months=(sheet._replace(entries=entries),), memo=memo)
    assert (
        names(audit_craft.file_problems(case_files, case_maker.truth_of(AUDIT, case_files, changeover, 3)))
        == set()
    )
    assert names(audit_craft.file_problems(orderly, case_maker.truth_of(AUDIT, orderly, changeover, 3))) == {
        "dates_decide"
    }


def test_a_case_whose_private_half_is_wrong(case: Case) -> None:
    """Gold or wrong answers that the public files do not give are noticed, and so is a damaged file."""
    other = {**case.facts, "wrong_answers": case.facts["wrong_answers"][1:]}
    assert names(CLOSE.check(replace(case, gold="1234.00"))) == {"agrees"}
    assert names(CLOSE.check(replace(case, facts=other))) == {"agrees"}
    damaged = {**case.files, "ledgers/2026-01.txt": case.files["ledgers/2026-01.txt"].replace("0", "1", 40)}
    assert names(CLOSE.check(replace(case, files=damaged))) == {"arithmetic"}


EVERYTHING = (
    "At the end of 2026-07-31, how much do customers still owe on invoices billed on or after 2026-01-01?"
)
SABOTAGE: dict[str, Callable[[CaseFiles], CaseFiles]] = {
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
    """A case that breaks an invariant is not made, whatever was planned, and the error says why."""
    sound = close_craft.read_files(case.files)
    planned = PlannedCase(SABOTAGE[invariant](sound), day_of(case.facts["changeover"]), ("", "", "", ""))
    monkeypatch.setattr(close_craft, "plan_case", lambda *arguments: planned)
    assert invariant in names(case_maker.problems(CLOSE, planned.case_files, planned.changeover, 3))
    with pytest.raises(TrapError, match=r"cannot be planned with these knobs: [a-z_]+: "):
        CLOSE.generate("1", CLOSE.knobs(), 0)
