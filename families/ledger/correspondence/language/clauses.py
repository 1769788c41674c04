"""The clauses that say what is ordered, and the sentences made of them."""

from families.ledger.correspondence.acts import (
    ALL_BUT,
    BRANCH,
    DISPUTE,
    FOREVER,
    GROUP,
    HALVES,
    LARGE,
    NAMED,
    ORDERED,
    PART,
    PRACTICE,
    SEQUENCE,
    OneOff,
    StandingOrder,
)
from families.ledger.correspondence.language.phrasebook import patterns
from families.ledger.correspondence.language.references import Place
from families.ledger.domain.formats import money
from trapcli.wording.grammar import Filler, expand

# How the first day, the last day and the reason can be placed around an order.
PREFIX, SUFFIX, SEPARATE = "prefix", "suffix", "separate"


def say(place: Place, section: str, **slots: Filler) -> str:
    """Return one of a section's patterns, filled."""
    return expand(place.draw, place.draw.choice(patterns(section)), slots)


def order_name(act: StandingOrder | OneOff) -> str:
    """Return the sections of the phrase book that say what an act orders, without "do" or "that"."""
    if isinstance(act, OneOff):
        return act.split
    if act.matter == SEQUENCE and act.value == PRACTICE:
        return "practice"
    if act.matter == BRANCH and not act.value:
        return "no branch"
    return act.matter


def clause(
    place: Place, act: StandingOrder | OneOff, form: str, name: str = "", voucher: bool = False
) -> str:
    """Return what an act orders as a clause: form "do" or "that".

    name: the section, if it is not the act's own.
    voucher: whether invoices go by their vouchers only, as a correction will quote them.
    """

    def invoice(number: int) -> str:
        return place.vouchers[number] if voucher else place.invoice(number)

    slots: dict[str, Filler] = {"money": lambda: say(place, "money")}
    if isinstance(act, StandingOrder):
        if act.matter in (SEQUENCE, LARGE) and act.value != PRACTICE:
            slots["adj"] = lambda: say(place, f"adjective {act.value}")
        slots["branch"] = act.value
        slots["limit"] = money(act.number)
        slots["invoice"] = lambda: invoice(act.number)
    else:
        slots["receipt"] = lambda: place.receipt(act.receipt)
        slots.update(_split_slots(place, act, voucher))
    return say(place, f"{name or order_name(act)} {form}", **slots)


def _split_slots(place: Place, act: OneOff, voucher: bool) -> dict[str, Filler]:
    slots: dict[str, Filler] = {}
    if act.split == NAMED:
        names = [place.vouchers[number] for number in act.invoices]
        slots["invoices"] = (
            (lambda: ", then ".join(names)) if voucher else (lambda: place.invoices(act.invoices))
        )
    elif act.split == PART:
        slots["invoice"] = lambda: place.invoice(act.invoices[0])
        slots["cents"] = money(act.cents)
    elif act.split == GROUP:
        slots["branch"], slots["month"] = act.branches[0], place.month(act.month)
    elif act.split == HALVES:
        slots["branch"], slots["other"] = act.branches
    elif act.split == ALL_BUT:
        slots["branch"] = act.branches[0]
    elif act.split == ORDERED:
        slots["adj"] = lambda: say(place, f"adjective {act.rest}")
    return slots


def from_phrase(place: Place, first: int) -> str:
    """Say from which day on something holds."""
    if first == place.mail.day and place.draw.chance(0.7):
        return say(place, "from today")
    return say(place, "from day", day=lambda: place.day(first))


def standing_sentences(place: Place, act: StandingOrder, quoted: bool = False) -> list[str]:
    """Say a standing order with its days and, sometimes, why.

    quoted: whether a later mail corrects it, and quotes its invoice or last day.
    """
    draw = place.draw
    day = place.plain_day if quoted else place.day
    before: list[str] = []
    after: list[str] = []
    prefix = suffix = ""
    if act.first != place.mail.day or draw.chance(0.35):
        where = draw.choice((PREFIX, SUFFIX, SEPARATE))
        if act.first != place.mail.day and where == PREFIX and draw.chance(0.3):
            prefix = say(place, "from after", before=lambda: day(act.first - 1))
        elif where == PREFIX:
            prefix = from_phrase(place, act.first)
        elif where == SUFFIX:
            suffix = " " + from_phrase(place, act.first)
        else:
            after.append(say(place, "starts", day=lambda: day(act.first)))
    if act.last < FOREVER:
        if suffix and draw.chance(0.5):
            suffix = " " + say(place, "from until", day=lambda: day(act.first), last=lambda: day(act.last))
        elif draw.chance(0.4):
            suffix += " " + say(place, "until day", day=lambda: day(act.last))
        else:
            after.append(say(place, "ends", day=lambda: day(act.last)))
    elif draw.chance(0.3):
        suffix += " " + say(place, "dispute end" if act.matter == DISPUTE else "open end")
    return _put(place, act, prefix, suffix, before, after, quoted)


