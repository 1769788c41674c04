"""The class of policies that a memo is read against.

A policy of the class settles the receipts dated before its changeover by one base and the later
ones by another (`settlement.BASES`: any two, also the same), with at most one exception: the
receipts that the exception covers are settled by a base of its own. It covers

- the receipts of one narration, or those of one customer;
- the receipts under, or over, some amount;
- the receipts citing an invoice (open or not) that was billed more than N days before, or those
  citing one billed at most N days before; a receipt that cites no invoice is in neither;
- the receipts that find more than N of their customer's invoices open, or at most N;

and it does so all year, or only before the changeover, or only from it on. The amount, N and the
date are arbitrary, so only receipts that they separate matter.

A set of receipts is a bit mask: bit n is receipt number n.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from families.ledger.domain.book import Accounts
from families.ledger.domain.formats import money
from families.ledger.domain.settlement import BASE_NAMES, BASES, Event, Policy, allocation, reduce

ALL_YEAR, ONLY_BEFORE, ONLY_AFTER = "all year", "before the changeover", "from the changeover on"
IN_EARLY, IN_LATE = 1, 2  # bits: whether an exception applies before the changeover, and from it on


class ReceiptState(NamedTuple):
    """A receipt, and the state of its customer's account when it arrives.

    code: the customer's first code.
    open_count: how many of the customer's invoices are open.
    by_base: for each base, what it would give each invoice.
    base: the one that settles the receipt.
    age: days since the cited invoice was billed; None if no invoice is cited.
    """

    code: str
    event: Event
    open_count: int
    by_base: tuple[dict[str, int], ...]
    base: int
    age: int | None

    @property
    def pieces(self) -> dict[str, int]:
        """What the receipt settles."""
        return self.by_base[self.base]


class Exemption(NamedTuple):
    """What an exception covers.

    covers: the receipts. If the exception goes by open invoices, this is right only where the memo
        fixes the open invoices.
    max_open: its N if it goes by open invoices, else -1.
    over: whether it covers the receipts with more than N open invoices, or those with at most N.
    """

    description: str
    covers: int
    max_open: int = -1
    over: bool = True


class Rule(NamedTuple):
    """How a policy settles the receipts that the memo does not fix; other policies may do the same.

    masks: for each base the receipts that it settles. Empty for an exception that goes by open
        invoices, which is decided as receipts arrive; only then do the other fields matter.
    early, late: the bases of the receipts in `before`, and of the others, that are not covered.
    own: the base of the exception.
    applies: whether there are receipts before the changeover, and after it, that the exception
        may cover: IN_EARLY, IN_LATE, their sum or 0.
    before: the receipts before the changeover.
    max_open, over: as in `Exemption`.
    """

    masks: tuple[int, ...] = ()
    early: int = 0
    late: int = 0
    own: int = 0
    applies: int = 0
    before: int = 0
    max_open: int = -1
    over: bool = True

    def base(self, number: int, count: int) -> int:
        """Return what settles a receipt that finds `count` invoices open."""
        if self.masks:
            return next(base for base in BASES if self.masks[base] >> number & 1)
        early = self.before >> number & 1
        if (count > self.max_open) == self.over and self.applies & (IN_EARLY if early else IN_LATE):
            return self.own
        return self.early if early else self.late

    def restricted_to(self, receipts: int) -> "Rule":
        """Return the part of the rule that is about these receipts."""
        if self.masks:
            return Rule(tuple(mask & receipts for mask in self.masks))
        before = self.before & receipts
        possible = (IN_EARLY if before else 0) | (IN_LATE if receipts & ~before else 0)
        return self._replace(
            before=before, early=self.early if before else self.late, applies=self.applies & possible
        )

    def unconditional(self, receipts: int, covered: bool) -> "Rule":
        """Return the rule for these receipts if the exception covers all that it may, or none."""
        masks = [0, 0, 0, 0]
        for bit, base, part in (
            (IN_EARLY, self.early, receipts & self.before),
            (IN_LATE, self.late, receipts & ~self.before),
        ):
            masks[self.own if covered and self.applies & bit else base] |= part
        return Rule(tuple(masks))


def receipt_states(accounts: Accounts, policy: Policy) -> list[ReceiptState]:
    """Return every receipt as it arrives when `policy` settles them, in the order they take effect."""
    states: list[ReceiptState] = []
    for code, events in accounts.items():
        owed: dict[str, int] = {}
        billed: dict[str, int] = {}
        for event in events:
            if event.amount > 0:
                owed[event.voucher] = event.amount
                billed[event.voucher] = event.day
                continue
            by_base = tuple(allocation(base, owed, event.cited, -event.amount) for base in BASES)
            age = event.day - billed[event.cited] if event.cited in billed else None
            base = policy(event, len(owed))
            states.append(ReceiptState(code, event, len(owed), by_base, base, age))
            for voucher, part in by_base[base].items():
                reduce(owed, voucher, part)
    states.sort(key=lambda state: state.event.number)
    return states


def exemptions(receipts: Sequence[ReceiptState], invoices: int) -> Iterator[Exemption]:
    """Yield no exception, then all exceptions of the class.

    invoices: more than can be open at once.
    """
    yield Exemption("none", 0)
    for narration in sorted({one.event.narration for one in receipts}):
        covers = _mask(one.event.narration == narration for one in receipts)
        yield Exemption(f"narration {narration!r}", covers)
    for code in sorted({one.code for one in receipts}):
        yield Exemption(f"customer {code}", _mask(one.code == code for one in receipts))
    amounts = [-one.event.amount for one in receipts]
    for bound in sorted(set(amounts)):
        yield Exemption(f"over {money(bound)}", _mask(amount > bound for amount in amounts))
        yield Exemption(f"under {money(bound)}", _mask(amount < bound for amount in amounts))
    ages = [one.age for one in receipts]
    for days in (-1, *sorted({age for age in ages if age is not None})):
        older = _mask(age is not None and age > days for age in ages)
        yield Exemption(f"citing an invoice older than {days} days", older)
        newer = _mask(age is not None and age <= days for age in ages)
        yield Exemption(f"citing an invoice at most {days} days old", newer)
    for most in range(invoices):
        more = _mask(one.open_count > most for one in receipts)
        yield Exemption(f"more than {most} open", more, most, True)
        yield Exemption(f"at most {most} open", ~more & ((1 << len(receipts)) - 1), most, False)


def _mask(bits: Iterator[bool]) -> int:
    return sum(1 << number for number, bit in enumerate(bits) if bit)


def describe_policy(exemption: Exemption, early: int, late: int, own: int, span: str) -> str:
    """Return a policy as a sentence: its bases before and after, its exception with base and span."""
    bases = f"{BASE_NAMES[early]} before some date, {BASE_NAMES[late]} from then on"
    if not exemption.covers and exemption.max_open < 0:
        return bases
    return f"{bases}; but {exemption.description}, {span}: {BASE_NAMES[own]}"
