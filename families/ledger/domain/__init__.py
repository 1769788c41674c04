"""Receivables: entries, settlement, policies, questions."""
