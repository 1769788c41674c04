"""The knobs of payout, and its levels from the easiest to the hardest."""

from dataclasses import dataclass

from trapcli.core.knobs import knob


@dataclass(frozen=True, slots=True)
class Knobs:
    """How large and how hard a payout case is."""

    suppliers: int = knob(5, 5, 200, "vendors who supply the store")
    listings: int = knob(8, 5, 500, "listings in the catalog: a product as one vendor supplies it")
    sales: int = knob(24, 12, 8000, "retail sales, about")
    orders: int = knob(7, 3, 1500, "b2b sales, about")
    weeks: int = knob(8, 4, 52, "weeks that the sales spread over")
    affected: int = knob(4, 4, 24, "sales that the ticket covers, about", private=True)
    distractors: int = knob(2, 0, 40, "vendors, listings and sales that look covered and are not")
    noise: int = knob(4, 0, 300, "rows in each table that no report reads")


def _level(
    size: tuple[int, int, int, int, int], affected: int, distractors: int, noise: int
) -> dict[str, int]:
    """Return the knobs of a level.

    size: suppliers, listings, sales, orders and weeks.
    """
    names = ("suppliers", "listings", "sales", "orders", "weeks")
    return dict(zip(names, size, strict=True)) | {
        "affected": affected,
        "distractors": distractors,
        "noise": noise,
    }


LEVELS: tuple[dict[str, int], ...] = (
    {"listings": 6, "sales": 16, "orders": 4, "weeks": 4, "distractors": 0, "noise": 2},
    {},
    _level((8, 18, 70, 16, 10), affected=6, distractors=4, noise=8),
    _level((14, 50, 240, 50, 14), affected=8, distractors=6, noise=20),
    _level((26, 120, 800, 140, 20), affected=12, distractors=8, noise=40),
    _level((40, 240, 2000, 320, 32), affected=16, distractors=14, noise=80),
    _level((70, 420, 4500, 700, 48), affected=24, distractors=20, noise=120),
)
