"""What is decided about a year before its entries are drawn."""

from datetime import date
from itertools import pairwise
from typing import NamedTuple

from trapcli.core.draw import Draw

YEAR = 2026
NARRATIONS = 3  # of receipts
IN_MEMO = (48, 54)  # percent of all receipts
RECEIPTS = (42, 46)  # percent of all entries, more in a short year
SHORT_YEAR = 60  # entries


class Unlucky(Exception):
    """What was drawn so far cannot be completed; another is drawn."""


class Frame(NamedTuple):
    """What makes a case differ from the next and must not depend on what succeeds: drawn first, then kept.

    starts: the first day of each month, and of the one after the last. short: the number, from
    1, of the month with late entries, or 0. switch: the changeover. recoded: the customer with two codes.
    """

    starts: tuple[int, ...]
    short: int
    switch: int
    customers: int
    recoded: int

    @property
    def last(self) -> int:
        """The last day."""
        return self.starts[-1] - 1


class Shape(NamedTuple):
    """How a year will run. Customers are numbers from 0.

    slots: (day, booked late) of every entry, in order. early: how many receipts the memo shows
    before the changeover; after: how many from it on; rest: how many at most it does not show.
    paying: who pays to the end; over: who once pays more than is owed; slow: who of the paying has
    an old invoice that is never paid off; late: percent of late entries that are the slow one's.
    """

    slots: tuple[tuple[int, bool], ...]
    switch: int
    early: int
    after: int
    rest: int
    customers: int
    paying: tuple[int, ...]
    over: int
    slow: int
    late: int


def frame(
    draw: Draw, months: int, entries: int, customers: int, supplement: bool, changes: tuple[int, int]
) -> Frame:
    """A frame for so many months and entries in all.

    supplement: whether a month is to be short. changes: after how many percent of the days the
    changeover comes, from and to.
    """
    low, high = changes
    starts = [date(YEAR + month // 12, month % 12 + 1, 1).toordinal() for month in range(months + 1)]
    days = starts[-1] - starts[0]
    customers = max(3, min(customers, entries // 8))
    return Frame(
        starts=tuple(starts),
        short=draw.between(2, months - 1) if supplement else 0,
        switch=starts[0] + draw.between(days * low // 100, days * high // 100),
        customers=customers,
        recoded=draw.below(customers),
    )


def shape(
    draw: Draw, plan: Frame, per_month: int, late: int, evidence: int, *, asked: bool, to_slow: int, over: str
) -> Shape:
    """A shape within the frame; Unlucky if there is no room for what the memo must show.

    late: how many entries are booked late. evidence: how many receipts must tell of the changeover.
    asked: whether the question is about the recoded customer alone. to_slow: see `Shape.late`.
    over: who pays too much, "slow", "paying" (another of the paying) or "" (nobody of them).
    """
    slots: list[tuple[int, bool]] = []
    for month, (start, end) in enumerate(pairwise(plan.starts), 1):
        days = [(draw.between(start, end - 1), False) for _ in range(per_month)]
        days += [(draw.between(start, end - 1), True) for _ in range(late if month == plan.short else 0)]
        slots += sorted(days)
    others = draw.shuffled([who for who in range(plan.customers) if who != plan.recoded])
    paying = (plan.recoded, *others[: max(2, (plan.customers + 1) // 2) - 1])
    slow = plan.recoded if asked else draw.choice(paying)
    pays_over = {
        "slow": slow,
        "paying": draw.choice([who for who in paying if who != slow]),
        "": others[len(paying) - 1],
    }
    ordinary = len(slots) - late
    receipts = ordinary * RECEIPTS[ordinary < SHORT_YEAR] // 100
    memo = receipts * draw.between(*IN_MEMO) // 100
    before = sum(day < plan.switch for day, booked_late in slots if not booked_late)
    least = max(evidence, len(paying)) + 2
    early = max(3, min(before * 2 // 5, memo - least))
    if before - early < 4 or memo - early < least:
        raise Unlucky("there are too few entries for what the memo must show")
    return Shape(
        slots=tuple(slots),
        switch=plan.switch,
        early=early,
        after=memo - early,
        rest=receipts - memo,
        customers=plan.customers,
        paying=paying,
        over=pays_over[over],
        slow=slow,
        late=to_slow,
    )
