"""Obstacles in the files of a month: booked late, exported twice, delivered twice, in another format."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from families.ledger.domain.formats import iso, money
from families.ledger.domain.settlement import RETURN
from families.ledger.filing.binder import Binder, month_name
from families.ledger.obstacles.base import COPIED, Obstacle, without
from families.ledger.planning.plan import Plan
from families.ledger.planning.reading import Reading, Row, sorted_rows
from trapcli.core.draw import Draw

COPY = 100_000  # an entry counted twice has a second key, this much higher
LEAST = 60_000  # cents: of what an obstacle is about


@dataclass(frozen=True, slots=True)
class LateEntries(Obstacle):
    """Entries of a month that were booked late stand in a file of their own."""

    name = "late_entries_missed"
    month: int
    keys: frozenset[int]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        for month in draw.shuffled(plan.free_months()) * 4:
            span = range(month, month + 1)
            invoices, receipts = plan.free_invoices(span), plan.free_receipts(span)
            count = min(draw.between(1, 3), len(invoices))
            if not count:
                continue
            chosen = draw.sample(invoices, count)
            chosen += draw.sample(receipts, min(draw.between(0, 2), len(receipts)))
            yield LateEntries(month, frozenset(draft.event.key for draft in chosen))

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, rows=without(reading.rows, self.keys))

    def take(self, plan: Plan) -> None:
        plan.busy |= self.keys
        plan.taken.add(self.month)

    def edit_lines(self, binder: Binder) -> None:
        for key in self.keys:
            binder.line(key).late = True

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        period = month_name(self.month)
        for line in binder.months[self.month]:
            if line.late:
                side = "debit" if line.amount > 0 else "credit"
                text = f"{iso(line.day)} {line.voucher} {line.code} {side} {money(abs(line.amount))}"
                yield f"ledgers/{period}-supplement.txt", text
        after = month_name(self.month + 1)
        yield f"ledgers/{after}.txt", f"opens with another balance than {period} closes with"


@dataclass(frozen=True, slots=True)
class CountedTwice(Obstacle):
    """The file of a month was delivered twice, under two names."""

    name = "duplicate_counted"
    rank = COPIED
    month: int
    keys: frozenset[int]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        for month in draw.shuffled(plan.free_months()):
            keys = (d.event.key for d in plan.drafts if plan.frame.month_of(d.event.day) == month)
            yield CountedTwice(month, frozenset(keys))

    def misread(self, reading: Reading) -> Reading:
        copies = tuple(
            row._replace(event=row.event._replace(key=row.event.key + COPY))
            for row in reading.rows
            if row.event.key in self.keys
        )
        return replace(reading, rows=sorted_rows((*reading.rows, *copies)))

    def take(self, plan: Plan) -> None:
        plan.taken.add(self.month)

    def edit_sheets(self, binder: Binder) -> None:
        names = (
            f"export-{self.month:02d}",
            f"copy-of-{month_name(self.month)}",
            f"{month_name(self.month)}-final",
        )
        binder.copied[self.month] = binder.draw.stream("copy").choice(names)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        period = month_name(self.month)
        text = "is the same, byte by byte, as another file of the month"
        yield f"ledgers/{binder.copied[self.month]}.txt", text
        yield f"ledgers/{period}.txt", text


@dataclass(frozen=True, slots=True)
class OtherFormat(Obstacle):
    """A month was exported with 1.234,56 and 31.03.2026."""

    name = "other_format_left_out"
    month: int
    keys: frozenset[int]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        back = {d.event.ref for d in plan.drafts if d.event.kind == RETURN}
        needed = plan.journals | {plan.frame.month_of(plan.drafts[key].event.day) for key in back}
        for month in draw.shuffled([m for m in plan.free_months() if m not in needed]):
            keys = (d.event.key for d in plan.drafts if plan.frame.month_of(d.event.day) == month)
            yield OtherFormat(month, frozenset(keys))

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, rows=without(reading.rows, self.keys))

    def take(self, plan: Plan) -> None:
        plan.taken.add(self.month)

    def edit_sheets(self, binder: Binder) -> None:
        binder.european.add(self.month)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        yield (
            f"ledgers/{month_name(self.month)}.txt",
            "its amounts are like 1.234,56, its dates like 31.03.2026",
        )


class Changed(NamedTuple):
    """What the first export of a month has otherwise: an invoice, a missing one, and whose a receipt is."""

    invoice: int
    amount: int
    missing: int
    receipt: int
    customer: int


@dataclass(frozen=True, slots=True)
class FirstExport(Obstacle):
    """A month was exported again with corrections; both files are there."""

    name = "first_export_used"
    month: int
    changed: Changed
    offices: tuple[str, ...]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        for month in draw.shuffled(plan.free_months()) * 6:
            span = range(month, month + 1)
            invoices, receipts = plan.free_invoices(span), plan.free_receipts(span)
            if len(invoices) < 2 or not receipts:
                continue
            one, missing = draw.sample(invoices, 2)
            receipt = draw.choice(receipts)
            others = [who for who in range(plan.frame.customers)
                      if who != receipt.customer and plan.is_alone(who, receipt.event.day)]  # fmt: skip
            amount = one.event.amount + (draw.between(12_000, 60_000) * draw.choice((1, -1)))
            if others and amount > LEAST // 4:
                changed = Changed(
                    one.event.key, amount, missing.event.key, receipt.event.key, draw.choice(others)
                )
                yield FirstExport(month, changed, plan.frame.offices)

    def misread(self, reading: Reading) -> Reading:
        changed = self.changed
        rows = []
        for row in reading.rows:
            if row.event.key == changed.invoice:
                row = row._replace(event=row.event._replace(amount=changed.amount))
            elif row.event.key == changed.receipt:
                office = self.offices[changed.customer]
                row = Row(changed.customer, row.event._replace(office=office))
            if row.event.key != changed.missing:
                rows.append(row)
        return replace(reading, rows=tuple(rows))

    def take(self, plan: Plan) -> None:
        plan.busy |= {self.changed.invoice, self.changed.missing, self.changed.receipt}
        plan.taken.add(self.month)

    def edit_sheets(self, binder: Binder) -> None:
        changed = self.changed
        invoice, receipt = binder.line(changed.invoice), binder.line(changed.receipt)
        binder.first_exports[self.month] = {
            changed.invoice: replace(invoice, amount=changed.amount),
            changed.missing: None,
            changed.receipt: replace(receipt, code=binder.code_of(changed.customer, receipt.day)),
        }

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        period = month_name(self.month)
        for key, line in binder.first_exports[self.month].items():
            right = binder.line(key)
            kind = "invoice" if right.key in (self.changed.invoice, self.changed.missing) else "receipt"
            shown = f"{money(abs(line.amount))} under {line.code}" if line else "not there"
            then = f"{money(abs(right.amount))} under {right.code}"
            yield f"ledgers/{period}-first.txt", f"{kind} {right.voucher}: first {shown}, then {then}"
