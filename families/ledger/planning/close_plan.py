"""Plan a close: a year of receivables with obstacles, a memo with gaps, and a question that needs all."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.language.readme import readme_section
from families.ledger.domain.practice import NARRATION, OFFICE, Practice
from families.ledger.knobs import CloseKnobs
from families.ledger.obstacles.base import Obstacle
from families.ledger.obstacles.entries import CreditNote, ReturnedPayment, WrittenOff
from families.ledger.obstacles.library import IN_ENTRIES, draw_kinds, placing
from families.ledger.obstacles.outside import OpeningItems
from families.ledger.planning.frame import YearFrame, draw_frame
from families.ledger.planning.labels import company_names, spare_codes
from families.ledger.planning.mail_plan import answer_by, answer_unread, leaves_room, plan_mails
from families.ledger.planning.memo_search import draw_memo, find_question, receipt_choices, shown_bound
from families.ledger.planning.misses import MailsUnread, OneOrder, practice_misses
from families.ledger.planning.placement import place_all
from families.ledger.planning.plan import Plan
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Ledger, Miss, Row
from families.ledger.planning.year import Draft, Features, YearBuilder
from trapcli.core.draw import Draw

MEMOS = 3  # memos and questions that are tried for one year


@dataclass(frozen=True, slots=True)
class Outline:
    """What is kept when a plan fails, so that cases are not biased to outlines that are easy to plan."""

    frame: YearFrame
    kinds: tuple[type[Obstacle], ...]
    features: Features


def draw_outline(draw: Draw, knobs: CloseKnobs) -> Outline:
    """Draw the outline of a case."""
    frame = draw_frame(
        draw.stream("frame"), knobs.months, min(knobs.customers, knobs.months * knobs.per_month // 8),
        knobs.changeovers, bool(knobs.drawn_orders), (NARRATION, OFFICE),
    )  # fmt: skip
    kinds = tuple(draw_kinds(draw.stream("kinds"), knobs.obstacles))
    some = draw.stream("features")
    features = Features(
        returns=2 if ReturnedPayment in kinds else 0,
        credits=some.between(2, 4) if CreditNote in kinds else 0,
        bound=some.between(6, 11) * 500 if WrittenOff in kinds else 0,
        opening=some.between(3, 5) if OpeningItems in kinds else 0,
    )
    return Outline(frame, kinds, features)


@dataclass(slots=True)
class PlannedClose:
    """A year with all that its case depends on.

    names: of companies, that nobody has yet.
    mails: the customers who write mails, if there are any.
    """

    plan: Plan
    obstacles: tuple[Obstacle, ...]
    names: Iterator[str]
    mails: Correspondence | None = None
    _beside: dict[tuple[str, bool], int] = field(default_factory=dict)

    @property
    def ledger(self) -> Ledger:
        return self.plan.ledger

    @property
    def misses(self) -> tuple[Miss, ...]:
        unread = (MailsUnread(),) if self.mails else ()
        return (*practice_misses(self.ledger.practice), *self.obstacles, *unread)

    @property
    def readme(self) -> tuple[str, ...]:
        return (readme_section().strip(),) if self.mails else ()

    def beside(self, missed: Collection[Miss] = ()) -> int:
        """Return what the customers who write mails add to the answer, in cents."""
        if not self.mails:
            return 0
        base = next((miss.base for miss in missed if isinstance(miss, OneOrder)), "")
        unread = any(isinstance(miss, MailsUnread) for miss in missed)
        if (base, unread) not in self._beside:
            self._beside[base, unread] = (answer_unread if unread else answer_by)(self.mails, base)
        return self._beside[base, unread]


def plan_case(draw: Draw, knobs: CloseKnobs, trap: str, outline: Outline) -> PlannedClose:
    """Plan a case; PlanFailed if the choices drawn cannot be completed."""
    frame, features = outline.frame, outline.features
    drafts = YearBuilder(draw.stream("entries"), frame, knobs.per_month, features).build()
    ledger = ledger_of(frame.practice, drafts, features.bound)
    choices = receipt_choices(ledger)
    bound, why = ledger.bound, PlanFailed("no question sees every mistake")
    for number in range(MEMOS):
        stream = draw.stream(f"memo-{number}")
        try:
            ledger.memo, ledger.bound = {}, bound
            ledger.memo = draw_memo(stream, ledger, drafts, frame.memo_end, choices)
            ledger.bound = shown_bound(ledger)
            plan = Plan(frame, features, drafts, ledger, choices, spare_codes(draw.stream("codes")))
            obstacles = _with_question(stream, plan, trap, outline, bool(knobs.mails))
            return PlannedClose(plan, obstacles, company_names(draw.stream("names")))
        except PlanFailed as failure:
            why = failure
    raise why


def complete(draw: Draw, planned: PlannedClose, knobs: CloseKnobs) -> None:
    """Add the customers who write mails; PlanFailed if that cannot be done."""
    if knobs.mails:
        plan = planned.plan
        planned.mails = plan_mails(draw, plan.ledger, plan.frame, planned.names, knobs.mails)


def _with_question(draw: Draw, plan: Plan, trap: str, outline: Outline, mails: bool) -> tuple[Obstacle, ...]:
    early = [kind for kind in outline.kinds if kind in IN_ENTRIES]
    misses = [next(placing(kind)(draw, plan)) for kind in early]
    start = outline.frame.starts[0]
    suits = partial(leaves_room, outline.frame) if mails else lambda question: True
    question = find_question(draw.stream("question"), trap, plan.ledger, misses, start, suits)
    if question is None:
        raise PlanFailed("no question sees every mistake")
    plan.ledger.question = question
    return place_all(draw.stream("places"), plan, outline.kinds)


def ledger_of(practice: Practice, drafts: tuple[Draft, ...], bound: int) -> Ledger:
    return Ledger(practice, tuple(Row(draft.customer, draft.event) for draft in drafts), bound)
