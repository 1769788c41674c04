"""Next month's records: what shows whether the current records of a case are right.

Reports on what is past hardly look at the records that the next invoice or sale will be made from. So
every report runs once more, on the current records and next month's invoices or sales. These are made
from the records as an answer leaves them, for the keys that there were before.
"""

from collections.abc import Callable, Mapping, Sequence

from trapcli.answers.edits.tables import Row, Tables

NEXT_MONTH = ", next month"  # behind the name of a report

# (tables before any edit, tables with an answer's edits) -> file -> the rows that it has next month, for
# each file that differs. The rows of past invoices or sales are left out: they have been shown. It may
# raise anything if an answer left a record that refers to nothing.
NextMonth = Callable[[Tables, Tables], Mapping[str, Sequence[Row]]]


def next_tables(tables: Tables, rows: Mapping[str, Sequence[Row]]) -> dict[str, Sequence[Row]]:
    """Return the tables with next month's rows in place of those of the same files."""
    return {**tables, **rows}
