"""A year of receivables planned: a sketch, filed, with a question that sees every mistake."""

from families.ledger.domain.book import settled, stopped
from families.ledger.domain.names import (
    CASH_TO_EARLIER,
    CITATION_ALWAYS,
    CITATION_NEVER,
    MISSED_SUPPLEMENT,
    OWED_BY_CUSTOMER,
    PRIOR_YEAR,
    SPLIT,
)
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.planned_case import Planned
from families.ledger.planning.question_search import find
from families.ledger.planning.year_builder import Sketch
from families.ledger.planning.year_files import Year, memo_words
from families.ledger.planning.year_outline import Frame, Unlucky, frame, shape
from trapcli.core.draw import Draw

# Mistakes that most questions miss first, so that these are dropped soon.
HARDEST = (CITATION_NEVER, MISSED_SUPPLEMENT, CITATION_ALWAYS, SPLIT, PRIOR_YEAR)
TRIES = 3  # re-codings, prior years and questions for one sketch
TO_SLOW = {OWED_BY_CUSTOMER: 100, CASH_TO_EARLIER: 90}  # percent of the late entries
CHANGES = (20, 45)  # percent of the year until the changeover


def outline(draw: Draw, knobs: CloseKnobs) -> Frame:
    return frame(draw, knobs.months, knobs.months * knobs.per_month, knobs.customers, True, CHANGES)


def plan(draw: Draw, knobs: CloseKnobs, kind: str, within: Frame) -> Planned:
    """A case of the kind within the frame; Unlucky if what is drawn does not come out."""
    form = shape(
        draw.stream("shape"), within, knobs.per_month, knobs.supplement, knobs.min_change_evidence,
        asked=kind == OWED_BY_CUSTOMER, to_slow=TO_SLOW.get(kind, 10), over="",
    )  # fmt: skip
    year = Year(draw, knobs, within, form, Sketch(draw.stream("entries"), form).run())
    for attempt in range(TRIES):
        filed = year.filed(draw.stream(f"filed-{attempt}"))
        book, switch = filed.book, form.switch
        mistaken = [settled(book, switch, (mistake,)) for mistake in HARDEST]
        question = find(
            draw.stream(f"question-{attempt}"), kind, year.both_codes,
            settled(book, switch), stopped(book, switch), mistaken,
        )  # fmt: skip
        if question is not None:
            return Planned(year.binder(filed, question), switch, memo_words(draw.stream("memo")))
    raise Unlucky("no question sees every mistake")
