"""What planning may raise."""


class PlanFailed(Exception):
    """The choices drawn so far cannot be completed; others must be drawn."""
