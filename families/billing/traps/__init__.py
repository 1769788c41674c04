"""The six traps of billing, in the order of a practice suite, with the mistakes that each allows."""

from functools import partial
from typing import TYPE_CHECKING, Any

from trapcli.answers.edits import Trap
from trapcli.answers.edits.family import load_function

if TYPE_CHECKING:
    from trapcli.answers.edits import Plan
    from trapcli.core.draw import Draw


def _plan(trap: str, draw: "Draw", knobs: Any) -> "Plan":
    """Plan a case of a trap: a ticket with its request alone, or a thread with others."""
    if knobs.requests > 1:
        from families.billing.threads.plan import plan

        return plan(draw, knobs, trap)
    made: Plan = load_function(f"families.billing.traps.{trap}:plan")(draw, knobs)
    return made


TRAP_TYPES = (
    Trap(
        "region_migration",
        "a customer moved region; later invoices were issued at the old rate",
        plan=partial(_plan, "region_migration"),
        mistakes=(
            "live_only",
            "baked_only",
            "earlier_touched",
            "boundary_missed",
            "one_too_early",
            "neighbour_touched",
            "total_stale",
            "tax_before_discount",
            "wrong_rate",
            "draft_filled",
        ),
    ),
    Trap(
        "plan_price_change",
        "a plan costs more from a month on; fixed discounts do not follow",
        plan=partial(_plan, "plan_price_change"),
        mistakes=(
            "live_only",
            "baked_only",
            "second_record",
            "earlier_touched",
            "boundary_missed",
            "one_too_early",
            "neighbour_touched",
            "total_stale",
            "tax_stale",
            "discount_stale",
            "fixed_rescaled",
            "tax_before_discount",
            "draft_filled",
        ),
    ),
    Trap(
        "addon_rebrand",
        "an add-on is renamed and repriced with no backfill",
        plan=partial(_plan, "addon_rebrand"),
        mistakes=(
            "rename_only",
            "reprice_only",
            "backfill",
            "neighbour_touched",
        ),
    ),
    Trap(
        "discount_correction",
        "a code's percentage was wrong; one issued invoice used it",
        plan=partial(_plan, "discount_correction"),
        mistakes=(
            "live_only",
            "baked_only",
            "earlier_touched",
            "neighbour_touched",
            "total_stale",
            "tax_stale",
            "tax_before_discount",
            "code_name_pct",
        ),
    ),
    Trap(
        "subscription_transfer",
        "a subscription moves to a new customer in another region",
        plan=partial(_plan, "subscription_transfer"),
        mistakes=(
            "renamed_in_place",
            "not_reassigned",
            "live_only",
            "earlier_touched",
            "boundary_missed",
            "one_too_early",
            "neighbour_touched",
            "total_stale",
            "tax_before_discount",
            "wrong_rate",
            "draft_filled",
        ),
    ),
    Trap(
        "upgrade_with_discount",
        "a plan upgrade and a discount code at once, from a month on",
        plan=partial(_plan, "upgrade_with_discount"),
        mistakes=(
            "plan_only",
            "discount_only",
            "live_only",
            "baked_only",
            "earlier_touched",
            "boundary_missed",
            "one_too_early",
            "neighbour_touched",
            "total_stale",
            "tax_stale",
            "discount_stale",
            "tax_before_discount",
            "draft_filled",
        ),
    ),
)
