"""The tables of a case, read from its files."""

from collections.abc import Mapping
from dataclasses import dataclass

from trapcli.answers.edits.solving.tables import Row, rows, rows_by_key


@dataclass(frozen=True, slots=True)
class Books:
    """The rows of the tables that matter, by their key; invoices in the order of the file."""

    customers: Mapping[str, Row]
    subscriptions: Mapping[str, Row]
    plans: Mapping[str, Row]
    addons: Mapping[str, Row]
    codes: Mapping[str, Row]
    regions: Mapping[str, Row]
    invoices: tuple[Row, ...]


def read_books(files: Mapping[str, str]) -> Books:
    """Return the tables of a case; KeyError if one is missing."""
    return Books(
        rows_by_key(files["customers.csv"]),
        rows_by_key(files["subscriptions.csv"]),
        rows_by_key(files["plans.csv"]),
        rows_by_key(files["addons.csv"]),
        rows_by_key(files["discount_codes.csv"]),
        rows_by_key(files["regions.csv"]),
        rows(files["invoices.csv"]),
    )
