"""The names of mistakes, each with a line of description. Judging needs these, but no obstacle."""

from collections.abc import Mapping

FIRST_ORDER, LAST_ORDER = "first_order_for_all", "last_order_for_all"
CARRIED, VOUCHER_ORDER = "unapplied_carried", "voucher_order"
MAILS_UNREAD = "mails_unread"

PRACTICE_MISTAKES: Mapping[str, str] = {
    FIRST_ORDER: "receipts that are not worked through are all put in the order that was first in force",
    LAST_ORDER: "receipts that are not worked through are all put in the order that came in force last",
}
CLOSE_MISTAKES: Mapping[str, str] = {
    **PRACTICE_MISTAKES,
    "return_as_invoice": "a payment that came back is taken for a new invoice",
    "credit_as_receipt": "a credit note is put to invoices like a receipt",
    "small_rest_kept": "a small rest that a receipt leaves stays open, though such rests are written off",
    "opening_items_left_out": "the items that were open when the year began are left out",
    "recoded_split": "the codes of the re-coded customer settle as customers of their own",
    "late_entries_missed": "the entries booked late, in the supplement of their month, are left out",
    "first_export_used": "the first export of a month is taken, not the corrected one that was made later",
    "other_account_folded_in": "the entries of the other account's file are counted",
    "stray_entry_missed": "an entry that stands in the other account's file by mistake is left out",
    "wrong_posting_kept": "a receipt booked to the wrong customer stays there, though a journal moves it",
    "payer_apart": "what another code pays for a customer settles nothing of that customer",
    "withdrawn_line_kept": "a line of the memo that a later note withdraws is copied",
    "prior_year_folded_in": "the entries of last year's file that name a customer are put before this year's",
    "duplicate_counted": "a month whose file was delivered twice is counted twice",
    "other_format_left_out": "the month whose file has the other format of numbers and dates is left out",
    MAILS_UNREAD: "the customers' mails are not read, so that the practice holds for all their receipts",
}
AUDIT_MISTAKES: Mapping[str, str] = {
    **PRACTICE_MISTAKES,
    VOUCHER_ORDER: "entries take effect in the order of their vouchers, not of their dates",
    CARRIED: "cash that found no open invoice is kept for the customer's later invoices",
}
