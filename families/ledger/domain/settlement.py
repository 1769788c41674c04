"""Which receipt settles which invoice: the settlement on which both ledger families are built.

All amounts are whole cents, so nothing is ever rounded. Customers settle separately; the entries of
one customer take effect in the order they are given.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from families.ledger.domain.practice import ORDERS, Look, allocation

INVOICE, RECEIPT, RETURN, CREDIT = range(4)  # kinds of entries


class Event(NamedTuple):
    """An entry of one customer. Sorted events are in the order in which they take effect.

    day: a proleptic ordinal.
    place: its place among the entries of its day.
    key: its number among all entries.
    amount: cents, always positive.
    ref: the key of the invoice that a receipt cites or a credit note is for, or of the receipt that a
        return takes back; -1 for none.
    """

    day: int
    place: int
    kind: int
    key: int
    amount: int
    ref: int = -1
    narration: str = ""
    office: str = ""
    code: str = ""


Pieces = Mapping[int, int]  # invoice -> cents
BaseOf = Callable[[Event], str]


@dataclass(slots=True)
class Settlement:
    """How one customer's entries settle. Invoices and receipts are known by their keys.

    owed: open invoice -> cents left on it, oldest first.
    face, billed: invoice -> its amount, its day.
    made: receipt -> what it was put to when it arrived.
    applied: the same without receipts that came back.
    unapplied: receipt -> cents left of it, if any.
    written: receipt -> the rests that it left and that were written off.
    """

    owed: dict[int, int] = field(default_factory=dict)
    face: dict[int, int] = field(default_factory=dict)
    billed: dict[int, int] = field(default_factory=dict)
    codes: dict[int, str] = field(default_factory=dict)
    made: dict[int, dict[int, int]] = field(default_factory=dict)
    applied: dict[int, dict[int, int]] = field(default_factory=dict)
    unapplied: dict[int, int] = field(default_factory=dict)
    written: dict[int, dict[int, int]] = field(default_factory=dict)

    def look(self, event: Event) -> Look:
        """Return what is known when this receipt arrives."""
        return Look(
            event.day, event.amount, event.ref, self.owed, self.face, self.billed, self.codes, event.code
        )

    def bill(self, event: Event) -> None:
        self.owed[event.key] = self.face[event.key] = event.amount
        self.billed[event.key], self.codes[event.key] = event.day, event.code

    def receive(self, event: Event, pieces: Pieces, bound: int = 0) -> None:
        """Put a receipt to invoices; a rest under `bound` that it leaves is written off."""
        for invoice, cents in pieces.items():
            self._reduce(invoice, cents)
            if 0 < self.owed.get(invoice, 0) < bound:
                self.written.setdefault(event.key, {})[invoice] = self.owed.pop(invoice)
        self.made[event.key] = dict(pieces)
        self.applied[event.key] = dict(pieces)
        if left := event.amount - sum(pieces.values()):
            self.unapplied[event.key] = left

    def take_back(self, receipt: int) -> None:
        """Open again what a receipt settled: the payment came back."""
        for invoice, cents in self.applied.pop(receipt, {}).items():
            self.owed[invoice] = self.owed.get(invoice, 0) + cents
        self.unapplied.pop(receipt, None)
        self.owed = {invoice: self.owed[invoice] for invoice in self.face if invoice in self.owed}

    def lessen(self, invoice: int, cents: int) -> None:
        """Take a credit note off an invoice, as far as it is open."""
        if invoice in self.owed:
            self._reduce(invoice, min(cents, self.owed[invoice]))

    def use_unapplied(self, invoice: int) -> None:
        """Settle a new invoice from unapplied cash, oldest receipt first; nobody careful does."""
        for receipt in list(self.unapplied):
            if part := min(self.unapplied[receipt], self.owed.get(invoice, 0)):
                self._reduce(invoice, part)
                self.applied[receipt][invoice] = part
                self.unapplied[receipt] -= part
                if not self.unapplied[receipt]:
                    del self.unapplied[receipt]

    def copy(self) -> "Settlement":
        return Settlement(
            dict(self.owed), dict(self.face), dict(self.billed), dict(self.codes), dict(self.made),
            {receipt: dict(pieces) for receipt, pieces in self.applied.items()},
            dict(self.unapplied), dict(self.written),
        )  # fmt: skip

    def _reduce(self, invoice: int, cents: int) -> None:
        self.owed[invoice] -= cents
        if not self.owed[invoice]:
            del self.owed[invoice]


def pieces_by(base: str, state: Settlement, event: Event) -> dict[int, int]:
    """Return what each invoice gets of a receipt by one base."""
    return allocation(ORDERS[base](state.look(event)), state.owed, event.amount)


def known_pieces(pieces: Pieces, owed: Mapping[int, int]) -> dict[int, int]:
    """Return the pieces of a line of the memo, as far as their invoices are open."""
    return {invoice: min(cents, owed[invoice]) for invoice, cents in pieces.items() if invoice in owed}


def settle(
    events: Iterable[Event],
    base_of: BaseOf,
    memo: Mapping[int, Pieces],
    bound: int = 0,
    carried: bool = False,
) -> Settlement:
    """Settle one customer's entries.

    memo: receipt -> what a line of the memo puts it to; such a receipt is put there whatever its base.
    bound: rests under it that a receipt leaves are written off; 0 for none.
    carried: keep cash that finds no open invoice for later invoices, which nobody careful does.
    """
    state = Settlement()
    for event in events:
        if event.kind == INVOICE:
            state.bill(event)
            if carried:
                state.use_unapplied(event.key)
        elif event.kind == RECEIPT:
            if event.key in memo:
                pieces = known_pieces(memo[event.key], state.owed)
            else:
                pieces = pieces_by(base_of(event), state, event)
            state.receive(event, pieces, bound)
        elif event.kind == RETURN:
            state.take_back(event.ref)
        else:
            state.lessen(event.ref, event.amount)
    return state


Accounts = Mapping[int, Sequence[Event]]  # customer -> its entries in the order in which they take effect
