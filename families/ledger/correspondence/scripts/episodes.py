"""New instructions of each kind, drawn for a place in a customer's script.

The place is a receipt: the one before which an instruction must be known. Every function returns
None where nothing of its kind fits.
"""

from families.ledger.correspondence.acts import (
    BRANCH,
    DISPUTE,
    FOREVER,
    LARGE,
    MATTERS,
    SEQUENCE,
    Act,
    Delegation,
    Instruction,
    OneOff,
    Said,
    StandingOrder,
    Until,
    Void,
)
from families.ledger.correspondence.scripts.drafting import Episode, Letter, Script
from families.ledger.correspondence.scripts.ledgers import is_weekday
from families.ledger.correspondence.scripts.orders import draw_one_off, draw_standing

PAPERS = (1_000, 9_999)  # numbers of the papers that conditions are about
NOT = -1  # the sign of a condition that is met if the paper does not come


def standing(script: Script, receipt: int, matter: str) -> Episode | None:
    """A standing order without a last day, from today or from a day that it names."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    first = _first_day(script, receipt, day) if matter != DISPUTE else day
    if not script.is_free(matter, day, first):
        return None
    act = draw_standing(script, matter, writer, day, first)
    return None if act is None else _given(script, matter, act, day, writer, ((matter, first),))


def temporary(script: Script, receipt: int) -> Episode | None:
    """A standing order with a last day."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    draw = script.draw
    matter = draw.choice((SEQUENCE, SEQUENCE, BRANCH, BRANCH, DISPUTE))
    first = _first_day(script, receipt, day) if draw.chance(0.5) else day
    reached = [one.day for one in script.receipts[receipt:] if one.day >= first]
    if len(reached) < 2:
        return None
    upto = draw.below(min(4, len(reached) - 1))
    last = draw.between(reached[upto], reached[upto + 1] - 1)
    if not script.is_free(matter, day, last) or last <= first:
        return None
    act = draw_standing(script, matter, writer, day, first, last)
    return None if act is None else _given(script, "temporary", act, day, writer, ((matter, last),))


def one_off(script: Script, receipt: int) -> Episode | None:
    """A one-off for a receipt that is still to come: the next, or one of the two after it."""
    return _one_off(
        script, receipt, min(receipt + script.draw.choice((0, 0, 1, 2)), len(script.receipts) - 1)
    )


def late_one_off(script: Script, receipt: int) -> Episode | None:
    """A one-off for a receipt that has arrived already."""
    earlier = receipt - script.draw.choice((1, 1, 1, 2, 3))
    if earlier < 0 or script.receipts[earlier].day < script.frame.first:
        return None
    return _one_off(script, receipt, earlier)


def _one_off(script: Script, before: int, receipt: int) -> Episode | None:
    place = script.place(before)
    if place is None:
        return None
    day, writer = place
    act = draw_one_off(script, receipt, day)
    kind = "late one-off" if script.receipts[receipt].day < day else "one-off"
    return None if act is None else _given(script, kind, act, day, writer)


def conditional(script: Script, receipt: int) -> Episode | None:
    """An order, or a release, that counts if some paper has come, or has not come, by a day."""
    draw = script.draw
    days = script.days_before(receipt)
    if not days or receipt + 1 >= len(script.receipts):
        return None
    day = draw.choice(days)
    deadline = draw.between(day + 3, min(day + 24, script.receipts[receipt + 1].day))
    matter = draw.choice((SEQUENCE, BRANCH, LARGE, DISPUTE))
    writer = draw.choice(script.writers(day))
    act = _conditional_act(script, matter, writer, day, deadline)
    if act is None:
        return None
    paper = draw.between(*PAPERS) * draw.choice((1, NOT))
    late = paper < 0
    soonest, latest = (deadline + 1, deadline + 12) if late else (day + 1, deadline)
    told = [
        one
        for one in range(max(soonest, day + 1), latest + 6)
        if is_weekday(one) and one not in script.letters and one < script.frame.end
    ]
    if not told:
        return None
    tells = draw.choice(told)
    came = _came(script, paper, tells, day, deadline)
    until = max(tells, deadline + 1)
    if not script.is_free(matter, day, until):
        return None
    id, target = script.new_id(), None
    if isinstance(act, Until):
        target = script.order(act.target)
    condition = Said("condition", act, id, target, number=paper)
    outcome = Said("outcome", act, id, target, came, paper)
    teller = draw.choice(script.writers(tells))
    return Episode(
        (Instruction(id, "conditional", script.number, act, (day, tells)),),
        ((day, Letter(writer, [condition], True)), (tells, Letter(teller, [outcome], False))),
        ((matter, until),),
    )


def _conditional_act(
    script: Script, matter: str, writer: str, day: int, deadline: int
) -> StandingOrder | Until | None:
    if matter != DISPUTE:
        return draw_standing(script, matter, writer, day, deadline + 1)
    open_ones = [
        one.id
        for one in script.instructions
        if isinstance(one.act, StandingOrder)
        and one.act.matter == DISPUTE
        and one.act.last == FOREVER
        and one.mails[-1] < day
        and one.id not in script.followed
    ]
    return Until(script.draw.choice(open_ones), deadline) if open_ones else None


def _came(script: Script, paper: int, tells: int, day: int, deadline: int) -> int:
    """Draw the day on which the paper of a condition came: in time if it should, else late or never (0)."""
    if paper > 0:
        return script.draw.between(day + 1, min(tells, deadline))
    late = range(deadline + 1, tells + 1)
    return script.draw.choice(late) if late and script.draw.chance(0.5) else 0


