"""Names of customers, and numbers for their codes."""

from collections.abc import Iterator

from families.ledger.files import vocabulary
from trapcli.core.draw import Draw


def company_names(draw: Draw) -> Iterator[str]:
    """Yield different names of companies."""
    names = draw.shuffled(vocabulary.COMPANY)
    trades = draw.shuffled(vocabulary.TRADE)
    for turn in range(len(trades)):  # in each turn every name has another trade
        for number, name in enumerate(names):
            yield f"{name} {trades[(number + turn) % len(trades)]}"


def spare_codes(draw: Draw) -> Iterator[str]:
    """Yield different customers' codes."""
    taken: set[int] = set()
    while True:
        number = draw.between(2_100, 9_900)
        if number not in taken:
            taken.add(number)
            yield str(number)
