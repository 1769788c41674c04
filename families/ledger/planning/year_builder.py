"""Draw a year entry by entry, so that its memo shows the policy and its end shows the mistakes.

Before the changeover customers pay invoices that are not their oldest, and some of them then stop
paying, so that the skipped invoices stay open to the end. From the changeover on, as far as the memo
goes, receipts refute every other policy, and between them span everything that the rest may have:
customers, narrations, amounts, ages of the cited invoices, numbers of open ones. The rest stays
within that span, and has no type of event without an example in the memo.
"""

from collections.abc import Sequence

from families.ledger.domain.settlement import BASES, CITED_FIRST, OLDEST, allocation, reduce
from families.ledger.planning.evidence import SMALL, Evidence, Proposal
from families.ledger.planning.planned_case import PlanFailed
from families.ledger.planning.year_outline import NARRATIONS, YearOutline
from families.ledger.planning.year_state import CustomerState, DraftEntry
from trapcli.core.draw import Draw

EARLY, AFTER, REST, LATE = "early", "after", "rest", "late"  # stretches of receipts; LATE are booked late
TRIES = 20  # proposals for one receipt
MIN_SHIFT = 100_000  # cents by which an early citation must still show at the end
MOST_OPEN = 5  # invoices of the slow customer


class YearBuilder:
    """A year while it is being drawn; `build` completes it."""

    def __init__(self, draw: Draw, outline: YearOutline) -> None:
        self.draw, self.outline = draw, outline
        self.entries: list[DraftEntry] = []
        self.customers = [CustomerState() for _ in range(outline.customers)]
        self.evidence = Evidence()
        self.in_memo = 0  # receipts
        self.paid_over = False
        self.large = 0  # invoices of the slow customer that are never paid off
        # A question about the slow customer's older invoices has to include what was booked late, and to
        # leave out an invoice that was paid before the oldest. So one newer than the late one (`marked`)
        # must be paid out of turn (`skipped`).
        self.marked, self.skipped = -1, False

    def build(self) -> list[DraftEntry]:
        """Return all entries, in order; PlanFailed if the memo gets too few receipts."""
        waiting: list[str] = []  # receipts that no customer could make when their turn came
        for (day, late), stretch in zip(self.outline.slots, self._stretches(), strict=True):
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
            raise PlanFailed("there is no place for a receipt of the memo")
        return self.entries

    def _stretches(self) -> list[str | None]:
        """Return for each slot the stretch of its receipt, or None for an invoice.

        The memo ends with a receipt.
        """
        draw, outline, slots = self.draw, self.outline, self.outline.slots
        stretches: list[str | None] = [None] * len(slots)
        late = [i for i, slot in enumerate(slots) if slot[1]]
        for i in late[int(bool(late) and slots[late[0]][0] < outline.changeover) :: 2]:
            stretches[i] = LATE
        free = [i for i, (_, late) in enumerate(slots) if not late]
        before = [i for i in free if slots[i][0] < outline.changeover]
        later = free[len(before) :]
        start = max(4, min(len(before) - outline.early, len(before) // 3))  # there must be something to pay
        for i in draw.sample(before[start:], outline.early):
            stretches[i] = EARLY
        after, rest = outline.after, outline.rest
        reach = max(2 * after - 2, after * (len(later) - 3) // (after + rest))
        if len(later) < reach + rest:
            raise PlanFailed("there are too few entries after the changeover")
        for i in (*draw.sample(later[: reach - 1], after - 1), later[reach - 1]):
            stretches[i] = AFTER
        for i in draw.sample(later[reach:], rest):
            stretches[i] = REST
        return stretches

    @property
    def _memo_is_full(self) -> bool:
        return self.in_memo == self.outline.early + self.outline.after

    # --- invoices ---------------------------------------------------------------------

    def _bill(self, day: int, late: bool) -> None:
        who, slow = self._late_debtor(day) if late else self._debtor(day), self.outline.slow
        state = self.customers[who]
        amount = self.draw.between(90_000, 960_000)
        if who == slow and self.large < 2 and (self.paid_over or who != self.outline.over):
            amount = self.draw.between(900_000, 2_000_000)
            self.large += 1
        number = self._place(DraftEntry(day, who, amount, late=late))
        state.invoices.append(number)
        state.owed[number] = state.owed_oldest_first[number] = amount
        if not late:
            state.owed_without_late[number] = amount
        elif who == slow and day < self.outline.changeover:
            self.marked, self.skipped = number, False

    def _place(self, entry: DraftEntry) -> int:
        """Add an entry, and return its number."""
        self.entries.append(entry)
        self.customers[entry.customer].last = entry.day
        return len(self.entries) - 1

    def _debtor(self, day: int) -> int:
        """Draw who is billed: rather who has little to pay, and within the range that the memo spans.

        The weights were found by trial, as those of `_gain`: they decide how many plans succeed.
        """
        outline, counts, weights = self.outline, self.evidence.counts, []
        most = counts[-1] if self._memo_is_full and counts else 99
        for who, state in enumerate(self.customers):
            count = len(state.owed)
            if who == outline.slow == outline.over and not self.paid_over:
                weight = 1 if count else 24
            elif who == outline.slow and state.invoices[-1:] == [self.marked]:
                weight = 36
            elif who == outline.slow:
                weight = 0 if count >= min(most, MOST_OPEN) else 36 if count < 2 else 12 if count < 3 else 4
            elif who in outline.paying:
                weight = 0 if count >= most else 12 if count < 3 else 5
            else:
                weight = 8 if day < outline.changeover and len(state.invoices) < 3 else 3
            weights.append(weight if state.last != day else 0)
        return _weighted(self.draw, weights if any(weights) else [s.last != day for s in self.customers])

    def _late_debtor(self, day: int) -> int:
        """Draw who is billed late; within the memo, someone with other invoices that will be paid before."""
        outline = self.outline
        if self.customers[outline.slow].invoices and self.draw.below(100) < outline.late_to_slow:
            return outline.slow
        weights = [6 if who in outline.paying else 1 for who in range(outline.customers)]
        for who, state in enumerate(self.customers):
            if state.last == day or (len(state.owed) < 2 and not self._memo_is_full):
                weights[who] = 0
        return _weighted(self.draw, weights)

    # --- receipts ---------------------------------------------------------------------

    def _receive(self, day: int, stretch: str) -> bool:
        """Place the best of some receipts that are drawn; return False if none is allowed."""
        payers = [who for who in range(self.outline.customers) if self._may_pay(who, day, stretch)]
        best, most = None, 0.0
        for _ in range(0 if not payers else TRIES if stretch != LATE else 3 * TRIES):
            proposal = self._propose(self.draw.choice(payers), day, stretch)
            gain = self._gain(proposal, day, stretch)
            if gain > most:
                best, most = proposal, gain
        if best is not None:
            self._accept(best, day, stretch)
        return best is not None

    def _may_pay(self, who: int, day: int, stretch: str) -> bool:
        outline, state, evidence = self.outline, self.customers[who], self.evidence
        if state.last == day or not state.owed or state.silent:
            return False
        if stretch == REST:
            counts = evidence.counts
            return who in evidence.customers and counts[0] <= len(state.owed) <= counts[-1]
        if who in outline.paying:
            return stretch != LATE or who in evidence.customers
        if who == outline.over:
            return self._pays_over(who, stretch)
        return stretch == EARLY or (stretch == LATE and not self._memo_is_full)

    def _propose(self, who: int, day: int, stretch: str) -> Proposal:
        draw, state, amounts = self.draw, self.customers[who], self.evidence.amounts
        owed, total = list(state.owed), sum(state.owed.values())
        style, cited = draw.below(10), -1
        if style < 6 and len(owed) > 1:
            cited = draw.choice(owed[1:] if stretch != EARLY or draw.chance(0.4) else owed[-1:])
        elif style == 6:
            cited = owed[0]
        elif style == 7:
            cited = draw.choice(state.invoices)
        amount = self._draw_amount(state.owed.get(cited) or state.owed[owed[0]], total)
        if self._pays_over(who, stretch):
            amount = total + draw.between(30_000, 800_000)
        elif who == self.outline.slow and draw.below(3):
            amount = min(amount, draw.between(25_000, 250_000))
        if stretch == REST or (stretch == LATE and len(amounts) > 1):
            low, high = amounts[0], min(amounts[-1], total - 1)
            if not low <= amount <= high:
                amount = draw.between(low, max(low, high))
        return self._proposal(who, cited, amount, draw.below(NARRATIONS), day)

    def _draw_amount(self, invoice: int, total: int) -> int:
        """Draw the amount of the invoice, a part of it or more; or little, or most of the total owed."""
        draw, style = self.draw, self.draw.below(10)
        if style < 5:
            return invoice
        if style < 7:
            return invoice * draw.between(30, 90) // 100
        if style < 8:
            return min(total, invoice * draw.between(105, 180) // 100)
        if style < 9:
            return draw.between(20_000, SMALL)
        return total * draw.between(40, 92) // 100

    def _proposal(self, who: int, cited: int, amount: int, narration: int, day: int) -> Proposal:
        owed = self.customers[who].owed
        by_base = [allocation(base, owed, cited, amount) for base in BASES]
        pieces = by_base[self._base(day)]
        traits = {"cites nothing" if cited < 0 else "cites open" if cited in owed else "cites settled"}
        if len(pieces) > 1:
            traits.add("several")
        if sum(pieces.values()) < amount:
            traits.add("unapplied")
        refutes = frozenset(base for base in BASES if by_base[base] != pieces)
        age = day - self.entries[cited].day if cited >= 0 else None
        return Proposal(who, cited, amount, narration, pieces, refutes, len(owed), age, frozenset(traits))

    def _base(self, day: int) -> int:
        return CITED_FIRST if day < self.outline.changeover else OLDEST

    def _gain(self, p: Proposal, day: int, stretch: str) -> float:
        """Return how welcome a receipt is; 0 if it is not allowed."""
        outline, evidence, slow = self.outline, self.evidence, self.outline.slow
        if p.cited >= 0 and self.entries[p.cited].late:
            return 0  # a document that leads to no voucher would point at the supplement
        if stretch in (EARLY, AFTER) and self._reveals_late(p, day):
            return 0
        over = self._pays_over(p.customer, stretch)
        if not over and self._keeps_skipped(p.customer) and self._shift(p) < MIN_SHIFT:
            return 0
        gain = 1 + self.draw.below(100) / 100 + 4 * over
        if stretch == REST:
            return gain + (CITED_FIRST in p.refutes) if evidence.determines(p) else 0
        if stretch == LATE:
            in_memo = not p.refutes and not self._memo_is_full
            if not in_memo and not (day >= outline.changeover and evidence.determines(p)):
                return 0
            return gain + 2 * (p.customer == slow and self.draw.below(100) < outline.late_to_slow)
        if stretch == AFTER:
            return gain + evidence.later_gain(p)
        if p.customer == slow:
            wanted = p.cited > self.marked and not self.skipped
        else:
            wanted = p.customer not in outline.paying
        return gain + evidence.early_gain(p) + 2 * (wanted and OLDEST in p.refutes)

    def _reveals_late(self, p: Proposal, day: int) -> bool:
        """Whether a line of the memo with this receipt could not be explained without the late entries."""
        without_late = allocation(
            self._base(day), self.customers[p.customer].owed_without_late, p.cited, p.amount
        )
        return without_late != p.pieces or any(self.entries[number].late for number in p.pieces)

    def _pays_over(self, who: int, stretch: str) -> bool:
        """Whether the customer's next receipt is the one that exceeds all it owes."""
        return who == self.outline.over and not self.paid_over and stretch in (EARLY, AFTER)

    def _keeps_skipped(self, who: int) -> bool:
        """Whether the invoices that the customer skipped before the changeover must stay open to the end."""
        return who == self.outline.slow or (who not in self.outline.paying and who != self.outline.over)

    def _shift(self, p: Proposal) -> int:
        """Return how far, in cents, the customer's open invoices would be from oldest-first all year."""
        state = self.customers[p.customer]
        oldest_first = state.owed_oldest_first
        other = allocation(OLDEST, oldest_first, -1, p.amount)
        return sum(
            abs(left - p.pieces.get(number, 0) - oldest_first.get(number, 0) + other.get(number, 0))
            for number, left in state.owed.items()
        )

    def _accept(self, p: Proposal, day: int, stretch: str) -> None:
        state, in_memo = self.customers[p.customer], stretch in (EARLY, AFTER)
        for number, part in allocation(OLDEST, state.owed_oldest_first, -1, p.amount).items():
            reduce(state.owed_oldest_first, number, part)
        for number, part in p.pieces.items():
            reduce(state.owed, number, part)
            if in_memo:
                reduce(state.owed_without_late, number, part)
        self._place(DraftEntry(day, p.customer, -p.amount, p.cited, p.narration, stretch == LATE, in_memo))
        self.paid_over |= p.customer == self.outline.over
        if p.customer == self.outline.slow and stretch == EARLY and OLDEST in p.refutes:
            self.skipped |= p.cited > self.marked
        if in_memo:
            self.in_memo += 1
            self.evidence.add(p, stretch == EARLY)
        if stretch == LATE:
            state.silent = p.customer not in self.outline.paying


def _weighted(draw: Draw, weights: Sequence[int]) -> int:
    """Draw an index by weight; PlanFailed if all weights are 0."""
    if not any(weights):
        raise PlanFailed("nobody can be billed")
    left = draw.below(sum(weights))
    for index, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return index
    raise AssertionError
