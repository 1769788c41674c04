"""The sentences for each thing that a mail says: `sentences` looks up how its form is put."""

from collections.abc import Callable

from families.ledger.correspondence.acts import (
    BRANCH,
    DISPUTE,
    FOREVER,
    LARGE,
    PART,
    Delegation,
    OneOff,
    Said,
    StandingOrder,
    Until,
)
from families.ledger.correspondence.language.clauses import (
    begun,
    clause,
    from_phrase,
    one_off_sentences,
    reason_of,
    say,
    standing_sentences,
)
from families.ledger.correspondence.language.phrasebook import patterns
from families.ledger.correspondence.language.references import Place
from families.ledger.correspondence.language.swapped import from_our_side
from families.ledger.domain.formats import money
from trapcli.wording.grammar import expand

WHICH = ("", "first", "second")
DELEGATED = {"sequence": "the general sequence of invoices", "branch": "the branch that comes first"}


def sentences(place: Place, said: Said, quoted: bool) -> list[str]:
    """Return the sentences that say one thing.

    quoted: whether a later mail corrects it.
    """
    if said.form != "state":
        return FORMS[said.form](place, said)
    if isinstance(said.act, Delegation):
        return _delegate(place, said.act)
    if isinstance(said.act, OneOff):
        return one_off_sentences(place, said.act, quoted)
    assert isinstance(said.act, StandingOrder), said
    return standing_sentences(place, said.act, quoted)


def _with_reason(place: Place, told: str) -> list[str]:
    """Return a sentence, sometimes with a reason before or after it."""
    if place.draw.chance(0.6):
        return [told]
    if place.draw.chance(0.5):
        return [say(place, "why before", reason=reason_of(place)), told]
    return [told, say(place, "why after", reason=reason_of(place))]


def matter_of(place: Place, act: StandingOrder | OneOff | None) -> str:
    """Name what an order is about."""
    if isinstance(act, OneOff):
        return say(place, "matter one-off", receipt=place.receipt(act.receipt, False))
    assert act is not None
    if act.matter == DISPUTE:
        voucher = place.vouchers[act.number]
        return say(place, "matter dispute", invoice=lambda: place.invoice(act.number), voucher=voucher)
    return say(place, f"matter {act.matter}")


def _what(place: Place, said: Said) -> str:
    """Name the order that an earlier mail gave; by its matter if the mail gave others too, else at times."""
    mail = place.mail_of(said.refers)
    alone = sum(one.form != "chat" for one in place.by_day[said.refers].said) == 1
    if alone and place.draw.chance(0.4):
        return say(place, "what plain", mail=mail)
    return say(place, "what named", mail=mail, matter=matter_of(place, said.target))


def _end(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, Until)
    last, what = said.act.last, _what(place, said)
    if last >= place.mail.day and place.draw.chance(0.7):
        return _with_reason(place, say(place, "end last", what=what, day=lambda: place.day(last)))
    return _with_reason(place, say(place, "end before", what=what, **{"from": from_phrase(place, last + 1)}))


def _extend(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, Until) and isinstance(said.target, StandingOrder)
    days = {"day": place.day(said.act.last), "old": place.day(said.target.last)}
    return _with_reason(place, say(place, "extend", what=_what(place, said), **days))


def _release(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, Until) and isinstance(said.target, StandingOrder)
    act = said.target._replace(first=said.act.last + 1, last=FOREVER, value="")
    return _release_sentences(place, act)


def _release_sentences(place: Place, act: StandingOrder) -> list[str]:
    draw = place.draw
    form = draw.choice(("do", "that"))
    core = clause(place, act, form, name="release")
    where = draw.below(3) if act.first != place.mail.day else draw.below(4)
    if where == 0:
        return _with_reason(
            place, say(place, f"ask {form}", **{form: f"{core} {from_phrase(place, act.first)}"})
        )
    if where == 1:
        return _with_reason(place, begun(place, from_phrase(place, act.first), form, core))
    told = [say(place, f"ask {form}", **{form: core})]
    if where == 2:
        told.append(say(place, "starts", day=lambda: place.day(act.first)))
    return told


def _limit(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, StandingOrder) and isinstance(said.target, StandingOrder)
    slots = {
        "new": money(said.act.number),
        "old": money(said.target.number),
        "mail": place.mail_of(said.refers),
    }
    return _with_reason(place, say(place, "limit", **slots, **{"from": from_phrase(place, said.act.first)}))


def _correct(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, (StandingOrder, OneOff)) and isinstance(said.target, (StandingOrder, OneOff))
    wrong, right = _difference(place, said.target, said.act)
    about = "the last day" if _last_differs(said.target, said.act) else matter_of(place, said.target)
    mail = f"{place.mail_of(said.refers)} {place.draw.choice(('on', 'about', 'concerning'))} {about}"
    return _with_reason(place, say(place, "correct", mail=mail, wrong=wrong, right=right))


def _last_differs(wrong: StandingOrder | OneOff, right: StandingOrder | OneOff) -> bool:
    return isinstance(wrong, StandingOrder) and isinstance(right, StandingOrder) and wrong.last != right.last


