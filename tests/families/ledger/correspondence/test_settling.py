"""A second replay, written from the rules and sharing no code with the first, agrees with it."""

from collections import defaultdict
from datetime import date
from itertools import combinations
from typing import Any

import pytest

from families.ledger.correspondence.acts import Correction, Delegation, OneOff, StandingOrder, Until, Void
from families.ledger.correspondence.correspondence import Correspondence


def orders_of(all_instructions: list, customer: int, missed: frozenset[str]) -> list[tuple[int, int, Any]]:
    """Return (first day, last day, order) of all standing orders, and (0, 0, order) of one-offs."""
    found: list[tuple[int, int, Any]] = []
    for one in all_instructions[customer]:
        act = one.act
        if isinstance(act, Delegation) and one.id not in missed:
            for first, last, order in orders_of(all_instructions, act.customer, missed):
                theirs = isinstance(order, StandingOrder) and order.matter in act.matters
                if theirs and order.writer == act.person and order.written >= act.first:
                    found.append((first, last, order))
        if isinstance(act, Void):
            if one.id not in missed:
                continue
            act = act.act
        elif one.id in missed or not isinstance(act, (StandingOrder, OneOff)):
            continue
        for other in all_instructions[customer]:
            if isinstance(other.act, Correction) and other.act.target == one.id and other.id in missed:
                act = other.act.instead
        if isinstance(act, OneOff):
            found.append((0, 0, act))
            continue
        if act.needs in missed:
            continue
        last = act.last
        for other in all_instructions[customer]:
            if isinstance(other.act, Until) and other.act.target == one.id and other.id not in missed:
                last = other.act.last
        found.append((act.first, last, act))
    return found


def replay(case: Correspondence, number: int, missed: frozenset[str]) -> dict[int, int]:
    """Return what is open on each invoice of a customer at the end."""
    customer = case.customers[number]
    orders = orders_of([list(one.instructions) for one in case.customers], number, missed)
    left = [one.amount for one in customer.invoices]
    for at, receipt in enumerate(customer.receipts):
        holding = [
            (first, order.written, order)
            for first, last, order in orders
            if isinstance(order, StandingOrder) and first <= receipt.day <= last
        ]
        disputed = {order.number for _, _, order in holding if order.matter == "dispute"}
        able = {
            i
            for i, one in enumerate(customer.invoices)
            if one.day <= receipt.day and left[i] > 0 and i not in disputed
        }
        latest = {}
        for matter in ("sequence", "branch", "large"):
            rivals = [entry for entry in holding if entry[2].matter == matter]
            if rivals:
                latest[matter] = max(rivals, key=lambda entry: entry[:2])[2]
        special = [order for _, _, order in orders if isinstance(order, OneOff) and order.receipt == at]
        pay(case, customer, receipt, left, able, latest, special)
    return {i: cents for i, cents in enumerate(left) if cents}


def pay(case: Any, customer: Any, receipt: Any, left: list, able: set, latest: dict, special: list) -> None:
    """Take one receipt off what is left."""
    one = special[0] if special else None
    money = receipt.amount - (use_one_off(one, customer, receipt.amount, left, able) if one else 0)
    barred = one.branches[0] if one and one.split == "all but" else ""
    open_now = [i for i in sorted(able) if left[i] and not (barred and customer.invoices[i].branch == barred)]
    ruling, first = latest.get("sequence"), latest["branch"].value if "branch" in latest else ""
    if "large" in latest and receipt.amount > latest["large"].number:
        ruling = latest["large"]
    if one and one.rest:
        place, first = {i: rank(one.rest, i, left) for i in open_now}, ""
    elif ruling is None or ruling.value == "practice":
        owed = {i: left[i] for i in sorted(able) if left[i]}
        place = {i: at for at, i in enumerate(case.frame.practice(receipt.day, owed, money, receipt.cited))}
    else:
        place = {i: rank(ruling.value, i, left) for i in open_now}
    open_now = [i for i in open_now if i in place]
    open_now.sort(key=lambda i: (first != "" and customer.invoices[i].branch != first, place[i], i))
    use(open_now, money, left, able)


