"""The solver takes from the mails what their plan put into them, and settles as the plan does."""

from collections import Counter
from time import perf_counter
from typing import Any

import pytest

from families.ledger.correspondence.in_force import NOTHING_MISSED, in_force
from families.ledger.solver.mails import UNREAD, OneOff, instructions, read_mails, settle_correspondents


def voucher(who: int, n: int) -> str:
    """Return the voucher of an invoice."""
    return f"AB26{who:02d}-{n:03d}"


def open_by_plan(one: Any, missed: frozenset[str] = frozenset()) -> dict[str, dict[str, int]]:
    """Return customer -> invoice -> cents that the plan leaves open for a reader who misses instructions."""
    return {
        customer.name: {voucher(who, n): cents for n, cents in one.plan.settle(who, missed).owed.items()}
        for who, customer in enumerate(one.plan.customers)
    }


def open_by_solver(one: Any, *missed: str) -> dict[str, dict[str, int]]:
    """Return customer -> invoice -> cents that the solver leaves open, some mails not read."""
    settled = settle_correspondents(one.mails, one.accounts, one.practice, missed)
    return {customer: account.owed for customer, account in settled.items()}


def in_the_plan(one: Any) -> Counter:
    """Return the orders that are in force by the plan."""
    everyone = [customer.instructions for customer in one.plan.customers]
    orders: Counter = Counter()
    for who, customer in enumerate(one.plan.customers):
        force = in_force(customer.instructions, NOTHING_MISSED, everyone)
        for act in (act for acts in force.orders.values() for act in acts):
            limit = act.number if act.matter == "large" else 0
            invoice = voucher(who, act.number) if act.matter == "dispute" else ""
            orders[customer.name, act.matter, act.value, limit, invoice, act.first, act.last, act.writer] += 1
        for n, one_off in force.one_offs.items():
            invoices = tuple(voucher(who, i) for i in one_off.invoices)
            split = (one_off.split, invoices, *one_off[3:])
            orders[customer.name, f"R{who}-{n}", *split] += 1
    return orders


def in_the_mails(one: Any) -> Counter:
    """Return the orders that the solver takes from the mails."""
    orders: Counter = Counter()
    for act in instructions(read_mails(one.mails), one.accounts):
        if isinstance(act, OneOff):
            split = (act.split, act.invoices, act.branches, act.month, act.cents, act.rest)
            orders[act.customer, act.receipt, *split] += 1
        else:
            value = (act.matter, act.value, act.limit, act.invoice)
            orders[act.customer, *value, act.first, act.last, act.writer] += 1
    return orders


def test_orders_are_understood_as_they_are_planned(drawn: list) -> None:
    """Every order has the matter, the value, the days and the writer that the plan gives it."""
    for one in drawn:
        assert in_the_mails(one) == in_the_plan(one)


def test_accounts_settle_as_planned(drawn: list) -> None:
    """Every receipt goes to the same invoices as by the plan, and the same is left open."""
    for one in drawn:
        settled = settle_correspondents(one.mails, one.accounts, one.practice)
        for who, customer in enumerate(one.plan.customers):
            parts: Counter = Counter()
            for receipt, invoice, cents in one.plan.settle(who).applied:
                parts[f"R{who}-{receipt}", voucher(who, invoice)] += cents
            mine = settled[customer.name].applied
            assert {(r, i): cents for r, part in mine.items() for i, cents in part.items()} == parts
        assert open_by_solver(one) == open_by_plan(one)


def deciding_mails(one: Any) -> list[tuple[str, str]]:
    """Return (instruction, the mail without which it is missed) where that mail says nothing else."""
    found = []
    for who, customer in enumerate(one.plan.customers):
        for instruction in customer.instructions:
            number = instruction.mails[0 if instruction.kind == "distrust" else -1]
            if len(customer.mails[number].said) == 1:
                found.append((instruction.id, one.paths[who, number]))
    return found


def test_a_missed_mail_is_a_missed_instruction(drawn: list) -> None:
    """Without the mail that decides an instruction the accounts settle as by the plan without it."""
    tried: Counter = Counter()
    kinds = {
        i.id: i.kind for one in drawn[:3] for customer in one.plan.customers for i in customer.instructions
    }
    for one in drawn[:3]:
        for id, path in deciding_mails(one):
            assert open_by_solver(one, path) == open_by_plan(one, frozenset((id,))), id
            tried[kinds[id]] += 1
    assert len(tried) > 15


def test_no_mail_read(drawn: list) -> None:
    """Whoever reads no mail settles by the practice alone."""
    one = drawn[0]
    unread = open_by_solver(one, UNREAD)
    assert unread == open_by_solver(one, *one.mails) != open_by_solver(one)


def test_mails_are_found_that_make_an_order(drawn: list) -> None:
    """The paths of an order are those of the mails that give, end, extend or correct it."""
    for one in drawn:
        found = {act.paths for act in instructions(read_mails(one.mails), one.accounts)}
        read = {path for paths in found for path in paths}
        for who, customer in enumerate(one.plan.customers):
            for instruction in customer.instructions:
                paths = {one.paths[who, number] for number in instruction.mails}
                if instruction.kind not in ("disregard", "distrust", "delegation"):
                    assert paths <= read, instruction


@pytest.mark.slow
def test_many_mails_are_read_quickly(long: Any) -> None:
    """A case of 1,200 mails is read and settled, rightly, within seconds."""
    start = perf_counter()
    mine = open_by_solver(long)
    assert perf_counter() - start < 10
    assert mine == open_by_plan(long)
