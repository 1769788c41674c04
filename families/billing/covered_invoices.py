"""What a ticket covers: how many invoices, and from when on."""

from collections.abc import Sequence

from families.billing.knobs import Knobs
from trapcli.answers.edits.authoring.plan import MOST_GOLD_EDITS
from trapcli.answers.edits.authoring.scenes import History, always
from trapcli.answers.edits.authoring.ticket_text import shift_month
from trapcli.core.draw import Draw


def draw_extent(
    knobs: Knobs, draw: Draw, extra: int, subscriptions: Sequence[int] = range(1, 9)
) -> tuple[int, int]:
    """Return how many subscriptions a ticket covers, and how many issued periods of each.

    extra: the number of gold edits beside those of invoices.
    subscriptions: the numbers to choose from.

    Their product is near the knob `affected`. At least two periods come before, and one with drafts after.
    """
    fitting = [
        (abs(many * long - knobs.affected), many, long)
        for many in subscriptions
        for long in range(2, knobs.periods - 2)
        if many * (long + 1) + extra <= MOST_GOLD_EDITS
    ]
    nearest = min(distance for distance, _, _ in fitting)
    return draw.choice([(many, long) for distance, many, long in fitting if distance <= nearest + 2])


def effective_date(draw: Draw, start: str) -> str:
    """Return a date from which `start` is the first month: its first day, or a day in the month before."""
    if draw.chance(0.5):
        return f"{start}-01"
    return f"{shift_month(start, -1)}-{draw.between(6, 27):02d}"


def first_period(start: str) -> str:
    """Return the first period that a change from a day or period on covers; both may be given."""
    return start[:7] if len(start) == 7 or start.endswith("-01") else shift_month(start[:7], 1)


def one_change(first: str, start: str, second: str) -> History[str]:
    """Return the history of a value that changes once."""
    return always(first).since(start, second)
