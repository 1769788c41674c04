"""A world drawn step by step: a trap places what it needs, then the rest is filled in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TypeVar

from families.payout.knobs import Knobs
from families.payout.store import vocabulary as words
from families.payout.store.world import (
    COMPLETE,
    GRID,
    Listing,
    Order,
    Sale,
    Supplier,
    Terms,
    World,
)
from trapcli.answers.edits.authoring.scenes import History, Ids, dollars
from trapcli.answers.edits.tables import Row
from trapcli.core.draw import Draw

Dated = TypeVar("Dated", Sale, Order)


def days_after(day: str, by: int) -> str:
    """Return the day ("YYYY-MM-DD") `by` days later; earlier if negative."""
    return (date.fromisoformat(day) + timedelta(days=by)).isoformat()


@dataclass(frozen=True, slots=True)
class Price:
    """What a unit usually costs, in cents; in a sale it may cost some steps less."""

    usual: int
    step: int


class WorldBuilder:
    """What draws the records of a world; methods that add a vendor or a listing return its key.

    Ids are random, so that their order does not show which records the trap needs.
    """

    def __init__(self, draw: Draw, knobs: Knobs) -> None:
        self.draw, self.knobs = draw, knobs
        self.first = f"{draw.between(2020, 2023)}-{draw.between(1, 12):02d}-{draw.between(1, 28):02d}"
        self.last = days_after(self.first, 7 * knobs.weeks - 1)
        self._ids = Ids(draw, 900 + knobs.listings)
        self._vendor_names = draw.shuffled([f"{a} {b}" for a in words.VENDOR for b in words.TRADE])
        self._products = draw.shuffled([f"{name} {size}" for name in words.PRODUCT for size in words.SIZE])
        self.suppliers: dict[str, Supplier] = {}
        self.listings: dict[str, Listing] = {}
        self._prices: dict[str, Price] = {}
        self._pairs: set[tuple[str, str]] = set()  # (product, supplier) of every listing
        self._reserved: set[str] = set()  # listings that fillers must not sell
        self._drawn: tuple[list[Sale], list[Order]] = ([], [])
        self.sales: dict[str, Sale] = {}
        self.orders: dict[str, Order] = {}
        self._promotions = self._draw_promotions()

    def add_supplier(self, name: str = "") -> str:
        """Add a vendor."""
        key = self._ids.take("SUP")
        self.suppliers[key] = Supplier(name or self._vendor_names.pop(), self.draw.choice(words.CURRENCY))
        return key

    def take_product(self) -> str:
        """Return the name of a product that nobody lists yet."""
        return self._products.pop()

    def draw_share(self, *not_these: int | None) -> Terms:
        """Return terms with a share, in steps of 5%."""
        return Terms(self.draw.choice([n for n in range(40, 90, 5) if n not in not_these]))

    def draw_fixed(self, usual: int) -> Terms:
        """Return terms with less than half the usual price for each unit, but not near a share of it."""
        while True:
            amount = self.draw.between(usual * 30 // 100, usual * 48 // 100)
            over = 20 * amount % usual  # shares come in steps of a twentieth
            if min(over, usual - over) > 20:
                return Terms(fixed=amount)

    def draw_terms(self, usual: int, *not_these: Terms) -> Terms:
        """Return terms for a product of this usual price, more often a share than a fixed amount."""
        while True:
            drawn = self.draw_fixed(usual) if self.draw.chance(0.25) else self.draw_share()
            if drawn not in not_these:
                return drawn

    def draw_price(self, step: int = 0) -> Price:
        """Return a price.

        step: every amount of a sale is a multiple of it; by default a price may be any number of cents.
        """
        if step:
            return Price(step * self.draw.between(1 + 300 // step, 2400 // step), step)
        return Price(self.draw.between(3, 23) * 100 + self.draw.choice((25, 49, 50, 79, 95, 99)), GRID)

    def draw_listing_day(self) -> str:
        """Return a day on which a listing may have begun, before the first sale."""
        return days_after(self.first, -self.draw.between(10, 420))

    def add_listing(
        self, product: str, supplier: str, terms: History[Terms] | None = None, price: Price | None = None
    ) -> str:
        """Add a listing; terms that are not given may change once, also after the last sale."""
        key, draw = self._ids.take("PID"), self.draw
        self._prices[key] = price or self.draw_price()
        if terms is None:
            usual = self._prices[key].usual
            terms = History(((self.draw_listing_day(), self.draw_terms(usual)),))
            if draw.chance(0.35):
                late = days_after(self.last, draw.between(1, 40))
                changed = late if draw.chance(0.3) else self.draw_day(days_after(self.first, 1), self.last)
                terms = terms.since(changed, self.draw_terms(usual, terms.latest))
        initials = "".join(word[0] for word in self.suppliers[supplier].name.split()[:2])
        sku = self._ids.take("SKU", 4) + f"-{initials}"
        self.listings[key] = Listing(sku, product, supplier, terms)
        self._pairs.add((product, supplier))
        return key

    def reserve(self, *listings: str) -> None:
        """Keep these from fillers; each retail sale of them has several units."""
        self._reserved.update(listings)

    def draw_day(self, low: str, high: str) -> str:
        """Return a day from low to high, both included."""
        span = (date.fromisoformat(high) - date.fromisoformat(low)).days
        return days_after(low, self.draw.between(0, span))

    def draw_days(self, count: int, first: str) -> list[str]:
        """Return `count` days in order: `first`, then later ones up to the last day of the world."""
        return [first, *sorted(self.draw_day(days_after(first, 1), self.last) for _ in range(count - 1))]

    def draw_boundary(self) -> str:
        """Return a day from which a ticket may count: well after the first sale and before the last."""
        whole = 7 * self.knobs.weeks
        return days_after(self.first, self.draw.between(whole * 3 // 10, whole // 2))

    def add_sale(self, listing: str, day: str, status: str = COMPLETE, recorded: bool = True) -> None:
        """Add a retail sale.

        recorded: whether its payout is recorded.
        """
        sale = Sale(listing, day, status, recorded, 0, 0, 0, 0, *self._draw_advertising(day))
        self._drawn[0].append(self._with_sale_figures(sale))

    def add_order(self, listing: str, day: str, status: str = COMPLETE) -> None:
        """Add a b2b sale."""
        self._drawn[1].append(self._with_order_figures(Order(listing, day, status, 0, 0)))

    def _with_sale_figures(self, sale: Sale) -> Sale:
        """Return the sale with other figures; its net is a multiple of `GRID`, so that a share is exact."""
        draw, price = self.draw, self._prices[sale.listing]
        units = draw.between(2 if sale.listing in self._reserved else 1, 9)
        lower = draw.between(1, max(1, min(6, price.usual // price.step // 3))) if draw.chance(0.4) else 0
        gross = units * (price.usual - lower * price.step)
        commission = draw.between(3, 7) * gross // 100 if draw.chance(0.35) else 0
        least = gross * draw.between(14, 29) // 1000 + 5
        fee = least + (gross - commission - least) % GRID
        return replace(sale, units=units, gross=gross, fee=fee, commission=commission)

    def _with_order_figures(self, order: Order) -> Order:
        """Return the order with other figures; its price is a multiple of `GRID`, because all steps are."""
        draw, price = self.draw, self._prices[order.listing]
        usual = max(2, price.usual * 4 // 5 // price.step)
        return replace(
            order, units=draw.between(10, 90), price=price.step * (usual - draw.between(0, usual // 4))
        )

    def _draw_promotions(self) -> list[Row]:
        def promotion(i: int) -> Row:
            start = self.draw_day(self.first, self.last)
            return {
                "promo_id": f"PROMO-{40 + i}",
                "promo_name": self.draw.choice(words.PROMOTION),
                "starts_on": start,
                "ends_on": days_after(start, self.draw.between(5, 20)),
            }

        return [promotion(i) for i in range(self.knobs.noise)]

    def _draw_advertising(self, day: str) -> tuple[str, str]:
        """Return the promotion and the bundle of a sale on this day, or "" for none."""
        running = [row["promo_id"] for row in self._promotions if row["starts_on"] <= day <= row["ends_on"]]
        promo = self.draw.choice(running) if running and self.draw.chance(0.4) else ""
        return promo, self.draw.choice(words.BUNDLE) if self.draw.chance(0.12) else ""

    def fill(self) -> None:
        """Add vendors, listings and sales up to the numbers in the knobs, and give all sales an id."""
        draw, knobs = self.draw, self.knobs
        while len(self.suppliers) < knobs.suppliers:
            self.add_supplier()
        product = ""
        for _ in range(max(2, knobs.listings - len(self.listings))):
            others = [key for key in sorted(self.suppliers) if (product, key) not in self._pairs]
            if not product or not others or draw.chance(0.7):
                product, others = self.take_product(), sorted(self.suppliers)
            self.add_listing(product, draw.choice(others))
        free = sorted(self.listings.keys() - self._reserved)
        sales, orders = self._drawn
        for _ in range(max(3, knobs.sales - len(sales))):
            self.add_sale(
                draw.choice(free), self.draw_day(self.first, self.last), self._status(), draw.chance(0.85)
            )
        for _ in range(max(2, knobs.orders - len(orders))):
            self.add_order(draw.choice(free), self.draw_day(self.first, self.last), self._status())
        self.sales, self.orders = self._number("TXN", sales), self._number("B2B", orders)
        self._noise = self._noise_rows()

    def _status(self) -> str:
        return COMPLETE if self.draw.chance(0.82) else self.draw.choice(words.STATUS)

    def _number(self, prefix: str, items: Sequence[Dated]) -> dict[str, Dated]:
        """Return the sales by id; ids follow the days, in random order within a day."""
        number, found = self.draw.between(2000, 7000), {}
        for item in sorted(self.draw.shuffled(items), key=lambda item: item.day):
            number += self.draw.between(1, 3)
            found[f"{prefix}-{number:05d}"] = item
        return found

    def _noise_rows(self) -> dict[str, list[Row]]:
        draw, listings = self.draw, sorted(self.listings)

        def discount(i: int) -> Row:
            start = self.draw_day(self.first, self.last)
            return {
                "discount_id": f"PD-{10 + i}",
                "product_id": draw.choice(listings),
                "discount_pct": dollars(draw.choice((5, 10, 15, 20))),
                "starts_on": start,
                "ends_on": days_after(start, draw.between(5, 30)),
            }

        rates = [
            {
                "rate_date": days_after(self.first, 7 * (i // 3)),
                "currency": ("CAD", "EUR", "GBP")[i % 3],
                "usd_per_unit": f"{draw.between(*((70, 76), (104, 113), (122, 131))[i % 3]) / 100:.2f}",
            }
            for i in range(self.knobs.noise)
        ]
        discounts = [discount(i) for i in range(self.knobs.noise)]
        return {
            "promotions.csv": self._promotions,
            "product_discounts.csv": discounts,
            "currency_rates.csv": rates,
        }

    def sales_of(self, listing: str) -> list[Sale | Order]:
        """Return all sales of the listing, retail and b2b."""
        every: list[Sale | Order] = [*self.sales.values(), *self.orders.values()]
        return [item for item in every if item.listing == listing]

    def world(self) -> World:
        """Return the world as recorded."""
        return World(self.suppliers, self.listings, dict(self.sales), dict(self.orders), self._noise)

    def redraw(self, file: str, row: Row) -> None:
        """Give a sale other figures."""
        if file == "transactions.csv":
            key = row["transaction_id"]
            self.sales[key] = self._with_sale_figures(self.sales[key])
        else:
            key = row["b2b_txn_id"]
            self.orders[key] = self._with_order_figures(self.orders[key])
