"""Closed formulas: pass rates, their intervals, and the comparison of two runs."""
