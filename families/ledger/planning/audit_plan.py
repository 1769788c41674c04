"""One sheet planned: a sketch, then vouchers numbered as they were posted, and the question."""

from collections.abc import Sequence

from families.ledger.domain.book import Book, settled, stopped
from families.ledger.domain.formats import iso
from families.ledger.domain.names import (
    CARRIED,
    CASH_TO_EARLIER,
    CITATION_ALWAYS,
    CITATION_NEVER,
    OWED_BY_CUSTOMER,
    OWED_SINCE,
    VOUCHER_ORDER,
)
from families.ledger.domain.questions import Question
from families.ledger.files import vocabulary as words
from families.ledger.files.case_files import Binder, Customer, Sheet
from families.ledger.knobs import AuditKnobs
from families.ledger.planning.labels import Labels, prefixes
from families.ledger.planning.planned_case import Planned
from families.ledger.planning.question_search import find, phrase
from families.ledger.planning.year_builder import Line, Sketch
from families.ledger.planning.year_outline import YEAR, Frame, Unlucky, frame, shape
from trapcli.core.draw import Draw

# Mistakes that most questions miss first, so that these are dropped soon.
HARDEST = (CARRIED, CITATION_NEVER, VOUCHER_ORDER, CITATION_ALWAYS)
TRIES = 4  # numberings and questions for one sketch
OVER = {OWED_BY_CUSTOMER: "slow", CASH_TO_EARLIER: "slow"}  # who pays too much
CHANGES = (28, 48)  # percent of the days until the changeover
LONGEST_DELAY = 25  # days between an entry's date and its posting


def outline(draw: Draw, knobs: AuditKnobs) -> Frame:
    return frame(draw, knobs.months, knobs.months * knobs.per_month, knobs.customers, False, CHANGES)


def plan(draw: Draw, knobs: AuditKnobs, kind: str, within: Frame) -> Planned:
    """A case of the kind within the frame; Unlucky if what is drawn does not come out."""
    form = shape(
        draw.stream("shape"), within, knobs.per_month, 0, knobs.min_change_evidence,
        asked=kind == OWED_BY_CUSTOMER, to_slow=0, over=OVER.get(kind, "paying"),
    )  # fmt: skip
    lines = Sketch(draw.stream("entries"), form).run()
    (prefix,) = prefixes(draw.stream("prefix"), 1)
    asked = within.recoded
    for attempt in range(TRIES):
        vouchers = posted(draw.stream(f"posted-{attempt}"), prefix, lines, knobs.delayed)
        labels = Labels(draw.stream("labels"), lines, within.customers, vouchers)
        entries = tuple(sorted(labels.entries(labels.cited_vouchers())))
        book = Book(entries, labels.worked(form.switch), Question(OWED_SINCE))
        true, short = settled(book, form.switch), stopped(book, form.switch)
        mistaken = [settled(book, form.switch, (mistake,)) for mistake in HARDEST]
        again = draw.stream(f"question-{attempt}")
        question = find(again, kind, (labels.codes[asked],), true, short, mistaken)
        if question is not None:
            break
    else:
        raise Unlucky("no question sees every mistake")
    titles = draw.stream("account")
    account = f"{titles.between(1200, 1390)} {titles.choice(words.ACCOUNTS)}"
    period = f"{iso(within.starts[0])} to {iso(within.last)}"
    listed = tuple(sorted(entries, key=lambda entry: entry.voucher))
    used = {entry.code for entry in entries}
    customers = sorted(
        (code, name) for code, name in zip(labels.codes, labels.names, strict=True) if code in used
    )
    binder = Binder(
        account=account,
        question=phrase(again, question, within.last, labels.names[asked]),
        months=(Sheet(account, period, 0, listed, sum(entry.amount for entry in entries)),),
        memo=book.memo,
        customers=tuple(Customer(code, name, "", "") for code, name in customers),
    )
    return Planned(binder, form.switch, (draw.stream("rule").choice(words.UNAPPLIED),))


def posted(draw: Draw, prefix: str, lines: Sequence[Line], delayed: int) -> list[str]:
    """Vouchers in the order of posting, which for so many percent of the lines was days after their date."""
    days = [line.day + (draw.between(2, LONGEST_DELAY) if draw.below(100) < delayed else 0) for line in lines]
    found = [""] * len(lines)
    for number, i in enumerate(sorted(range(len(lines)), key=lambda i: (days[i], i)), 1):
        found[i] = f"{prefix}{YEAR % 100}-{number:04d}"
    return found
