"""Deviations that real books have, each of which changes the answer when it is missed."""
