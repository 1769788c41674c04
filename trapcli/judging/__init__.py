"""Verdicts: on one output, on a batch, and for trap-cli."""
