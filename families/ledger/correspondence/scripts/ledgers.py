"""Draw a correspondent's invoices and receipts.

What is open stays several invoices deep all year, so that the order of paying them always matters.
"""

from collections.abc import Callable
from functools import partial

from families.ledger.correspondence.frame import Frame, Invoice, Receipt
from families.ledger.planning.plan_failed import PlanFailed
from trapcli.core.draw import Draw

SATURDAY = 5
# Bands of invoice amounts in cents, low to high, and how often each is drawn, in percent.
BANDS = ((30_000, 90_000, 25), (90_000, 260_000, 40), (260_000, 620_000, 27), (620_000, 1_150_000, 8))
SHARE_PAID = (13, 34)  # percent of what is open that a receipt pays
LEAST_OWED = 100_000  # cents; what is open before each receipt


def is_weekday(day: int) -> bool:
    """Whether a day (a proleptic ordinal) is no Saturday and no Sunday."""
    return (day + 6) % 7 < SATURDAY  # day 1 of the ordinals is a Monday


def draw_ledger(
    draw: Draw, frame: Frame, instructions: int
) -> tuple[tuple[Invoice, ...], tuple[Receipt, ...]]:
    """Draw the entries of a customer with room for this many instructions; PlanFailed without room."""
    span = frame.end - frame.first
    receipts = max(4, instructions * 27 // 20 + draw.between(1, 2))
    before = receipts * (frame.first - frame.start) * 4 // (5 * max(1, span))
    invoices = receipts + before + draw.between(2, 4)
    taken: set[int] = set()
    opening = max(4, invoices * 3 // 10)
    early = frame.start + max(14, (frame.end - frame.start) // 8)
    billed = [_free_day(draw, taken, frame.start, early) for _ in range(opening)]
    billed += _spread(draw, taken, early + 1, frame.end - 12, invoices - opening)
    billed.sort()
    from_day = max(billed[2] + 1, frame.start + (frame.end - frame.start) // 16)
    paid = sorted(
        _spread(draw, taken, from_day, max(from_day, frame.first - 1), before)
        + _spread(draw, taken, max(from_day, frame.first + 3), frame.end - 1, receipts)
    )
    amounts: set[int] = set()
    rows = tuple(
        Invoice(day, _fresh(amounts, partial(_invoice_amount, draw)), draw.choice(frame.branches))
        for day in billed
    )
    return rows, _receipts(draw, rows, paid, amounts)


def _receipts(
    draw: Draw, invoices: tuple[Invoice, ...], days: list[int], amounts: set[int]
) -> tuple[Receipt, ...]:
    receipts = []
    paid = 0
    for day in days:
        billed = [number for number, one in enumerate(invoices) if one.day < day]
        owed = sum(invoices[number].amount for number in billed) - paid
        if owed < LEAST_OWED:
            raise PlanFailed("a customer owes too little for another receipt")
        amount = _fresh(amounts, partial(_receipt_amount, draw, owed))
        paid += amount
        cited = draw.choice(billed[-6:]) if draw.chance(0.4) else -1
        receipts.append(Receipt(day, amount, cited))
    return tuple(receipts)


def _spread(draw: Draw, taken: set[int], low: int, high: int, count: int) -> list[int]:
    """Draw free weekdays, about evenly spread from low to high."""
    width = high - low + 1
    return [
        _free_day(draw, taken, low + width * step // count, low + max(1, width * (step + 1) // count) - 1)
        for step in range(count)
    ]


def _free_day(draw: Draw, taken: set[int], low: int, high: int) -> int:
    days = [day for day in range(low, high + 1) if day not in taken and is_weekday(day)]
    if not days:
        raise PlanFailed("there is no day left for another entry of a customer")
    day = draw.choice(days)
    taken.add(day)
    return day


def _fresh(amounts: set[int], draw_one: Callable[[], int]) -> int:
    """Draw until the amount is none that the customer has already."""
    while True:
        amount = draw_one()
        if amount not in amounts:
            amounts.add(amount)
            return amount


def _invoice_amount(draw: Draw) -> int:
    at = draw.below(100)
    for low, high, percent in BANDS:
        if at < percent:
            amount = draw.between(low, high)
            return amount - amount % 5_000 if draw.chance(0.12) else amount
        at -= percent
    raise AssertionError("the bands make up 100 percent")


def _receipt_amount(draw: Draw, owed: int) -> int:
    amount = owed * draw.between(*SHARE_PAID) // 100
    kind = draw.below(10)
    if kind < 4 and amount > 60_000:
        return amount - amount % (10_000 if kind < 2 else 5_000)
    return amount - amount % 2 if kind < 7 else amount - draw.below(100)
