"""All obstacles, in the order in which they find their places."""

from families.ledger.obstacles.base import Obstacle, Placing
from families.ledger.obstacles.customers import PaidByAnother, RecodedCustomer, WrongPosting
from families.ledger.obstacles.entries import CreditNote, ReturnedPayment, WithdrawnLine, WrittenOff
from families.ledger.obstacles.files import CountedTwice, FirstExport, LateEntries, OtherFormat
from families.ledger.obstacles.outside import OpeningItems, OtherAccount, PriorYear, StrayEntry
from trapcli.core.draw import Draw

KINDS: tuple[type[Obstacle], ...] = (
    ReturnedPayment, CreditNote, WrittenOff, OpeningItems,  # they are in the entries from the beginning
    RecodedCustomer, LateEntries, FirstExport, OtherAccount, StrayEntry, WrongPosting, PaidByAnother,
    WithdrawnLine, PriorYear, CountedTwice, OtherFormat,
)  # fmt: skip
SIMPLE = (LateEntries, RecodedCustomer, PriorYear, OtherAccount)  # all that the first levels have
IN_ENTRIES = (ReturnedPayment, CreditNote, WrittenOff, OpeningItems)


def placing(kind: type[Obstacle]) -> Placing:
    return kind.places  # type: ignore[attr-defined,no-any-return]


def draw_kinds(draw: Draw, count: int) -> list[type[Obstacle]]:
    """Draw the kinds of a case's obstacles, in the order in which they find their places.

    A year opens either with open items or after a year that was closed out. A stray entry needs the
    other account's file.
    """
    pool = SIMPLE if count <= len(SIMPLE) else KINDS
    chosen: list[type[Obstacle]] = []
    for kind in draw.shuffled(pool):
        if len(chosen) == count:
            break
        if kind in (OpeningItems, PriorYear) and {OpeningItems, PriorYear} & {*chosen}:
            continue
        if kind is StrayEntry and OtherAccount not in chosen:
            if len(chosen) + 2 > count:
                continue
            chosen.append(OtherAccount)
        if kind not in chosen:
            chosen.append(kind)
    return [kind for kind in KINDS if kind in chosen]