def rank(sequence: str, i: int, left: list) -> int:
    """Return a number that is lower the earlier an invoice comes in a sequence."""
    return {"oldest": i, "newest": -i, "largest": -left[i], "smallest": left[i]}[sequence]


def use(invoices: list, most: int, left: list, able: set) -> int:
    """Pay invoices in order with at most so many cents; return how many were used."""
    used = 0
    for i in invoices:
        cents = min(left[i], most - used) if i in able else 0
        left[i] -= cents
        used += cents
    return used


def use_one_off(one: Any, customer: Any, money: int, left: list, able: set) -> int:
    """Pay what a one-off names, and return how many cents that takes."""
    of = [[i for i in sorted(able) if customer.invoices[i].branch == branch] for branch in one.branches]
    if one.split == "named":
        return use(list(one.invoices), money, left, able)
    if one.split == "part":
        return use(list(one.invoices), min(one.cents, money), left, able)
    if one.split == "group":
        year, month = divmod(one.month, 12)
        dated = [i for i in of[0] if in_month(customer.invoices[i].day, year, month + 1)]
        return use(dated, money, left, able)
    if one.split == "halves":
        return use(of[0], money // 2, left, able) + use(of[1], money - money // 2, left, able)
    return 0


def in_month(day: int, year: int, month: int) -> bool:
    """Whether a day lies in a month."""
    when = date.fromordinal(day)
    return (when.year, when.month) == (year, month)


@pytest.mark.slow
def test_the_replays_agree(planned: list[Correspondence]) -> None:
    """Every customer of every case settles the same in both replays, whichever one instruction is missed."""
    compared = 0
    for case in planned:
        for number, customer in enumerate(case.customers):
            for missed in [frozenset(), *(frozenset((one.id,)) for one in customer.instructions)]:
                assert replay(case, number, missed) == case.settle(number, missed).owed, (number, missed)
                compared += 1
    assert compared > 2000


@pytest.mark.slow
def test_the_replays_agree_on_pairs(planned: list[Correspondence]) -> None:
    """The same holds for pairs of instructions of a customer."""
    for case in planned[:2]:
        for number, customer in enumerate(case.customers):
            for one, other in combinations(customer.instructions, 2):
                missed = frozenset((one.id, other.id))
                assert replay(case, number, missed) == case.settle(number, missed).owed, (number, missed)


@pytest.mark.slow
def test_every_instruction_bites(planned: list[Correspondence]) -> None:
    """Ignoring any one instruction moves the answer by its effect, which is 100.00 or more."""
    for case in planned[:3]:
        answer = case.answer()
        for one in (one for customer in case.customers for one in customer.instructions):
            assert case.answer(frozenset((one.id,))) - answer == one.effect
            assert abs(one.effect) >= 10_000


@pytest.mark.slow
def test_no_pair_cancels(planned: list[Correspondence]) -> None:
    """Ignoring two instructions of a customer together never gives the right answer."""
    for case in planned:
        followers = defaultdict(list)
        for number, customer in enumerate(case.customers):
            for one in customer.instructions:
                if isinstance(one.act, Delegation):
                    followers[one.act.customer].append(number)
        for number, customer in enumerate(case.customers):
            concerned = [number, *followers[number]]
            right = counted(case, concerned)
            for one, other in combinations(customer.instructions, 2):
                assert counted(case, concerned, frozenset((one.id, other.id))) != right


def counted(case: Correspondence, customers: list[int], missed: frozenset[str] = frozenset()) -> int:
    """Return what some customers add to the answer."""
    return sum(
        case.frame.counts(
            case.customers[number].invoices, case.customers[number].receipts, case.settle(number, missed)
        )
        for number in customers
    )


@pytest.mark.slow
def test_receipts_are_used_up(planned: list[Correspondence]) -> None:
    """Nothing of a receipt is left over when every instruction is followed."""
    for case in planned:
        for number, customer in enumerate(case.customers):
            applied = [0] * len(customer.receipts)
            for receipt, _, cents in case.settle(number).applied:
                applied[receipt] += cents
            assert applied == [one.amount for one in customer.receipts]
