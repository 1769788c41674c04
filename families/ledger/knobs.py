"""The knobs of both families, and their levels from easy to hard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trapcli.core.knobs import knob

Levels = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class CloseKnobs:
    months: int = knob(7, 3, 12, "months of entries")
    per_month: int = knob(13, 12, 40, "entries in a month's file")
    customers: int = knob(6, 4, 20, "customers; at most one per 8 entries")
    obstacles: int = knob(4, 2, 12, "things to notice; up to 4 they are the simple ones")
    changeovers: int = knob(1, 1, 3, "how often the practice differs")
    drawn_orders: int = knob(
        0, 0, 1, "1: the orders of the practice are drawn; 0: cited first, then oldest first"
    )
    mails: int = knob(
        0,
        0,
        20_000,
        "customers' mails; 0, or 20 and more with drawn orders and 10 months",
    )


@dataclass(frozen=True, slots=True)
class AuditKnobs:
    months: int = knob(5, 3, 12, "months of entries")
    per_month: int = knob(14, 12, 40, "entries of a month")
    delayed: int = knob(25, 10, 60, "percent of the entries posted days after their date")
    customers: int = knob(5, 4, 20, "customers; at most one per 8 entries")
    changeovers: int = knob(1, 1, 2, "how often the practice differs")
    drawn_orders: int = knob(
        0, 0, 1, "1: the orders of the practice are drawn; 0: cited first, then oldest first"
    )


CLOSE_LEVELS: Levels = (
    # Two of the four simple obstacles, and a practice that changes once.
    {"months": 4, "per_month": 14, "customers": 5, "obstacles": 2},
    # Three of them, in five months.
    {"months": 5, "per_month": 14, "customers": 5, "obstacles": 3},
    # All four, in seven months.
    {},
    # Orders that differ from case to case, and obstacles of all kinds.
    {"months": 8, "per_month": 16, "obstacles": 5, "drawn_orders": 1},
    # A practice that differs twice, and seven obstacles.
    {"months": 9, "per_month": 18, "customers": 7, "obstacles": 7, "changeovers": 2, "drawn_orders": 1},
    # Customers who write: some forty mails.
    {"months": 11, "per_month": 18, "customers": 7, "obstacles": 6, "changeovers": 2, "drawn_orders": 1,
     "mails": 40},
    # A hundred and fifty mails, and eight obstacles.
    {"months": 12, "per_month": 18, "customers": 7, "obstacles": 8, "changeovers": 2, "drawn_orders": 1,
     "mails": 150},
    # Four hundred mails.
    {"months": 12, "per_month": 20, "customers": 8, "obstacles": 8, "changeovers": 2, "drawn_orders": 1,
     "mails": 400},
    # Eight hundred mails, ten obstacles, and a practice that differs three times.
    {"months": 12, "per_month": 22, "customers": 8, "obstacles": 10, "changeovers": 3, "drawn_orders": 1,
     "mails": 800},
    # Twelve hundred mails; --set mails=N goes on from here.
    {"months": 12, "per_month": 22, "customers": 8, "obstacles": 10, "changeovers": 3, "drawn_orders": 1,
     "mails": 1_200},
)  # fmt: skip

AUDIT_LEVELS: Levels = (
    {"months": 4, "per_month": 16, "delayed": 15},
    {"months": 5, "per_month": 14, "delayed": 20},
    {},
    {"months": 6, "per_month": 16, "customers": 6, "delayed": 30, "drawn_orders": 1},
    {"months": 8, "per_month": 18, "customers": 6, "delayed": 35, "drawn_orders": 1},
    {"months": 10, "per_month": 20, "customers": 7, "delayed": 40, "changeovers": 2, "drawn_orders": 1},
    {"months": 12, "per_month": 24, "customers": 8, "delayed": 45, "changeovers": 2, "drawn_orders": 1},
)
