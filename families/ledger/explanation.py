"""What `inspect` shows of a ledger case."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from families.ledger.case_maker import truth_of
from families.ledger.checks.invariants import Truth, evidence
from families.ledger.domain.formats import day_of, iso, money
from families.ledger.domain.names import CASH_TO_EARLIER, IN_FULL
from families.ledger.domain.policies import Seen
from families.ledger.domain.questions import parts
from families.ledger.domain.settlement import BASE_NAMES, CITED_FIRST, OLDEST
from families.ledger.files.case_files import Binder, codes_of
from trapcli.core.contract import Case, Section

if TYPE_CHECKING:
    from families.ledger.family import LedgerFamily


def explain(family: "LedgerFamily", case: Case, public: bool) -> list[Section]:
    """The question; unless `public` the policy, what hides it, every settlement, and what mistakes give."""
    binder = family.craft.read(case.files)
    shown = [Section("Question", text=binder.question)]
    if public:
        return shown
    true = truth_of(family, binder, day_of(case.facts["changeover"]), case.facts["change_evidence"])
    names = {code: name for name, codes in codes_of(binder.customers).items() for code in codes}
    shown += [_policy(true), *_evidence(true)]
    if binder.late:
        shown += [_short_month(binder), _late(binder)]
    shown += _recoded(binder, true)
    shown += [_settlement(true, code, names.get(code, "")) for code in sorted(true.found)]
    shown += [_derivation(true), _mistakes(case), _size(case)]
    return shown


def _policy(true: Truth) -> Section:
    text = (
        f"Until {iso(true.switch - 1)} a receipt settles {BASE_NAMES[CITED_FIRST]}. "
        f"From {iso(true.switch)} on its citation is ignored: {BASE_NAMES[OLDEST]}. Nothing says so.\n"
        f"The memo works through {len(true.book.memo)} of {len(true.seen)} receipts, "
        f"up to {true.book.memo[-1].receipt} of {iso(true.book.memo[-1].day)}."
    )
    return Section("The policy", text=text)


def _evidence(true: Truth) -> Iterator[Section]:
    """The receipts of the memo at which the two policies part, before the changeover and after it."""
    titles = ("Before the changeover: citations honoured", "From the changeover on: citations ignored")
    for title, telling, other in zip(titles, evidence(true), (OLDEST, CITED_FIRST), strict=True):
        rows = tuple(
            (iso(one.event.day), one.event.voucher, one.event.narration, one.event.cited,
             _pieces(one.pieces), _pieces(one.by_base[other]))
            for one in telling
        )  # fmt: skip
        columns = (
            "date",
            "receipt",
            "narration",
            "cites",
            "the memo shows",
            f"{BASE_NAMES[other]} would give",
        )
        yield Section(f"{title} ({len(rows)} rows of the memo tell it)", columns, rows)


def _pieces(pieces: Mapping[str, int]) -> str:
    return "; ".join(f"{invoice} {money(cents)}" for invoice, cents in sorted(pieces.items())) or "nothing"


def _short_month(binder: Binder) -> Section:
    rows = []
    for before, after in zip(binder.months, binder.months[1:], strict=False):
        gap = after.opening - before.closing
        rows.append(
            (before.period, money(before.closing), money(after.opening), money(gap) if gap else "ties")
        )
    return Section("The short month", ("month", "closes with", "the next opens with", "gap"), tuple(rows))


def _late(binder: Binder) -> Section:
    assert binder.late
    rows = tuple(
        (iso(entry.day), entry.voucher, entry.code, money(entry.amount), entry.narration)
        for entry in binder.late.entries
    )
    net = sum(entry.amount for entry in binder.late.entries)
    text = f"They stand in the supplement of {binder.late.period} and come to {money(net)}."
    return Section("Entries booked late", ("date", "voucher", "customer", "amount", "narration"), rows, text)


def _recoded(binder: Binder, true: Truth) -> Iterator[Section]:
    for old, new in true.book.successions:
        rows = tuple(customer for customer in binder.customers if customer.code in (old, new))
        yield Section("The re-coded customer", ("code", "name", "status", "note"), rows)


def _settlement(true: Truth, code: str, name: str) -> Section:
    """A customer's entries in order, with what each receipt settles."""
    seen: dict[str, Seen] = {one.event.voucher: one for one in true.seen}
    done = true.done[code]
    rows = []
    for event in true.found[code]:
        if event.amount > 0:
            left = done.open.get(event.voucher, 0)
            state = "paid" if not left else f"{money(left)} open" if left < event.amount else "open"
            rows.append((iso(event.day), event.voucher, event.code, money(event.amount), "", "", state))
        else:
            settles = _pieces(seen[event.voucher].pieces)
            over = done.unapplied.get(event.voucher, 0)
            state = f"{money(over)} unapplied" if over else ""
            rows.append(
                (iso(event.day), event.voucher, event.code, money(event.amount), event.cited, settles, state)
            )
    text = (
        f"{money(sum(done.open.values()))} open at the end, {money(sum(done.unapplied.values()))} unapplied."
    )
    columns = ("date", "voucher", "code", "amount", "cites", "settles", "at the end")
    return Section(f"Settlement of {code} {name}".rstrip(), columns, tuple(rows), text)


def _derivation(true: Truth) -> Section:
    """The pieces that add up to the answer."""
    question = true.book.question
    rows = []
    for code in sorted(true.found):
        billed = {event.voucher: event for event in true.found[code]}
        for part in parts(question, code, true.found[code], true.done[code]):
            event = billed[part.invoice]
            rows.append(
                (code, iso(event.day), part.invoice, money(event.amount), part.receipt, money(part.cents))
            )
    what = {IN_FULL: "billed and paid", CASH_TO_EARLIER: "settled by the receipt"}.get(
        question.kind, "still open"
    )
    columns = ("customer", "billed on", "invoice", "billed at", "receipt", what)
    text = f"{len(rows)} pieces add up to {money(true.answer)}."
    return Section("How the answer comes about", columns, tuple(rows), text)


def _mistakes(case: Case) -> Section:
    right = Decimal(case.gold)
    rows = tuple(
        (" and ".join(made["mechanisms"]), made["answer"], f"{Decimal(made['answer']) - right:+}")
        for made in case.facts["mistakes"]
    )
    return Section("What mistakes give, alone and two together", ("mistakes", "answer", "off by"), rows)


def _size(case: Case) -> Section:
    facts = case.facts
    rows = (
        ("files that must be read", f"{facts['horizon']}: {', '.join(facts['must_be_read'])}"),
        ("receipts through which a wrong turn runs", str(facts["depth"])),
        ("years planned for this case", str(facts["plans"])),
    )
    return Section("How far and how deep", (), rows)
