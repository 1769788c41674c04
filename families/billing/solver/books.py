"""The tables of a case, read from its files."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

Row = Mapping[str, str]


class Unclear(Exception):
    """What the ticket and the tables say does not lead to one answer."""


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


# A build solves a case for the truth and for each mistake in turn. Keyed by the texts themselves,
# so what is found always belongs to the files given; seven texts are one case.
@lru_cache(maxsize=7)
def rows(text: str) -> tuple[Row, ...]:
    """The rows of a CSV text, header first in it. Shared between calls: not to be changed."""
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    return tuple(dict(zip(header, line, strict=True)) for line in lines)


def read_books(files: Mapping[str, str]) -> Books:
    """The tables in a case's files; KeyError for a missing one."""

    def keyed(file: str, key: str) -> dict[str, Row]:
        return {row[key]: row for row in rows(files[file])}

    return Books(
        keyed("customers.csv", "customer_id"),
        keyed("subscriptions.csv", "subscription_id"),
        keyed("plans.csv", "plan_id"),
        keyed("addons.csv", "addon_id"),
        keyed("discount_codes.csv", "code"),
        keyed("regions.csv", "region_id"),
        rows(files["invoices.csv"]),
    )
