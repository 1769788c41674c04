"""The records of a thread's requests: few enough that the requests meet in the same invoices."""

from dataclasses import dataclass

from families.billing.company.world_builder import WorldBuilder
from trapcli.answers.edits.authoring.scenes import always

SHARES = (6, 8, 9, 11, 12, 13, 14, 16, 17, 18, 21, 22, 24)  # percent


MOST_PLANS, MOST_AMOUNTS = 24, 8  # there are no more names


@dataclass(frozen=True, slots=True)
class Stage:
    """Keys of the records that requests are about.

    subscriptions: each with a plan and a customer of the stage, active since before the first period.
    shares, amounts: codes with a percentage, and codes with a fixed amount.
    """

    customers: tuple[str, ...]
    subscriptions: tuple[str, ...]
    plans: tuple[str, ...]
    shares: tuple[str, ...]
    amounts: tuple[str, ...]


def set_stage(builder: WorldBuilder, requests: int) -> Stage:
    """Add the records for this many requests; a customer has two subscriptions, to different plans."""
    draw, count = builder.draw, 2 + requests // 2
    plans = tuple(builder.add_plan(steady=True) for _ in range(min(MOST_PLANS, 3 + requests // 4)))
    shares = tuple(
        builder.add_code(always(share), "percent")
        for share in draw.sample(SHARES, min(len(SHARES), 2 + requests // 5))
    )
    amounts = tuple(builder.add_code(shape="fixed") for _ in range(min(MOST_AMOUNTS, 1 + requests // 8)))
    builder.reserve(*plans, *shares, *amounts)
    customers, subscriptions = [], []
    codes = [*shares, *shares, *amounts, ""]
    places = draw.shuffled(range(2 * count))
    for number in range(count):
        customer = builder.add_customer(region=draw.choice(sorted(builder.regions)))
        customers.append(customer)
        first, second = draw.sample(plans, 2)
        for plan, place in ((first, places[2 * number]), (second, places[2 * number + 1])):
            # Every plan and code of the stage is in use, as far as there are enough subscriptions.
            plan = plans[place] if place < len(plans) and plans[place] not in (first, second) else plan
            code = [*shares, *amounts][place] if place < len(shares) + len(amounts) else draw.choice(codes)
            subscriptions.append(builder.subscribe(customer, plan=plan, code=code))
            if draw.chance(0.3):
                builder.drafts.add(subscriptions[-1])
    held = {builder.subscriptions[key].plan.latest for key in subscriptions}
    used = {builder.subscriptions[key].code.latest for key in subscriptions}
    return Stage(
        tuple(customers),
        tuple(subscriptions),
        tuple(plan for plan in plans if plan in held),
        tuple(code for code in shares if code in used),
        tuple(code for code in amounts if code in used),
    )
