"""Draw what a mail may order at some point of a customer's script.

Every function returns None if there is nothing sensible to order there.
"""

from families.ledger.correspondence.acts import (
    ALL_BUT,
    BRANCH,
    DISPUTE,
    FOREVER,
    GROUP,
    HALVES,
    LARGE,
    NAMED,
    NO_BRANCH,
    ORDERED,
    PART,
    PRACTICE,
    SEQUENCE,
    SEQUENCES,
    SPLITS,
    OneOff,
    StandingOrder,
)
from families.ledger.correspondence.scripts.drafting import Script
from families.ledger.correspondence.settling import month_of

LIMIT_STEPS = (50_000, 25_000, 20_000)  # cents; limits are multiples of one of them
LEAST_DISPUTED = 40_000  # cents open on an invoice that is disputed


def draw_standing(
    script: Script, matter: str, writer: str, day: int, first: int, last: int = FOREVER
) -> StandingOrder | None:
    """Draw a standing order that differs from what holds on the first day.

    day: the day of the mail.
    """
    draw = script.draw
    held = script.force.on(matter, first)
    if matter == SEQUENCE:
        current = held.value if held else PRACTICE
        orders = [one for one in (*SEQUENCES, *SEQUENCES, PRACTICE) if one != current]
        return StandingOrder(SEQUENCE, draw.choice(orders), 0, first, last, writer, day)
    if matter == BRANCH:
        current = held.value if held else NO_BRANCH
        branches = [one for one in (*script.frame.branches, NO_BRANCH) if one != current]
        return StandingOrder(BRANCH, draw.choice(branches), 0, first, last, writer, day)
    if matter == LARGE:
        limit = draw_limit(script, first)
        if limit is None:
            return None
        return StandingOrder(LARGE, draw.choice(SEQUENCES), limit, first, last, writer, day)
    invoice = draw_disputed(script, day)
    return None if invoice is None else StandingOrder(DISPUTE, "", invoice, first, last, writer, day)


def draw_limit(script: Script, first: int, other_than: int = 0) -> int | None:
    """Draw a round limit that some receipts from `first` on exceed and some do not reach."""
    amounts = sorted(one.amount for one in script.receipts if one.day >= first)
    if len(amounts) < 2:
        return None
    low, high = amounts[0], amounts[-1]
    taken = {one.amount for one in script.receipts}
    step = script.draw.choice(LIMIT_STEPS)
    limits = [one for one in range(low - low % step + step, high, step) if one not in taken | {other_than}]
    return script.draw.choice(limits) if limits else None


def draw_disputed(script: Script, day: int) -> int | None:
    """Draw an invoice that is open on a day and that no mail has disputed yet."""
    later = [number for number, one in enumerate(script.receipts) if one.day > day]
    if not later:
        return None
    owed = script.open_before(later[0])
    one_off_receipts = {i for one in script.force.one_offs.values() for i in one.invoices}
    invoices = [
        i
        for i, cents in owed.items()
        if cents >= LEAST_DISPUTED
        and script.invoices[i].day < day
        and i not in script.touched
        and i not in one_off_receipts
    ]
    return script.draw.choice(invoices) if invoices else None


def draw_one_off(script: Script, receipt: int, day: int) -> OneOff | None:
    """Draw a one-off for a receipt, given in a mail of a day."""
    draw = script.draw
    if receipt in script.one_off_receipts:
        return None
    disputed = [one.number for one in script.force.orders[DISPUTE]]
    owed = {
        i: cents
        for i, cents in script.open_before(receipt).items()
        if i not in disputed and script.invoices[i].day < day
    }
    if len(owed) < 2:
        return None
    split = draw.choice((*SPLITS, NAMED, PART))
    rest = draw.choice(SEQUENCES) if draw.chance(0.25) else ""
    if split == NAMED:
        return _named(script, receipt, owed, rest)
    if split == PART:
        return _part(script, receipt, owed, rest)
    if split == GROUP:
        return _group(script, receipt, owed, rest)
    if split == HALVES:
        return _halves(script, receipt, owed)
    if split == ALL_BUT:
        branch = draw.choice(script.frame.branches)
        others = sum(cents for i, cents in owed.items() if script.invoices[i].branch != branch)
        if others < script.receipts[receipt].amount or others == sum(owed.values()):
            return None
        return OneOff(receipt, ALL_BUT, branches=(branch,))
    return OneOff(receipt, ORDERED, rest=draw.choice(SEQUENCES))


def _named(script: Script, receipt: int, owed: dict[int, int], rest: str) -> OneOff | None:
    draw, amount = script.draw, script.receipts[receipt].amount
    chosen = draw.sample(list(owed), min(len(owed), draw.choice((1, 2, 2, 3))))
    named: list[int] = []
    for i in chosen:
        if sum(owed[one] for one in named) < amount:
            named.append(i)
    uses_all = sum(owed[one] for one in named) >= amount
    return OneOff(receipt, NAMED, tuple(named), rest="" if uses_all else rest)


def _part(script: Script, receipt: int, owed: dict[int, int], rest: str) -> OneOff | None:
    i = script.draw.choice(list(owed))
    most = min(owed[i], script.receipts[receipt].amount * 4 // 5)
    if most < 20_000:
        return None
    cents = script.draw.between(most // 3, most)
    cents -= cents % (5_000 if script.draw.chance(0.7) else 10)
    return OneOff(receipt, PART, (i,), cents=cents, rest=rest) if cents >= 15_000 else None


def _group(script: Script, receipt: int, owed: dict[int, int], rest: str) -> OneOff | None:
    invoices = script.invoices
    i = script.draw.choice(list(owed))
    branch, month = invoices[i].branch, month_of(invoices[i].day)
    total = sum(owed[j] for j in owed if invoices[j].branch == branch and month_of(invoices[j].day) == month)
    ends_before = month < month_of(script.receipts[receipt].day)
    if not ends_before:
        return None
    uses_all = total >= script.receipts[receipt].amount
    return OneOff(receipt, GROUP, branches=(branch,), month=month, rest="" if uses_all else rest)


def _halves(script: Script, receipt: int, owed: dict[int, int]) -> OneOff | None:
    amount = script.receipts[receipt].amount
    totals = {
        branch: sum(cents for i, cents in owed.items() if script.invoices[i].branch == branch)
        for branch in script.frame.branches
    }
    able = [branch for branch, total in totals.items() if 2 * total >= amount]
    if amount % 2 or len(able) < 2:
        return None
    one, other = script.draw.sample(able, 2)
    return OneOff(receipt, HALVES, branches=(one, other))
