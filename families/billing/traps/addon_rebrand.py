"""Trap: an add-on gets a new name and price, explicitly without a backfill."""

from dataclasses import replace

from families.billing.company import vocabulary as words
from families.billing.company.world import NEVER_BILLED, World
from families.billing.company.world_builder import WorldBuilder
from families.billing.distractors import (
    Target,
    add_former_subscriber,
    add_prompt_mover,
    add_twin_code,
    add_twin_customer,
    draw_asides,
    place_distractors,
    twin_name,
)
from families.billing.planner import PLANNER
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import Scene

TITLES = (
    "{old} becomes {new}",
    "Rebranding of {old}",
    "New name and price for {old}",
    "{new} (was {old})",
)
BODIES = (
    "Product renamed the add-on {old}: it is called {new} now and costs {price} a month. Please make "
    "the change for what we sell from here on. No backfill: not one invoice is to be touched, drafts "
    "included.",
    "{old}, the add-on, is sold as {new} with immediate effect, at {price}. Invoices that exist "
    "already keep the old name and the old amount, whatever their status; there will be no backfill.",
    "Marketing decided that the add-on {old} shall be {new}, and the monthly price becomes {price}. "
    "The invoices we have stay exactly as they are, even the drafts. Only the current offer changes.",
    "Going forward the add-on {old} goes by the name of {new} and is priced at {price}. Leave all "
    "existing invoices alone, please: no renaming and no recalculation after the fact, not even on "
    "drafts.",
    "We are giving the add-on {old} a new name, {new}, and a new monthly price, {price}. That is for "
    "our list of add-ons only. Nothing that has been made out, sent or prepared as a draft changes.",
)
DISTRACTORS = (add_twin_customer, add_prompt_mover, add_former_subscriber, add_twin_code)


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw = builder.draw
    addon = draw.choice(
        [key for key in sorted(builder.addons) if builder.addons[key].name.latest in words.RENAMED]
    )
    old = builder.addons[addon].name.latest
    twin = twin_name(builder, old, words.ADDON_TWIN)
    for item in (addon, addon, builder.add_addon(twin)):
        key = builder.subscribe(
            customer := builder.add_customer(), addons=tuple(sorted({item, *builder.draw_addons(1)}))
        )
    subscription = builder.subscriptions[key]
    code = builder.add_code(shape="percent")
    place_distractors(
        builder, Target(customer, subscription.plan.latest, code, builder.draw_later_period()), DISTRACTORS
    )
    builder.fill()
    new = draw.choice(words.RENAMED[old])
    price = builder.addons[addon].price.latest + draw.choice((-4, -3, -2, 2, 3, 4, 5, 6, 8))

    def rebrand(world: World) -> World:
        item = world.addons[addon]
        rebranded = replace(
            item, name=item.name.since(NEVER_BILLED, new), price=item.price.since(NEVER_BILLED, price)
        )
        return replace(world, addons={**world.addons, addon: rebranded})

    names = {
        "old": old,
        "new": new,
        "price": ticket_text.dollars(draw, price),
    }
    facts = {"add-on": addon, "new price": str(price), "look-alike": twin}
    return Scene(rebrand, names, facts, draw_asides(builder, twin))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
