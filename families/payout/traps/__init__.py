"""The four traps of payout, in the order of a practice suite, with the mistakes that each allows."""

from trapcli.answers.edits import Trap

TRAP_TYPES = (
    Trap(
        "misattributed_sales",
        "a product's sales were booked to the wrong vendor, all time",
        plan="families.payout.traps.misattributed:all_time",
        mistakes=(
            "lookup_only",
            "baked_only",
            "payout_stale",
            "fees_not_deducted",
            "fixed_per_sale",
            "latest_terms",
            "b2b_forgotten",
            "neighbour_touched",
        ),
    ),
    Trap(
        "misattributed_from_date",
        "a product's sales were booked to the wrong vendor from a day on",
        plan="families.payout.traps.misattributed:from_date",
        mistakes=(
            "lookup_only",
            "baked_only",
            "payout_stale",
            "fees_not_deducted",
            "fixed_per_sale",
            "latest_terms",
            "all_dates",
            "boundary_missed",
            "day_before_touched",
            "b2b_forgotten",
            "neighbour_touched",
        ),
    ),
    Trap(
        "price_renegotiated",
        "the retail price is a multiple of what was recorded, from a day on",
        plan="families.payout.traps.price_renegotiated:plan",
        mistakes=(
            "payout_stale",
            "gross_stale",
            "payout_scaled",
            "fees_not_deducted",
            "fees_scaled",
            "latest_terms",
            "all_dates",
            "boundary_missed",
            "day_before_touched",
            "b2b_other_way",
            "neighbour_touched",
        ),
    ),
    Trap(
        "terms_renegotiated",
        "a share becomes a fixed amount for each unit, from a day on",
        plan="families.payout.traps.terms_renegotiated:plan",
        mistakes=(
            "lookup_only",
            "catalog_forgotten",
            "catalog_in_place",
            "payout_stale",
            "fixed_per_sale",
            "all_dates",
            "boundary_missed",
            "day_before_touched",
            "b2b_forgotten",
            "neighbour_touched",
        ),
    ),
)
