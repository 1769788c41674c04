"""What `inspect` shows of a case, as JSON data: practice, evidence, settlement, parts of the answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.render import describe
from families.ledger.domain.formats import iso, money, plain
from families.ledger.domain.practice import BASE_NAMES, NARRATION, Practice
from families.ledger.domain.questions import AnswerPart, Question
from families.ledger.domain.settlement import INVOICE, RECEIPT, Event
from families.ledger.files.paths import ledger_path
from families.ledger.filing.audit_files import FiledAudit
from families.ledger.filing.mail_files import FiledMails
from families.ledger.filing.sheets import Filed
from families.ledger.planning.audit_plan import PlannedAudit
from families.ledger.planning.close_plan import PlannedClose
from families.ledger.planning.mail_plan import mail_parts
from families.ledger.planning.memo_search import receipt_choices
from families.ledger.planning.reading import Ledger, Miss

VoucherOf = Callable[[int], str]
MOST_MOVED = 6  # invoices shown of those that count otherwise when something is missed


def close_facts(filed: Filed, planned: PlannedClose) -> dict[str, Any]:
    binder = filed.binder
    vouchers = {line.key: line.voucher for line in (*binder.all_lines(), *binder.prior)}
    names = {
        who: f"{known[-1][1]} {binder.customers[known[0][1]].name}" for who, known in binder.codes.items()
    }
    facts = _facts(planned.ledger, planned.misses, lambda key: vouchers.get(key, "a copy"), names)
    paths = {ledger_path(role): path for role, path in filed.paths.items()}
    for obstacle in planned.obstacles:
        facts["missed"][obstacle.name]["evidence"] = [
            [paths.get(path, path), text] for path, text in obstacle.evidence(binder)
        ]
    if filed.mails and planned.mails:
        facts["instructions"] = list(_instructions(filed.mails, planned))
        facts["parts"] += list(_mail_parts(filed.mails, planned.mails, planned.ledger.question))
    return facts


def _instructions(filed: FiledMails, planned: PlannedClose) -> Iterator[dict[str, Any]]:
    """Yield each instruction: its mails, what it means, and the answer of somebody who misses it."""
    assert planned.mails is not None
    right = planned.ledger.answer() + planned.beside()
    for customer in planned.mails.customers:
        for one in customer.instructions:
            meaning = describe(one, partial(_voucher, filed.vouchers))
            yield {
                "id": one.id,
                "customer": customer.name,
                "mails": list(filed.paths[one.id]),
                "meaning": meaning,
                "answer": plain(right + one.effect),
            }


def _voucher(vouchers: Mapping[tuple[int, int], str], customer: int, invoice: int) -> str:
    return vouchers[customer, invoice]


def _mail_parts(filed: FiledMails, planned: Correspondence, question: Question) -> Iterator[list[str]]:
    """Yield the parts of the answer that the customers who write mails add; see `_parts`."""
    for who, customer in enumerate(planned.customers):
        settled = planned.settle(who)
        for part in mail_parts(question, customer.invoices, customer.receipts, settled):
            invoice = customer.invoices[part.invoice]
            receipt = iso(customer.receipts[part.receipt].day) if part.receipt >= 0 else ""
            yield [
                customer.name, iso(invoice.day), filed.vouchers[who, part.invoice], money(invoice.amount),
                receipt, money(part.cents),
            ]  # fmt: skip


def audit_facts(filed: FiledAudit, planned: PlannedAudit) -> dict[str, Any]:
    return _facts(planned.ledger, planned.misses, filed.vouchers.__getitem__, filed.names)


def _facts(
    ledger: Ledger, misses: Sequence[Miss], voucher_of: VoucherOf, names: Mapping[int, str]
) -> dict[str, Any]:
    settlements = ledger.settlements(ledger.reading())
    accounts = {who: [row.event for row in ledger.rows if row.customer == who] for who in settlements}
    return {
        "practice": list(_rules(ledger.practice)),
        "memo": [len(ledger.memo), sum(row.event.kind == RECEIPT for row in ledger.rows)],
        "lines": list(_telling_lines(ledger, voucher_of)),
        "missed": {miss.name: {"moves": list(_moves(ledger, miss, voucher_of))} for miss in misses},
        "settlements": {
            names[who]: list(_settlement(ledger, events, who, voucher_of))
            for who, events in sorted(accounts.items())
        },
        "parts": list(_parts(ledger, voucher_of, names)),
    }


def _rules(practice: Practice) -> Iterator[str]:
    """Yield each rule as a sentence."""
    for rule in practice.rules:
        when = f"from {iso(rule.since)} on" if rule.since else "from the beginning"
        if rule.value:
            what = "receipts with the narration" if practice.by == NARRATION else "customers of the office"
            yield f"For {what} {rule.value}, all year: {BASE_NAMES[rule.base]}."
        else:
            yield f"{when[0].upper()}{when[1:]}: {BASE_NAMES[rule.base]}."


def _telling_lines(ledger: Ledger, voucher_of: VoucherOf) -> Iterator[list[str]]:
    """Yield the lines of the memo that no other rule explains: base, date, receipt, what it shows."""
    choices, practice = receipt_choices(ledger), ledger.practice
    for row in ledger.rows:
        event = row.event
        if event.kind != RECEIPT or event.key not in ledger.memo:
            continue
        rule = practice.rule_of(event.day, event.narration, event.office)
        others = [other.base for other in practice.rules if other is not rule]
        right = choices[event.key][""]
        if all(choices[event.key][base] != right for base in others):
            other = "; or ".join(_pieces(choices[event.key][base], voucher_of) for base in others)
            yield [
                BASE_NAMES[rule.base], iso(event.day), voucher_of(event.key), event.narration,
                voucher_of(event.ref) if event.ref >= 0 else "", _pieces(right, voucher_of), other,
            ]  # fmt: skip


def _pieces(pieces: Mapping[int, int], voucher_of: VoucherOf) -> str:
    return "; ".join(sorted(f"{voucher_of(invoice)} {money(cents)}" for invoice, cents in pieces.items()))


def _counted(parts: Mapping[int, Sequence[AnswerPart]]) -> dict[tuple[int, int], int]:
    return {(part.invoice, part.receipt): part.cents for some in parts.values() for part in some}


def _moves(ledger: Ledger, miss: Miss, voucher_of: VoucherOf) -> Iterator[list[str]]:
    """Yield the invoices that count otherwise when something is missed: invoice, right, wrong."""
    right, wrong = (_counted(ledger.parts(ledger.reading(missed))) for missed in ((), [miss]))
    changed = [key for key in {**right, **wrong} if right.get(key, 0) != wrong.get(key, 0)]
    changed.sort(key=lambda key: (-abs(right.get(key, 0) - wrong.get(key, 0)), key))
    for key in changed[:MOST_MOVED]:
        yield [voucher_of(key[0]), money(right.get(key, 0)), money(wrong.get(key, 0))]
    if len(changed) > MOST_MOVED:
        yield [f"and {len(changed) - MOST_MOVED} more", "", ""]


def _settlement(
    ledger: Ledger, events: Sequence[Event], who: int, voucher_of: VoucherOf
) -> Iterator[list[str]]:
    """Yield a customer's entries: date, voucher, kind, amount, what it quotes, what it settles, state."""
    settled = ledger.settlements(ledger.reading())[who]
    kinds = ("invoice", "receipt", "return", "credit note")
    for event in events:
        settles = state = ""
        if event.kind == INVOICE:
            left = settled.owed.get(event.key, 0)
            state = "settled" if not left else "open" if left == event.amount else f"{money(left)} open"
        elif event.kind == RECEIPT:
            settles = _pieces(settled.made[event.key], voucher_of)
            if event.key not in settled.applied:
                state = "came back"
            elif left := settled.unapplied.get(event.key, 0):
                state = f"{money(left)} unapplied"
            elif rests := settled.written.get(event.key):
                state = f"{_pieces(rests, voucher_of)} written off"
        quotes = voucher_of(event.ref) if event.ref >= 0 else ""
        yield [
            iso(event.day), voucher_of(event.key), kinds[event.kind], money(event.amount),
            quotes, settles, state,
        ]  # fmt: skip


def _parts(ledger: Ledger, voucher_of: VoucherOf, names: Mapping[int, str]) -> Iterator[list[str]]:
    """Yield the parts of the answer: customer, billed on, invoice, billed at, receipt, counted."""
    events = {row.event.key: row.event for row in ledger.rows}
    for who, parts in sorted(ledger.parts(ledger.reading()).items()):
        for part in parts:
            event = events[part.invoice]
            receipt = voucher_of(part.receipt) if part.receipt >= 0 else ""
            yield [
                names[who], iso(event.day), voucher_of(part.invoice), money(event.amount),
                receipt, money(part.cents),
            ]  # fmt: skip
