"""Mails that instruct nothing: chat, and plans, conditions and proposals that come to nothing."""

from collections.abc import Sequence

from families.ledger.correspondence.acts import BRANCH, LARGE, SEQUENCE, SEQUENCES, Said, StandingOrder
from families.ledger.correspondence.scripts.drafting import Letter, Script
from families.ledger.correspondence.scripts.episodes import NOT, PAPERS
from families.ledger.correspondence.scripts.ledgers import is_weekday
from families.ledger.planning.plan_failed import PlanFailed
from trapcli.core.draw import Draw

UNDONE = 0.16  # of the mails without an instruction: what comes to nothing
OWN = 0.05  # of them: our clerk's chat


def write_the_rest(draw: Draw, scripts: Sequence[Script], mails: int) -> None:
    """Add mails until there are this many; PlanFailed if more than half of them carry instructions."""
    carrying = sum(len(one.letters) for one in scripts)
    if 2 * carrying > mails:
        raise PlanFailed(f"{carrying} mails carry instructions, which leaves too few of {mails}")
    for number, script in enumerate(scripts):
        done = sum(len(one.letters) for one in scripts[:number])
        waiting = sum(len(one.letters) for one in scripts[number:])
        share = (mails - done - waiting) // (len(scripts) - number)
        spread = share // 5 if number + 1 < len(scripts) else 0
        _write(draw, script, share + draw.between(-spread, spread))


def _write(draw: Draw, script: Script, count: int) -> None:
    days = [
        day
        for day in range(script.frame.first, script.frame.end + 1)
        if is_weekday(day) and day not in script.letters
    ]
    if count > len(days):
        raise PlanFailed(f"a correspondent cannot write {count} more mails")
    chosen = sorted(draw.sample(days, count))
    while chosen:
        day = chosen.pop(0)
        if chosen and draw.chance(UNDONE):
            _write_undone(draw, script, day, chosen)
        else:
            ours = draw.chance(OWN)
            script.letters[day] = Letter(draw.choice(script.writers(day)), [Said("chat")], True, ours)


def _write_undone(draw: Draw, script: Script, day: int, later: list[int]) -> None:
    """Write a plan that nobody confirms, a condition that is not met, or a proposal that is not taken up."""
    writer = draw.choice(script.writers(day))
    kind = draw.choice(("announce", "propose", "condition", "decline"))
    act = _any_order(draw, script, writer, day)
    if kind == "announce":
        script.letters[day] = Letter(writer, [Said("announce", act)], True)
        return
    if kind == "propose":
        other = _any_order(draw, script, writer, day)
        said = Said("propose", act, number=1, other=other) if other != act else Said("propose", act)
        script.letters[day] = Letter(writer, [said], True, ours=True)
        return
    closes = later.pop(draw.below(min(3, len(later))))
    if kind == "decline":
        script.letters[day] = Letter(writer, [Said("propose", act)], True, ours=True)
        said = Said("decline", act, refers=day)
    else:
        paper = draw.between(*PAPERS) * draw.choice((1, NOT))
        deadline = closes - 1 if paper > 0 else closes + 1
        if not day < deadline <= script.frame.end:
            script.letters[day] = Letter(writer, [Said("announce", act)], True)
            script.letters[closes] = Letter(writer, [Said("chat")], True)
            return
        act = act._replace(first=deadline + 1)
        script.letters[day] = Letter(writer, [Said("condition", act, number=paper)], True)
        came = draw.between(day + 1, min(closes, deadline)) if paper < 0 else 0
        said = Said("outcome", act, refers=came, number=paper)
    script.letters[closes] = Letter(draw.choice(script.writers(closes)), [said], True)


def _any_order(draw: Draw, script: Script, writer: str, day: int) -> StandingOrder:
    """Draw an order that need not make any difference."""
    matter = draw.choice((SEQUENCE, SEQUENCE, BRANCH, BRANCH, LARGE))
    if matter == BRANCH:
        return StandingOrder(BRANCH, draw.choice(script.frame.branches), 0, day, 0, writer, day)
    number = draw.between(3, 40) * 25_000 if matter == LARGE else 0
    return StandingOrder(matter, draw.choice(SEQUENCES), number, day, 0, writer, day)
