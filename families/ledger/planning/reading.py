"""How somebody reads a year: everything that settles, rightly or with something missed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from families.ledger.domain.practice import Practice
from families.ledger.domain.questions import AnswerPart, Question, answer_parts
from families.ledger.domain.settlement import RECEIPT, Event, Pieces, Settlement, settle

ALIAS = 1_000  # a customer that is taken for two: the second is numbered this much higher


class Row(NamedTuple):
    """An entry, and whose it is taken for: a customer, or one of its codes taken for a customer apart."""

    customer: int
    event: Event


@dataclass(frozen=True, slots=True)
class Reading:
    """What is settled.

    rows: sorted by event.
    memo: receipt -> what its line puts it to.
    bound: rests under it are written off.
    base: the one order in which receipts that the memo does not show are put; "" if the practice is seen.
    carried: whether unapplied cash is kept for later invoices.
    """

    rows: tuple[Row, ...]
    memo: Mapping[int, Pieces]
    bound: int = 0
    base: str = ""
    carried: bool = False


class Miss(Protocol):
    """Something that can be missed: an obstacle, or the practice.

    name: the mistake.
    rank: what is missed together is misread in this order.
    kept_only: whether only somebody who copies the memo can miss it.
    """

    @property
    def name(self) -> str: ...

    @property
    def rank(self) -> int: ...

    @property
    def kept_only(self) -> bool: ...

    def misread(self, reading: Reading) -> Reading:
        """Return how somebody reads who misses it."""


@dataclass(slots=True)
class Ledger:
    """A year with its memo and question: settles it as it is, and as it is misread."""

    practice: Practice
    rows: tuple[Row, ...]
    bound: int
    memo: dict[int, Pieces] = field(default_factory=dict)
    question: Question = field(default_factory=lambda: Question(""))
    _settled: dict[object, Settlement] = field(default_factory=dict)

    def reading(self, missed: Sequence[Miss] = (), kept: bool = True) -> Reading:
        """Return the right reading, or one that misses something; kept: whether the memo is copied."""
        reading = Reading(self.rows, self.memo if kept else {}, self.bound)
        for miss in sorted(missed, key=lambda miss: miss.rank):
            reading = miss.misread(reading)
        return reading

    def settlements(self, reading: Reading) -> dict[int, Settlement]:
        """Return how each customer settles."""
        accounts: dict[int, list[Event]] = {}
        for row in reading.rows:
            accounts.setdefault(row.customer, []).append(row.event)
        return {who: self._settle(tuple(events), reading) for who, events in accounts.items()}

    def _settle(self, events: tuple[Event, ...], reading: Reading) -> Settlement:
        """Settle one customer, unless its entries have been settled before in the same way."""
        memo = {e.key: reading.memo[e.key] for e in events if e.key in reading.memo}
        lines = tuple((key, tuple(pieces.items())) for key, pieces in memo.items())
        known = (events, lines, reading.bound, reading.base, reading.carried)
        if known not in self._settled:
            base_of = self._base_of(reading.base)
            self._settled[known] = settle(events, base_of, memo, reading.bound, reading.carried)
        return self._settled[known]

    def _base_of(self, base: str) -> Callable[[Event], str]:
        if base:
            return lambda event: base
        practice = self.practice
        return lambda event: practice.base_of(event.day, event.narration, event.office)

    def parts(self, reading: Reading, question: Question | None = None) -> dict[int, list[AnswerPart]]:
        """Return what each customer adds to the answer."""
        asked = question or self.question
        received = {row.event.key: row.event.day for row in reading.rows if row.event.kind == RECEIPT}
        return {
            who: answer_parts(asked, settled, received)
            for who, settled in self.settlements(reading).items()
            if asked.covers(who % ALIAS)
        }

    def answer(self, missed: Sequence[Miss] = (), kept: bool = True) -> int:
        """Return the answer in cents, right or with something missed."""
        return total(self.parts(self.reading(missed, kept)).values())


def total(parts: Iterable[Iterable[AnswerPart]]) -> int:
    return sum(part.cents for one in parts for part in one)


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows in the order in which they take effect."""
    return tuple(sorted(rows, key=lambda row: (row.event.day, row.event.place, row.customer)))
