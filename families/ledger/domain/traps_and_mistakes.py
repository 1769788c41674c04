"""The names of traps and mistakes, each with a line of description."""

from collections.abc import Mapping

OWED_SINCE, OWED_BY_CUSTOMER, IN_FULL = "owed_since", "owed_by_customer", "settled_in_full"
CASH_TO_EARLIER, IN_PART = "cash_to_earlier", "paid_in_part"

# Case k sets trap k modulo their number, so their order is part of every seed's cases.
TRAPS: Mapping[str, str] = {
    OWED_SINCE: "what is owed at the end on invoices billed on or after a date",
    OWED_BY_CUSTOMER: "what one customer owes at the end on invoices billed before, or from, a date",
    IN_FULL: "how much of what was billed is settled in full at the end",
    CASH_TO_EARLIER: "how much of the cash received from a date on went to invoices billed before a date",
    IN_PART: "what is still owed at the end on invoices that were paid in part",
}

CITATION_ALWAYS, CITATION_NEVER = "citation_always", "citation_never"
MISSED_SUPPLEMENT, PRIOR_YEAR, SPLIT = "missed_supplement", "prior_year_folded_in", "recoded_split"
VOUCHER_ORDER, CARRIED = "voucher_order", "unapplied_carried"

_LINES: Mapping[str, str] = {
    MISSED_SUPPLEMENT: "the entries booked late, in the supplement, are left out",
    PRIOR_YEAR: "the entries of last year's files that name a customer are put before this year's",
    SPLIT: "the two codes of the re-coded customer settle as two customers",
    CITATION_ALWAYS: "a receipt settles the invoice it cites first, also after the changeover",
    CITATION_NEVER: "a receipt settles the oldest invoice first, also before the changeover",
    VOUCHER_ORDER: "entries take effect in the order of their vouchers, not of their dates",
    CARRIED: "cash that found no open invoice is kept for the customer's later invoices",
}

CLOSE_MISTAKES: Mapping[str, str] = {
    name: _LINES[name] for name in (MISSED_SUPPLEMENT, PRIOR_YEAR, SPLIT, CITATION_ALWAYS, CITATION_NEVER)
}
AUDIT_MISTAKES: Mapping[str, str] = {
    name: _LINES[name] for name in (CITATION_ALWAYS, CITATION_NEVER, VOUCHER_ORDER, CARRIED)
}
EXCLUSIVE = frozenset((CITATION_ALWAYS, CITATION_NEVER))  # nobody honours citations both always and never
