"""Find the practice that what was done by hand shows: the one of the fewest rules that explains it all.

A run puts receipts in one order from some day on until a line shows otherwise. Then another order must
have taken over, on the day of that line or before. The search follows this through all days and orders.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from families.ledger.solver.accounts import ORDERS, Accounts, Order
from families.ledger.solver.events import PAY, Happening
from families.ledger.solver.sheets import UnclearFiles, Worked

MOST_RULES = 4


@dataclass(frozen=True, slots=True)
class Practice:
    """dated: (first day, order), in order; own: (trait, value, order), of receipts with their own order."""

    dated: tuple[tuple[date, Order], ...]
    own: tuple[str, str, Order] | None = None

    def order_of(self, event: Happening) -> Order:
        if self.own and _trait(event, self.own[0]) == self.own[1]:
            return self.own[2]
        return [order for since, order in self.dated if since <= event.entry.day or since == date.min][-1]

    @property
    def first(self) -> Order:
        return self.dated[0][1]

    @property
    def last(self) -> Order:
        return self.own[2] if self.own else self.dated[-1][1]


def _trait(event: Happening, trait: str) -> str:
    return event.office if trait == "office" else event.entry.narration


class Search:
    """events: of the right reading; memo: receipt -> what was done by hand."""

    def __init__(self, events: Sequence[Happening], memo: Mapping[str, Worked], bound: int) -> None:
        self.events, self.memo, self.bound = events, memo, bound
        lines = [event for event in events if event.what == PAY and event.entry.voucher in memo]
        if len(lines) < len(memo) or not lines:
            raise UnclearFiles("receipts that were worked through are not in the ledger")
        self.end = max(event.entry.day for event in lines)
        self.traits = [
            (trait, value)
            for trait in ("narration", "office")
            for value in sorted({_trait(event, trait) for event in lines})
            if value
        ]

    def practice(self) -> Practice:
        """Return the simplest practice; UnclearFiles if none of at most four rules explains all lines."""
        for rules in range(1, MOST_RULES + 1):
            for own in (None, *((*trait, order) for trait in self.traits for order in ORDERS)):
                dated = rules - 1 if own else rules
                if dated:
                    for found in self._dated(own, 0, Accounts(self.bound), (), dated, -1):
                        return found
        raise UnclearFiles("what was done by hand shows no practice that is known here")

    def _dated(
        self, own: tuple[str, str, Order] | None, start: int, accounts: Accounts,
        dated: tuple[tuple[date, Order], ...], rules: int, reached: int,
    ) -> Iterator[Practice]:  # fmt: skip
        """Yield practices that explain the lines from event `start` on with at most `rules` more orders.

        reached: the line that the orders before did not explain; this one must.
        """
        since = self.events[start].entry.day if dated else date.min
        for order in ORDERS:
            if dated and order is dated[-1][1]:
                continue
            ways = (*dated, (since, order))
            stops = list(self._run(own, start, accounts.snapshot(), order))
            failed = stops[-1][0] if stops else start
            if failed == len(self.events):
                yield Practice(ways, own)
            elif rules > 1 and failed > reached:
                for place, snapshot in reversed(stops):
                    if place > start:
                        yield from self._dated(own, place, snapshot, ways, rules - 1, failed)

    def _run(
        self, own: tuple[str, str, Order] | None, start: int, accounts: Accounts, order: Order
    ) -> Iterator[tuple[int, Accounts]]:
        """Yield each place where another order can take over, with the accounts there; at last where it must.

        The last place is behind all events if the order explains all lines.
        """
        previous = None
        for place in range(start, len(self.events)):
            event = self.events[place]
            if event.what != PAY:
                accounts.enter(event)
                continue
            if event.entry.day != previous and event.entry.day <= self.end:
                day_start = (place, accounts.snapshot())
                yield day_start
            previous = event.entry.day
            covered = own is not None and _trait(event, own[0]) == own[1]
            parts = accounts.split(event, own[2] if covered and own else order)
            line = self.memo.get(event.entry.voucher)
            if line is not None and parts != line.settled:
                yield day_start if not covered else (start, day_start[1])
                return
            accounts.pay(event, parts)
        yield len(self.events), accounts
