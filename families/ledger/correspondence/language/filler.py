"""Sentences that change nothing, in the words of those that do."""

from collections import Counter, deque
from collections.abc import Callable, Sequence

from families.ledger.correspondence.acts import (
    BRANCH,
    DISPUTE,
    FOREVER,
    LARGE,
    SEQUENCE,
    SEQUENCES,
    OneOff,
    StandingOrder,
)
from families.ledger.correspondence.correspondence import Customer
from families.ledger.correspondence.frame import Invoice, Receipt
from families.ledger.correspondence.language.clauses import clause, say, some_amount
from families.ledger.correspondence.language.phrasebook import patterns
from families.ledger.correspondence.language.references import Place
from families.ledger.correspondence.language.swapped import from_our_side, from_third_side
from families.ledger.domain.formats import money
from trapcli.wording.grammar import Filler, expand

MOST_USES = 2  # of a filler sentence in a case
TRIES = 12
RECENT = 12  # patterns that are not used again so soon
ABOUT_ORDERS = 0.55  # of filler
NESTED = ("firm", "asker", "shrug", "elsewhere", "apart")  # sections that sentences about orders are made of
NOT_A_PAPER = ((100, 999), (10_000, 99_999))  # numbers that no paper has which a condition is about


class NothingToSay(Exception):
    """The customer has no entry yet that a sentence could speak of."""


class Talk:
    """Filler for all mails of a case, no sentence of it often."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()
        self.recent: deque[str] = deque(maxlen=RECENT)

    def sentence(self, place: Place) -> str:
        """Return a sentence that changes nothing, or "" if none is found that was not used too often."""
        for _ in range(TRIES):
            section, slots = _topic(place)
            pattern = place.draw.choice(patterns(section))
            if pattern in self.recent and not place.mail.ours:
                continue
            try:
                text = expand(place.draw, pattern, slots)
            except NothingToSay:
                continue
            self.recent.append(pattern)
            if section == "chat" and place.draw.chance(0.15):
                text = f"{say(place, 'chat lead')} {text}"
            if self.used[text] < MOST_USES:
                self.used[text] += 1
                return text
        return ""


def _topic(place: Place) -> tuple[str, dict[str, Filler]]:
    """Draw a section to take a sentence from, and return what fills its slots."""
    ours = place.mail.ours
    slots = _details(place)
    if place.draw.chance(ABOUT_ORDERS):
        section = "idle ours" if ours else place.draw.choice(("other account", "idle wish"))
        acts = _orders(place, section == "other account")
        if acts:
            slots |= _clauses(place, place.draw.choice(acts), ours)
            slots |= {name: _nested(place, name, slots) for name in NESTED}
            return section, slots
    return ("chat ours" if ours else "chat"), slots


def _orders(place: Place, any_order: bool) -> list[StandingOrder]:
    """Return orders that can be spoken of idly: any, or only such as the customer's mails nowhere give."""
    said = set() if any_order else given(place.customer)
    limit = place.draw.between(2, 30) * 25_000 + 5_000
    orders = [StandingOrder(SEQUENCE, one, 0, 0, FOREVER, "", 0) for one in SEQUENCES]
    orders += [
        StandingOrder(BRANCH, one, 0, 0, FOREVER, "", 0) for one in place.correspondence.frame.branches
    ]
    orders += [StandingOrder(LARGE, one, limit, 0, FOREVER, "", 0) for one in SEQUENCES]
    return [one for one in orders if (one.matter, one.value) not in said]


def given(customer: Customer) -> set[tuple[str, str]]:
    """Return (matter, order) of all that a customer's mails order, propose or announce."""
    acts = [
        act
        for mail in customer.mails
        for said in mail.said
        for act in (said.act, said.target, said.other)
        if isinstance(act, StandingOrder)
    ]
    return {(act.matter, act.value) for act in acts}


def disputed(customer: Customer) -> set[int]:
    """Return the invoices that a customer's mails dispute, release or split receipts over."""
    found: set[int] = set()
    for said in (said for mail in customer.mails for said in mail.said):
        for act in (said.act, said.target):
            if isinstance(act, StandingOrder) and act.matter == DISPUTE:
                found.add(act.number)
            elif isinstance(act, OneOff):
                found.update(act.invoices)
    return found


def _clauses(place: Place, act: StandingOrder, ours: bool) -> dict[str, Callable[[], str]]:
    def told(form: str) -> str:
        text = clause(place, act, form)
        return from_our_side(text) if ours else text

    return {
        "do": lambda: told("do"),
        "that": lambda: told("that"),
        "do3": lambda: from_third_side(clause(place, act, "do")),
        "that3": lambda: from_third_side(clause(place, act, "that")),
    }


def _nested(place: Place, name: str, slots: dict[str, Filler]) -> Filler:
    return lambda: say(place, name, **slots)


def _details(place: Place) -> dict[str, Filler]:
    """Return what fills the slots of chat; an invoice or a receipt is the same in the whole sentence."""
    draw, frame, customer = place.draw, place.correspondence.frame, place.customer
    chosen: dict[str, int] = {}

    def one(kind: str, able: Sequence[int]) -> int:
        if kind not in chosen:
            if not able:
                raise NothingToSay
            chosen[kind] = draw.choice(able)
        return chosen[kind]

    def invoice() -> int:
        touched = disputed(customer)
        return one("invoice", [i for i in _before(place, customer.invoices) if i not in touched])

    def receipt() -> Receipt:
        return customer.receipts[one("receipt", _before(place, customer.receipts))]

    def near(low: int, high: int) -> str:
        return place.day(max(frame.start, min(frame.end, place.mail.day + draw.between(low, high))))

    return {
        "inv": lambda: place.invoice(invoice()),
        "rec": lambda: money(receipt().amount),
        "recday": lambda: place.day(receipt().day),
        "amt": lambda: some_amount(place),
        "n": lambda: str(draw.between(*draw.choice(NOT_A_PAPER))),
        "k": lambda: str(draw.between(3, 95)),
        "d": lambda: near(2, 40),
        "p": lambda: near(-30, -1),
        "branch": place.branch,
        "person": place.outsider,
        "other": place.outsider,
        "month": lambda: place.month(place.some_month()),
    }


def _before(place: Place, entries: Sequence[Invoice | Receipt]) -> list[int]:
    return [number for number, entry in enumerate(entries) if entry.day < place.mail.day]
