"""Sentences composed from patterns that are kept in text files: what generators of prose share."""
