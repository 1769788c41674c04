"""The reference solver: what a careful agent prints for a case, from its public files alone.

It shares no code with what generates the cases, nor with the tables or the reports that
judge them: it is the check that they agree.
"""

from families.payout.solver.solving import solve

__all__ = ["solve"]
