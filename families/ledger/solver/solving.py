"""Solve a case: from its files to what an agent prints. A mistake breaks one rule and keeps the others."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from families.ledger.solver.accounts import Accounts, Order
from families.ledger.solver.binder import QUESTION, Binder, read_binder
from families.ledger.solver.events import BILL, PAY, Happening, close_events
from families.ledger.solver.letters import Letters, read_letters
from families.ledger.solver.practice import Practice, Search
from families.ledger.solver.question import Question, read_question
from families.ledger.solver.sheets import UnclearFiles, Worked, read_audit_sheet

FIRST, LAST, CARRIED, VOUCHERS = (
    "first_order_for_all", "last_order_for_all", "unapplied_carried", "voucher_order",
)  # fmt: skip
CLOSE = frozenset(
    (
        FIRST, LAST, "late_entries_missed", "recoded_split", "prior_year_folded_in",
        "other_account_folded_in", "stray_entry_missed", "first_export_used", "duplicate_counted",
        "other_format_left_out",
        "wrong_posting_kept", "payer_apart", "return_as_invoice", "credit_as_receipt", "small_rest_kept",
        "withdrawn_line_kept", "opening_items_left_out", "mails_unread",
    )
)  # fmt: skip
AUDIT = frozenset((FIRST, LAST, CARRIED, VOUCHERS))


@dataclass(frozen=True, slots=True)
class Case:
    """A case read and understood; binder: of a close only; letters: if there are any."""

    question: Question
    events: Sequence[Happening]
    memo: Mapping[str, Worked]
    bound: int
    practice: Practice
    names: dict[str, str]
    binder: Binder | None = None
    letters: Letters | None = None


@lru_cache(maxsize=2)
def _read_close(files: tuple[tuple[str, str], ...]) -> Case:
    binder = read_binder(files)
    memo = {receipt: worked for receipt, worked in binder.memo.items() if receipt not in binder.gone}
    bound = max((rest for worked in memo.values() for rest in worked.written.values()), default=0)
    events = close_events(binder)
    practice = Search(events, memo, bound).practice()
    question = read_question(dict(files)[QUESTION], binder.names.values())
    letters = read_letters(dict(files), binder) if binder.second else None
    return Case(question, events, memo, bound, practice, binder.names, binder, letters)


@lru_cache(maxsize=2)
def _read_audit(files: tuple[tuple[str, str], ...]) -> Case:
    texts = dict(files)
    sheet, names, memo = read_audit_sheet(texts["ledger.txt"])
    events = [
        Happening(BILL, e, e.code, "", e.debit) if e.debit else Happening(PAY, e, e.code, "", e.credit, e.ref)
        for e in sorted(sheet.entries, key=lambda entry: (entry.day, entry.voucher))
    ]
    practice = Search(events, memo, 0).practice()
    return Case(read_question(texts[QUESTION], names.values()), events, memo, 0, practice, names)


def _told(files: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the files that say something about the case, without the README that is the same for all."""
    return tuple((path, text) for path, text in files.items() if path != "README.md")


def close_answer(
    files: Mapping[str, str], missed: Collection[str] = (), copied: bool = True, order: Order | None = None,
    practice: Practice | None = None,
) -> int:  # fmt: skip
    """Return the answer of a close, in cents, of somebody who misses these things.

    copied: whether the lines of the memo are copied; otherwise the practice is replayed from the beginning.
    order: one order for all receipts, whatever the memo shows.
    practice: another practice than the one that the memo shows.

    Raises UnclearFiles if the files cannot be made sense of, ValueError for an unknown mistake.
    """
    _require_known(missed, CLOSE)
    case = _read_close(_told(files))
    assert case.binder is not None
    events = close_events(case.binder, missed)
    memo = dict(case.memo)
    if "withdrawn_line_kept" in missed:
        memo = dict(case.binder.memo)
    bound = 0 if "small_rest_kept" in missed else case.bound
    case = replace(case, memo=memo, bound=bound, practice=practice or case.practice)
    return _settle(case, events, missed, copied, order)


