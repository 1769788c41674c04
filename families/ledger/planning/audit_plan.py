"""Plan an audit: a year on one sheet, with vouchers numbered as they were posted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from families.ledger.domain.practice import NARRATION
from families.ledger.knobs import AuditKnobs
from families.ledger.planning.close_plan import ledger_of
from families.ledger.planning.frame import YearFrame, draw_frame
from families.ledger.planning.memo_search import draw_memo, find_question, receipt_choices
from families.ledger.planning.misses import Carried, VoucherOrder, practice_misses
from families.ledger.planning.placement import bites
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Ledger, Miss
from families.ledger.planning.year import Draft, Features, YearBuilder
from trapcli.core.draw import Draw

LONGEST_DELAY = 25  # days between an entry's date and its posting
TRIES = 4  # numberings, memos and questions for one year
OVERPAID = 3


@dataclass(slots=True)
class PlannedAudit:
    """A year with all that its case depends on; places: entry -> the number of its voucher."""

    frame: YearFrame
    drafts: Sequence[Draft]
    ledger: Ledger
    places: Mapping[int, int]

    @property
    def readme(self) -> tuple[str, ...]:
        return ()

    def beside(self, missed: Collection[Miss] = ()) -> int:
        """Return what comes to the answer from elsewhere: nothing."""
        return 0

    @property
    def misses(self) -> tuple[Miss, ...]:
        return (*practice_misses(self.ledger.practice), VoucherOrder(self.places), Carried())


def draw_outline(draw: Draw, knobs: AuditKnobs) -> YearFrame:
    """Draw what is kept when a plan fails."""
    customers = min(knobs.customers, knobs.months * knobs.per_month // 8)
    return draw_frame(
        draw, knobs.months, customers, knobs.changeovers, bool(knobs.drawn_orders), (NARRATION,)
    )


def plan_case(draw: Draw, knobs: AuditKnobs, trap: str, outline: YearFrame) -> PlannedAudit:
    """Plan a case; PlanFailed if the choices drawn cannot be completed."""
    features = Features(overpaid=OVERPAID)
    drafts = YearBuilder(draw.stream("entries"), outline, knobs.per_month, features).build()
    ledger = ledger_of(outline.practice, drafts, 0)
    choices = receipt_choices(ledger)
    why = PlanFailed("no question sees every mistake")
    for number in range(TRIES):
        stream = draw.stream(f"memo-{number}")
        ledger.memo = {}
        places = _places(stream.stream("vouchers"), drafts, knobs.delayed)
        try:
            ledger.memo = draw_memo(stream, ledger, drafts, outline.memo_end, choices)
            misses: list[Miss] = [VoucherOrder(places), Carried()]
            question = find_question(stream.stream("question"), trap, ledger, misses, outline.starts[0])
            if question is None:
                continue
        except PlanFailed as failure:
            why = failure
            continue
        ledger.question = question
        planned = PlannedAudit(outline, drafts, ledger, places)
        if all(bites(ledger, miss, planned.misses[:n]) for n, miss in enumerate(planned.misses) if n > 1):
            return planned
    raise why


def complete(draw: Draw, planned: PlannedAudit, knobs: AuditKnobs) -> None:
    """Add nothing: an audit has no mails."""


def _places(draw: Draw, drafts: Sequence[Draft], delayed: int) -> dict[int, int]:
    """Return entry -> number of its voucher, in the order of posting.

    delayed: percent of the entries that are posted days after their date.
    """
    days = {
        draft.event.key: draft.event.day
        + (draw.between(2, LONGEST_DELAY) if draw.below(100) < delayed else 0)
        for draft in drafts
    }
    return {key: number for number, key in enumerate(sorted(days, key=lambda key: (days[key], key)), 1)}
