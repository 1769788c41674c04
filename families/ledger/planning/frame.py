"""What is decided about a year before its entries are drawn: its days, customers and practice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from families.ledger.domain.practice import BASES, CITED, NARRATION, OFFICE, OLDEST, Practice, Rule
from families.ledger.files import vocabulary
from trapcli.core.draw import Draw

YEAR = 2026
# Where the changeovers come, in percent of the days, by their number; the memo ends after the last.
CHANGES = {0: (), 1: ((30, 46),), 2: ((16, 24), (36, 45)), 3: ((13, 18), (27, 32), (41, 46))}
MEMO_END = (64, 72)  # percent of the days
SILENT = 34  # percent of the customers that stop paying


@dataclass(frozen=True, slots=True)
class YearFrame:
    """What makes one case differ from the next; drawn first.

    starts: the first day of each month, and of the month after the last.
    memo_end: the last day on which the memo may show a receipt.
    customers: how many there are; they are numbered from 0.
    narrations: of receipts.
    offices: the office of each customer.
    pays_until: the last day on which each customer pays. Some stop after the first changeover, so that
        what their receipts skipped stays open to the end.
    """

    starts: tuple[int, ...]
    memo_end: int
    customers: int
    practice: Practice
    narrations: tuple[str, ...]
    offices: tuple[str, ...]
    pays_until: tuple[int, ...]

    @property
    def last(self) -> int:
        """The last day."""
        return self.starts[-1] - 1

    @property
    def months(self) -> int:
        return len(self.starts) - 1

    def month_of(self, day: int) -> int:
        """Return the number of the month of a day, from 1."""
        return date.fromordinal(day).month

    def workdays(self, month: int) -> list[int]:
        """Return the days of a month (from 1) from Monday to Friday."""
        return [d for d in range(self.starts[month - 1], self.starts[month]) if is_workday(d)]


def is_workday(day: int) -> bool:
    return date.fromordinal(day).weekday() < 5


def draw_frame(
    draw: Draw, months: int, customers: int, changeovers: int, drawn: bool, groups: tuple[str, ...]
) -> YearFrame:
    """Draw the frame of a year.

    changeovers: how often the practice differs: by date or, if it is drawn, once by a group of receipts.
    drawn: whether the orders are drawn, or those that the first levels always have.
    groups: what receipts with an order of their own may have in common.
    """
    starts = tuple(date(YEAR + m // 12, m % 12 + 1, 1).toordinal() for m in range(months + 1))
    days = starts[-1] - starts[0]
    narrations = tuple(draw.sample(vocabulary.RECEIVED, 4))
    towns = draw.sample(vocabulary.TOWNS, 3)
    offices = tuple(towns[n % 3] for n in draw.shuffled(range(customers)))
    practice = _draw_practice(
        draw, starts, changeovers, drawn, {NARRATION: narrations, OFFICE: towns}, groups
    )  # fmt: skip
    change = min(practice.changeovers, default=starts[0] + days * 40 // 100)
    silent = draw.sample(range(customers), max(1, customers * SILENT // 100))
    return YearFrame(
        starts=starts,
        memo_end=starts[0] + days * draw.between(*MEMO_END) // 100,
        customers=customers,
        practice=practice,
        narrations=narrations,
        offices=offices,
        pays_until=tuple(
            change + draw.between(-10, days * 12 // 100) if who in silent else starts[-1]
            for who in range(customers)
        ),
    )


def _draw_practice(
    draw: Draw, starts: Sequence[int], changeovers: int, drawn: bool,
    values: Mapping[str, Sequence[str]], groups: tuple[str, ...],
) -> Practice:  # fmt: skip
    by = draw.choice(("", "", *groups)) if drawn else ""
    bases = draw.sample(BASES, changeovers + 1) if drawn else [CITED, OLDEST]
    days = starts[-1] - starts[0]
    cuts = [starts[0] + days * draw.between(*span) // 100 for span in CHANGES[changeovers - bool(by)]]
    rules = [Rule(day, base) for day, base in zip([0, *cuts], bases, strict=False)]
    if by:
        rules.append(Rule(0, bases[-1], draw.choice(values[by])))
    return Practice(tuple(rules), by)
