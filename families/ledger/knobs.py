"""The knobs of both families, and their levels from easy to hard."""

from collections.abc import Mapping
from dataclasses import dataclass

from trapcli.core.knobs import knob

Levels = tuple[Mapping[str, int], ...]


@dataclass(frozen=True, slots=True)
class CloseKnobs:
    months: int = knob(7, 3, 12, "months of entries")
    per_month: int = knob(13, 12, 40, "entries in a month's file")
    supplement: int = knob(3, 1, 8, "entries booked late")
    decoys: int = knob(2, 1, 4, "files that do not belong: last year's, another account's")
    min_change_evidence: int = knob(3, 1, 8, "receipts in the memo that show the changeover, at least")
    customers: int = knob(6, 4, 20, "customers; at most one per 8 entries")


@dataclass(frozen=True, slots=True)
class AuditKnobs:
    months: int = knob(5, 3, 12, "months of entries")
    per_month: int = knob(14, 12, 40, "entries of a month")
    delayed: int = knob(25, 10, 60, "percent of the entries posted days after their date")
    min_change_evidence: int = knob(3, 1, 8, "worked receipts that show the changeover, at least")
    customers: int = knob(5, 4, 20, "customers; at most one per 8 entries")


CLOSE_LEVELS: Levels = (
    {"months": 3, "per_month": 14, "supplement": 2, "decoys": 1, "customers": 5},
    {"months": 5, "per_month": 14, "supplement": 2, "decoys": 1, "customers": 5},
    {},
    {"months": 8, "per_month": 16, "supplement": 4, "decoys": 3, "customers": 6},
    {"months": 9, "per_month": 20, "supplement": 4, "decoys": 3, "customers": 7},
    {"months": 11, "per_month": 24, "supplement": 5, "decoys": 4, "customers": 8},
    {"months": 12, "per_month": 28, "supplement": 6, "decoys": 4, "customers": 9},
)

AUDIT_LEVELS: Levels = (
    {"months": 4, "per_month": 14, "customers": 5, "delayed": 15},
    {"months": 4, "per_month": 16, "delayed": 20},
    {},
    {"months": 6, "per_month": 16, "customers": 6, "delayed": 30},
    {"months": 8, "per_month": 18, "customers": 6, "delayed": 35},
    {"months": 10, "per_month": 22, "customers": 7, "delayed": 40},
    {"months": 12, "per_month": 28, "customers": 9, "delayed": 45},
)
