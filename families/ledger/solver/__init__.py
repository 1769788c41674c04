"""The reference solver: what a careful agent prints for a case, from its public files alone.

It shares no code with the modules that generate and check the cases. It reads, settles and finds the
practice in its own way, which makes their agreement a check of both.
"""

from families.ledger.solver.solving import audit_answer, close_answer, solve_audit, solve_close

__all__ = ["audit_answer", "close_answer", "solve_audit", "solve_close"]
