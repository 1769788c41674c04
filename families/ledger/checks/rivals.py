"""Whether another policy of the class reproduces the memo but gives another answer.

A policy that has reproduced every line of the memo so far has put the customer's earlier
receipts as the memo says; so the open invoices at the next line are known, and with them the
bases that give this line. For each exception and its base the lines that a base does not give
bound the switch date from both sides. What is left differs only in receipts that the memo does
not show. Policies that settle these alike count once, and each is replayed customer by
customer. A line of the memo that comes after a receipt which it does not show (one booked
late) is verified in that replay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from families.ledger.domain.book import Accounts, Worked
from families.ledger.domain.policies import (
    ALL_YEAR,
    ONLY_AFTER,
    ONLY_BEFORE,
    Exempt,
    Rule,
    Seen,
    exceptions,
    in_words,
)
from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import BASES, Event, settle


@dataclass(frozen=True, slots=True)
class Rival:
    """A policy that reproduces the memo, in words, and its other answer in cents."""

    says: str
    answer: int


def rival(found: Accounts, seen: Sequence[Seen], memo: Sequence[Worked], question: Question) -> Rival | None:
    """A policy of the class that reproduces the memo but answers otherwise; None if there is none.

    seen: all receipts, settled by the true policy, which reproduces the memo.
    """
    return _Race(found, seen, memo, question).run()


class _Race:
    """Bits of all masks are receipts, by their number. `free`: those that the memo does not fix."""

    def __init__(
        self, found: Accounts, seen: Sequence[Seen], memo: Sequence[Worked], question: Question
    ) -> None:
        self.found, self.seen, self.question = found, seen, question
        self.shown = {line.receipt: dict(line.settles) for line in memo}
        self.true = [one.base for one in seen]
        self.wrong = [0, 0, 0, 0]  # for each base, the receipts whose line it does not give
        self.free, self.free_of = 0, dict.fromkeys(found, 0)
        self.late_lines: dict[str, list[str]] = {code: [] for code in found}  # shown, but not fixed
        for n, one in enumerate(self.seen):
            if one.event.voucher not in self.shown or self.free_of[one.code]:
                self.free |= 1 << n
                self.free_of[one.code] |= 1 << n
                if one.event.voucher in self.shown:
                    self.late_lines[one.code].append(one.event.voucher)
                continue
            for base in BASES:
                if one.by_base[base] != self.shown[one.event.voucher]:
                    self.wrong[base] |= 1 << n
        days = [one.event.day for one in self.seen]
        cuts = [n for n in range(len(days) + 1) if n in (0, len(days)) or days[n - 1] < days[n]]
        self.cuts = [(cut, self.free & ((1 << cut) - 1)) for cut in cuts]
        self.survivors: dict[int, list[tuple[int, int, int, str, int]]] = {}
        self.switches: dict[tuple[int, int], list[int]] = {}
        self.parts: dict[tuple[str, Rule], int | None] = {}
        self.replays: dict[tuple[str, Rule | None], tuple[int | None, list[int]]] = {}
        self.fixed = {code: self._replayed(code, None)[0] or 0 for code in found}

    def run(self) -> Rival | None:
        right = sum(self.fixed.values())
        invoices = max(map(len, self.found.values()), default=0)
        tried: set[Rule] = set()
        for exempt in exceptions(self.seen, invoices):
            for early, late, own, span, first in self._left(exempt.covers & ~self.free):
                rule = self._rule(exempt, early, late, own, span, first)
                if rule in tried:
                    continue
                tried.add(rule)
                answer = self._answer(rule)
                if answer is not None and answer != right:
                    return Rival(in_words(exempt, early, late, own, span), answer)
        return None

    def _left(self, covers: int) -> list[tuple[int, int, int, str, int]]:
        """The policies that no line refutes: bases before, after, of the exception, its span, `Rule.first`.

        covers: the receipts of the exception that the memo fixes.
        """
        found = self.survivors.get(covers)
        if found is None:
            found = self.survivors[covers] = []
            wrong, most = self.wrong, len(self.seen)
            latest = [_lowest(mask, most) for mask in wrong]
            earliest = [mask.bit_length() for mask in wrong]
            for own in BASES:
                mixed = [(mask & ~covers) | (wrong[own] & covers) for mask in wrong]
                latest_mixed = [_lowest(mask, most) for mask in mixed]
                earliest_mixed = [mask.bit_length() for mask in mixed]
                for span, last, start in (
                    (ALL_YEAR, latest_mixed, earliest_mixed),
                    (ONLY_BEFORE, latest_mixed, earliest),
                    (ONLY_AFTER, latest, earliest_mixed),
                ):
                    for early, late in product(BASES, BASES):
                        if start[late] <= last[early]:
                            found += [
                                (early, late, own, span, first)
                                for first in self._firsts(start[late], last[early])
                            ]
        return found

    def _firsts(self, low: int, high: int) -> list[int]:
        """Which free receipts may come before a switch that `low` to `high` receipts precede."""
        if (low, high) not in self.switches:
            self.switches[low, high] = sorted({first for cut, first in self.cuts if low <= cut <= high})
        return self.switches[low, high]

    def _rule(self, exempt: Exempt, early: int, late: int, own: int, span: str, first: int) -> Rule:
        rest = self.free & ~first
        if exempt.most >= 0:
            inside = (1 if span != ONLY_AFTER and first else 0) | (2 if span != ONLY_BEFORE and rest else 0)
            return Rule((), early if first else late, late, own, inside, first, exempt.most, exempt.over)
        covered = exempt.covers & (self.free if span == ALL_YEAR else first if span == ONLY_BEFORE else rest)
        masks = [0, 0, 0, 0]
        masks[own] |= covered
        masks[early] |= first & ~covered
        masks[late] |= rest & ~covered
        return Rule(tuple(masks))

    def _answer(self, rule: Rule) -> int | None:
        """What a policy answers; None if it does not reproduce the memo after all."""
        total = 0
        for code, free in self.free_of.items():
            part = self._part(code, rule.of(free)) if free else self.fixed[code]
            if part is None:
                return None
            total += part
        return total

    def _part(self, code: str, rule: Rule) -> int | None:
        key = code, rule
        if key not in self.parts:
            self.parts[key] = self._replayed(code, self._simpler(code, rule))[0]
        return self.parts[key]

    def _simpler(self, code: str, rule: Rule) -> Rule:
        """The same rule without its condition on open invoices, if that never holds, or always."""
        if rule.masks:
            return rule
        for covered in (False, True):
            plain = rule.plain(self.free_of[code], covered)
            counts = self._replayed(code, plain)[1]
            if all(((count > rule.most) == rule.over) == covered for count in counts):
                return plain
        return rule

    def _replayed(self, code: str, rule: Rule | None) -> tuple[int | None, list[int]]:
        """The customer's part of the answer, and how many invoices each free receipt finds open."""
        key = code, rule
        if key in self.replays:
            return self.replays[key]
        free, true = self.free_of[code], self.true
        counts: list[int] = []

        def choose(receipt: Event, count: int) -> int:
            n = receipt.n
            if rule is None or not free >> n & 1:
                return true[n]
            counts.append(count)
            return rule.base(n, count)

        done = settle(self.found[code], choose)
        part: int | None = contribution(self.question, code, self.found[code], done)
        if rule is not None and self.late_lines[code]:
            pieces: dict[str, dict[str, int]] = {}
            for receipt, invoice, cents in done.applied:
                pieces.setdefault(receipt, {})[invoice] = cents
            if any(pieces.get(receipt, {}) != self.shown[receipt] for receipt in self.late_lines[code]):
                part = None
        self.replays[key] = part, counts
        return self.replays[key]


def _lowest(mask: int, none: int) -> int:
    """The number of the lowest bit that is set, `none` if no bit is."""
    return (mask & -mask).bit_length() - 1 if mask else none
