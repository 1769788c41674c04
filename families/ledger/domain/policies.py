"""The class of policies that a memo is read against.

A policy of the class settles the receipts dated before its switch date by one base and the
later ones by another (`settlement.BASES`: any two, also the same), but for at most one
exception: receipts that the exception covers are settled by a base of its own. It covers

- the receipts of one narration, or those of one customer;
- the receipts under, or over, some amount;
- the receipts citing an invoice (open or not) that was billed more than N days before, or those
  citing one billed at most N days before; a receipt that cites no invoice is in neither;
- the receipts that find more than N of their customer's invoices open, or at most N;

and it does so all year, or only before the switch date, or only from it on. The amount, N and
the date are arbitrary, so only receipts that they separate matter.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from families.ledger.domain.book import Accounts, Choice
from families.ledger.domain.formats import money
from families.ledger.domain.settlement import BASE_NAMES, BASES, Event, allocation, reduce

ALL_YEAR, ONLY_BEFORE, ONLY_AFTER = "all year", "before the switch", "from the switch on"


class Seen(NamedTuple):
    """A receipt at its moment: whose, how many invoices are open, what each base would give them."""

    code: str
    event: Event
    open_count: int
    by_base: tuple[dict[str, int], ...]
    base: int  # the one that settles it
    age: int | None  # days since the cited invoice was billed; None if no invoice is cited

    @property
    def pieces(self) -> dict[str, int]:
        """What it settles."""
        return self.by_base[self.base]


class Exempt(NamedTuple):
    """What an exception covers: a bit mask of receipts.

    If it goes by open invoices, `most` is its N, and `covers` is right only for receipts whose
    open invoices the memo fixes; for another kind `most` is -1.
    """

    says: str
    covers: int
    most: int = -1
    over: bool = True


class Rule(NamedTuple):
    """How a policy settles the receipts that the memo does not fix; other policies may do the same.

    masks: for each base the receipts that it settles. An exception that goes by open invoices
    is decided as they come up: `early`, `late` are the bases of receipts in `first` and of the others
    when `most` and `over` do not cover them, `own` when they do, where `inside` says 1 before, 2 after.
    """

    masks: tuple[int, ...] = ()
    early: int = 0
    late: int = 0
    own: int = 0
    inside: int = 0
    first: int = 0
    most: int = -1
    over: bool = True

    def base(self, n: int, count: int) -> int:
        """What settles receipt `n` if so many invoices are open."""
        if self.masks:
            return next(base for base in BASES if self.masks[base] >> n & 1)
        early = self.first >> n & 1
        if (count > self.most) == self.over and self.inside & (1 if early else 2):
            return self.own
        return self.early if early else self.late

    def of(self, receipts: int) -> "Rule":
        """The part of the rule that is about these receipts."""
        if self.masks:
            return Rule(tuple(mask & receipts for mask in self.masks))
        first = self.first & receipts
        inside = self.inside & ((1 if first else 0) | (2 if receipts & ~first else 0))
        return self._replace(first=first, early=self.early if first else self.late, inside=inside)

    def plain(self, receipts: int, covered: bool) -> "Rule":
        """The same for these receipts if every one is covered, or none, as far as it is inside."""
        masks = [0, 0, 0, 0]
        for bit, base, part in (
            (1, self.early, receipts & self.first),
            (2, self.late, receipts & ~self.first),
        ):
            masks[self.own if covered and self.inside & bit else base] |= part
        return Rule(tuple(masks))


def watch(found: Accounts, choose: Choice) -> list[Seen]:
    """Every receipt at its moment, in the order they take effect, when `choose` settles them."""
    seen: list[Seen] = []
    for code, events in found.items():
        open_: dict[str, int] = {}
        billed: dict[str, int] = {}
        for event in events:
            if event.amount > 0:
                open_[event.voucher] = event.amount
                billed[event.voucher] = event.day
                continue
            by_base = tuple(allocation(base, open_, event.cited, -event.amount) for base in BASES)
            age = event.day - billed[event.cited] if event.cited in billed else None
            base = choose(event, len(open_))
            seen.append(Seen(code, event, len(open_), by_base, base, age))
            for voucher, part in by_base[base].items():
                reduce(open_, voucher, part)
    seen.sort(key=lambda one: one.event.n)
    return seen


def exceptions(seen: Sequence[Seen], invoices: int) -> Iterator[Exempt]:
    """No exception, then all of the class; `invoices`: more than can be open at once."""
    yield Exempt("none", 0)
    for narration in sorted({one.event.narration for one in seen}):
        yield Exempt(f"narration {narration!r}", _mask(one.event.narration == narration for one in seen))
    for code in sorted({one.code for one in seen}):
        yield Exempt(f"customer {code}", _mask(one.code == code for one in seen))
    amounts = [-one.event.amount for one in seen]
    for bound in sorted(set(amounts)):
        yield Exempt(f"over {money(bound)}", _mask(amount > bound for amount in amounts))
        yield Exempt(f"under {money(bound)}", _mask(amount < bound for amount in amounts))
    ages = [one.age for one in seen]
    for days in (-1, *sorted({age for age in ages if age is not None})):
        older = _mask(age is not None and age > days for age in ages)
        yield Exempt(f"citing what is older than {days} days", older)
        yield Exempt(
            f"citing what is at most {days} days old",
            _mask(age is not None and age <= days for age in ages),
        )
    for most in range(invoices):
        more = _mask(one.open_count > most for one in seen)
        yield Exempt(f"more than {most} open", more, most, True)
        yield Exempt(f"at most {most} open", ~more & ((1 << len(seen)) - 1), most, False)


def _mask(bits: Iterator[bool]) -> int:
    return sum(1 << n for n, bit in enumerate(bits) if bit)


def in_words(exempt: Exempt, early: int, late: int, own: int, span: str) -> str:
    """A policy as a sentence: its bases before and after, its exception with its base and span."""
    says = f"{BASE_NAMES[early]} before some date, {BASE_NAMES[late]} from then on"
    if not exempt.covers and exempt.most < 0:
        return says
    return f"{says}; but {exempt.says}, {span}: {BASE_NAMES[own]}"
