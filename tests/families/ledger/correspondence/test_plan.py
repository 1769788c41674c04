"""What a plan of correspondents holds: entries, mails, instructions, and what makes it fail."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date

import pytest

from families.ledger.correspondence.acts import KINDS, Delegation, OneOff, StandingOrder, Void
from families.ledger.correspondence.correspondence import Correspondence, Customer
from families.ledger.correspondence.frame import Invoice, Receipt
from families.ledger.correspondence.plan import plan_correspondents
from families.ledger.correspondence.render import describe, mail_paths, readme_section, render
from families.ledger.planning.plan_failed import PlanFailed
from trapcli.core.draw import Draw

Plan = Callable[..., Correspondence]


@pytest.mark.slow
def test_the_numbers_are_those_asked_for(planned: list[Correspondence], plan: Plan) -> None:
    """There are as many mails and instructions as asked for, and at most half of the mails carry any."""
    sizes = [(case, 1000, 330) for case in planned]
    sizes += [(plan("few", 3, 60, 9), 60, 9), (plan("some", 5, 150, 45), 150, 45)]
    for case, mails, instructions in sizes:
        assert sum(len(one.mails) for one in case.customers) == mails
        assert sum(len(one.instructions) for one in case.customers) == instructions
        carrying = sum(len({at for one in each.instructions for at in one.mails}) for each in case.customers)
        assert 2 * carrying <= mails


@pytest.mark.slow
def test_entries_are_regular(planned: list[Correspondence]) -> None:
    """A customer has one entry a day, on weekdays, no amount twice, and cites what was billed."""
    for customer in (customer for case in planned for customer in case.customers):
        entries: list[Invoice | Receipt] = [*customer.invoices, *customer.receipts]
        assert len({one.day for one in entries}) == len(entries)
        assert len({one.amount for one in entries}) == len(entries)
        assert all(date.fromordinal(one.day).weekday() < 5 for one in entries)
        assert list(customer.invoices) == sorted(customer.invoices, key=lambda one: one.day)
        assert list(customer.receipts) == sorted(customer.receipts, key=lambda one: one.day)
        for one in customer.receipts:
            assert one.amount > 0
            assert one.cited == -1 or customer.invoices[one.cited].day <= one.day


@pytest.mark.slow
def test_mails_are_regular(planned: list[Correspondence]) -> None:
    """Mails are written on weekdays from the first day on, and no instruction on a receipt's day."""
    for case in planned:
        for customer in case.customers:
            for mail in customer.mails:
                assert case.frame.first <= mail.day <= case.frame.end
                assert date.fromordinal(mail.day).weekday() < 5
                assert mail.writer in customer.people
            paid = {one.day for one in customer.receipts}
            for one in customer.instructions:
                if one.kind not in ("conditional", "distrust"):
                    assert customer.mails[one.mails[-1]].day not in paid, one


@pytest.mark.slow
def test_every_kind_occurs(planned: list[Correspondence], big: Correspondence) -> None:
    """Each kind of instruction occurs in the big case, and none makes up more than a fifth of all."""
    kinds = Counter(one.kind for customer in big.customers for one in customer.instructions)
    assert set(kinds) == set(KINDS)
    assert max(kinds.values()) < 370 // 5
    splits: Counter[str] = Counter()
    matters: Counter[str] = Counter()
    for one in (one for case in planned for customer in case.customers for one in customer.instructions):
        if isinstance(one.act, OneOff):
            splits[one.act.split] += 1
        elif isinstance(one.act, StandingOrder):
            matters[one.act.matter] += 1
    assert set(splits) == {"named", "part", "group", "halves", "all but", "ordered"}
    assert set(matters) == {"sequence", "branch", "large", "dispute"}


