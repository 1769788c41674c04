"""Repeated trials of a solution: plan a run, carry it out, store it, and sum it up."""
