"""Obstacles in files that do not belong: last year's, another account's; and what stands there by mistake."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from families.ledger.domain.formats import iso, money
from families.ledger.domain.settlement import INVOICE, RECEIPT, Event
from families.ledger.filing.binder import Binder, month_name
from families.ledger.obstacles.base import ADDED, Obstacle, without
from families.ledger.planning.frame import YEAR, is_workday
from families.ledger.planning.plan import Plan
from families.ledger.planning.reading import Reading, Row, sorted_rows
from trapcli.core.draw import Draw

PRIOR, OTHER = -1_000, -2_000  # the keys of such entries count down from here
TRIES = 30


def _foreign_rows(draw: Draw, plan: Plan, days: list[int], first: int, billed: float) -> tuple[Row, ...]:
    """Draw entries of this year's customers; billed: the chance that one is an invoice."""
    rows = []
    for number, day in enumerate(sorted(days)):
        free = [who for who in range(plan.frame.customers) if plan.is_alone(who, day)]
        if not free:
            continue
        who = draw.choice(free)
        kind = INVOICE if draw.chance(billed) else RECEIPT
        amount = draw.between(70_000, 520_000) if kind == INVOICE else draw.between(30_000, 260_000)
        narration = draw.choice(plan.frame.narrations) if kind == RECEIPT else ""
        event = Event(day, number, kind, first - number, amount, -1, narration, plan.frame.offices[who])
        rows.append(Row(who, event))
    return tuple(rows)


def _distinct(draw: Draw, days: list[int]) -> list[int]:
    return draw.sample(days, min(len(days), draw.between(6, 9)))


@dataclass(frozen=True, slots=True)
class PriorYear(Obstacle):
    """A file of last year is there; its account was closed out at the end of that year."""

    name = "prior_year_folded_in"
    rank = ADDED
    rows: tuple[Row, ...]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        first = date(YEAR - 1, 12, 1).toordinal()
        days = [day for day in range(first, first + 29) if is_workday(day)]
        for _ in range(TRIES):
            yield PriorYear(_foreign_rows(draw, plan, _distinct(draw, days), PRIOR, 0.7))

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, rows=sorted_rows((*self.rows, *reading.rows)))

    def edit_lines(self, binder: Binder) -> None:
        binder.add_prior(self.rows)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        period = month_name(12, YEAR - 1)
        yield f"ledgers/{period}.txt", "ends at 0.00: everything open was taken off the account"
        yield f"ledgers/{month_name(1)}.txt", "opens with 0.00"


@dataclass(frozen=True, slots=True)
class OtherAccount(Obstacle):
    """A file of another account with entries of the same customers is there."""

    name = "other_account_folded_in"
    rank = ADDED
    month: int
    rows: tuple[Row, ...]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        months = list(range(2, plan.frame.months + 1))
        for _ in range(TRIES):
            month = draw.choice(months)
            days = _distinct(draw, plan.frame.workdays(month))
            yield OtherAccount(month, _foreign_rows(draw, plan, days, OTHER, 0.55))

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, rows=sorted_rows((*reading.rows, *self.rows)))

    def edit_lines(self, binder: Binder) -> None:
        binder.add_other(self.month, self.rows)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        number = binder.other_account.split()[0]
        yield f"ledgers/{month_name(self.month)}-{number}.txt", f"is of account {binder.other_account}"


@dataclass(frozen=True, slots=True)
class StrayEntry(Obstacle):
    """An entry of the account stands in the other account's file, whose balance it does not move."""

    name = "stray_entry_missed"
    key: int
    month: int

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        for month in draw.shuffled(plan.free_months()):
            span = range(month, month + 1)
            free = plan.free_invoices(span) + plan.free_receipts(span)
            days = [d.event.day for d in plan.drafts if plan.frame.month_of(d.event.day) == month]
            inside = [d for d in free if d.event.day < max(days) and d.event.amount > 90_000]
            for draft in draw.shuffled(inside)[:4]:
                yield StrayEntry(draft.event.key, month)

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, rows=without(reading.rows, frozenset((self.key,))))

    def take(self, plan: Plan) -> None:
        plan.busy.add(self.key)
        plan.taken.add(self.month)

    def edit_lines(self, binder: Binder) -> None:
        binder.line(self.key).stray = True

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        line, period = binder.line(self.key), month_name(self.month)
        yield (
            f"ledgers/{period}.txt",
            f"the balance jumps by {money(line.amount)} where {line.voucher} is missing",
        )
        (other,) = binder.others
        number = binder.other_account.split()[0]
        text = f"{iso(line.day)} {line.voucher} {line.code}, which does not move that file's balance"
        yield f"ledgers/{month_name(other)}-{number}.txt", text


@dataclass(frozen=True, slots=True)
class OpeningItems(Obstacle):
    """The year opens with invoices of last year that are still open."""

    name = "opening_items_left_out"
    keys: frozenset[int]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        start = plan.frame.starts[0]
        yield OpeningItems(frozenset(d.event.key for d in plan.drafts if d.event.day < start))

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, rows=without(reading.rows, self.keys))

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        text = f"lists {len(self.keys)} invoices, together what {month_name(1)} opens with"
        yield f"ledgers/{YEAR}-opening.txt", text
