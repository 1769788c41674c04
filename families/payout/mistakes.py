"""The mistakes that a payout case distinguishes from the right answer, by name."""

MISTAKES = {
    "lookup_only": "changes what the reports look up and leaves what was recorded with the sales",
    "baked_only": "changes what was recorded with the sales and leaves what the reports look up",
    "catalog_forgotten": "corrects the recorded sales and leaves the catalog at the old terms",
    "catalog_in_place": "puts the new terms over the old ones in the catalog, for earlier days too",
    "payout_stale": "leaves the payouts at the old terms or amounts",
    "gross_stale": "works out the new payouts and leaves the gross as recorded",
    "payout_scaled": "multiplies the payout, as if the fees had grown with the price",
    "fees_not_deducted": "takes the share of the gross, not of what is left after fees and commission",
    "fees_scaled": "multiplies fees and commissions together with the price",
    "fixed_per_sale": "pays the fixed amount once a sale, not for each unit",
    "latest_terms": "takes the newest terms in the catalog, not those of the day of the sale",
    "all_dates": "corrects the sales before the date too",
    "boundary_missed": "leaves out the sales of the very day from which the change counts",
    "day_before_touched": "corrects the sales of the day before too",
    "b2b_forgotten": "corrects the retail sales and leaves b2b",
    "b2b_other_way": "leaves b2b where the ticket includes it, or corrects it where the ticket leaves it out",
    "neighbour_touched": "treats another vendor's sales of the same product as covered too",
}
