"""Plan a close: a year of receivables, filed, with a question that sees every mistake."""

from families.ledger.domain.book import settle_book, settle_memo_only
from families.ledger.domain.traps_and_mistakes import (
    CASH_TO_EARLIER,
    CITATION_ALWAYS,
    CITATION_NEVER,
    MISSED_SUPPLEMENT,
    OWED_BY_CUSTOMER,
    PRIOR_YEAR,
    SPLIT,
)
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.planned_case import PlanFailed, PlannedCase
from families.ledger.planning.question_search import find_question
from families.ledger.planning.year_builder import YearBuilder
from families.ledger.planning.year_files import YearFiles, draw_memo_texts
from families.ledger.planning.year_outline import CaseOutline, draw_case_outline, draw_year_outline
from trapcli.core.draw import Draw

# The mistakes that most questions fail to see come first, so that these questions are dropped soon.
HARDEST = (CITATION_NEVER, MISSED_SUPPLEMENT, CITATION_ALWAYS, SPLIT, PRIOR_YEAR)
TRIES = 3  # re-codings, prior years and questions for one year
LATE_TO_SLOW = {OWED_BY_CUSTOMER: 100, CASH_TO_EARLIER: 90}  # percent of the late entries
CHANGES = (20, 45)  # percent of the year until the changeover


def draw_outline(draw: Draw, knobs: CloseKnobs) -> CaseOutline:
    """Draw what is kept when a plan fails."""
    entries = knobs.months * knobs.per_month
    return draw_case_outline(draw, knobs.months, entries, knobs.customers, True, CHANGES)


def plan_case(draw: Draw, knobs: CloseKnobs, trap: str, outline: CaseOutline) -> PlannedCase:
    """Plan a case; PlanFailed if the choices drawn cannot be completed."""
    year = draw_year_outline(
        draw.stream("shape"), outline, knobs.per_month, knobs.supplement, knobs.min_change_evidence,
        about_recoded=trap == OWED_BY_CUSTOMER, late_to_slow=LATE_TO_SLOW.get(trap, 10), over="",
    )  # fmt: skip
    drafts = YearBuilder(draw.stream("entries"), year).build()
    files = YearFiles(draw, knobs, outline, year, drafts)
    changeover = year.changeover
    for attempt in range(TRIES):
        filed = files.file_year(draw.stream(f"filed-{attempt}"))
        mistaken = [settle_book(filed.book, changeover, (mistake,)) for mistake in HARDEST]
        question = find_question(
            draw.stream(f"question-{attempt}"), trap, files.both_codes,
            settle_book(filed.book, changeover), settle_memo_only(filed.book, changeover), mistaken,
        )  # fmt: skip
        if question is not None:
            texts = draw_memo_texts(draw.stream("memo"))
            return PlannedCase(files.case_files(filed, question), changeover, texts)
    raise PlanFailed("no question sees every mistake")
