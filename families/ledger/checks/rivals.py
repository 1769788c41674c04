"""Whether the memo of a case leaves a doubt: all practices that fit it must give the same answer.

The class: orders (`rival_orders`), any of which takes over from another on any day up to the memo's
end; and at most one exception, receipts that have an order of their own all year: those of one
narration, office or customer, those over or under some amount, those that find more or fewer than
some number of invoices open. A practice counts only if it has no more rules (stretches of days, and
the exception) than the practice of the case: the case README says that nothing is in a practice that
the memo does not need.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from families.ledger.checks.rival_orders import rival_orders
from families.ledger.domain.practice import NARRATION, OFFICE, Look, Order, allocation
from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import INVOICE, RECEIPT, Event, Pieces, Settlement
from families.ledger.planning.reading import Ledger, Row

MOST_STATES = 150  # states of the accounts that are followed at a time, for one exception


class TooManyRivals(Exception):
    """More states than are followed; such a memo shows too little."""


class Rival(NamedTuple):
    """A practice that fits the memo and gives another answer, in cents."""

    description: str
    answer: int


class Exemption(NamedTuple):
    """An exception: which receipts it covers; narration, office, customer or bounds."""

    kind: str = ""
    value: str | int = ""
    over: bool = True

    def covers(self, customer: int, event: Event, owed: Mapping[int, int]) -> bool:
        if self.kind == "amount":
            return (event.amount > int(self.value)) == self.over
        if self.kind == "open":
            return (len(owed) > int(self.value)) == self.over
        known = {NARRATION: event.narration, OFFICE: event.office, "customer": customer}
        return known.get(self.kind) == self.value


@dataclass(slots=True)
class State:
    """The accounts as some practices leave them.

    alive: (order of the exception or -1, order) -> how many rules it took, at least.
    """

    accounts: dict[int, Settlement]
    alive: dict[tuple[int, int], int]


class Search:
    """Looks for rivals of a ledger's practice."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.most = len(ledger.practice.rules)
        self.truth = dict(_looks(ledger.rows, ledger))
        cited = [k.day - k.billed[k.cited] for k in self.truth.values() if k.cited in k.owed]
        oldest = [k.day - k.billed[next(iter(k.owed))] for k in self.truth.values() if k.owed]
        known = list(rival_orders(cited, oldest))
        self.names = [one.name for one in known]
        self.orders: list[Order] = [one.order for one in known]
        self.rules = [one.rules for one in known]
        self.lines = [row for row in ledger.rows if row.event.key in ledger.memo]
        self.last = max(row.event.day for row in self.lines)
        self.fits = {row.event.key: self._fitting(row.event) for row in self._safe_lines()}

    def _fitting(self, event: Event) -> int:
        """Return the set of orders (bit i is order i) that give a line of the memo."""
        look, right = self.truth[event.key], self.ledger.memo[event.key]
        return sum(
            1 << i
            for i, order in enumerate(self.orders)
            if allocation(order(look), look.owed, event.amount) == right
        )

    def _safe_lines(self) -> Iterator[Row]:
        """Yield the lines before which no receipt of the customer is left out: its account is known."""
        unsure: set[int] = set()
        for row in self.ledger.rows:
            if row.event.kind != RECEIPT:
                continue
            if row.event.key not in self.ledger.memo:
                unsure.add(row.customer)
            elif row.customer not in unsure:
                yield row

    def rivals(self) -> Iterator[Rival]:
        """Yield what leaves a doubt; TooManyRivals if that cannot be told."""
        right = self.ledger.answer()
        for exemption, state in self._ends():
            answer = _answer(self.ledger.question, state.accounts, self.ledger.rows)
            if answer != right:
                own, order = next(iter(state.alive))
                text = f"... {self.names[order]}"
                if own >= 0:
                    text += f"; {exemption.kind} {exemption.value}: {self.names[own]}"
                yield Rival(text, answer)

    def last_orders(self, narration: str, office: str) -> Iterator[str]:
        """Yield the orders that may be in force at the end for receipts of this narration and office.

        TooManyRivals if that cannot be told.
        """
        found: dict[int, None] = {}
        for exemption, state in self._ends():
            covered = (exemption.kind, exemption.value) in ((NARRATION, narration), (OFFICE, office))
            for own, order in state.alive:
                if exemption.kind in ("", NARRATION, OFFICE):
                    found[own if covered else order] = None
                else:  # it may or may not cover such a receipt
                    found[own] = found[order] = None
        for number in found:
            yield self.names[number]

    def _ends(self) -> Iterator[tuple[Exemption, State]]:
        """Yield every exception with the accounts, and practices, that fit the memo."""
        for exemption in self._exemptions():
            owns = self._own_orders(exemption) if exemption.kind else [-1]
            alive = {
                (own, order): rules
                for own in owns
                for order in range(len(self.orders))
                if (rules := self.rules[order] + (self.rules[own] if own >= 0 else 0)) <= self.most
            }
            if alive:
                for state in self._follow(exemption, alive):
                    yield exemption, state

    def _exemptions(self) -> Iterator[Exemption]:
        yield Exemption()
        lines = self.lines
        for kind, values in (
            (NARRATION, {row.event.narration for row in lines}),
            (OFFICE, {row.event.office for row in lines}),
        ):
            for value in sorted(values):
                yield Exemption(kind, value)
        for customer in sorted({row.customer for row in lines}):
            yield Exemption("customer", customer)
        for amount in sorted(row.event.amount for row in lines):
            yield Exemption("amount", amount, True)
            yield Exemption("amount", amount - 1, False)
        counts = sorted({len(self.truth[row.event.key].owed) for row in lines})
        for count in counts[:-1]:
            yield Exemption("open", count, True)
            yield Exemption("open", count, False)

    def _own_orders(self, exemption: Exemption) -> list[int]:
        """Return the orders that an exception may have; none if the rest then needs too many rules.

        Only lines of accounts that are known are looked at, so that nothing is ruled out wrongly.
        """
        own, rest = (1 << len(self.orders)) - 1, 0
        rules, covered = 1, False
        rest = own
        for row in sorted(self.lines, key=lambda row: (row.event.day, row.event.place)):
            if row.event.key not in self.fits:
                continue
            fits = self.fits[row.event.key]
            if exemption.covers(row.customer, row.event, self.truth[row.event.key].owed):
                own, covered = own & fits, True
                continue
            if not rest & fits:
                rules, rest = rules + 1, fits
            else:
                rest &= fits
        if not own or not covered or rules + 1 > self.most:
            return []
        return [i for i in range(len(self.orders)) if own >> i & 1]

    def _follow(self, exemption: Exemption, alive: dict[tuple[int, int], int]) -> list[State]:
        """Return the accounts that practices which fit the memo lead to."""
        states = [State({}, alive)]
        last_day = -1
        for row in self.ledger.rows:
            event = row.event
            if event.kind != RECEIPT:
                for state in states:
                    _enter(state.accounts, row)
                continue
            if event.day != last_day and event.day <= self.last and last_day >= 0:
                for state in states:
                    self._take_over(state)
            last_day = event.day
            states = [after for state in states for after in self._receive(state, row, exemption)]
            if len(states) > MOST_STATES:
                raise TooManyRivals
        return states

    def _take_over(self, state: State) -> None:
        """Let every order take over from another one, as far as the number of rules allows."""
        least: dict[int, int] = {}
        for (own, _), rules in state.alive.items():
            least[own] = min(rules, least.get(own, rules))
        for own, rules in least.items():
            if rules < self.most:
                for order, more in enumerate(self.rules):
                    if rules + more < state.alive.get((own, order), self.most + 1):
                        state.alive[own, order] = rules + more

    def _receive(self, state: State, row: Row, exemption: Exemption) -> Iterator[State]:
        """Yield the states after a receipt: one for each way in which it may be put."""
        event = row.event
        account = state.accounts.get(row.customer, Settlement())
        look = account.look(event)
        covered = bool(exemption.kind) and exemption.covers(row.customer, event, account.owed)
        given = {used: allocation(self.orders[used](look), account.owed, event.amount)
                 for used in {own if covered else order for own, order in state.alive}}  # fmt: skip
        line = self.ledger.memo.get(event.key)
        ways: dict[tuple[tuple[int, int], ...], dict[tuple[int, int], int]] = {}
        for (own, order), rules in state.alive.items():
            pieces = given[own if covered else order]
            if line is None or pieces == line:
                ways.setdefault(tuple(sorted(pieces.items())), {})[own, order] = rules
        for pieces_of, alive in ways.items():
            after = account.copy()
            after.receive(event, dict(pieces_of), self.ledger.bound)
            yield State({**state.accounts, row.customer: after}, alive)


