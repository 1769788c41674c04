"""Instructions that end, extend, release, change or correct what an earlier mail ordered.

As with new instructions, the place is the receipt before which a mail must be known, and None is
returned where nothing fits.
"""

from families.ledger.correspondence.acts import (
    DISPUTE,
    FOREVER,
    LARGE,
    MATTERS,
    NAMED,
    PART,
    Act,
    Correction,
    Instruction,
    OneOff,
    Said,
    StandingOrder,
    Until,
)
from families.ledger.correspondence.scripts.drafting import Episode, Letter, Script
from families.ledger.correspondence.scripts.orders import draw_disputed, draw_limit, draw_standing

LONGEST_BACK = 90  # days between a mail and its correction


def ending(script: Script, receipt: int) -> Episode | None:
    """A standing order, with or without a last day, ends on a day before it otherwise would."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    draw = script.draw
    targets = [
        (one, order)
        for one, order in _orders(script, day)
        if order.matter != DISPUTE and order.first <= day < order.last and _prevails(script, order, day)
    ]
    if not targets:
        return None
    target, order = draw.choice(targets)
    last = draw.choice((day - 1, day - 1, day, draw.between(day, script.receipts[receipt].day - 1)))
    if draw.chance(0.2) and receipt + 1 < len(script.receipts):
        last = draw.between(script.receipts[receipt].day, script.receipts[receipt + 1].day - 1)
    if last >= order.last or last < order.first or not _may_follow(script, order, day, last):
        return None
    return _about(script, "ending", "end", target, Until(target.id, last), day, writer, last)


def extension(script: Script, receipt: int) -> Episode | None:
    """A temporary order that has not ended yet gets a later last day."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    targets = [pair for pair in _orders(script, day) if day <= pair[1].last < FOREVER]
    if not targets:
        return None
    target, order = script.draw.choice(targets)
    beyond = [one.day for one in script.receipts if one.day > order.last][:4]
    if len(beyond) < 2:
        return None
    upto = script.draw.below(len(beyond) - 1)
    last = script.draw.between(beyond[upto], beyond[upto + 1] - 1)
    if last >= script.left_to_others.get(order.matter, FOREVER):
        return None
    return _about(script, "extension", "extend", target, Until(target.id, last), day, writer, last)


def release(script: Script, receipt: int) -> Episode | None:
    """A disputed invoice may be paid again."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    targets = [
        (one, order)
        for one, order in _orders(script, day)
        if order.matter == DISPUTE and order.first < day <= order.last
    ]
    if not targets:
        return None
    target, order = script.draw.choice(targets)
    last = day - 1 if script.draw.chance(0.6) else script.draw.between(day, script.receipts[receipt].day - 1)
    if last >= order.last:
        return None
    return _about(script, "release", "release", target, Until(target.id, last), day, writer, last)


def limit(script: Script, receipt: int) -> Episode | None:
    """The limit above which receipts have a sequence of their own changes."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    first = day if script.draw.chance(0.6) else script.draw.between(day, script.receipts[receipt].day)
    targets = [
        (one, order)
        for one, order in _orders(script, day)
        if order.matter == LARGE and order.first < day and order.last == FOREVER and one.kind != "agreed"
        if _prevails(script, order, day)
    ]
    if not targets or not script.is_free(LARGE, day, first):
        return None
    target, order = script.draw.choice(targets)
    cents = draw_limit(script, first, order.number)
    if cents is None:
        return None
    act = order._replace(number=cents, first=first, writer=writer, written=day, needs=target.id)
    return _about(script, "limit", "limit", target, act, day, writer, first)


def correction(script: Script, receipt: int) -> Episode | None:
    """An earlier mail gave something wrongly; it counts as if it had been right from the start."""
    place = script.place(receipt)
    if place is None:
        return None
    day, writer = place
    targets = [
        one
        for one in script.instructions
        if isinstance(one.act, (StandingOrder, OneOff))
        and one.kind in ("dispute", "sequence", "branch", "large", "temporary", "one-off", "late one-off")
        and day - LONGEST_BACK <= one.mails[0] < day
        and one.id not in script.followed
    ]
    if not targets:
        return None
    target = script.draw.choice(targets)
    wrong = target.act
    assert isinstance(wrong, (StandingOrder, OneOff))
    right = (
        _corrected_one_off(script, wrong)
        if isinstance(wrong, OneOff)
        else _corrected(script, target, wrong, day)
    )
    if right is None or right == wrong:
        return None
    id = script.new_id()
    said = Said("correct", right, id, wrong, target.mails[0])
    return Episode(
        (Instruction(id, "correction", script.number, Correction(target.id, wrong), (target.mails[0], day)),),
        ((day, Letter(writer, [said], False)),),
        changed=((target.id, right),),
    )


