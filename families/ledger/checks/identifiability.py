"""Whether another policy of the class reproduces the memo but gives another answer.

A policy that has reproduced every line of the memo so far has applied the customer's earlier
receipts as the memo says; so the open invoices at the next line are known, and with them the bases
that give this line. For each exception and its base, the lines that a base does not give bound the
changeover from both sides. The policies that remain differ only in receipts that the memo does not
show. Policies that settle these alike count once, and each is replayed customer by customer. A line
of the memo that comes after a receipt which it does not show (one booked late) is verified in that
replay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from families.ledger.domain.book import Accounts, WorkedReceipt
from families.ledger.domain.policies import (
    ALL_YEAR,
    IN_EARLY,
    IN_LATE,
    ONLY_AFTER,
    ONLY_BEFORE,
    Exemption,
    ReceiptState,
    Rule,
    describe_policy,
    exemptions,
)
from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import BASES, Event, settle


@dataclass(frozen=True, slots=True)
class Rival:
    """A policy that reproduces the memo, described, and its other answer in cents."""

    description: str
    answer: int


def find_rival(
    accounts: Accounts, receipts: Sequence[ReceiptState], memo: Sequence[WorkedReceipt], question: Question
) -> Rival | None:
    """Return a policy of the class that reproduces the memo but answers otherwise; None if there is none.

    receipts: all receipts, settled by the true policy, which reproduces the memo.
    """
    return _RivalSearch(accounts, receipts, memo, question).run()


class _Candidate(NamedTuple):
    """A policy that no line of the memo refutes, for a given exemption.

    early, late, own: the bases before and after the changeover, and of the exception.
    span: when the exception applies.
    before: the free receipts before the changeover.
    """

    early: int
    late: int
    own: int
    span: str
    before: int


class _RivalSearch:
    """The bits of all masks are receipts, by number. `free`: the receipts that the memo does not fix."""

    def __init__(
        self,
        accounts: Accounts,
        receipts: Sequence[ReceiptState],
        memo: Sequence[WorkedReceipt],
        question: Question,
    ) -> None:
        self.accounts, self.receipts, self.question = accounts, receipts, question
        self.memo = {line.receipt: dict(line.settles) for line in memo}
        self.true = [one.base for one in receipts]
        self.wrong = [0, 0, 0, 0]  # for each base, the receipts whose line it does not give
        self.free, self.free_of = 0, dict.fromkeys(accounts, 0)
        self.late_lines: dict[str, list[str]] = {code: [] for code in accounts}  # in the memo, but not fixed
        for number, one in enumerate(receipts):
            if one.event.voucher not in self.memo or self.free_of[one.code]:
                self.free |= 1 << number
                self.free_of[one.code] |= 1 << number
                if one.event.voucher in self.memo:
                    self.late_lines[one.code].append(one.event.voucher)
                continue
            for base in BASES:
                if one.by_base[base] != self.memo[one.event.voucher]:
                    self.wrong[base] |= 1 << number
        days = [one.event.day for one in receipts]
        cuts = [n for n in range(len(days) + 1) if n in (0, len(days)) or days[n - 1] < days[n]]
        self.cuts = [(cut, self.free & ((1 << cut) - 1)) for cut in cuts]
        # Caches: the same masks, rules and replays come up for thousands of policies.
        self.survivors: dict[int, list[_Candidate]] = {}
        self.changeovers: dict[tuple[int, int], list[int]] = {}
        self.parts: dict[tuple[str, Rule], int | None] = {}
        self.replays: dict[tuple[str, Rule | None], tuple[int | None, list[int]]] = {}
        self.fixed = {code: self._replay(code, None)[0] or 0 for code in accounts}

    def run(self) -> Rival | None:
        right = sum(self.fixed.values())
        invoices = max(map(len, self.accounts.values()), default=0)
        tried: set[Rule] = set()
        for exemption in exemptions(self.receipts, invoices):
            for candidate in self._candidates(exemption.covers & ~self.free):
                rule = self._rule(exemption, candidate)
                if rule in tried:
                    continue
                tried.add(rule)
                answer = self._answer(rule)
                if answer is not None and answer != right:
                    early, late, own, span, _ = candidate
                    return Rival(describe_policy(exemption, early, late, own, span), answer)
        return None

    def _candidates(self, covers: int) -> list[_Candidate]:
        """Return the policies that no line refutes.

        covers: the receipts of the exception that the memo fixes.
        """
        if covers in self.survivors:
            return self.survivors[covers]
        candidates = self.survivors[covers] = []
        wrong, most = self.wrong, len(self.receipts)
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
                        candidates += [
                            _Candidate(early, late, own, span, before)
                            for before in self._befores(start[late], last[early])
                        ]
        return candidates

    def _befores(self, low: int, high: int) -> list[int]:
        """Return which free receipts may come before a changeover that `low` to `high` receipts precede."""
        if (low, high) not in self.changeovers:
            self.changeovers[low, high] = sorted({before for cut, before in self.cuts if low <= cut <= high})
        return self.changeovers[low, high]

    def _rule(self, exemption: Exemption, candidate: _Candidate) -> Rule:
        early, late, own, span, before = candidate
        rest = self.free & ~before
        if exemption.max_open >= 0:
            applies = (IN_EARLY if span != ONLY_AFTER and before else 0) | (
                IN_LATE if span != ONLY_BEFORE and rest else 0
            )
            first = early if before else late
            return Rule((), first, late, own, applies, before, exemption.max_open, exemption.over)
        stretch = self.free if span == ALL_YEAR else before if span == ONLY_BEFORE else rest
        covered = exemption.covers & stretch
        masks = [0, 0, 0, 0]
        masks[own] |= covered
        masks[early] |= before & ~covered
        masks[late] |= rest & ~covered
        return Rule(tuple(masks))

    def _answer(self, rule: Rule) -> int | None:
        """Return what a policy answers; None if it does not reproduce the memo after all."""
        total = 0
        for code, free in self.free_of.items():
            part = self._part(code, rule.restricted_to(free)) if free else self.fixed[code]
            if part is None:
                return None
            total += part
        return total

    def _part(self, code: str, rule: Rule) -> int | None:
        key = code, rule
        if key not in self.parts:
            self.parts[key] = self._replay(code, self._simplify(code, rule))[0]
        return self.parts[key]

    def _simplify(self, code: str, rule: Rule) -> Rule:
        """Return the rule without its condition on open invoices, if that never holds, or always."""
        if rule.masks:
            return rule
        for covered in (False, True):
            plain = rule.unconditional(self.free_of[code], covered)
            counts = self._replay(code, plain)[1]
            if all(((count > rule.max_open) == rule.over) == covered for count in counts):
                return plain
        return rule

    def _replay(self, code: str, rule: Rule | None) -> tuple[int | None, list[int]]:
        """Return the customer's part of the answer, and how many invoices each free receipt finds open.

        The part is None if the replay does not give a late line of the memo. rule: None for the true
        policy.
        """
        key = code, rule
        if key in self.replays:
            return self.replays[key]
        free, true = self.free_of[code], self.true
        counts: list[int] = []

        def policy(receipt: Event, count: int) -> int:
            number = receipt.number
            if rule is None or not free >> number & 1:
                return true[number]
            counts.append(count)
            return rule.base(number, count)

        settlement = settle(self.accounts[code], policy)
        part: int | None = contribution(self.question, code, self.accounts[code], settlement)
        if rule is not None and self.late_lines[code]:
            pieces: dict[str, dict[str, int]] = {}
            for receipt, invoice, cents in settlement.applied:
                pieces.setdefault(receipt, {})[invoice] = cents
            if any(pieces.get(receipt, {}) != self.memo[receipt] for receipt in self.late_lines[code]):
                part = None
        self.replays[key] = part, counts
        return self.replays[key]


def _lowest(mask: int, none: int) -> int:
    """Return the number of the lowest bit that is set, or `none` if no bit is."""
    return (mask & -mask).bit_length() - 1 if mask else none
