"""Threads: read what is asked for, keep what holds in the end, and work out the edits."""