def _enter(accounts: dict[int, Settlement], row: Row) -> None:
    """Enter what is no receipt. The account is replaced, since other states may share it."""
    account = accounts[row.customer] = accounts.get(row.customer, Settlement()).copy()
    if row.event.kind == INVOICE:
        account.bill(row.event)
    elif row.event.ref in account.made:
        account.take_back(row.event.ref)
    else:
        account.lessen(row.event.ref, row.event.amount)


def _looks(rows: Sequence[Row], ledger: Ledger) -> Iterator[tuple[int, Look]]:
    """Yield (receipt, what is known when it arrives) of the right settlement."""
    accounts: dict[int, Settlement] = {}
    made: dict[int, Pieces] = {}
    for settled in ledger.settlements(ledger.reading()).values():
        made |= settled.made
    for row in rows:
        if row.event.kind != RECEIPT:
            _enter(accounts, row)
            continue
        account = accounts.setdefault(row.customer, Settlement())
        look = account.look(row.event)
        yield row.event.key, look._replace(owed=dict(look.owed))
        account.receive(row.event, made[row.event.key], ledger.bound)


def _answer(question: Question, accounts: Mapping[int, Settlement], rows: Sequence[Row]) -> int:
    received = {row.event.key: row.event.day for row in rows if row.event.kind == RECEIPT}
    return sum(
        contribution(question, account, received)
        for customer, account in accounts.items()
        if question.covers(customer)
    )
