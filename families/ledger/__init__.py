"""Families `ledger-close` and `ledger-audit`: receipts, invoices, and one amount as the answer."""
