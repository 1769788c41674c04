"""Plan the customers who write mails: they have an account of their own, in the later part of the year.

The memo shows nothing of it, so no line tells a reader that an instruction was misread. The practice of
the memo holds where no instruction does; by then its last rule is in force.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from families.ledger.checks.rival_orders import BLIND, OWN_CODE
from families.ledger.checks.rivals import Search, TooManyRivals
from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.frame import Frame, Invoice, Receipt, Settled
from families.ledger.correspondence.plan import plan_correspondents
from families.ledger.domain.practice import OLDEST, ORDERS, Look, Order
from families.ledger.domain.questions import (
    OWED_BY_CUSTOMERS,
    OWED_SINCE,
    AnswerPart,
    Question,
    answer_parts,
)
from families.ledger.domain.settlement import Settlement
from families.ledger.files import vocabulary
from families.ledger.planning.frame import YearFrame
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Ledger
from trapcli.core.draw import Draw

MAILS_OF_ONE = 18  # mails for each customer who writes
INSTRUCTIONS = 30  # percent of the mails
EARLIEST = 45  # percent of the year before the account's first month
LATEST_SINCE, FIRST_BEFORE = 72, 70  # percent of the year: bounds of questions that leave enough to ask
FIRST_SINCE, LAST_BEFORE = 60, 90  # percent; beyond, nearly all is asked about, however it settles
FIRST_MAIL = 6  # days after the account's first day


def plan_mails(
    draw: Draw, ledger: Ledger, frame: YearFrame, names: Iterator[str], mails: int
) -> Correspondence:
    """Plan the correspondents of a case; PlanFailed if the memo leaves a doubt about how they settle."""
    count = max(2, mails // MAILS_OF_ONE)
    earliest = frame.starts[0] + (frame.last - frame.starts[0]) * EARLIEST // 100
    starts = [day for day in frame.starts if day >= earliest]
    rule = ledger.practice.rule_of(frame.last, frame.narrations[0], frame.offices[0])
    if len(starts) < 3 or any(rule.since > starts[0] for rule in ledger.practice.rules):
        raise PlanFailed("the year is too short for mails")
    common = Frame(
        start=starts[0],
        first=starts[0] + FIRST_MAIL,
        end=frame.last,
        branches=tuple(draw.sample(vocabulary.TOWNS, 3)),
        practice=partial(_practice, ORDERS[rule.base]),
        counts=partial(_counts, ledger.question),
    )
    planned = plan_correspondents(
        draw.stream("mails"), common, [next(names) for _ in range(count)], mails, mails * INSTRUCTIONS // 100
    )
    _require_no_doubt(ledger, frame, planned)
    return planned


def leaves_room(frame: YearFrame, question: Question) -> bool:
    """Whether enough of the correspondents' account is asked about for their instructions to matter."""
    days = frame.last - frame.starts[0]
    since, before = (day - frame.starts[0] if day else 0 for day in (question.since, question.before))
    if question.type in (OWED_SINCE, OWED_BY_CUSTOMERS):
        low, high = days * FIRST_SINCE // 100, days * LAST_BEFORE // 100
        if before > high or (not before and since < low):
            return False
    return since <= days * LATEST_SINCE // 100 and (not before or before >= days * FIRST_BEFORE // 100)


def answer_by(planned: Correspondence, base: str) -> int:
    """Return the answer if this order ("": the right one) holds where no instruction does."""
    if not base:
        return planned.answer()
    return replace(planned, frame=replace(planned.frame, practice=partial(_practice, ORDERS[base]))).answer()


def answer_unread(planned: Correspondence, base: str) -> int:
    """Return the answer of somebody who reads no mail."""
    frame = planned.frame
    if base:
        frame = replace(frame, practice=partial(_practice, ORDERS[base]))
    silent = tuple(replace(one, instructions=()) for one in planned.customers)
    return Correspondence(frame, silent).answer()


def _practice(order: Order, day: int, owed: dict[int, int], cents: int, cited: int) -> Sequence[int]:
    return order(Look(day, cents, cited, owed, {}, {}, {}))


def _counts(
    question: Question, invoices: Sequence[Invoice], receipts: Sequence[Receipt], settled: Settled
) -> int:
    """Return what a customer adds to the answer, in cents."""
    return sum(part.cents for part in mail_parts(question, invoices, receipts, settled))


def mail_parts(
    question: Question, invoices: Sequence[Invoice], receipts: Sequence[Receipt], settled: Settled
) -> list[AnswerPart]:
    """Return the parts of the answer that a customer's account adds, by the numbers of its entries."""
    account = Settlement(
        owed=settled.owed,
        face={number: invoice.amount for number, invoice in enumerate(invoices)},
        billed={number: invoice.day for number, invoice in enumerate(invoices)},
    )
    for receipt, invoice, cents in settled.applied:
        pieces = account.applied.setdefault(receipt, {})
        pieces[invoice] = pieces.get(invoice, 0) + cents  # a part set aside, and some of the rest
    days = {number: receipt.day for number, receipt in enumerate(receipts)}
    return answer_parts(replace(question, customers=()), account, days)


def _require_no_doubt(ledger: Ledger, frame: YearFrame, planned: Correspondence) -> None:
    """Raise PlanFailed if an order that the memo leaves possible at its end settles the mails otherwise."""
    right = planned.answer()
    try:
        possible = list(Search(ledger).last_orders(frame.narrations[0], frame.offices[0]))
    except TooManyRivals:
        raise PlanFailed("the memo fits too many practices") from None
    for name in possible:
        order = ORDERS[OLDEST] if name == OWN_CODE else BLIND.get(name)  # they have one code each
        if order is None:
            raise PlanFailed(f"the memo leaves it open whether mails settle by: {name}")
        other = replace(planned.frame, practice=partial(_practice, order))
        if replace(planned, frame=other).answer() != right:
            raise PlanFailed("the memo leaves a doubt about how the mails settle")