def _corrected(script: Script, target: Instruction, wrong: StandingOrder, day: int) -> StandingOrder | None:
    """Draw what a standing order should have said: another value, limit, invoice or last day."""
    draw, written = script.draw, target.mails[0]
    if wrong.matter == DISPUTE and wrong.last == FOREVER:
        invoice = draw_disputed(script, written)
        return None if invoice is None else wrong._replace(number=invoice)
    if (wrong.matter != DISPUTE and not _prevails(script, wrong, day)) or not _may_follow(
        script, wrong, day, day
    ):
        return None
    if wrong.last != FOREVER:
        days = range(max(wrong.first + 1, wrong.last - 25), wrong.last + 26)
        lock = script.locks.get(wrong.matter, 0)
        if wrong.matter != DISPUTE and lock > wrong.last:
            return None
        last = draw.choice(days)
        most = min(script.left_to_others.get(wrong.matter, FOREVER), script.frame.end + 1)
        return wrong._replace(last=last) if last < most else None
    if wrong.matter == LARGE:
        cents = draw_limit(script, wrong.first, wrong.number)
        return None if cents is None else wrong._replace(number=cents)
    other = draw_standing(script, wrong.matter, wrong.writer, wrong.written, wrong.first)
    says_nothing = (
        other is None or not other.value or other.value == "practice" or wrong.value in ("", "practice")
    )
    return None if other is None or says_nothing else wrong._replace(value=other.value)


def _corrected_one_off(script: Script, wrong: OneOff) -> OneOff | None:
    """Draw what a one-off should have said: another invoice, or another part."""
    draw = script.draw
    if wrong.split == PART:
        cents = wrong.cents * draw.choice((40, 50, 60, 70, 80, 120, 125, 130, 140, 150)) // 100
        return wrong._replace(cents=cents - cents % 1_000)
    if wrong.split != NAMED:
        return None
    owed = script.open_before(wrong.receipt)
    day = script.receipts[wrong.receipt].day
    others = [i for i in owed if i not in wrong.invoices and script.invoices[i].day < day - 10]
    others = [i for i in others if i not in script.touched]
    if not others:
        return None
    place = draw.below(len(wrong.invoices))
    invoices = list(wrong.invoices)
    invoices[place] = draw.choice(others)
    return wrong._replace(invoices=tuple(invoices))


def _orders(script: Script, day: int) -> list[tuple[Instruction, StandingOrder]]:
    """Return the standing orders that a mail of a day may still end, extend or change."""
    return [
        (one, one.act)
        for one in script.instructions
        if isinstance(one.act, StandingOrder) and one.mails[-1] < day and one.id not in script.followed
    ]


def _prevails(script: Script, order: StandingOrder, day: int) -> bool:
    """Whether an order holds on a day, and no other order on its matter comes after it."""
    rivals = script.force.orders[order.matter]
    return script.force.on(order.matter, day) == order and rivals[0] == order


def _may_follow(script: Script, order: StandingOrder, day: int, last: int) -> bool:
    """Whether nothing but the order itself keeps its matter in suspense."""
    own = script.locks.get(order.matter, 0) == order.last
    return own or script.is_free(order.matter, day, last)


def _about(
    script: Script, kind: str, form: str, target: Instruction, act: Act, day: int, writer: str, until: int
) -> Episode:
    """Return an episode of one instruction about an earlier one."""
    id = script.new_id()
    assert isinstance(target.act, StandingOrder)
    matter = target.act.matter
    gave = target.mails[-1 if target.kind == "agreed" else 0]  # what is proposed, our clerk wrote
    said = Said(form, act, id, target.act, gave)
    locks = () if matter == DISPUTE else ((matter, until),)
    assert matter in MATTERS
    return Episode(
        (Instruction(id, kind, script.number, act, (*target.mails, day)),),
        ((day, Letter(writer, [said], False)),),
        locks,
    )
