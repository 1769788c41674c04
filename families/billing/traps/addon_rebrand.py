"""An add-on gets a new name and price, explicitly without a backfill."""

from dataclasses import replace

from families.billing import distractors as look
from families.billing import vocabulary as words
from families.billing.stage import STAGE
from families.billing.world_builder import Sketch
from families.billing.world import NEVER_BILLED, World
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
SHAPES = (look.twin_customer, look.moved_at_once, look.left_plan, look.twin_code)


def _scene(sketch: Sketch) -> Scene[World]:
    draw = sketch.draw
    addon = draw.choice(
        [key for key in sorted(sketch.addons) if sketch.addons[key].name.latest in words.RENAMED]
    )
    old = sketch.addons[addon].name.latest
    twin = look.twin_of(sketch, old, words.ADDON_TWIN)
    for item in (addon, addon, sketch.addon(twin)):
        key = sketch.subscribe(
            customer := sketch.customer(), addons=tuple(sorted({item, *sketch.some_addons(1)}))
        )
    subscription = sketch.subscriptions[key]
    code = sketch.code(shape="percent")
    look.place(sketch, look.Target(customer, subscription.plan.latest, code, sketch.later()), SHAPES)
    sketch.fill()
    new = draw.choice(words.RENAMED[old])
    price = sketch.addons[addon].price.latest + draw.choice((-4, -3, -2, 2, 3, 4, 5, 6, 8))

    def rebrand(world: World) -> World:
        item = world.addons[addon]
        rebranded = replace(
            item, name=item.name.since(NEVER_BILLED, new), price=item.price.since(NEVER_BILLED, price)
        )
        return replace(world, addons={**world.addons, addon: rebranded})

    said = {
        "old": old,
        "new": new,
        "price": ticket_text.dollars(draw, price),
    }
    facts = {"add-on": addon, "new price": str(price), "look-alike": twin}
    return Scene(rebrand, said, facts, look.asides(sketch, twin))


plan = STAGE.plan(TITLES, BODIES, _scene)
