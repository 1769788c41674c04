"""The knobs of billing, and its levels from the easiest to the hardest."""

from dataclasses import dataclass

from trapcli.core.knobs import knob


@dataclass(frozen=True, slots=True)
class Knobs:
    """How large and how hard a billing case is."""

    customers: int = knob(5, 4, 400, "customers on the books")
    subscriptions: int = knob(2, 1, 4, "most subscriptions of a customer who is not in the ticket")
    periods: int = knob(6, 5, 24, "months of invoices")
    affected: int = knob(
        2, 2, 20, "issued invoices that the ticket covers, about; some traps cover one, whatever this says"
    )
    distractors: int = knob(2, 0, 40, "customers, codes and invoices that look covered and are not")
    noise: int = knob(4, 0, 200, "rows in each table that no report reads")


LEVELS: tuple[dict[str, int], ...] = (
    {"customers": 4, "subscriptions": 1, "periods": 5, "distractors": 0, "noise": 2},
    {},
    {"customers": 12, "periods": 7, "affected": 3, "distractors": 4, "noise": 10},
    {"customers": 30, "periods": 8, "affected": 6, "distractors": 8, "noise": 20},
    {"customers": 60, "subscriptions": 3, "periods": 9, "affected": 9, "distractors": 12, "noise": 40},
    {"customers": 150, "subscriptions": 3, "periods": 12, "affected": 15, "distractors": 22, "noise": 80},
    {"customers": 260, "subscriptions": 3, "periods": 13, "affected": 20, "distractors": 32, "noise": 120},
)
