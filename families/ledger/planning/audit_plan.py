"""Plan an audit: one sheet with vouchers numbered as they were posted, and a question."""

from collections.abc import Sequence

from families.ledger.domain.book import Book, settle_book, settle_memo_only
from families.ledger.domain.formats import iso
from families.ledger.domain.questions import Question
from families.ledger.domain.traps_and_mistakes import (
    CARRIED,
    CASH_TO_EARLIER,
    CITATION_ALWAYS,
    CITATION_NEVER,
    OWED_BY_CUSTOMER,
    OWED_SINCE,
    VOUCHER_ORDER,
)
from families.ledger.files import vocabulary
from families.ledger.files.case_files import CaseFiles, Customer, Sheet
from families.ledger.knobs import AuditKnobs
from families.ledger.planning.labels import Labels, draw_prefixes
from families.ledger.planning.planned_case import PlanFailed, PlannedCase
from families.ledger.planning.question_search import draw_wording, find_question
from families.ledger.planning.year_builder import YearBuilder
from families.ledger.planning.year_outline import YEAR, CaseOutline, draw_case_outline, draw_year_outline
from families.ledger.planning.year_state import DraftEntry
from trapcli.core.draw import Draw

# The mistakes that most questions fail to see come first, so that these questions are dropped soon.
HARDEST = (CARRIED, CITATION_NEVER, VOUCHER_ORDER, CITATION_ALWAYS)
TRIES = 4  # numberings and questions for one year
OVER = {OWED_BY_CUSTOMER: "slow", CASH_TO_EARLIER: "slow"}  # who pays too much
CHANGES = (28, 48)  # percent of the days until the changeover
LONGEST_DELAY = 25  # days between an entry's date and its posting


def draw_outline(draw: Draw, knobs: AuditKnobs) -> CaseOutline:
    """Draw what is kept when a plan fails."""
    entries = knobs.months * knobs.per_month
    return draw_case_outline(draw, knobs.months, entries, knobs.customers, False, CHANGES)


def plan_case(draw: Draw, knobs: AuditKnobs, trap: str, outline: CaseOutline) -> PlannedCase:
    """Plan a case; PlanFailed if the choices drawn cannot be completed."""
    year = draw_year_outline(
        draw.stream("shape"), outline, knobs.per_month, 0, knobs.min_change_evidence,
        about_recoded=trap == OWED_BY_CUSTOMER, late_to_slow=0, over=OVER.get(trap, "paying"),
    )  # fmt: skip
    drafts = YearBuilder(draw.stream("entries"), year).build()
    (prefix,) = draw_prefixes(draw.stream("prefix"), 1)
    for attempt in range(TRIES):
        vouchers = posted_vouchers(draw.stream(f"posted-{attempt}"), prefix, drafts, knobs.delayed)
        labels = Labels(draw.stream("labels"), drafts, outline.customers, vouchers)
        entries = tuple(sorted(labels.entries(labels.cited_vouchers())))
        book = Book(entries, labels.memo(year.changeover), Question(OWED_SINCE))
        mistaken = [settle_book(book, year.changeover, (mistake,)) for mistake in HARDEST]
        stream = draw.stream(f"question-{attempt}")
        question = find_question(
            stream, trap, (labels.codes[outline.recoded],),
            settle_book(book, year.changeover), settle_memo_only(book, year.changeover), mistaken,
        )  # fmt: skip
        if question is not None:
            text = draw_wording(stream, question, outline.last, labels.names[outline.recoded])
            case_files = _case_files(draw.stream("account"), outline, labels, book, text)
            rule = draw.stream("rule").choice(vocabulary.UNAPPLIED)
            return PlannedCase(case_files, year.changeover, (rule,))
    raise PlanFailed("no question sees every mistake")


def _case_files(draw: Draw, outline: CaseOutline, labels: Labels, book: Book, question: str) -> CaseFiles:
    account = f"{draw.between(1200, 1390)} {draw.choice(vocabulary.ACCOUNTS)}"
    period = f"{iso(outline.starts[0])} to {iso(outline.last)}"
    entries = tuple(sorted(book.entries, key=lambda entry: entry.voucher))
    used = {entry.code for entry in entries}
    customers = sorted(
        (code, name) for code, name in zip(labels.codes, labels.names, strict=True) if code in used
    )
    return CaseFiles(
        account=account,
        question=question,
        months=(Sheet(account, period, 0, entries, sum(entry.amount for entry in entries)),),
        memo=book.memo,
        customers=tuple(Customer(code, name, "", "") for code, name in customers),
    )


def posted_vouchers(draw: Draw, prefix: str, drafts: Sequence[DraftEntry], delayed: int) -> list[str]:
    """Return vouchers in the order of posting.

    delayed: percent of the entries that are posted days after their date.
    """
    days = [
        draft.day + (draw.between(2, LONGEST_DELAY) if draw.below(100) < delayed else 0) for draft in drafts
    ]
    vouchers = [""] * len(drafts)
    for number, i in enumerate(sorted(range(len(drafts)), key=lambda i: (days[i], i)), 1):
        vouchers[i] = f"{prefix}{YEAR % 100}-{number:04d}"
    return vouchers
