"""Identifiability: whether the memo also fits another policy with another answer."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import pytest

from families.ledger.checks.identifiability import Rival, find_rival
from families.ledger.domain.book import Accounts, Book, accounts_of, policy_of
from families.ledger.domain.policies import receipt_states
from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import BASES, Event, settle
from families.ledger.domain.traps_and_mistakes import OWED_SINCE
from trapcli.core.draw import Draw

Year = Callable[..., Book]
CHANGEOVER = 10
QUESTION = Question(OWED_SINCE, since=2)  # all but A's and B's oldest invoices

# The memo shows eight receipts. After the changeover they come from A and B, in both narrations, from
# 100 to 3000, cite invoices from 2 to 13 days old, and find three or four open, as one before it does.
LINES = [
    (1, "A", 9000, "", ""),  # v01
    (1, "B", 9000, "", ""),  # v02
    (2, "A", 6000, "", ""),  # v03
    (4, "B", 6000, "", ""),  # v04
    (4, "A", 2000, "", ""),  # v05
    (5, "A", -1000, "v03", "bank"),
    (6, "B", -1000, "v04", "card"),
    (10, "A", 5000, "", ""),  # v08
    (11, "B", 5000, "", ""),  # v09
    (12, "A", -100, "v08", "bank"),
    (13, "B", -3000, "v04", "card"),
    (14, "B", -500, "v09", "bank"),
    (15, "A", -700, "v03", "card"),
    (16, "B", -300, "", "bank"),
    (17, "B", -200, "v09", "bank"),
]
WORKED = 8
C = [(1, "C", 9000, "", ""), (18, "C", 6000, "", ""), (18, "C", 5000, "", "")]  # v16, v17, v18
MORE = [(18, "A", 4000, "", ""), (19, "A", 4000, "", "")]  # v16, v17


def rival_of(book: Book) -> Rival | None:
    accounts = accounts_of(book)
    return find_rival(accounts, receipt_states(accounts, policy_of(CHANGEOVER)), book.memo, book.question)


def receipts_in_order(accounts: Accounts) -> list[tuple[str, Event]]:
    """Return all receipts, each with its customer, in the order in which they take effect."""
    return sorted(
        ((code, event) for code, events in accounts.items() for event in events if event.amount < 0),
        key=lambda item: item[1].number,
    )


@pytest.mark.parametrize(
    "rest",
    [
        [(20, "A", -800, "v08", "card")],
        [(20, "B", -2900, "v09", "card")],
        [(20, "A", -800, "", "bank")],
        [(20, "A", -800, "v08", "card"), (21, "B", -800, "v09", "bank")],
        [(30, "A", 700, "", "")],
    ],
)
def test_receipts_within_the_span_are_decided(year: Year, rest: list[tuple[int, str, int, str, str]]) -> None:
    """Receipts that lie between conclusive ones in every respect can be settled in one way only."""
    assert rival_of(year(LINES + rest, WORKED, CHANGEOVER, QUESTION)) is None


@pytest.mark.parametrize(
    ("rest", "description"),
    [
        ([(20, "A", -800, "v08", "cash")], "narration 'cash'"),
        ([*C, (20, "C", -800, "v18", "card")], "customer C"),
        ([(20, "A", -90, "v08", "card")], "over 0.90"),
        ([(20, "A", -3001, "v08", "card")], "over 30.00"),
        ([(20, "A", -800, "v03", "card")], "an invoice older than 13 days"),
        ([*MORE, (20, "A", -800, "v17", "card")], "older than 1 days"),
        ([*MORE, (22, "A", -800, "v17", "card")], "more than 4 open"),
    ],
)
def test_receipts_outside_the_span_are_not(
    year: Year, rest: list[tuple[int, str, int, str, str]], description: str
) -> None:
    """A receipt of another narration, customer, size, age or number of open invoices may be an exception."""
    other = rival_of(year(LINES + rest, WORKED, CHANGEOVER, QUESTION))
    assert other is not None
    assert description in other.description


def test_without_evidence_after_the_changeover_it_may_not_have_come(year: Year) -> None:
    """A memo that stops before the changeover leaves open whether citations count later."""
    other = rival_of(year([*LINES, (20, "A", -800, "v08", "card")], 2, CHANGEOVER, QUESTION))
    assert other is not None


def test_a_receipt_that_changes_nothing_may_be_settled_in_any_way(year: Year) -> None:
    """If the question does not see what is in doubt, there is one answer all the same."""
    rest = [(20, "A", -800, "v08", "cash")]
    assert rival_of(year(LINES + rest, WORKED, CHANGEOVER, Question(OWED_SINCE, since=1))) is None


def policies(book: Book) -> Iterator[Callable[[str, Event, int], int]]:
    """Yield every policy of the class, one by one, as plainly as the class is stated."""
    accounts = accounts_of(book)
    listed = receipts_in_order(accounts)
    billed = {e.voucher: (e.day, code) for code, events in accounts.items() for e in events if e.amount > 0}

    def age(code: str, receipt: Event) -> int | None:
        day, owner = billed.get(receipt.cited, (0, ""))
        return receipt.day - day if owner == code and day <= receipt.day else None

    amounts = {-event.amount for _, event in listed}
    ages = {-1, *(a for code, event in listed for a in [age(code, event)] if a is not None)}
    covers: list[Any] = [lambda code, e, count: False]
    covers += [lambda c, e, k, x=n: e.narration == x for n in {e.narration for _, e in listed}]
    covers += [lambda c, e, k, x=code: c == x for code in {code for code, _ in listed}]
    covers += [lambda c, e, k, x=a: -e.amount > x for a in amounts]
    covers += [lambda c, e, k, x=a: -e.amount < x for a in amounts]
    covers += [lambda c, e, k, x=a: (age(c, e) is not None) and age(c, e) > x for a in ages]
    covers += [lambda c, e, k, x=a: (age(c, e) is not None) and age(c, e) <= x for a in ages]
    covers += [lambda c, e, k, x=n: k > x for n in range(6)]
    covers += [lambda c, e, k, x=n: k <= x for n in range(6)]
    days = sorted({event.day for _, event in listed})
    for covered, own, span, early, late, changeover in product(
        covers, BASES, ("all", "early", "late"), BASES, BASES, (*days, days[-1] + 1)
    ):

        def policy(
            code: Any, receipt: Any, count: Any, v: Any = (covered, own, span, early, late, changeover)
        ) -> Any:
            covered, own, span, early, late, changeover = v
            before = receipt.day < changeover
            if covered(code, receipt, count) and span in ("all", "early" if before else "late"):
                return own
            return early if before else late

        yield policy


def answers(book: Book) -> set[int]:
    """Return what the policies that reproduce the memo answer, each tried in full."""
    accounts = accounts_of(book)
    memo = {line.receipt: dict(line.settles) for line in book.memo}
    given = set()
    for policy in policies(book):
        total = 0
        for code, events in accounts.items():
            settlement = settle(events, partial(policy, code))
            pieces: dict[str, dict[str, int]] = {}
            for receipt, invoice, cents in settlement.applied:
                pieces.setdefault(receipt, {})[invoice] = cents
            if any(pieces.get(e.voucher, {}) != memo[e.voucher] for e in events if e.voucher in memo):
                break
            total += contribution(book.question, code, events, settlement)
        else:
            given.add(total)
    return given


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_it_agrees_with_trying_every_policy(year: Year, seed: int) -> None:
    """On small years drawn at random a rival is found exactly if one exists, and gives one of the answers."""
    draw = Draw(f"rivals/{seed}")
    lines = [(1, "A", 500, "", ""), (2, "A", 300, "", ""), (2, "B", 400, "", ""), (3, "A", 200, "", "")]
    for day in range(5, 10):
        lines.append(
            (day, draw.choice("AAB"), -draw.between(20, 260), f"v{draw.between(1, 5):02d}", draw.choice("xy"))
        )
        if draw.chance(0.3):
            lines.append((day, draw.choice("AB"), draw.between(100, 400), "", ""))
    receipts = [i for i, line in enumerate(lines, 1) if line[2] < 0]
    hidden = [receipts[1]] if seed % 3 == 0 else []
    book = year(lines, draw.between(2, 4), draw.between(5, 9), Question(OWED_SINCE, since=2), hidden)
    accounts = accounts_of(book)
    policy = policy_of(next(day for day in range(4, 12) if _fits(book, day)))
    right = sum(
        contribution(book.question, code, events, settle(events, policy)) for code, events in accounts.items()
    )
    given = answers(book)
    other = find_rival(accounts, receipt_states(accounts, policy), book.memo, book.question)
    assert right in given
    assert (other is None) == (given == {right})
    assert other is None or other.answer in given - {right}


def _fits(book: Book, changeover: int) -> bool:
    states = receipt_states(accounts_of(book), policy_of(changeover))
    pieces = {one.event.voucher: one.pieces for one in states}
    return all(pieces[line.receipt] == dict(line.settles) for line in book.memo)
