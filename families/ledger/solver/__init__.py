"""The reference solver: what a careful agent prints for a case, from its public files alone.

It shares no code with what generates or checks the cases: it reads, settles and finds the practice
in its own way, and so is the check that they agree.
"""

from families.ledger.solver.solving import solve_audit, solve_close

__all__ = ["solve_audit", "solve_close"]
