"""What is decided about a year before its entries are drawn."""

from datetime import date
from itertools import pairwise
from typing import NamedTuple

from families.ledger.planning.planned_case import PlanFailed
from trapcli.core.draw import Draw

YEAR = 2026
NARRATIONS = 3  # of receipts
IN_MEMO = (48, 54)  # percent of all receipts
RECEIPTS = (42, 46)  # percent of all entries; the second holds for a short year
SHORT_YEAR = 60  # entries


class CaseOutline(NamedTuple):
    """What makes one case differ from the next; drawn first, and kept when a plan fails.

    If it were drawn again with each plan, cases would be biased to outlines that are easy to plan.

    starts: the first day of each month, and of the month after the last.
    short: the number, from 1, of the month with late entries, or 0.
    changeover: the first day from which citations are ignored.
    customers: how many there are; they are numbered from 0.
    recoded: the customer with two codes.
    """

    starts: tuple[int, ...]
    short: int
    changeover: int
    customers: int
    recoded: int

    @property
    def last(self) -> int:
        """The last day."""
        return self.starts[-1] - 1


class YearOutline(NamedTuple):
    """How a year will run.

    slots: (day, whether booked late) of every entry, in order.
    early: how many receipts of the memo are from before the changeover.
    after: how many receipts of the memo are from the changeover or later.
    rest: how many receipts, at most, come after the memo.
    paying: the customers that pay to the end.
    over: the customer that once pays more than it owes.
    slow: one of `paying`, with an old invoice that is never paid off.
    late_to_slow: percent of the late entries that are the slow customer's.
    """

    slots: tuple[tuple[int, bool], ...]
    changeover: int
    early: int
    after: int
    rest: int
    customers: int
    paying: tuple[int, ...]
    over: int
    slow: int
    late_to_slow: int


def draw_case_outline(
    draw: Draw, months: int, entries: int, customers: int, supplement: bool, changes: tuple[int, int]
) -> CaseOutline:
    """Draw the outline of a case.

    entries: how many in all.
    supplement: whether one month is to be short.
    changes: when the changeover comes, from and to, in percent of the days.
    """
    low, high = changes
    starts = [date(YEAR + month // 12, month % 12 + 1, 1).toordinal() for month in range(months + 1)]
    days = starts[-1] - starts[0]
    customers = max(3, min(customers, entries // 8))
    return CaseOutline(
        starts=tuple(starts),
        short=draw.between(2, months - 1) if supplement else 0,
        changeover=starts[0] + draw.between(days * low // 100, days * high // 100),
        customers=customers,
        recoded=draw.below(customers),
    )


def draw_year_outline(
    draw: Draw,
    outline: CaseOutline,
    per_month: int,
    late: int,
    evidence: int,
    *,
    about_recoded: bool,
    late_to_slow: int,
    over: str,
) -> YearOutline:
    """Draw the outline of a year; PlanFailed if there is no room for what the memo must show.

    late: how many entries are booked late.
    evidence: how many receipts of the memo must show the changeover, at least.
    about_recoded: whether the question is about the re-coded customer alone.
    late_to_slow: see `YearOutline`.
    over: who pays too much: "slow", "paying" (another of the paying) or "" (none of them).
    """
    slots = _slots(draw, outline, per_month, late)
    others = draw.shuffled([who for who in range(outline.customers) if who != outline.recoded])
    paying = (outline.recoded, *others[: max(2, (outline.customers + 1) // 2) - 1])
    slow = outline.recoded if about_recoded else draw.choice(paying)
    pays_over = {
        "slow": slow,
        "paying": draw.choice([who for who in paying if who != slow]),
        "": others[len(paying) - 1],
    }
    ordinary = len(slots) - late
    receipts = ordinary * RECEIPTS[ordinary < SHORT_YEAR] // 100
    memo = receipts * draw.between(*IN_MEMO) // 100
    before = sum(day < outline.changeover for day, booked_late in slots if not booked_late)
    least = max(evidence, len(paying)) + 2
    early = max(3, min(before * 2 // 5, memo - least))
    if before - early < 4 or memo - early < least:
        raise PlanFailed("there are too few entries for what the memo must show")
    return YearOutline(
        slots=slots,
        changeover=outline.changeover,
        early=early,
        after=memo - early,
        rest=receipts - memo,
        customers=outline.customers,
        paying=paying,
        over=pays_over[over],
        slow=slow,
        late_to_slow=late_to_slow,
    )


def _slots(draw: Draw, outline: CaseOutline, per_month: int, late: int) -> tuple[tuple[int, bool], ...]:
    slots: list[tuple[int, bool]] = []
    for month, (start, end) in enumerate(pairwise(outline.starts), 1):
        days = [(draw.between(start, end - 1), False) for _ in range(per_month)]
        days += [(draw.between(start, end - 1), True) for _ in range(late if month == outline.short else 0)]
        slots += sorted(days)
    return tuple(slots)