def _difference(
    place: Place, wrong: StandingOrder | OneOff, right: StandingOrder | OneOff
) -> tuple[str, str]:
    """Return what differs between what a mail said and what it should have said."""
    if isinstance(wrong, OneOff) and isinstance(right, OneOff):
        if wrong.split == PART:
            return money(wrong.cents), money(right.cents)
        pairs = zip(wrong.invoices, right.invoices, strict=True)
        one, other = next(pair for pair in pairs if pair[0] != pair[1])
        return place.vouchers[one], place.vouchers[other]
    assert isinstance(wrong, StandingOrder) and isinstance(right, StandingOrder)
    if wrong.last != right.last:
        return place.plain_day(wrong.last), place.plain_day(right.last)
    if wrong.matter == DISPUTE:
        return place.vouchers[wrong.number], place.vouchers[right.number]
    if wrong.matter == LARGE:
        return money(wrong.number), money(right.number)
    if wrong.matter == BRANCH:
        return wrong.value, right.value
    return f'"{wrong.value} first"', f'"{right.value} first"'


def _disregard(place: Place, said: Said) -> list[str]:
    return _with_reason(place, say(place, "disregard", mail=place.mail_of(said.refers)))


def _distrust(place: Place, said: Said) -> list[str]:
    assert isinstance(said.target, StandingOrder)
    since = from_phrase(place, said.number)
    return _with_reason(place, say(place, "distrust", person=said.target.writer, **{"from": since}))


def _delegate(place: Place, act: Delegation) -> list[str]:
    house = place.correspondence.customers[act.customer].name
    slots = {
        "person": act.person,
        "house": house,
        "lead": f"{act.person} of {house}",
        "matters": DELEGATED[act.matters[0]],
        "day": place.day(act.first),
        "from": from_phrase(place, act.first),
    }
    return _with_reason(place, say(place, "delegate", **slots))


def _announce(place: Place, said: Said) -> list[str]:
    return _with_reason(place, say(place, "announce", **_both_forms(place, said.act)))


def _both_forms(place: Place, act: object) -> dict[str, Callable[[], str]]:
    assert isinstance(act, StandingOrder)
    return {"do": lambda: clause(place, act, "do"), "that": lambda: clause(place, act, "that")}


def _confirm(place: Place, said: Said) -> list[str]:
    since = say(place, "from today")
    return _with_reason(place, say(place, "confirm", mail=place.mail_of(said.refers), **{"from": since}))


def _propose(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, StandingOrder)
    if said.other is None:
        do, that = (from_our_side(clause(place, said.act, form)) for form in ("do", "that"))
        return [say(place, "propose one", do=do, that=that)]
    pair = (said.act, said.other) if said.number == 1 else (said.other, said.act)
    that, other = (from_our_side(clause(place, act, "that")) for act in pair)
    return [say(place, "propose two", that=that, other=other)]


def _agree(place: Place, said: Said) -> list[str]:
    day = place.day(said.refers)
    if said.other is None:
        return _with_reason(place, say(place, "agree one", day=day))
    return _with_reason(place, say(place, "agree two", day=day, which=WHICH[said.number]))


def _decline(place: Place, said: Said) -> list[str]:
    return _with_reason(place, say(place, "decline", day=place.day(said.refers)))


def _paper(place: Place, number: int) -> str:
    kinds = patterns("paper")  # by its number, so that every mail calls it the same
    return expand(place.draw, kinds[abs(number) % len(kinds)], {"number": str(abs(number))})


def _condition(place: Place, said: Said) -> list[str]:
    if isinstance(said.act, Until):
        assert isinstance(said.target, StandingOrder)
        act, name = said.target._replace(first=said.act.last + 1), "release"
    else:
        assert isinstance(said.act, StandingOrder)
        act, name = said.act, ""
    section = "condition met" if said.number > 0 else "condition unmet"
    after = place.draw.choice((f"from {place.day(act.first)} on", f"from {place.day(act.first)}"))
    told = say(
        place,
        section,
        paper=_paper(place, said.number),
        day=lambda: place.day(act.first - 1),
        after=after,
        do=lambda: clause(place, act, "do", name),
        that=lambda: clause(place, act, "that", name),
    )
    return _with_reason(place, told)


def _outcome(place: Place, said: Said) -> list[str]:
    assert isinstance(said.act, (StandingOrder, Until))
    deadline = said.act.last if isinstance(said.act, Until) else said.act.first - 1
    paper = _paper(place, said.number)
    if not said.refers:
        return [say(place, "outcome never", paper=paper, deadline=lambda: place.day(deadline))]
    section = "outcome met" if said.refers <= deadline else "outcome late"
    return [say(place, section, paper=paper, day=lambda: place.day(said.refers))]


FORMS: dict[str, Callable[[Place, Said], list[str]]] = {
    "end": _end,
    "extend": _extend,
    "release": _release,
    "limit": _limit,
    "correct": _correct,
    "disregard": _disregard,
    "distrust": _distrust,
    "announce": _announce,
    "confirm": _confirm,
    "propose": _propose,
    "agree": _agree,
    "decline": _decline,
    "condition": _condition,
    "outcome": _outcome,
}