def confirmed(script: Script, receipt: int) -> Episode | None:
    """An order that is announced and counts from its confirmation."""
    return _in_two(script, receipt, ours=False)


def agreed(script: Script, receipt: int) -> Episode | None:
    """What our clerk proposes, one order or two to choose from, and the customer agrees to."""
    return _in_two(script, receipt, ours=True)


def _in_two(script: Script, receipt: int, ours: bool) -> Episode | None:
    draw = script.draw
    matter = draw.choice((SEQUENCE, BRANCH, LARGE))
    later = script.place(receipt, alone=True)
    if later is None:
        return None
    day, writer = later
    earlier = [
        one
        for one in range(max(script.frame.first, day - 21), day)
        if is_weekday(one) and one not in script.letters
    ]
    if not earlier:
        return None
    opens = draw.choice(earlier)
    author = draw.choice(script.writers(opens))
    act = draw_standing(script, matter, writer, day, day)
    if act is None or not script.is_free(matter, opens, day):
        return None
    id = script.new_id()
    other, number = None, 0
    if ours and draw.chance(0.6):
        other = draw_standing(script, matter, writer, day, day)
        if other is None or other == act:
            return None
        number = draw.between(1, 2)
    forms = ("propose", "agree") if ours else ("announce", "confirm")
    opening = Said(forms[0], act, id, number=number, other=other)
    closing = Said(forms[1], act, id, refers=opens, number=number, other=other)
    return Episode(
        (Instruction(id, "agreed" if ours else "confirmed", script.number, act, (opens, day)),),
        ((opens, Letter(author, [opening], True, ours)), (day, Letter(writer, [closing], not ours))),
        ((matter, day),),
    )


def disregarded(script: Script, receipt: int) -> Episode | None:
    """An instruction that a later mail asks to disregard."""
    draw = script.draw
    place = script.place(receipt, alone=True)
    if place is None:
        return None
    day, writer = place
    matter = draw.choice((*MATTERS, "one-off"))
    act: StandingOrder | OneOff | None
    if matter == "one-off":
        act = draw_one_off(script, min(receipt + draw.below(2), len(script.receipts) - 1), day)
    else:
        act = draw_standing(script, matter, writer, day, day)
    last = min(receipt + draw.choice((0, 1, 1, 2)), len(script.receipts) - 1)
    days = [one for one in script.days_before(last, after=day) if one > day]
    if act is None or not days:
        return None
    takes_back = draw.choice(days)
    if matter != "one-off" and not script.is_free(matter, day, takes_back):
        return None
    id = script.new_id()
    who = writer if draw.chance(0.7) else draw.choice(script.writers(takes_back))
    if who not in script.writers(takes_back):
        return None
    first = Said("state", act, id)
    second = Said("disregard", None, id, act, refers=day)
    locks = () if matter == "one-off" else ((matter, takes_back),)
    return Episode(
        (Instruction(id, "disregard", script.number, Void(act), (day, takes_back)),),
        ((day, Letter(writer, [first], True)), (takes_back, Letter(who, [second], False))),
        locks,
    )


def distrusted(script: Script, receipt: int) -> Episode | None:
    """A person whose word no longer counts writes an order all the same."""
    draw = script.draw
    days = script.days_before(receipt)
    person = script.people[-1]
    if not days or person in script.silenced or len(script.people) < 3:
        return None
    day = draw.choice(days)
    told_on = [
        one
        for one in range(max(script.frame.first, day - 40), day)
        if is_weekday(one) and one not in script.letters
    ]
    if not told_on:
        return None
    tells = draw.choice(told_on)
    since = draw.between(tells, min(day, tells + 14))
    if any(letter.writer == person and at >= tells for at, letter in script.letters.items()):
        return None
    matter = draw.choice(MATTERS)
    act = draw_standing(script, matter, person, day, day)
    if act is None or not script.is_free(matter, day, day):
        return None
    id = script.new_id()
    writer = draw.choice([who for who in script.writers(tells) if who != person])
    first = Said("distrust", None, id, act, number=since)
    return Episode(
        (Instruction(id, "distrust", script.number, Void(act), (tells, day)),),
        ((tells, Letter(writer, [first], False)), (day, Letter(person, [Said("state", act, id)], True))),
        ((matter, day),),
    )


def delegated(script: Script, act: Delegation) -> Episode | None:
    """From a day on another customer's person decides a matter for this one too."""
    days = [
        day
        for day in range(max(script.frame.first, act.first - 20), act.first + 1)
        if is_weekday(day) and day not in script.letters and day not in {one.day for one in script.receipts}
    ]
    if not days:
        return None
    day = script.draw.choice(days)
    writer = script.draw.choice(script.people[:2])
    return _given(script, "delegation", act, day, writer)


def _given(
    script: Script, kind: str, act: Act, day: int, writer: str, locks: tuple[tuple[str, int], ...] = ()
) -> Episode:
    """Return an episode of one instruction that one mail gives."""
    id = script.new_id()
    letter = Letter(writer, [Said("state", act, id)], False)
    return Episode((Instruction(id, kind, script.number, act, (day,)),), ((day, letter),), locks)


def _first_day(script: Script, receipt: int, day: int) -> int:
    """Draw the first day of an order: mostly today, else a later one, at times after the next receipt."""
    draw, receipts = script.draw, script.receipts
    if draw.chance(0.55):
        return day
    if draw.chance(0.5) or receipt + 1 >= len(receipts):
        return draw.between(day, receipts[receipt].day)
    return draw.between(receipts[receipt].day + 1, receipts[receipt + 1].day)
