"""Identifiability: whether the memo leaves another policy with another answer."""

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from families.ledger.checks.rivals import Rival, rival
from families.ledger.domain.book import Book, accounts, choice, received
from families.ledger.domain.names import OWED_SINCE
from families.ledger.domain.policies import watch
from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import BASES, Event, settle
from trapcli.core.draw import Draw

Year = Callable[..., Book]
SWITCH = 10
QUESTION = Question(OWED_SINCE, since=2)  # all but A's and B's oldest invoices

# The memo shows eight receipts. After the changeover they come from A and B, in both narrations, from
# 100 to 3000, cite invoices from 2 to 13 days old, and find three or four open, as one before it does.
TOLD = [
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
SHOWN = 8
C = [(1, "C", 9000, "", ""), (18, "C", 6000, "", ""), (18, "C", 5000, "", "")]  # v16, v17, v18
MORE = [(18, "A", 4000, "", ""), (19, "A", 4000, "", "")]  # v16, v17


def found(book: Book) -> Rival | None:
    listed = accounts(book)
    return rival(listed, watch(listed, choice(SWITCH)), book.memo, book.question)


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
def test_what_the_memo_spans_is_decided(year: Year, rest: list[tuple[int, str, int, str, str]]) -> None:
    """Receipts between telling ones in every respect can be settled in one way only."""
    assert found(year(TOLD + rest, SHOWN, SWITCH, QUESTION)) is None


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        ([(20, "A", -800, "v08", "cash")], "narration 'cash'"),
        ([*C, (20, "C", -800, "v18", "card")], "customer C"),
        ([(20, "A", -90, "v08", "card")], "over 0.90"),
        ([(20, "A", -3001, "v08", "card")], "over 30.00"),
        ([(20, "A", -800, "v03", "card")], "older than 13 days"),
        ([*MORE, (20, "A", -800, "v17", "card")], "older than 1 days"),
        ([*MORE, (22, "A", -800, "v17", "card")], "more than 4 open"),
    ],
)
def test_what_lies_outside_is_not(year: Year, rest: list[tuple[int, str, int, str, str]], says: str) -> None:
    """A receipt of another narration, customer, size, age or number of open invoices may be an exception."""
    other = found(year(TOLD + rest, SHOWN, SWITCH, QUESTION))
    assert other is not None
    assert says in other.says


def test_without_evidence_after_the_changeover_it_may_not_have_come(year: Year) -> None:
    """A memo that stops before the changeover leaves open whether citations count later."""
    other = found(year([*TOLD, (20, "A", -800, "v08", "card")], 2, SWITCH, QUESTION))
    assert other is not None


def test_a_receipt_that_changes_nothing_may_be_settled_in_any_way(year: Year) -> None:
    """If the question does not see what is open to doubt, the answer is one all the same."""
    rest = [(20, "A", -800, "v08", "cash")]
    assert found(year(TOLD + rest, SHOWN, SWITCH, Question(OWED_SINCE, since=1))) is None


def policies(book: Book) -> Iterator[Callable[[str, Event, int], int]]:
    """Every policy of the class, one by one, as plainly as the class is stated."""
    listed = received(accounts(book))
    billed = {
        e.voucher: (e.day, code) for code, events in accounts(book).items() for e in events if e.amount > 0
    }

    def age(code: str, receipt: Event) -> int | None:
        day, owner = billed.get(receipt.cited, (0, ""))
        return receipt.day - day if owner == code and day <= receipt.day else None

    amounts = {-event.amount for _, event in listed}
    ages = {-1, *(a for code, event in listed for a in [age(code, event)] if a is not None)}
    covers: list[Callable[[str, Event, int], bool]] = [lambda code, e, count: False]
    covers += [lambda c, e, k, x=n: e.narration == x for n in {e.narration for _, e in listed}]
    covers += [lambda c, e, k, x=code: c == x for code in {code for code, _ in listed}]
    covers += [lambda c, e, k, x=a: -e.amount > x for a in amounts]
    covers += [lambda c, e, k, x=a: -e.amount < x for a in amounts]
    covers += [lambda c, e, k, x=a: (age(c, e) is not None) and age(c, e) > x for a in ages]
    covers += [lambda c, e, k, x=a: (age(c, e) is not None) and age(c, e) <= x for a in ages]
    covers += [lambda c, e, k, x=n: k > x for n in range(6)]
    covers += [lambda c, e, k, x=n: k <= x for n in range(6)]
    days = sorted({event.day for _, event in listed})
    for covered, own, span, early, late, switch in product(
        covers, BASES, ("all", "early", "late"), BASES, BASES, (*days, days[-1] + 1)
    ):

        def choose(code, receipt, count, v=(covered, own, span, early, late, switch)):  # type: ignore[no-untyped-def]
            covered, own, span, early, late, switch = v
            before = receipt.day < switch
            if covered(code, receipt, count) and span in ("all", "early" if before else "late"):
                return own
            return early if before else late

        yield choose


def answers(book: Book) -> set[int]:
    """What policies that reproduce the memo answer, each tried in full."""
    listed = accounts(book)
    shown = {line.receipt: dict(line.settles) for line in book.memo}
    given = set()
    for policy in policies(book):
        total = 0
        for code, events in listed.items():
            done = settle(events, lambda receipt, count, c=code, p=policy: p(c, receipt, count))
            pieces: dict[str, dict[str, int]] = {}
            for receipt, invoice, cents in done.applied:
                pieces.setdefault(receipt, {})[invoice] = cents
            if any(pieces.get(e.voucher, {}) != shown[e.voucher] for e in events if e.voucher in shown):
                break
            total += contribution(book.question, code, events, done)
        else:
            given.add(total)
    return given


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
    listed = accounts(book)
    switch = next(s for s in range(4, 12) if _fits(book, s))
    seen = watch(listed, choice(switch))
    right = sum(
        contribution(book.question, code, events, settle(events, choice(switch)))
        for code, events in listed.items()
    )
    given = answers(book)
    other = rival(listed, seen, book.memo, book.question)
    assert right in given
    assert (other is None) == (given == {right})
    assert other is None or other.answer in given - {right}


def _fits(book: Book, switch: int) -> bool:
    pieces = {one.event.voucher: one.pieces for one in watch(accounts(book), choice(switch))}
    return all(pieces[line.receipt] == dict(line.settles) for line in book.memo)
