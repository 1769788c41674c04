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
        2, 2, 20, "issued invoices that one request covers, about; some traps cover one, whatever this says",
        private=True,
    )  # fmt: skip
    distractors: int = knob(2, 0, 40, "customers, codes and invoices that look covered and are not")
    noise: int = knob(4, 0, 200, "rows in each table that no report reads")
    requests: int = knob(
        1, 1, 400, "requests to carry out; from 2 on the ticket is a thread with corrections", private=True
    )
    pointing: int = knob(0, 0, 1, "1: a thread points at records by facts; 0: it names them")
    guidance: int = knob(1, 0, 1, "1: the case README says what each report reads; 0: the scripts do")


LEVELS: tuple[dict[str, int], ...] = (
    # One request, four customers, nothing that looks alike.
    {"customers": 4, "subscriptions": 1, "periods": 5, "distractors": 0, "noise": 2},
    # One request; the default.
    {},
    # One request, with look-alikes.
    {"customers": 12, "periods": 7, "affected": 3, "distractors": 4, "noise": 10},
    # A thread of two requests that meet in one invoice or more.
    {"customers": 8, "periods": 7, "noise": 10, "requests": 2},
    # Three.
    {"customers": 10, "periods": 8, "noise": 10, "requests": 3},
    # Five; records are pointed at, and the README leaves the reports to the scripts.
    {"customers": 12, "periods": 8, "noise": 10, "requests": 5, "pointing": 1, "guidance": 0},
    # Eight, in two threads.
    {"customers": 14, "periods": 9, "noise": 20, "requests": 8, "pointing": 1, "guidance": 0},
    # Fourteen.
    {"customers": 18, "periods": 9, "noise": 20, "requests": 14, "pointing": 1, "guidance": 0},
    # Twenty-four.
    {"customers": 24, "periods": 10, "noise": 30, "requests": 24, "pointing": 1, "guidance": 0},
    # Forty; --set requests=N goes on from here.
    {"customers": 30, "periods": 10, "noise": 30, "requests": 40, "pointing": 1, "guidance": 0},
)
