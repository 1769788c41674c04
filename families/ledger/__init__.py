"""Families `ledger-close` and `ledger-audit`: receipts, invoices, and one amount at the end."""
