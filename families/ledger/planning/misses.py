"""Mistakes in the practice and in how receipts settle, which need no obstacle."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from families.ledger.domain.mistakes import CARRIED, FIRST_ORDER, LAST_ORDER, MAILS_UNREAD, VOUCHER_ORDER
from families.ledger.domain.practice import BASE_NAMES, BASES, Practice
from families.ledger.planning.reading import Reading


@dataclass(frozen=True, slots=True)
class OneOrder:
    """One order for all receipts that the memo does not show."""

    name: str
    base: str
    rank: int = 0
    kept_only: bool = False

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, base=self.base)


@dataclass(frozen=True, slots=True)
class Carried:
    name: str = CARRIED
    rank: int = 0
    kept_only: bool = False

    def misread(self, reading: Reading) -> Reading:
        return replace(reading, carried=True)


@dataclass(frozen=True, slots=True)
class VoucherOrder:
    """places: entry -> its place in the order of vouchers."""

    places: Mapping[int, int]
    name: str = VOUCHER_ORDER
    rank: int = 0
    kept_only: bool = False

    def misread(self, reading: Reading) -> Reading:
        """Return the reading with days that follow the vouchers; the practice goes by the real ones."""
        rows = sorted(reading.rows, key=lambda row: self.places[row.event.key])
        return replace(reading, rows=tuple(rows))


@dataclass(frozen=True, slots=True)
class MailsUnread:
    """No mail is read; the year that this is beside is read as it is."""

    name: str = MAILS_UNREAD
    rank: int = 0
    kept_only: bool = False

    def misread(self, reading: Reading) -> Reading:
        return reading


def practice_misses(practice: Practice) -> tuple[OneOrder, OneOrder]:
    """Return the mistakes of somebody who sees only the first rule of a practice, or only the last."""
    rules = practice.rules
    return OneOrder(FIRST_ORDER, rules[0].base), OneOrder(LAST_ORDER, rules[-1].base)


def fixed_orders() -> Iterator[OneOrder]:
    """Yield the agents that put all receipts in one order, whatever the memo shows."""
    for base in BASES:
        yield OneOrder(f"{BASE_NAMES[base]}, always", base)
