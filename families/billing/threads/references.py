"""How a thread names the records: by name, or by what is true of one of them only."""

from collections import Counter
from collections.abc import Callable, Mapping

from families.billing.company.world import World, invoice_row
from families.billing.threads.phrases import patterns
from trapcli.answers.edits.authoring import ticket_text
from trapcli.core.draw import Draw
from trapcli.wording.grammar import expand

POINTED = 0.55  # of the mentions of a record point at it, where the knob says so


class References:
    """Names for the records of a world as recorded.

    pointing: whether records are also pointed at by what is true of them alone.
    """

    def __init__(self, draw: Draw, world: World, pointing: bool) -> None:
        self.draw, self.world, self.pointing = draw, world, pointing
        subscriptions = world.subscriptions.values()
        self._regions: Mapping[str, str] = {
            key: customer.region.latest for key, customer in world.customers.items()
        }
        self._in_region = Counter(
            pair
            for pair in {
                (item.customer.latest, self._regions[item.customer.latest], item.plan.latest)
                for item in subscriptions
                if item.active
            }
        )
        self._fitting = Counter((region, plan) for _, region, plan in self._in_region)
        self._named = Counter((item.customer.latest, item.plan.latest) for item in subscriptions)
        rows = [invoice_row(world, key) for key in sorted(world.invoices)]
        issued = [row for row in rows if row["baked_total_usd"]]
        same = Counter((row["period"], row["baked_total_usd"]) for row in issued)
        self._totals: dict[str, list[tuple[str, str]]] = {}
        for row in issued:
            if same[row["period"], row["baked_total_usd"]] == 1:
                self._totals.setdefault(row["subscription_id"], []).append(
                    (row["period"], row["baked_total_usd"])
                )

    def customer(self, key: str, plain: bool = False) -> str:
        """Return a customer's name, or a description that fits no other."""
        name = self.world.customers[key].name
        if plain or not self._points():
            return name
        plans = sorted(
            plan for (customer, region, plan) in self._in_region
            if customer == key and self._fitting[region, plan] == 1
        )  # fmt: skip
        if not plans:
            return name
        slots = {"region": self.region(self._regions[key]), "plan": self.plan(self.draw.choice(plans))}
        return self._say("customer by plan", slots)

    def subscription(self, key: str) -> str:
        """Return a description of a subscription that fits no other."""
        item = self.world.subscriptions[key]
        totals = self._totals.get(key, [])
        alone = self._named[item.customer.latest, item.plan.latest] == 1
        if totals and (not alone or self._points()):
            period, total = self.draw.choice(totals)
            slots = {"month": self.month(period), "total": f"${total}"}
            return self._say("sub by total", slots)
        slots = {
            "customer": self.customer(item.customer.latest, plain=True),
            "plan": self.plan(item.plan.latest),
        }
        return self._say("sub named", slots)

    def code(self, key: str) -> str:
        """Return a code's name, or the subscription that has it now."""
        name = self.draw.choice((key, key, f"the code {key}"))
        if not self._points():
            return name
        holders = [
            item
            for item in self.world.subscriptions.values()
            if item.code.latest == key and self._named[item.customer.latest, item.plan.latest] == 1
        ]
        if not holders:
            return name
        item = self.draw.choice(holders)
        slots = {
            "customer": self.customer(item.customer.latest, plain=True),
            "plan": self.plan(item.plan.latest),
        }
        return self._say("code by sub", slots)

    def plan(self, key: str) -> str:
        return self.world.plans[key].name.latest

    def addon(self, key: str) -> str:
        return self.world.addons[key].name.latest

    def region(self, key: str) -> str:
        return self.world.regions[key].name

    def month(self, period: str) -> str:
        return ticket_text.month(self.draw, period)

    def day(self, day: str) -> str:
        return ticket_text.date(self.draw, day)

    def dollars(self, amount: int) -> str:
        return ticket_text.dollars(self.draw, amount)

    def percent(self, share: int) -> str:
        return ticket_text.percent(self.draw, share)

    def _points(self) -> bool:
        return self.pointing and self.draw.chance(POINTED)

    def _say(self, section: str, slots: Mapping[str, str | Callable[[], str]]) -> str:
        return expand(self.draw, self.draw.choice(patterns(section)), slots)
