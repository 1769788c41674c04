"""Obstacles in what an entry does: payments that came back, credit notes, small rests; a withdrawn line."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from families.ledger.domain.formats import iso, money
from families.ledger.domain.practice import BASES
from families.ledger.domain.settlement import CREDIT, INVOICE, RECEIPT, RETURN
from families.ledger.files.paths import MEMO, NOTES
from families.ledger.filing.binder import Binder, month_name
from families.ledger.obstacles.base import Obstacle
from families.ledger.planning.plan import Plan
from families.ledger.planning.reading import Reading
from trapcli.core.draw import Draw


def _as_kind(reading: Reading, kind: int, other: int) -> Reading:
    """Return the reading with all entries of one kind taken for another."""
    rows = tuple(
        row._replace(event=row.event._replace(kind=other)) if row.event.kind == kind else row
        for row in reading.rows
    )
    return replace(reading, rows=rows)


class ReturnedPayment(Obstacle):
    """A payment came back unpaid: what it had settled is open again."""

    name = "return_as_invoice"

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        yield ReturnedPayment()

    def misread(self, reading: Reading) -> Reading:
        return _as_kind(reading, RETURN, INVOICE)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        yield from _entries_of(binder, RETURN, "takes back")


class CreditNote(Obstacle):
    """A credit note lessens the invoice that it quotes, and no other."""

    name = "credit_as_receipt"

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        yield CreditNote()

    def misread(self, reading: Reading) -> Reading:
        return _as_kind(reading, CREDIT, RECEIPT)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        yield from _entries_of(binder, CREDIT, "lessens")


def _entries_of(binder: Binder, kind: int, verb: str) -> Iterator[tuple[str, str]]:
    for draft in binder.plan.drafts:
        if draft.event.kind == kind:
            line, other = binder.line(draft.event.key), binder.line(draft.event.ref)
            path = f"ledgers/{month_name(binder.plan.frame.month_of(line.day))}.txt"
            yield path, f"{line.voucher} of {iso(line.day)} quotes {line.ref} and {verb} {other.voucher}"


@dataclass(frozen=True, slots=True)
class WrittenOff(Obstacle):
    """Small rests that a receipt leaves are written off, as the memo shows."""

    name = "small_rest_kept"
    bound: int

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        yield WrittenOff(plan.ledger.bound)

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, bound=0)

    def edit_sheets(self, binder: Binder) -> None:
        binder.written = True

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        yield (
            MEMO,
            f"rests up to {money(self.bound - 1)} are in the column of what was written off, others are not",
        )


@dataclass(frozen=True, slots=True)
class WithdrawnLine(Obstacle):
    """A line of the memo is wrong, and a later note withdraws it."""

    name = "withdrawn_line_kept"
    kept_only = True
    receipt: int
    pieces: tuple[tuple[int, int], ...]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        early = [d for d in plan.free_receipts() if d.event.day <= max(
            (plan.drafts[key].event.day for key in plan.ledger.memo), default=0)]  # fmt: skip
        for draft in draw.shuffled(early):
            choices = plan.choices[draft.event.key]
            for base in draw.shuffled(BASES):
                pieces = choices[base]
                if pieces != choices[""] and not pieces.keys() & plan.busy:
                    yield WithdrawnLine(draft.event.key, tuple(sorted(pieces.items())))

    def misread(self, reading: Reading) -> Reading:
        if not reading.memo:
            return reading
        return replace(reading, memo={**reading.memo, self.receipt: dict(self.pieces)})

    def take(self, plan: Plan) -> None:
        plan.busy |= {self.receipt, *(invoice for invoice, _ in self.pieces)}

    def edit_sheets(self, binder: Binder) -> None:
        binder.withdrawn[self.receipt] = dict(self.pieces)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        yield NOTES, f"withdraws the line of {binder.line(self.receipt).voucher}"
