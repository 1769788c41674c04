"""The reference solver: what a careful agent prints for a case, from its public files alone.

It checks what generates and judges the cases, so it shares no code with either.
"""

from families.billing.solver.dispatch import solve

__all__ = ["solve"]
