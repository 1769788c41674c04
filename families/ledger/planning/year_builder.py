"""A year drawn entry by entry, so that its memo tells the policy and its end shows the mistakes.

Before the changeover customers pay invoices that are not their oldest, and some of them then
stop paying, so that what was skipped stays open to the end. From the changeover on as far as
the memo goes, receipts refute every other policy, and between them span whatever the rest may
hold: customers, narrations, amounts, ages of the cited invoices, numbers of open ones. The rest
stays within that span, and brings no kind of event that the memo has no example of.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from families.ledger.domain.settlement import BASES, CITED_FIRST, OLDEST, allocation, reduce
from families.ledger.planning.evidence import SMALL, Proposal, Shown
from families.ledger.planning.year_outline import NARRATIONS, Shape, Unlucky
from trapcli.core.draw import Draw

EARLY, AFTER, REST, LATE = "early", "after", "rest", "late"  # stretches of receipts; LATE are booked late
TRIES = 20  # proposals for one receipt
LEAST_DRIFT = 100_000  # cents by which an early citation must still show
MOST_OPEN = 5  # invoices of the slow customer


@dataclass(slots=True)
class Line:
    """An entry in the making. cited: the number of another line, or -1. worked: whether the memo shows it."""

    day: int
    who: int
    amount: int
    cited: int = -1
    narration: int = -1
    late: bool = False
    worked: bool = False


@dataclass(slots=True)
class Purse:
    """A customer so far.

    open: what is left of its invoices, by line; unsupplemented: the same without late entries, as far
    as the memo goes; oldest_first: if the oldest were settled first all year. last: the day of its last
    entry; it has at most one a day, so that no order is in doubt. muted: whether it pays no more, so
    that no line of the memo has to hide what its late receipt settled.
    """

    open: dict[int, int] = field(default_factory=dict)
    unsupplemented: dict[int, int] = field(default_factory=dict)
    oldest_first: dict[int, int] = field(default_factory=dict)
    invoices: list[int] = field(default_factory=list)
    last: int = 0
    muted: bool = False


class Sketch:
    """A year in the making. `run` completes it."""

    def __init__(self, draw: Draw, shape: Shape) -> None:
        self.draw, self.shape = draw, shape
        self.lines: list[Line] = []
        self.purses = [Purse() for _ in range(shape.customers)]
        self.shown = Shown()
        self.worked = 0
        self.paid_over = False
        self.large = 0  # invoices of the slow customer that are never paid off
        # A question about the slow customer's older invoices has to include what was booked late, and to
        # leave out one that was paid before the oldest. So one newer than the late one is to be paid so.
        self.marked, self.skipped = -1, False

    def run(self) -> list[Line]:
        """All entries, in order; Unlucky if the memo gets too few receipts."""
        waiting: list[str] = []  # receipts that no customer could make when their turn came
        for (day, late), stretch in zip(self.shape.slots, self._stretches(), strict=True):
            if late:
                if stretch is None or not self._receive(day, LATE):
                    self._bill(day, late)
                continue
            if stretch is not None:
                waiting.append(stretch)
            if waiting and self._receive(day, waiting[0]):
                waiting.pop(0)
            else:
                self._bill(day, late)
        if waiting and waiting[0] != REST:
            raise Unlucky("there is no place for a receipt of the memo")
        return self.lines

    def _stretches(self) -> list[str | None]:
        """For each slot the stretch of its receipt, or None for an invoice. The memo ends with a receipt."""
        draw, shape = self.draw, self.shape
        found: list[str | None] = [None] * len(shape.slots)
        late = [i for i, slot in enumerate(shape.slots) if slot[1]]
        for i in late[int(bool(late) and shape.slots[late[0]][0] < shape.switch) :: 2]:
            found[i] = LATE
        free = [i for i, (_, late) in enumerate(shape.slots) if not late]
        before = [i for i in free if shape.slots[i][0] < shape.switch]
        later = free[len(before) :]
        start = max(4, min(len(before) - shape.early, len(before) // 3))  # there must be something to pay
        for i in draw.sample(before[start:], shape.early):
            found[i] = EARLY
        reach = max(2 * shape.after - 2, shape.after * (len(later) - 3) // (shape.after + shape.rest))
        if len(later) < reach + shape.rest:
            raise Unlucky("there are too few entries after the changeover")
        for i in (*draw.sample(later[: reach - 1], shape.after - 1), later[reach - 1]):
            found[i] = AFTER
        for i in draw.sample(later[reach:], shape.rest):
            found[i] = REST
        return found

    @property
    def _memo_is_full(self) -> bool:
        return self.worked == self.shape.early + self.shape.after

    # --- invoices ---------------------------------------------------------------------

    def _bill(self, day: int, late: bool) -> None:
        who = self._late_debtor(day) if late else self._debtor(day)
        purse = self.purses[who]
        amount = self.draw.between(90_000, 960_000)
        if who == self.shape.slow and self.large < 2 and (self.paid_over or who != self.shape.over):
            amount = self.draw.between(900_000, 2_000_000)
            self.large += 1
        number = self._place(Line(day, who, amount, late=late))
        purse.invoices.append(number)
        purse.open[number] = purse.oldest_first[number] = amount
        if not late:
            purse.unsupplemented[number] = amount
        elif who == self.shape.slow and day < self.shape.switch:
            self.marked, self.skipped = number, False

    def _place(self, line: Line) -> int:
        self.lines.append(line)
        self.purses[line.who].last = line.day
        return len(self.lines) - 1

    def _debtor(self, day: int) -> int:
        """Who is billed: rather who has little to pay, and nobody beyond what the memo tells about.

        The weights were found by trial, as those of `_worth`: they decide how many plans succeed.
        """
        shape, weights = self.shape, []
        most = self.shown.counts[-1] if self._memo_is_full and self.shown.counts else 99
        for who, purse in enumerate(self.purses):
            count = len(purse.open)
            if who == shape.slow == shape.over and not self.paid_over:
                weight = 1 if count else 24
            elif who == shape.slow and purse.invoices[-1:] == [self.marked]:
                weight = 36
            elif who == shape.slow:
                weight = 0 if count >= min(most, MOST_OPEN) else 36 if count < 2 else 12 if count < 3 else 4
            elif who in shape.paying:
                weight = 0 if count >= most else 12 if count < 3 else 5
            else:
                weight = 8 if day < shape.switch and len(purse.invoices) < 3 else 3
            weights.append(weight if purse.last != day else 0)
        return _weighted(self.draw, weights if any(weights) else [p.last != day for p in self.purses])

    def _late_debtor(self, day: int) -> int:
        """Who is billed late; within the memo someone whose other invoices will be paid before this one."""
        shape = self.shape
        if self.purses[shape.slow].invoices and self.draw.below(100) < shape.late:
            return shape.slow
        weights = [6 if who in shape.paying else 1 for who in range(shape.customers)]
        for who, purse in enumerate(self.purses):
            if purse.last == day or (len(purse.open) < 2 and not self._memo_is_full):
                weights[who] = 0
        return _weighted(self.draw, weights)

    # --- receipts ---------------------------------------------------------------------

    def _receive(self, day: int, stretch: str) -> bool:
        """Place the best receipt of some that are drawn; False if none is allowed."""
        payers = [who for who in range(self.shape.customers) if self._may_pay(who, day, stretch)]
        best, most = None, 0.0
        for _ in range(0 if not payers else TRIES if stretch != LATE else 3 * TRIES):
            proposal = self._proposal(self.draw.choice(payers), day, stretch)
            worth = self._worth(proposal, day, stretch)
            if worth > most:
                best, most = proposal, worth
        if best is not None:
            self._accept(best, day, stretch)
        return best is not None

    def _may_pay(self, who: int, day: int, stretch: str) -> bool:
        shape, purse, shown = self.shape, self.purses[who], self.shown
        if purse.last == day or not purse.open or purse.muted:
            return False
        if stretch == REST:
            return who in shown.who and shown.counts[0] <= len(purse.open) <= shown.counts[-1]
        if who in shape.paying:
            return stretch != LATE or who in shown.who
        if who == shape.over:
            return self._pays_over(who, stretch)
        return stretch == EARLY or (stretch == LATE and not self._memo_is_full)

    def _proposal(self, who: int, day: int, stretch: str) -> Proposal:
        draw, purse = self.draw, self.purses[who]
        open_, total = list(purse.open), sum(purse.open.values())
        style, cited = draw.below(10), -1
        if style < 6 and len(open_) > 1:
            cited = draw.choice(open_[1:] if stretch != EARLY or draw.chance(0.4) else open_[-1:])
        elif style == 6:
            cited = open_[0]
        elif style == 7:
            cited = draw.choice(purse.invoices)
        amount = self._amount(purse.open.get(cited) or purse.open[open_[0]], total)
        if self._pays_over(who, stretch):
            amount = total + draw.between(30_000, 800_000)
        elif who == self.shape.slow and draw.below(3):
            amount = min(amount, draw.between(25_000, 250_000))
        if stretch == REST or (stretch == LATE and len(self.shown.amounts) > 1):
            low, high = self.shown.amounts[0], min(self.shown.amounts[-1], total - 1)
            if not low <= amount <= high:
                amount = draw.between(low, max(low, high))
        return self._weighed(who, cited, amount, draw.below(NARRATIONS), day)

    def _amount(self, like: int, total: int) -> int:
        """What the invoice comes to, a part of it, or more; or little, or most of what is owed."""
        draw, style = self.draw, self.draw.below(10)
        if style < 5:
            return like
        if style < 7:
            return like * draw.between(30, 90) // 100
        if style < 8:
            return min(total, like * draw.between(105, 180) // 100)
        if style < 9:
            return draw.between(20_000, SMALL)
        return total * draw.between(40, 92) // 100

    def _weighed(self, who: int, cited: int, amount: int, narration: int, day: int) -> Proposal:
        purse = self.purses[who]
        by_base = [allocation(base, purse.open, cited, amount) for base in BASES]
        pieces = by_base[self._base(day)]
        traits = {"cites nothing" if cited < 0 else "cites open" if cited in purse.open else "cites settled"}
        if len(pieces) > 1:
            traits.add("several")
        if sum(pieces.values()) < amount:
            traits.add("unapplied")
        refutes = frozenset(base for base in BASES if by_base[base] != pieces)
        age = day - self.lines[cited].day if cited >= 0 else None
        return Proposal(
            who, cited, amount, narration, pieces, refutes, len(purse.open), age, frozenset(traits)
        )

    def _base(self, day: int) -> int:
        return CITED_FIRST if day < self.shape.switch else OLDEST

    def _worth(self, p: Proposal, day: int, stretch: str) -> float:
        """How welcome a receipt is; 0 if it is not allowed."""
        shape, shown, purse = self.shape, self.shown, self.purses[p.who]
        if p.cited >= 0 and self.lines[p.cited].late:
            return 0  # a document that leads to no voucher would point at the supplement
        if stretch in (EARLY, AFTER):
            blind = allocation(self._base(day), purse.unsupplemented, p.cited, p.amount)
            if blind != p.pieces or any(self.lines[number].late for number in p.pieces):
                return 0  # so would a line of the memo that the extracts do not explain
        over = self._pays_over(p.who, stretch)
        if not over and self._keeps(p.who) and self._drift(p) < LEAST_DRIFT:
            return 0
        worth = 1 + self.draw.below(100) / 100 + 4 * over
        if stretch == REST:
            return worth + (CITED_FIRST in p.refutes) if shown.holds(p) else 0
        if stretch == LATE:
            told = (not p.refutes and not self._memo_is_full) or (day >= shape.switch and shown.holds(p))
            return worth + 2 * (p.who == shape.slow and self.draw.below(100) < shape.late) if told else 0
        if stretch == AFTER:
            return worth + shown.after_worth(p)
        if p.who == shape.slow:
            wanted = p.cited > self.marked and not self.skipped
        else:
            wanted = p.who not in shape.paying
        return worth + shown.early_worth(p) + 2 * (wanted and OLDEST in p.refutes)

    def _pays_over(self, who: int, stretch: str) -> bool:
        """Whether the customer's next receipt is the one that exceeds all it owes."""
        return who == self.shape.over and not self.paid_over and stretch in (EARLY, AFTER)

    def _keeps(self, who: int) -> bool:
        """Whether what the customer skipped before the changeover has to stay open to the end."""
        return who == self.shape.slow or (who not in self.shape.paying and who != self.shape.over)

    def _drift(self, p: Proposal) -> int:
        """How far, in cents, the customer's open invoices would be from oldest-first all year."""
        purse = self.purses[p.who]
        other = allocation(OLDEST, purse.oldest_first, -1, p.amount)
        return sum(
            abs(left - p.pieces.get(number, 0) - purse.oldest_first.get(number, 0) + other.get(number, 0))
            for number, left in purse.open.items()
        )

    def _accept(self, p: Proposal, day: int, stretch: str) -> None:
        purse, worked = self.purses[p.who], stretch in (EARLY, AFTER)
        for number, part in allocation(OLDEST, purse.oldest_first, -1, p.amount).items():
            reduce(purse.oldest_first, number, part)
        for number, part in p.pieces.items():
            reduce(purse.open, number, part)
            if worked:
                reduce(purse.unsupplemented, number, part)
        self._place(Line(day, p.who, -p.amount, p.cited, p.narration, stretch == LATE, worked))
        self.paid_over |= p.who == self.shape.over
        if p.who == self.shape.slow and stretch == EARLY and OLDEST in p.refutes:
            self.skipped |= p.cited > self.marked
        if worked:
            self.worked += 1
            self.shown.add(p, stretch == EARLY)
        if stretch == LATE:
            purse.muted = p.who not in self.shape.paying


def _weighted(draw: Draw, weights: Sequence[int]) -> int:
    """An index, drawn by weight; Unlucky if all weights are 0."""
    if not any(weights):
        raise Unlucky("nobody can be billed")
    left = draw.below(sum(weights))
    for index, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return index
    raise AssertionError
