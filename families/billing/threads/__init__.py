"""Tickets that are threads: several requests, which later messages correct, withdraw or overrule."""
