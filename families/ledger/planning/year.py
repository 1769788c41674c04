"""A year of entries, drawn one after the other while they are settled, so that orders matter."""

from dataclasses import dataclass

from families.ledger.domain.practice import BASES
from families.ledger.domain.settlement import (
    CREDIT,
    INVOICE,
    RECEIPT,
    RETURN,
    Event,
    Settlement,
    pieces_by,
)
from families.ledger.planning.frame import YearFrame, is_workday
from families.ledger.planning.plan_failed import PlanFailed
from trapcli.core.draw import Draw

PROPOSALS = 3  # for one receipt; the one on which most orders differ is taken
SMALLEST_RECEIPT, LARGEST_RECEIPT = 15_000, 2_500_000  # cents
REST = 100  # cents between a rest that is written off and one that is not, at least
BILLED_SILENT = 0.7  # how often a customer that still pays is taken, of all
OVER = 9  # a receipt over all that is owed, where kinds of entries are drawn


@dataclass(frozen=True, slots=True)
class Features:
    """What the entries of a year have, besides invoices and receipts.

    returns, credits: how many payments come back, how many credit notes there are.
    bound: rests under it (in cents) are written off; 0 for none.
    opening: how many invoices of last year are open when the year begins.
    overpaid: how many receipts exceed all that their customer owes.
    """

    returns: int = 0
    credits: int = 0
    bound: int = 0
    opening: int = 0
    overpaid: int = 1


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry without code, voucher or document; `event` has all that settling it needs."""

    customer: int
    event: Event


class YearBuilder:
    """A year while it is being drawn; `build` completes it."""

    def __init__(self, draw: Draw, frame: YearFrame, per_month: int, features: Features) -> None:
        self.draw, self.frame, self.per_month, self.features = draw, frame, per_month, features
        self.states = [Settlement() for _ in range(frame.customers)]
        self.drafts: list[Draft] = []
        self.amounts: set[int] = set()
        self.received: set[int] = set()
        self.returned: set[int] = set()

    def build(self) -> tuple[Draft, ...]:
        """Return all entries, in order; PlanFailed if something that the year must have found no place."""
        special = self._special_slots()
        self._open()
        for month in range(1, self.frame.months + 1):
            workdays = self.frame.workdays(month)
            days = sorted(self.draw.choice(workdays) for _ in range(self.per_month))
            busy: set[tuple[int, int]] = set()
            for place, day in enumerate(days):
                free = [who for who in range(self.frame.customers) if (day, who) not in busy]
                if not free:
                    continue
                who = self._enter(day, free, special.get((month, place)))
                busy.add((day, who))
        returns = sum(draft.event.kind == RETURN for draft in self.drafts)
        credits = sum(draft.event.kind == CREDIT for draft in self.drafts)
        if returns < self.features.returns or credits < self.features.credits:
            raise PlanFailed("a return or a credit note found no place")
        return tuple(self.drafts)

    def _open(self) -> None:
        """Bill the items that are open when the year begins, in the two months before."""
        start = self.frame.starts[0]
        days = [day for day in range(start - 55, start - 1) if is_workday(day)]
        for day in sorted(self.draw.sample(days, self.features.opening)):
            self._add(self.draw.below(self.frame.customers), Event(day, 0, INVOICE, 0, self._amount()))

    def _special_slots(self) -> dict[tuple[int, int], int]:
        """Draw the months and places of returns and credit notes, one a month at most."""
        slots: dict[tuple[int, int], int] = {}
        months = range(2, self.frame.months + 1)
        features = self.features
        for kind, count in (
            (RETURN, features.returns),
            (CREDIT, features.credits),
            (OVER, features.overpaid),
        ):
            for month in self.draw.sample(months, min(count, len(months))):
                free = [p for p in range(3, self.per_month) if (month, p) not in slots]
                slots[month, self.draw.choice(free)] = kind
        return slots

    def _enter(self, day: int, free: list[int], special: int | None) -> int:
        """Draw an entry of this day, of one of the customers `free`; return whose it is."""
        draw = self.draw
        if special is not None:
            enter = {RETURN: self._return, CREDIT: self._credit, OVER: self._overpay}[special]
            who = enter(day, free)
            if who >= 0:
                return who
        paying = [who for who in free if day <= self.frame.pays_until[who]]
        who = draw.choice(paying if paying and draw.chance(BILLED_SILENT) else free)
        if day > self.frame.pays_until[who]:
            self._add(who, Event(day, 0, INVOICE, 0, self._amount()))
            return who
        count = len(self.states[who].owed)
        bill = 0.9 if count < 2 else 0.58 if count < 4 else 0.4 if count < 6 else 0.2
        if self.frame.month_of(day) == 1:
            bill = max(bill, 0.7)
        if not count or draw.chance(bill):
            self._add(who, Event(day, 0, INVOICE, 0, self._amount()))
        else:
            self._add(who, self._receipt(day, who))
        return who

    def _add(self, who: int, event: Event) -> None:
        """Number the entry, settle it and keep it."""
        event = event._replace(key=len(self.drafts), place=len(self.drafts), office=self.frame.offices[who])
        state = self.states[who]
        if event.kind == INVOICE:
            state.bill(event)
        elif event.kind == RECEIPT:
            state.receive(event, self._pieces(who, event), self.features.bound)
            self.received.add(event.amount)
        elif event.kind == RETURN:
            state.take_back(event.ref)
            self.returned.add(event.ref)
        else:
            state.lessen(event.ref, event.amount)
        self.drafts.append(Draft(who, event))

    def _pieces(self, who: int, event: Event) -> dict[int, int]:
        base = self.frame.practice.base_of(event.day, event.narration, self.frame.offices[who])
        return pieces_by(base, self.states[who], event)

    def _amount(self) -> int:
        """Draw an amount that no entry has: most are middling, few large, some round."""
        draw = self.draw
        while True:
            low, high = draw.choice(((40_000, 160_000), (120_000, 420_000), (120_000, 420_000),
                                     (350_000, 900_000), (700_000, 1_900_000)))  # fmt: skip
            amount = draw.between(low, high)
            if draw.chance(0.15):
                amount -= amount % draw.choice((500, 1_000, 5_000))
            if amount not in self.amounts:
                self.amounts.add(amount)
                return amount

    # --- receipts ---------------------------------------------------------------------

    def _receipt(self, day: int, who: int) -> Event:
        """Draw a receipt; of some proposals the one on which most orders differ."""
        best, most = None, -99
        for _ in range(PROPOSALS):
            event = self._proposal(day, who)
            state = self.states[who]
            allocations = [pieces_by(base, state, event) for base in BASES]
            right = self._pieces(who, event)
            differ = sum(pieces != right for pieces in allocations)
            if event.amount in self.received:
                differ -= 2 * len(BASES)  # receipts are seldom equal
            if differ > most and self._rests_are_clear(who, event, right):
                best, most = event, differ
        if best is None:
            raise PlanFailed("a receipt would leave a doubtful rest")
        return best

    def _rests_are_clear(self, who: int, event: Event, pieces: dict[int, int]) -> bool:
        """Whether no rest that the receipt leaves is near the bound of what is written off."""
        bound, owed = self.features.bound, self.states[who].owed
        rests = [owed[invoice] - cents for invoice, cents in pieces.items() if owed[invoice] > cents]
        return not bound or all(rest < bound - REST or rest > bound + REST for rest in rests)

    def _proposal(self, day: int, who: int) -> Event:
        draw, owed = self.draw, self.states[who].owed
        invoices, total = list(owed), sum(owed.values())
        one = draw.choice([i for i in invoices if owed[i] >= SMALLEST_RECEIPT] or invoices)
        other = draw.choice([i for i in invoices if i != one]) if len(invoices) > 1 else -1
        style, cited = draw.below(100), one
        narration = draw.choice(self.frame.narrations)
        if self.features.bound and draw.chance(0.3):
            most = self.features.bound - REST - 1  # the memo must show the largest that occurs
            rest = draw.between(1_200, most if day <= self.frame.memo_end else most * 6 // 10)
            if draw.chance(0.3):
                rest = draw.between(self.features.bound + REST + 1, 2 * self.features.bound)
            amount, cited = owed[one] - rest, draw.choice((one, one, other, -1))
        elif style < 24:
            amount = owed[one]
        elif style < 36:
            amount, cited = owed[one], -1
        elif style < 52:
            amount, cited = owed[one], other
        elif style < 68:
            amount = owed[one] * draw.between(30, 80) // 100
        elif style < 82:
            amount = owed[one] + (total - owed[one]) * draw.between(20, 70) // 100
        else:
            amount, cited = total * draw.between(20, 80) // 100, draw.choice((-1, one))
        if not SMALLEST_RECEIPT <= amount <= LARGEST_RECEIPT:
            amount = owed[one]
        return Event(day, 0, RECEIPT, 0, amount, cited, narration)

    # --- special entries ------------------------------------------------------------------

    def _overpay(self, day: int, free: list[int]) -> int:
        """Pay more than all that a customer owes; return whose, -1 if nobody owes little."""
        totals = {
            who: sum(self.states[who].owed.values())
            for who in free
            if self.states[who].owed and day <= self.frame.pays_until[who]
        }
        if not totals:
            return -1
        who = min(totals, key=totals.__getitem__)
        amount = totals[who] + self.draw.between(30_000, 500_000)
        narration = self.draw.choice(self.frame.narrations)
        cited = self.draw.choice([-1, *self.states[who].owed])
        self._add(who, Event(day, 0, RECEIPT, 0, amount, cited, narration))
        return who

    def _return(self, day: int, free: list[int]) -> int:
        """Take back a payment of the last weeks; return whose, -1 if there is none."""
        found = [
            draft
            for draft in self.drafts
            if draft.event.kind == RECEIPT and draft.customer in free
            and 3 <= day - draft.event.day <= 45
            and draft.event.key not in self.returned
            and draft.event.amount > 60_000
            and draft.event.key not in self.states[draft.customer].unapplied
            and draft.event.key not in self.states[draft.customer].written
        ]  # fmt: skip
        if not found:
            return -1
        draft = self.draw.choice(found)
        self._add(draft.customer, Event(day, 0, RETURN, 0, draft.event.amount, draft.event.key))
        return draft.customer

    def _credit(self, day: int, free: list[int]) -> int:
        """Lessen an open invoice that is not the oldest; return whose, -1 if there is none."""
        found = [
            (who, invoice)
            for who in free
            for invoice in list(self.states[who].owed)[1:]
            if self.states[who].owed[invoice] > 80_000
        ]
        if not found:
            return -1
        who, invoice = self.draw.choice(found)
        left = self.states[who].owed[invoice]
        amount = left if self.draw.chance(0.2) else left * self.draw.between(30, 75) // 10_000 * 100
        self._add(who, Event(day, 0, CREDIT, 0, amount, invoice))
        return who
