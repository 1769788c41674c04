"""The tables of a case, read from its files."""

from collections.abc import Mapping
from dataclasses import dataclass

from trapcli.answers.edits.solving.tables import Row, keyed, rows


@dataclass(frozen=True, slots=True)
class Books:
    """The rows of each table that matters by their key; invoices in the order of the file."""

    customers: Mapping[str, Row]
    subscriptions: Mapping[str, Row]
    plans: Mapping[str, Row]
    addons: Mapping[str, Row]
    codes: Mapping[str, Row]
    regions: Mapping[str, Row]
    invoices: tuple[Row, ...]


def read_books(files: Mapping[str, str]) -> Books:
    """The tables in a case's files; KeyError for a missing one."""
    return Books(
        keyed(files["customers.csv"]),
        keyed(files["subscriptions.csv"]),
        keyed(files["plans.csv"]),
        keyed(files["addons.csv"]),
        keyed(files["discount_codes.csv"]),
        keyed(files["regions.csv"]),
        rows(files["invoices.csv"]),
    )