def _put(
    place: Place,
    act: StandingOrder,
    prefix: str,
    suffix: str,
    before: list[str],
    after: list[str],
    quoted: bool,
) -> list[str]:
    """Put an order into a request, with what stands before and after it."""
    draw = place.draw
    form = draw.choice(("do", "that"))
    core = clause(place, act, form, voucher=quoted) + suffix
    frame = draw.choice(patterns("ask do then" if prefix and form == "do" else f"ask {form}"))
    if draw.chance(0.5):
        reason = reason_of(place, act)
        if frame.endswith(f"{{{form}}}.") and draw.chance(0.5):
            core += say(place, "why clause", reason=reason)
        else:
            goes_before = act.matter != DISPUTE and draw.chance(0.5)  # what a dispute is about comes first
            told = say(place, "why before" if goes_before else "why after", reason=reason)
            (before if goes_before else after).append(told)
    return [*before, put(place, prefix, form, core, frame), *after]


def begun(place: Place, prefix: str, form: str, core: str) -> str:
    """Return a request that begins with its first day, or has it before its clause."""
    return put(
        place, prefix, form, core, place.draw.choice(patterns("ask do then" if form == "do" else "ask that"))
    )


def put(place: Place, prefix: str, form: str, core: str, frame: str) -> str:
    """Return a clause in a frame; its first day goes before an infinitive's frame, or inside a clause's."""
    if not prefix:
        return expand(place.draw, frame, {form: core})
    if form == "do":
        return f"{prefix}, {expand(place.draw, frame, {form: core})}"
    return expand(place.draw, frame, {form: f"{prefix} {core}"})


def reason_of(place: Place, act: StandingOrder | OneOff | None = None) -> str:
    """Return a reason, which changes nothing."""
    disputes = isinstance(act, StandingOrder) and act.matter == DISPUTE
    return say(
        place,
        "dispute reason" if disputes else "reason",
        amount=lambda: some_amount(place),
        branch=place.branch,
        person=place.outsider,
    )


def some_amount(place: Place) -> str:
    """Return an amount that is none of the customer's."""
    taken = {one.amount for one in place.customer.invoices} | {one.amount for one in place.customer.receipts}
    while True:
        cents = place.draw.between(2_000, 950_000)
        if cents not in taken:
            return money(cents)


def one_off_sentences(place: Place, act: OneOff, quoted: bool = False) -> list[str]:
    """Say a one-off, what becomes of the rest, and that the receipt has arrived, if it has."""
    draw = place.draw
    form = draw.choice(("do", "that"))
    core = clause(place, act, form, voucher=quoted)
    frame = draw.choice(patterns(f"ask {form}"))
    sentences = []
    rest = _rest(place, act)
    if rest and frame.endswith(f"{{{form}}}.") and draw.chance(0.6):
        core += draw.choice(("; ", ", and ")) + rest
    elif rest:
        sentences.append(rest + ".")
    sentences.insert(0, expand(draw, frame, {form: core}))
    if draw.chance(0.3):
        sentences.insert(0, say(place, "why before", reason=reason_of(place)))
    if place.customer.receipts[act.receipt].day < place.mail.day and draw.chance(0.6):
        sentences.append(say(place, "late remark"))
    return sentences


def _rest(place: Place, act: OneOff) -> str:
    if act.split not in (NAMED, PART, GROUP):
        return ""
    if act.rest:
        return say(place, "rest ordered", adj=lambda: say(place, f"adjective {act.rest}"))
    return say(place, "rest usual") if place.draw.chance(0.5) else ""
