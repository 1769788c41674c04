"""The amounts, in cents, that the planner aims at and the checks require."""

MIN_ANSWER = 100_000  # an answer has at least four digits before the point
MIN_EFFECT = 10_000  # by how much a mistake moves the answer, and the allocation of receipts