@pytest.mark.slow
def test_instructions_are_spread(planned: list[Correspondence]) -> None:
    """Each quarter of the year has at least an eighth of the mails that carry instructions."""
    for case in planned:
        days = [customer.mails[at].day for customer in case.customers for at in carried(customer)]
        span = case.frame.end + 1 - case.frame.first
        quarters = Counter(4 * (day - case.frame.first) // span for day in days)
        assert all(8 * quarters[quarter] >= len(days) for quarter in range(4)), quarters


def carried(customer: Customer) -> set[int]:
    """Return the numbers of a customer's mails that carry instructions."""
    return {at for one in customer.instructions for at in one.mails}


@pytest.mark.slow
def test_a_silenced_person_writes_no_more_than_the_trap(planned: list[Correspondence]) -> None:
    """Whose word no longer counts writes nothing after that day but the mail that does not count."""
    for customer in (customer for case in planned for customer in case.customers):
        for one in customer.instructions:
            if one.kind == "distrust":
                assert isinstance(one.act, Void)
                all_said = [said for mail in customer.mails for said in mail.said]
                since = next(said.number for said in all_said if said.form == "distrust")
                later = [mail for mail in customer.mails if mail.day >= since]
                theirs = [mail for mail in later if mail.writer == one.act.act.writer]
                assert [said.id for mail in theirs for said in mail.said] == [one.id]


@pytest.mark.slow
def test_nobody_who_decides_for_others_leaves_a_matter_to_a_third(planned: list[Correspondence]) -> None:
    """A customer whose person decides for another one leaves nothing to others itself: would that pass on?"""
    for one in planned:
        leaving = {
            number: instruction.act.customer
            for number, customer in enumerate(one.customers)
            for instruction in customer.instructions
            if isinstance(instruction.act, Delegation)
        }
        assert not leaving.keys() & set(leaving.values())


@pytest.mark.slow
def test_delegated_matters_are_left_alone(planned: list[Correspondence]) -> None:
    """After the day on which a customer leaves a matter to another, its own mails order nothing on it."""
    found = 0
    for case in planned:
        for customer in case.customers:
            for lead in (one.act for one in customer.instructions if isinstance(one.act, Delegation)):
                found += 1
                assert lead.person in case.customers[lead.customer].people
                for one in customer.instructions:
                    act = one.act.act if isinstance(one.act, Void) else one.act
                    if isinstance(act, StandingOrder) and act.matter in lead.matters:
                        assert act.first < lead.first
    assert found > 20


def test_equal_seeds_give_equal_cases(plan: Plan) -> None:
    """The same stream plans and renders the same, another stream another case."""
    one, again, other = plan("a", 5, 150, 40), plan("a", 5, 150, 40), plan("b", 5, 150, 40)
    assert one.customers == again.customers
    assert one.customers != other.customers
    assert text_of(one) == text_of(again)


def text_of(case: Correspondence) -> dict[str, str]:
    """Return the mails of a case."""
    return render(Draw("mails"), case, lambda customer, invoice: f"V{customer}-{invoice:02d}")


@pytest.mark.slow
def test_instructions_are_described(big: Correspondence) -> None:
    """Every instruction has an id of its own and is described by one sentence."""
    ids = [one.id for customer in big.customers for one in customer.instructions]
    assert len(ids) == len(set(ids))
    for one in (one for customer in big.customers for one in customer.instructions):
        told = describe(one, lambda customer, invoice: f"V{customer}-{invoice:02d}")
        assert told.endswith(".") and "\n" not in told


@pytest.mark.slow
def test_paths_are_numbered_by_day(big: Correspondence) -> None:
    """The mails of a day are numbered from 01 on, without a gap."""
    paths = sorted(mail_paths(big).values())
    assert len(paths) == 1200
    of_day: Counter[str] = Counter()
    for path in paths:
        day, number = path[len("correspondence/") : -len(".txt")].rsplit("-", 1)
        of_day[day] += 1
        assert int(number) == of_day[day] and len(number) == 2


def test_the_readme_states_the_precedence() -> None:
    """The README section names the four steps in their order."""
    steps = ("**disputed**", "**one-off**", "**branch that comes first**", "**sequence**")
    places = [readme_section().index(step) for step in steps]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("customers", "mails", "instructions"), [(5, 40, 30), (4, 200, 2), (1, 2000, 9), (2, 400, 160)]
)
def test_what_cannot_be_planned_fails(customers: int, mails: int, instructions: int, plan: Plan) -> None:
    """Too few mails, too few or too many instructions, and more mails than days are refused."""
    with pytest.raises(PlanFailed):
        plan("no", customers, mails, instructions)


def test_no_correspondents_no_mails(plan: Plan) -> None:
    """Without customers there is nothing to plan, and nothing to render."""
    case = plan_correspondents(Draw("none"), plan("frame", 3, 60, 9).frame, [], 0, 0)
    assert case.answer() == 0
    assert text_of(case) == {}


def test_a_practice_may_leave_some_unapplied(plan: Plan) -> None:
    """Under a practice that pays cited invoices only, receipts that no order concerns may be left over."""
    frame = replace(plan("frame", 3, 60, 9).frame, practice=cited_only)
    case = plan_correspondents(Draw("cited"), frame, ["A", "B", "C"], 90, 18)
    assert all(abs(one.effect) >= 10_000 for customer in case.customers for one in customer.instructions)
    applied = sum(cents for number in range(3) for _, _, cents in case.settle(number).applied)
    assert applied < sum(one.amount for customer in case.customers for one in customer.receipts)


def cited_only(day: int, owed: Mapping[int, int], cents: int, cited: int) -> list[int]:
    """Pay the cited invoice, if it is open, and nothing else."""
    return [cited] if cited in owed else []
