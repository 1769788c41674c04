"""Customers who write mails that say where their receipts go."""
