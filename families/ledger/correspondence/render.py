"""Render the mails of a case."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.language.describing import describe
from families.ledger.correspondence.language.filler import Talk
from families.ledger.correspondence.language.letters import Letters
from families.ledger.correspondence.language.people import all_names
from families.ledger.correspondence.language.readme import readme_section
from families.ledger.correspondence.language.references import Place
from families.ledger.domain.formats import iso
from trapcli.core.draw import Draw

__all__ = ["describe", "mail_paths", "readme_section", "render"]

FOLDER = "correspondence"


def mail_paths(correspondence: Correspondence) -> dict[tuple[int, int], str]:
    """Return (customer, number of the mail among the customer's) -> path."""
    of_day: Counter[int] = Counter()
    paths = {}
    for day, customer, number in _in_order(correspondence):
        of_day[day] += 1
        paths[customer, number] = f"{FOLDER}/{iso(day)}-{of_day[day]:02d}.txt"
    return paths


def render(
    draw: Draw, correspondence: Correspondence, voucher_of: Callable[[int, int], str]
) -> dict[str, str]:
    """Return path -> text of all mails, in order.

    voucher_of: (customer, invoice) -> the voucher of the invoice.
    """
    frame = correspondence.frame
    writers = {name for customer in correspondence.customers for name in customer.people}
    outsiders = tuple(name for name in all_names() if name not in writers)
    letters = Letters(draw.stream("letters"), draw.choice(outsiders), correspondence, Talk())
    years = date.fromordinal(frame.start).year != date.fromordinal(frame.end).year
    vouchers = [
        tuple(voucher_of(number, i) for i in range(len(one.invoices)))
        for number, one in enumerate(correspondence.customers)
    ]
    by_day = [{mail.day: mail for mail in one.mails} for one in correspondence.customers]
    texts = {}
    for (customer, number), path in mail_paths(correspondence).items():
        one = correspondence.customers[customer]
        mail = one.mails[number]
        own = draw.stream(f"{customer} {number}")
        place = Place(own, correspondence, one, mail, vouchers[customer], outsiders, years, by_day[customer])
        texts[path] = letters.text(place)
    return texts


def _in_order(correspondence: Correspondence) -> Iterator[tuple[int, int, int]]:
    """Yield (day, customer, number of the mail) in the order of the paths."""
    yield from sorted(
        (mail.day, customer, number)
        for customer, one in enumerate(correspondence.customers)
        for number, mail in enumerate(one.mails)
    )
