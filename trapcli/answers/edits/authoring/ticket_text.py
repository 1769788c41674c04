"""The text of a ticket as a colleague writes it: dates, months, amounts and shares in usual spellings.

No spelling can be read in two ways: a month is named or written as YYYY-MM.
"""

from collections.abc import Sequence
from decimal import Decimal

from trapcli.core.draw import Draw

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
OPENERS = (
    "Hi,",
    "Hello team,",
    "Hi all,",
    "Morning,",
    "",
)
CLOSERS = (
    "Thanks!",
    "Thank you.",
    "Let me know when it is done.",
    "Please have it done before the next run.",
    "",
)


def months(first: str, count: int) -> list[str]:
    """Return `count` consecutive periods ("YYYY-MM"), beginning with `first`."""
    return [shift_month(first, by) for by in range(count)]


def shift_month(period: str, by: int) -> str:
    """Return the period `by` months later; earlier if negative."""
    year, month = map(int, period.split("-"))
    i = year * 12 + month - 1 + by
    return f"{i // 12:04d}-{i % 12 + 1:02d}"


def month(draw: Draw, period: str) -> str:
    """Return a period as "March 2025" or "2025-03"."""
    year, number = period.split("-")
    return draw.choice((f"{MONTHS[int(number) - 1]} {year}", period))


def date(draw: Draw, day: str) -> str:
    """Return a date ("YYYY-MM-DD") as it is, as "1 March 2025" or as "March 1, 2025"."""
    year, number, digits = day.split("-")
    name = MONTHS[int(number) - 1]
    return draw.choice((day, f"{int(digits)} {name} {year}", f"{name} {int(digits)}, {year}"))


def dollars(draw: Draw, amount: Decimal | int) -> str:
    """Return an amount as "$149", "$149.00", "149.00 USD" or "149 dollars", with cents if it has any."""
    exact = Decimal(amount)
    if exact != exact.to_integral_value():
        return draw.choice((f"${exact:.2f}", f"{exact:.2f} USD"))
    return draw.choice((f"${exact:f}", f"${exact:.2f}", f"{exact:.2f} USD", f"{exact:f} dollars"))


def percent(draw: Draw, share: int) -> str:
    """Return a whole percentage as "15%" or "15 percent"."""
    return draw.choice((f"{share}%", f"{share} percent"))


def ticket(
    draw: Draw, titles: Sequence[str], bodies: Sequence[str], asides: Sequence[str], **names: str
) -> str:
    """Return a ticket: one of the titles, one of the bodies, and the asides below it.

    bodies: each must say everything that decides the answer.
    asides: sentences that decide nothing.
    names: values for the {names} in all of these.
    """
    parts = [draw.choice(bodies)]
    for aside in draw.shuffled(asides):
        parts.insert(draw.between(1, len(parts)), aside)
    opener, closer = draw.choice(OPENERS), draw.choice(CLOSERS)
    paragraphs = [f"# {draw.choice(titles)}", opener, *parts, closer]
    return "\n\n".join(part.format(**names) for part in paragraphs if part) + "\n"
