"""A supermarket that sells goods of vendors, and the tables of its records.

A listing is a product as one vendor supplies it; its terms have a history by day. A retail sale
records its payout and a b2b order its terms, as of its day. A case is two worlds, one as recorded and
one as it should be, and its gold edits are the difference between their tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trapcli.answers.edits.authoring.scenes import History, dollars
from trapcli.answers.edits.tables import Row, Tables

COMPLETE = "COMPLETE"
GRID = 20  # cents: a share in steps of 5% of a multiple of this is whole cents


@dataclass(frozen=True, slots=True)
class Supplier:
    """A vendor."""

    name: str
    currency: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What a vendor gets of a sale.

    percent: a share, in whole percent; it counts if `fixed` is None.
    fixed: cents for each unit.
    """

    percent: int | None = None
    fixed: int | None = None

    def payout(self, units: int, amount: int) -> int:
        """Return the payout of a sale in cents; ValueError if it is not a whole number."""
        if self.fixed is not None:
            return self.fixed * units
        assert self.percent is not None
        owed, rest = divmod(self.percent * amount, 100)
        if rest:
            raise ValueError(f"{self.percent}% of {amount} cents is not a whole number of cents")
        return owed


@dataclass(frozen=True, slots=True)
class Listing:
    """A product as one vendor supplies it."""

    sku: str
    product: str
    supplier: str
    terms: History[Terms]


@dataclass(frozen=True, slots=True)
class Sale:
    """A retail sale, with amounts in cents.

    recorded: whether its payout is recorded.
    """

    listing: str
    day: str
    status: str
    recorded: bool
    units: int
    gross: int
    fee: int
    commission: int
    promo: str = ""
    bundle: str = ""

    @property
    def net(self) -> int:
        """What a share is taken of."""
        return self.gross - self.fee - self.commission


@dataclass(frozen=True, slots=True)
class Order:
    """A b2b sale; the price is that of a unit, in cents."""

    listing: str
    day: str
    status: str
    units: int
    price: int

    @property
    def net(self) -> int:
        """What a share is taken of: all of the gross."""
        return self.units * self.price


@dataclass(frozen=True, slots=True)
class World:
    """All records by their ids.

    noise: the rows of the tables that no report reads.
    """

    suppliers: Mapping[str, Supplier]
    listings: Mapping[str, Listing]
    sales: Mapping[str, Sale]
    orders: Mapping[str, Order]
    noise: Mapping[str, list[Row]] = field(default_factory=dict)


def _share(terms: Terms) -> Row:
    """Return the two cells for terms; the one that does not apply is blank."""
    if terms.fixed is not None:
        return {"vendor_share_pct": "", "vendor_share_fixed_usd": dollars(terms.fixed)}
    return {"vendor_share_pct": dollars(terms.percent or 0), "vendor_share_fixed_usd": ""}


def _catalog_rows(world: World) -> list[Row]:
    return [
        {
            "product_id": key,
            "sku": listing.sku,
            "product_name": listing.product,
            "supplier_id": listing.supplier,
            **_share(terms),
            "effective_from": start,
        }
        for key, listing in sorted(world.listings.items())
        for start, terms in listing.terms.steps
    ]


def _common_cells(world: World, item: Sale | Order) -> Row:
    """Return the cells of a sale that retail and b2b have in common."""
    listing = world.listings[item.listing]
    return {
        "product_id": item.listing,
        "sku": listing.sku,
        "supplier_name": world.suppliers[listing.supplier].name,
        "sale_date": item.day,
    }


def _sale_row(world: World, key: str, sale: Sale) -> Row:
    terms = world.listings[sale.listing].terms.at(sale.day)
    return {
        "transaction_id": key,
        **_common_cells(world, sale),
        "units": str(sale.units),
        "revenue_gross_usd": dollars(sale.gross),
        "transaction_fee_usd": dollars(sale.fee),
        "affiliate_commission_usd": dollars(sale.commission),
        "status": sale.status,
        "promo_id": sale.promo,
        "bundle_name": sale.bundle,
        "vendor_payout_usd": dollars(terms.payout(sale.units, sale.net)) if sale.recorded else "",
    }


def _order_row(world: World, key: str, order: Order) -> Row:
    terms = world.listings[order.listing].terms.at(order.day)
    return {
        "b2b_txn_id": key,
        **_common_cells(world, order),
        "unit_count": str(order.units),
        "unit_price_usd": dollars(order.price),
        "revenue_gross_usd": dollars(order.net),
        **_share(terms),
        "status": order.status,
    }


def tables(world: World) -> dict[str, list[Row]]:
    """Return the seven tables, with rows in the order of their keys."""

    def rows(records: Mapping[str, Any], row: Any) -> list[Row]:
        return [row(world, key, records[key]) for key in sorted(records)]

    return {
        "catalog.csv": _catalog_rows(world),
        "suppliers.csv": rows(
            world.suppliers,
            lambda _, key, supplier: {
                "supplier_id": key,
                "supplier_name": supplier.name,
                "supplier_currency": supplier.currency,
            },
        ),
        "transactions.csv": rows(world.sales, _sale_row),
        "b2b_details.csv": rows(world.orders, _order_row),
        **world.noise,
    }


def write_tables(recorded: World, right: World) -> tuple[Tables, Tables]:
    """Return the tables of both worlds; in both, a sale that is not complete stays as recorded."""
    before, after = tables(recorded), tables(right)
    for file in ("transactions.csv", "b2b_details.csv"):
        pairs = zip(before[file], after[file], strict=True)
        after[file] = [new if old["status"] == COMPLETE else old for old, new in pairs]
    return before, after
