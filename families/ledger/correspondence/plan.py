"""Plan the correspondents of a case: who they are, what they owe and pay, and what they write."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from families.ledger.correspondence.acts import (
    BRANCH,
    DISPUTE,
    LARGE,
    SEQUENCE,
    Delegation,
    Instruction,
    StandingOrder,
)
from families.ledger.correspondence.correspondence import Correspondence, Customer
from families.ledger.correspondence.frame import Frame
from families.ledger.correspondence.in_force import NOTHING_MISSED, Missed
from families.ledger.correspondence.language.people import draw_people
from families.ledger.correspondence.scripts import episodes, followups
from families.ledger.correspondence.scripts.chatter import write_the_rest
from families.ledger.correspondence.scripts.drafting import LEAST_EFFECT, Episode, Script
from families.ledger.correspondence.scripts.ledgers import draw_ledger
from families.ledger.planning.plan_failed import PlanFailed
from trapcli.core.draw import Draw

ATTEMPTS = 8  # at a customer's script, each with entries of its own
TRIES = 4  # at an episode of one kind at one place
DELEGATES = 0.45  # of the customers, if another one decides something that they may take over
MOST_LEADS = 8  # that a customer looks at
MOST_OF_A_KIND = 7  # a customer has at most one, and one more for each so many, instructions of a kind
TOGETHER = 0.4  # of instructions that another is tried beside
WEIGHTS = {
    "dispute": 3,
    "temporary": 2,
    "sequence": 2,
    "branch": 2,
}  # of kinds that others follow upon; else 1

Drawn = Callable[[Script, int], Episode | None]
NEW: dict[str, Drawn] = {
    "dispute": lambda script, at: episodes.standing(script, at, DISPUTE),
    "sequence": lambda script, at: episodes.standing(script, at, SEQUENCE),
    "branch": lambda script, at: episodes.standing(script, at, BRANCH),
    "large": lambda script, at: episodes.standing(script, at, LARGE),
    "temporary": episodes.temporary,
    "conditional": episodes.conditional,
    "confirmed": episodes.confirmed,
    "agreed": episodes.agreed,
    "one-off": episodes.one_off,
    "late one-off": episodes.late_one_off,
    "disregard": episodes.disregarded,
    "distrust": episodes.distrusted,
}
FOLLOWING: dict[str, Drawn] = {
    "release": followups.release,
    "limit": followups.limit,
    "extension": followups.extension,
    "ending": followups.ending,
    "correction": followups.correction,
}


def plan_correspondents(
    draw: Draw, frame: Frame, names: Sequence[str], mails: int, instructions: int
) -> Correspondence:
    """Plan the correspondents of a case; PlanFailed if it cannot be done with these numbers.

    names: of the customers who write.
    mails, instructions: how many there are in all; at least half of the mails carry no instruction.
    """
    if instructions < len(names):
        raise PlanFailed(f"{len(names)} correspondents need at least {len(names)} instructions")
    people = draw_people(draw.stream("people"), len(names))
    scripts: list[Script] = []
    used: Counter[str] = Counter()
    for number in range(len(names)):
        left = instructions - sum(len(one.instructions) for one in scripts)
        if 3 * left > 4 * (instructions // len(names) + 1) * (len(names) - number):
            raise PlanFailed("the correspondents find too little to instruct")
        wanted = -(-left // (len(names) - number)) if number % 2 else left // (len(names) - number)
        scripts.append(
            _draw_script(draw.stream(f"customer {number}"), frame, scripts, people[number], wanted, used)
        )
        used.update(one.kind for one in scripts[-1].instructions)
    if sum(len(one.instructions) for one in scripts) != instructions:
        raise PlanFailed("the last correspondent finds no place for all its instructions")
    write_the_rest(draw.stream("chatter"), scripts, mails)
    customers = tuple(
        Customer(name, one.people, one.invoices, one.receipts, one.mails(), one.numbered())
        for name, one in zip(names, scripts, strict=True)
    )
    return _with_effects(Correspondence(frame, customers))


def _draw_script(
    draw: Draw,
    frame: Frame,
    earlier: Sequence[Script],
    people: tuple[str, ...],
    wanted: int,
    used: Counter[str],
) -> Script:
    """Draw a script with this many instructions, or the longest found; PlanFailed if that is too short."""
    best: Script | None = None
    for attempt in range(ATTEMPTS):
        own = draw.stream(str(attempt))
        invoices, receipts = draw_ledger(own, frame, wanted + attempt // 4)
        others = [one.instructions for one in earlier]
        script = Script(own, frame, len(earlier), people, invoices, receipts, others)
        if attempt < ATTEMPTS // 2 and own.chance(DELEGATES):
            _leave_a_matter(script, earlier)
        _fill(script, wanted, _deck(own, used), 1 + wanted // MOST_OF_A_KIND + attempt // 4)
        if not _leaves_others_biting(script, earlier):
            continue
        if len(script.instructions) == wanted:
            return script
        if best is None or len(script.instructions) > len(best.instructions):
            best = script
    if best is None or 3 * len(best.instructions) < 2 * wanted:
        raise PlanFailed(f"a correspondent finds too little to instruct for {wanted} instructions")
    return best


def _leave_a_matter(script: Script, earlier: Sequence[Script]) -> None:
    """Let a customer leave a matter to a person of another one, if that bites."""
    for lead in script.draw.shuffled(_leads(script.draw, earlier))[:MOST_LEADS]:
        episode = episodes.delegated(script, lead)
        if episode is not None and script.accept(episode):
            return


def _fill(script: Script, wanted: int, deck: list[str], most: int) -> None:
    """Add instructions, evenly over the year, until there are as many as wanted or the year is over.

    most: how many there may be of one kind.
    """
    count = len(script.receipts)
    start = next((number for number, (low, high) in enumerate(script.gaps) if low <= high), count)
    at = start
    while len(script.instructions) < wanted and at < count:
        phase = script.draw.below(100)  # percent of a step, so that customers do not write in step
        due = start + (count - start) * (100 * len(script.instructions) + phase) // (100 * wanted)
        at = max(at, due)
        if at >= count:
            break
        if not _add_one(script, at, deck, most):
            at += 1
        elif script.draw.chance(TOGETHER) and len(script.instructions) < wanted:
            _add_one(script, at, deck, most)
    for _ in range(2 * (wanted - len(script.instructions))):
        if len(script.instructions) < wanted:
            _add_one(script, script.draw.between(start, count - 1), deck, most)


def _deck(draw: Draw, used: Counter[str]) -> list[str]:
    """Return the kinds, those that were used least first."""
    kinds = draw.shuffled([*NEW, *FOLLOWING])
    return sorted(kinds, key=lambda kind: used[kind] / WEIGHTS.get(kind, 1))


def _add_one(script: Script, at: int, deck: list[str], most: int) -> bool:
    """Add an episode of the first kind of the deck that fits at a place, and put that kind last."""
    counts = Counter(one.kind for one in script.instructions)
    for kind in list(deck):
        if counts[kind] >= most:
            continue
        make = NEW.get(kind) or FOLLOWING[kind]
        for _ in range(TRIES):
            episode = make(script, at)
            if episode is None:
                continue
            if script.accept(episode):
                deck.remove(kind)
                deck.append(kind)
                return True
    return False


def _leads(draw: Draw, earlier: Sequence[Script]) -> list[Delegation]:
    """Return what a customer may leave to persons of those planned before it whom nobody follows yet.

    None of these leaves a matter to somebody else: whether that passes on would be open to two readings.
    """
    leaving = {
        number: one.act.customer
        for number, other in enumerate(earlier)
        for one in other.instructions
        if isinstance(one.act, Delegation)
    }
    free = [number for number in range(len(earlier)) if number not in {*leaving, *leaving.values()}]
    return [
        lead
        for number in draw.shuffled(free)[:MOST_LEADS]
        for matter in (SEQUENCE, BRANCH)
        for lead in _leads_of(draw, number, earlier[number], matter)
    ]


def _leads_of(draw: Draw, number: int, script: Script, matter: str) -> list[Delegation]:
    """Return delegations to those persons of a customer who alone speak in the mails about their orders.

    None begins between two mails about one order, so that all or nothing of it is delegated.
    """
    orders = [
        (
            one.mails,
            one.act,
            {script.letters[day].writer for day in one.mails if not script.letters[day].ours},
        )
        for one in script.instructions
        if isinstance(one.act, StandingOrder) and one.act.matter == matter
    ]
    leads = []
    for person in script.people:
        own = [(days, act) for days, act, _ in orders if act.writer == person]
        if not own or person in script.silenced:
            continue
        if any(person in writers and writers != {person} for _, _, writers in orders):
            continue
        first = max(script.frame.first, draw.choice(own)[1].written - draw.between(0, 9))
        if all(min(days) >= first or max(days) < first for days, _ in own):
            leads.append(Delegation(number, person, (matter,), first))
    return leads


def _leaves_others_biting(script: Script, earlier: Sequence[Script]) -> bool:
    """Whether the instructions of a customer who decides something here still bite with both accounts."""
    for one in script.instructions:
        if isinstance(one.act, Delegation):
            lead = earlier[one.act.customer]

            base = script.counted(script.instructions, NOTHING_MISSED)

            def change(missed: Missed, lead: Script = lead, base: int = base) -> int:
                own = lead.counted(lead.instructions, missed) - lead.counted(
                    lead.instructions, NOTHING_MISSED
                )
                return own + script.counted(script.instructions, missed) - base

            ids = [other.id for other in lead.instructions]
            if any(abs(change(frozenset((id,)))) < LEAST_EFFECT for id in ids):
                return False
            if not all(change(frozenset(pair)) for pair in combinations(ids, 2)):
                return False
    return True


def _with_effects(planned: Correspondence) -> Correspondence:
    """Return the correspondence with the effects that instructions have on those who follow them added."""
    followers: dict[int, list[int]] = {}
    for number, customer in enumerate(planned.customers):
        for one in customer.instructions:
            if isinstance(one.act, Delegation):
                followers.setdefault(one.act.customer, []).append(number)

    def counted(number: int, missed: Missed = NOTHING_MISSED) -> int:
        customer = planned.customers[number]
        return planned.frame.counts(customer.invoices, customer.receipts, planned.settle(number, missed))

    def known(one: Instruction) -> Instruction:
        there = [
            counted(number, frozenset((one.id,))) - counted(number)
            for number in followers.get(one.customer, ())
        ]
        return replace(one, effect=one.effect + sum(there)) if there else one

    customers = tuple(
        replace(customer, instructions=tuple(known(one) for one in customer.instructions))
        for customer in planned.customers
    )
    return Correspondence(planned.frame, customers)
