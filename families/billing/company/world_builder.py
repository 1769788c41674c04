"""A world drawn step by step: a trap places what it needs, then the rest is filled in."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from families.billing.company import vocabulary as words
from families.billing.company.world import (
    NEVER_BILLED,
    Code,
    Customer,
    Invoice,
    Priced,
    Region,
    Subscription,
    Tier,
    World,
)
from families.billing.knobs import Knobs
from trapcli.answers.edits.authoring.plan import PlanFailed
from trapcli.answers.edits.authoring.scenes import History, Ids, always
from trapcli.answers.edits.authoring.ticket_text import months, shift_month
from trapcli.answers.edits.tables import Row
from trapcli.core.draw import Draw


class WorldBuilder:
    """What draws the records of a world; methods that add a record return its key.

    Ids are random, so that their order does not show which records the trap needs.
    """

    def __init__(self, draw: Draw, knobs: Knobs) -> None:
        self.draw, self.knobs = draw, knobs
        first = shift_month(f"{draw.between(2020, 2023)}-01", draw.below(12))
        self.periods = months(first, knobs.periods)
        self.take_id = Ids(draw, 12 * knobs.customers + 8 * (knobs.requests - 1) + 60).take
        self._names = draw.shuffled([f"{a} {b}" for a in words.COMPANY for b in words.TRADE])
        self.regions: dict[str, Region] = {}
        self.tiers: dict[str, Tier] = {}
        self.plans: dict[str, Priced] = {}
        self.addons: dict[str, Priced] = {}
        self.codes: dict[str, Code] = {}
        self.customers: dict[str, Customer] = {}
        self.subscriptions: dict[str, Subscription] = {}
        self.ends: dict[str, str] = {}  # the last period of a cancelled subscription
        self.drafts: set[str] = set()  # subscriptions with a last invoice that must be a draft
        self.issued: set[str] = set()  # subscriptions with a last invoice that must be issued
        self.placed: set[str] = set()  # subscriptions that the trap needs: never redrawn
        self._reserved: set[str] = set()  # ids of plans, add-ons and codes that fillers must not use
        self._fill_catalogue()

    def _fill_catalogue(self) -> None:
        draw, size = self.draw, self.knobs.customers
        self._region_names = draw.shuffled(words.REGION)
        self._rates = draw.shuffled([n for n in range(31, 99) if n % 5])
        if self.knobs.requests > 1:  # at an even number of tenths, the tax on whole dollars is never a tie
            self._rates = [n for n in self._rates if n % 2 == 0]
        for _ in range(draw.between(4, 5) + size // 60):
            self.add_region()
        for name, seats in zip(words.TIER, (5, 25, 100, 500), strict=True):
            self.tiers[self.take_id("TIER")] = Tier(name, seats)
        self._plan_names = shuffled_names(draw, words.PLAN)
        self._prices = draw.shuffled(range(60, 420))
        for _ in range(draw.between(4, 5) + min(40, size // 12)):
            self.add_plan()
        self._addon_names = shuffled_names(draw, words.ADDON)
        self._addon_prices = draw.shuffled(range(7, 98))
        for _ in range(draw.between(3, 4) + min(34, size // 6)):
            self.add_addon()
        more = draw.stream("more codes") if self.knobs.requests > 1 else None
        spare = [word for _ in range(2) for word in more.shuffled(words.CODE)] if more else []
        self._code_words = spare + [word for _ in range(3) for word in draw.shuffled(words.CODE)]
        for _ in range(draw.between(3, 4) + min(20, size // 15)):
            self.add_code()

    def add_region(self, name: str = "") -> str:
        """Add a region; its rate never changes."""
        key = self.take_id("REG")
        self.regions[key] = Region(name or self._region_names.pop(), self._rates.pop())
        return key

    def add_plan(self, name: str = "", steady: bool = False, price: int = 0) -> str:
        """Add a plan; unless it is `steady`, its price may have risen once in the past."""
        key, prices = self.take_id("PLAN"), always(price or self._prices.pop())
        if not steady and self.draw.chance(0.4):
            prices = prices.since(self.draw_later_period(), prices.latest + self.draw.between(3, 30))
        self.plans[key] = Priced(
            always(name or self._plan_names.pop()), prices, self.draw.choice(sorted(self.tiers))
        )
        return key

    def add_twin_regions(self) -> tuple[str, str]:
        """Add two regions with similar names, the plain one first, and often two more as a distraction."""
        pairs = []
        for _ in range(1 + self.draw.chance(0.6)):
            plain = self.add_region()
            ending = self.draw.choice(words.REGION_TWIN)
            pairs.append((plain, self.add_region(f"{self.regions[plain].name} {ending}")))
        return self.draw.choice(pairs)

    def add_addon(self, name: str = "") -> str:
        """Add an add-on; its price never changes."""
        key = self.take_id("ADD")
        self.addons[key] = Priced(always(name or self._addon_names.pop()), always(self._addon_prices.pop()))
        return key

    def add_code(self, percent: History[int | None] | None = None, shape: str = "") -> str:
        """Add a code; the number in its name is not its percentage.

        shape: "percent", "fixed" or "both".
        """
        draw = self.draw
        shape = shape or draw.choice(("percent", "percent", "fixed", "both"))
        share = draw.choice((5, 8, 10, 12, 15, 18, 20, 25))
        if percent is None:
            percent = always(None if shape == "fixed" else share)
        fixed = draw.between(9, 34) if shape != "percent" else None
        word, shares = self._code_words.pop(), [share for _, share in percent.steps]
        free = [n for n in (5, 10, 15, 20, 25, 30, 40) if n not in shares and f"{word}{n}" not in self.codes]
        key = f"{word}{draw.choice(free)}"
        self.codes[key] = Code(
            percent, always(fixed), f"{shift_month(self.periods[-1], draw.between(-3, 12))}-28"
        )
        return key

    def reserve(self, *keys: str) -> None:
        """Keep these plans, add-ons or codes from fillers."""
        self._reserved.update(keys)

    def add_customer(self, name: str = "", region: str = "") -> str:
        """Add a customer; if no region is given, it may have moved in the past."""
        key, draw = self.take_id("CUST"), self.draw
        history = always(region or draw.choice(sorted(self.regions)))
        if not region and draw.chance(0.2):
            history = history.since(draw.choice(self.periods[1:]), draw.choice(sorted(self.regions)))
        signup = f"{shift_month(self.periods[0], -draw.between(15, 40))}-{draw.between(1, 28):02d}"
        self.customers[key] = Customer(name or self._names.pop(), history, signup)
        return key

    def take_name(self) -> str:
        """Return a customer name that is not used."""
        return self._names.pop()

    def free_keys(self, items: dict[str, Any]) -> list[str]:
        """Return the keys that fillers may use, sorted."""
        return sorted(items.keys() - self._reserved)

    def draw_addons(self, most: int = 2) -> tuple[str, ...]:
        """Return up to `most` add-ons that fillers may use."""
        free = self.free_keys(self.addons)
        return tuple(sorted(self.draw.sample(free, min(len(free), self.draw.between(0, most)))))

    def subscribe(
        self,
        customer: str,
        *,
        plan: History[str] | str = "",
        addons: tuple[str, ...] | None = None,
        code: History[str] | str | None = None,
        active: bool = True,
        whole: bool = True,
        placed: bool = True,
    ) -> str:
        """Add a subscription; what is not given is drawn.

        whole: whether it began before the first period.
        placed: whether the trap needs it as it is.
        """
        key, draw = self.take_id("SUB", 4), self.draw
        since = -draw.between(0, 14) if whole else draw.between(0, len(self.periods) - 2)
        start = f"{shift_month(self.periods[0], since)}-01"
        self.subscriptions[key] = Subscription(
            always(customer),
            _history(plan or draw.choice(self.free_keys(self.plans))),
            always(self.draw_addons() if addons is None else addons),
            _history(draw.choice(["", *self.free_keys(self.codes)]) if code is None else code),
            active,
            start,
        )
        if not active:
            billed = [period for period in self.periods[:-1] if period >= start[:7]]
            self.ends[key] = draw.choice(billed[len(billed) // 2 :])
        if placed:
            self.placed.add(key)
        return key

    def add_filler(self, customer: str) -> str:
        """Add a subscription that is not part of the trap, with a history of its own."""
        draw = self.draw
        key = self.subscribe(customer, whole=draw.chance(0.6), active=draw.chance(0.85), placed=False)
        drawn = self.subscriptions[key]
        if not drawn.active:
            return key
        if draw.chance(0.3):
            drawn = replace(
                drawn,
                plan=drawn.plan.since(self.draw_later_period(), draw.choice(self.free_keys(self.plans))),
            )
        if draw.chance(0.3):
            drawn = replace(drawn, addons=drawn.addons.since(self.draw_later_period(), self.draw_addons()))
        if draw.chance(0.3):
            drawn = replace(
                drawn,
                code=drawn.code.since(
                    self.draw_later_period(), draw.choice(["", *self.free_keys(self.codes)])
                ),
            )
        self.subscriptions[key] = drawn
        return key

    def draw_later_period(self) -> str:
        """Return a period after the first."""
        return self.draw.choice(self.periods[1:])

    def fill(self) -> None:
        """Add customers up to the number in the knobs, and at least two that are not in the ticket."""
        for _ in range(max(2, self.knobs.customers - len(self.customers))):
            customer = self.add_customer()
            for _ in range(self.draw.between(1, self.knobs.subscriptions)):
                self.add_filler(customer)
        if not any(self.may_be_draft(key) for key in self.subscriptions.keys() - self.placed):
            raise PlanFailed("nobody but the ticket's customers can have a draft")

    def may_be_draft(self, key: str) -> bool:
        """Whether the last invoice of a subscription may be a draft."""
        return self.subscriptions[key].active and key not in self.issued

    def world(self) -> World:
        """Return the world; its invoices are numbered by period, in random order within a period."""
        draw = self.draw.stream("invoices")
        others = sorted(
            key for key in self.subscriptions if key not in self.placed and self.may_be_draft(key)
        )
        drafts = self.drafts | {draw.choice(others)}
        drafts |= {key for key in sorted(self.subscriptions) if self.may_be_draft(key) and draw.chance(0.3)}
        invoices, number = {}, draw.between(10000, 40000)
        for period in self.periods:
            for key in draw.shuffled(sorted(self.subscriptions)):
                if self.subscriptions[key].start[:7] > period or self.ends.get(key, NEVER_BILLED) < period:
                    continue
                number += draw.between(1, 3)
                last = period == self.periods[-1]
                status = "draft" if last and key in drafts else draw.choice(("open", "paid", "paid"))
                invoices[f"INV-{number}"] = Invoice(key, period, status)
        return World(
            self.regions,
            self.tiers,
            self.plans,
            self.addons,
            self.codes,
            self.customers,
            dict(self.subscriptions),
            invoices,
            self._noise(draw),
        )

    def redraw(self, file: str, row: Row) -> None:
        """Give the invoice's subscription other add-ons; PlanFailed if the trap needs it as it is."""
        key = row["subscription_id"]
        if key in self.placed:
            raise PlanFailed("a figure of the answer is on an invoice that the trap needs")
        free = self.free_keys(self.addons)
        addons = tuple(sorted(self.draw.sample(free, self.draw.between(0, min(3, len(free))))))
        self.subscriptions[key] = replace(self.subscriptions[key], addons=always(addons))

    def _noise(self, draw: Draw) -> dict[str, list[dict[str, str]]]:
        customers, codes = sorted(self.customers), sorted(self.codes)

        def day() -> str:
            return f"{draw.choice(self.periods)}-{draw.between(1, 28):02d}"

        tickets = [
            {
                "support_ticket_id": f"ST-{300 + i}",
                "customer_id": draw.choice(customers),
                "opened_on": day(),
                "subject": draw.choice(words.COMPLAINT),
                "state": draw.choice(("open", "closed")),
            }
            for i in range(self.knobs.noise)
        ]
        campaigns = []
        for i in range(self.knobs.noise):
            code, start = draw.choice(codes), day()
            campaigns.append(
                {
                    "campaign_id": f"MC-{50 + i}",
                    "campaign_name": draw.choice(words.CAMPAIGN),
                    "code": code,
                    "starts_on": min(start, f"{shift_month(self.codes[code].expires[:7], -2)}-15"),
                    "budget_usd": f"{draw.between(4, 90) * 100}.00",
                }
            )
        return {"support_tickets.csv": tickets, "marketing_campaigns.csv": campaigns}


def shuffled_names(draw: Draw, plain: Sequence[str]) -> list[str]:
    """Return names to take from the end: first the plain ones, then longer ones that begin with them."""
    return draw.shuffled([f"{name} {ending}" for name in plain for ending in words.LINE]) + draw.shuffled(
        plain
    )


def _history(value: History[str] | str) -> History[str]:
    return value if isinstance(value, History) else always(value)
