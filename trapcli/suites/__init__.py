"""Suites on disk: find, read, write, and replace them all or nothing."""