def audit_answer(
    files: Mapping[str, str], missed: Collection[str] = (), copied: bool = True, order: Order | None = None,
    practice: Practice | None = None,
) -> int:  # fmt: skip
    """Return the answer of an audit, in cents; see `close_answer`."""
    _require_known(missed, AUDIT)
    case = _read_audit(_told(files))
    events = case.events
    if VOUCHERS in missed:
        events = sorted(events, key=lambda event: event.entry.voucher)
    return _settle(replace(case, practice=practice or case.practice), events, missed, copied, order)


def practice_of(family: str, files: Mapping[str, str]) -> Practice:
    """Return the practice that a case shows."""
    return (_read_close if family == "ledger-close" else _read_audit)(_told(files)).practice


def _require_known(missed: Collection[str], known: frozenset[str]) -> None:
    if unknown := set(missed) - known:
        raise ValueError(f"{min(unknown)!r} is not one of the mistakes {', '.join(sorted(known))}")


def _settle(
    case: Case, events: Sequence[Happening], missed: Collection[str], copied: bool, order: Order | None
) -> int:
    accounts = Accounts(case.bound, CARRIED in missed)
    fixed = order
    if FIRST in missed:
        fixed = case.practice.first
    elif LAST in missed:
        fixed = case.practice.last
    for event in events:
        if event.what != PAY:
            accounts.enter(event)
            continue
        line = case.memo.get(event.entry.voucher) if copied else None
        if line is not None:
            accounts.pay(event, accounts.by_hand(event, line))
        else:
            accounts.pay(event, accounts.split(event, fixed or case.practice.order_of(event)))
    if case.letters:
        case.letters.settle(accounts, case.practice, fixed, "mails_unread" not in missed)
    return case.question.answer(accounts, case.names)


def solve_close(files: Mapping[str, str], mistake: str | None = None) -> str:
    """Return what an agent that makes this mistake, or none, prints for a close."""
    missed = (mistake,) if mistake else ()
    _require_known(missed, CLOSE)
    try:
        cents = close_answer(files, missed)
        case = _read_close(_told(files))
    except UnclearFiles as unclear:
        return f"Undecided: {unclear}."
    return _printed([*_found(case, missed), *_words(case.practice)], cents)


def solve_audit(files: Mapping[str, str], mistake: str | None = None) -> str:
    """Return what an agent that makes this mistake, or none, prints for an audit."""
    missed = (mistake,) if mistake else ()
    _require_known(missed, AUDIT)
    try:
        cents = audit_answer(files, missed)
        case = _read_audit(_told(files))
    except UnclearFiles as unclear:
        return f"Undecided: {unclear}."
    return _printed(_words(case.practice), cents)


def _printed(reasons: Sequence[str] | Iterator[str], cents: int) -> str:
    return "\n".join([*reasons, f"ANSWER: {cents // 100}.{cents % 100:02d}"])


def _found(case: Case, missed: Collection[str]) -> Iterator[str]:
    """Yield what was noticed in the files, in a few lines."""
    binder = case.binder
    assert binder is not None
    for period, sheet in binder.late.items():
        if "late_entries_missed" not in missed:
            yield f"{period} does not tie without the {len(sheet.entries)} entries booked late."
    if "recoded_split" not in missed:
        for code, first in sorted(binder.same.items()):
            if code != first:
                yield f"{code} and {first} are one customer."


def _words(practice: Practice) -> Iterator[str]:
    for since, order in practice.dated:
        when = f"From {since} on" if since.year > 1 else "At first"
        yield f"{when} receipts are put to invoices in this order: {order.__name__.replace('_', ' ')}."
    if practice.own:
        trait, value, order = practice.own
        yield f"With the {trait} {value} always: {order.__name__.replace('_', ' ')}."
