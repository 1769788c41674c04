"""A customer's script while it is drawn: what was written so far, and whether each instruction bites."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import NamedTuple

from families.ledger.correspondence.acts import (
    DISPUTE,
    FOREVER,
    Act,
    Correction,
    Delegation,
    Instruction,
    Mail,
    OneOff,
    Said,
    StandingOrder,
    Until,
)
from families.ledger.correspondence.frame import Frame, Invoice, Receipt
from families.ledger.correspondence.in_force import (
    NOTHING_MISSED,
    InForce,
    Missed,
    first_day,
    in_force,
    live_acts,
)
from families.ledger.correspondence.scripts.ledgers import is_weekday
from families.ledger.correspondence.scripts.soundness import is_sound
from families.ledger.correspondence.settling import NOTHING_YET, Mark, settle
from trapcli.core.draw import Draw

LEAST_EFFECT = 10_000  # cents by which each instruction, ignored alone, moves the answer
MOST_SAID = 3  # instructions in one mail
JOINS = 0.85  # of instructions that find a mail in their place


@dataclass(slots=True)
class Letter:
    """A mail while it is drawn; nothing may be added to a sealed one."""

    writer: str
    said: list[Said]
    sealed: bool
    ours: bool = False


class Episode(NamedTuple):
    """One to three instructions that belong together, and the mails that give them.

    instructions: their `mails` hold days.
    letters: (day, letter).
    locks: (matter, the last day on which no other instruction on the matter may be given).
    changed: act of an earlier instruction -> what it now does.
    """

    instructions: tuple[Instruction, ...]
    letters: tuple[tuple[int, Letter], ...]
    locks: tuple[tuple[str, int], ...] = ()
    changed: tuple[tuple[str, Act], ...] = ()


@dataclass(slots=True)
class Script:
    """What a customer has written so far.

    others: the instructions of the customers planned before, by customer.
    locks: matter -> the last day on which nothing may be instructed about it.
    left_to_others: matter -> the day from which another customer decides it.
    silenced: person -> the day from which they no longer write.
    touched: invoices that some mail disputes, rightly or wrongly.
    one_off_receipts: receipts that some mail has a one-off for.
    followed: instructions that a later one ends, corrects or changes.
    """

    draw: Draw
    frame: Frame
    number: int
    people: tuple[str, ...]
    invoices: tuple[Invoice, ...]
    receipts: tuple[Receipt, ...]
    others: Sequence[Sequence[Instruction]]
    instructions: list[Instruction] = field(default_factory=list)
    letters: dict[int, Letter] = field(default_factory=dict)
    locks: dict[str, int] = field(default_factory=dict)
    left_to_others: dict[str, int] = field(default_factory=dict)
    silenced: dict[str, int] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    one_off_receipts: set[int] = field(default_factory=set)
    followed: set[str] = field(default_factory=set)
    force: InForce = field(init=False)
    gaps: list[tuple[int, int]] = field(init=False)
    effects: dict[str, int] = field(default_factory=dict)
    serial: int = 0

    def __post_init__(self) -> None:
        self.force = in_force((), NOTHING_MISSED, self.others)
        days = [self.frame.first - 1, *(one.day for one in self.receipts)]
        self.gaps = [(max(low + 1, self.frame.first), high - 1) for low, high in pairwise(days)]

    def new_id(self) -> str:
        """Return an id for one more instruction."""
        self.serial += 1
        return f"{self.number + 1:02d}-{self.serial:02d}"

    def days_before(self, receipt: int, after: int = 0) -> list[int]:
        """Return the days without a mail, later than `after`, between a receipt and the one before it."""
        low, high = self.gaps[receipt]
        return [
            day for day in range(max(low, after + 1), high + 1) if is_weekday(day) and day not in self.letters
        ]

    def writers(self, day: int) -> list[str]:
        """Return who may write on a day."""
        return [who for who in self.people if self.silenced.get(who, FOREVER) > day]

    def place(self, receipt: int, after: int = 0, alone: bool = False) -> tuple[int, str] | None:
        """Return a day and a writer for an instruction that is known before a receipt, or None.

        alone: whether it needs a mail of its own; else it may join others in one that is already there.
        """
        low, high = self.gaps[receipt]
        if not alone and self.draw.chance(JOINS):
            for day, letter in self.letters.items():
                if max(low, after + 1) <= day <= high and not letter.sealed and len(letter.said) < MOST_SAID:
                    return day, letter.writer
        days = self.days_before(receipt, after)
        if not days:
            return None
        day = self.draw.choice(days)
        return day, self.draw.choice(self.writers(day))

    def is_free(self, matter: str, day: int, until: int) -> bool:
        """Whether an instruction on a matter may be given on a day and be in suspense until another."""
        if matter == DISPUTE:  # disputes of different invoices do not touch each other
            return True
        return self.locks.get(matter, 0) < day and until < self.left_to_others.get(matter, FOREVER)

    def order(self, id: str) -> StandingOrder | OneOff:
        """Return the order that an instruction gives."""
        act = next(one.act for one in self.instructions if one.id == id)
        assert isinstance(act, (StandingOrder, OneOff)), act
        return act

    def open_before(self, receipt: int) -> dict[int, int]:
        """Return what is open on each invoice just before a receipt, as things order so far."""
        day = self.receipts[receipt].day
        owed = settle(self.frame, self.invoices, self.receipts[:receipt], self.force).owed
        return {i: cents for i, cents in owed.items() if self.invoices[i].day < day}

    def standing(self, matter: str, day: int) -> str:
        """Return the id of the customer's own order that holds on a matter on a day and later, or ""."""
        own = {order: id for id, order in live_acts(self.instructions, NOTHING_MISSED).items()}
        orders = self.force.orders[matter]
        if not orders or not orders[0].first <= day <= orders[0].last or orders[0].last != FOREVER:
            return ""
        return own.get(orders[0], "")

    def accept(self, episode: Episode) -> bool:
        """Add an episode if every instruction, old and new, bites with it; say whether it was added."""
        changed = dict(episode.changed)
        old = [replace(one, act=changed[one.id]) if one.id in changed else one for one in self.instructions]
        instructions = [*old, *episode.instructions]
        force = in_force(instructions, NOTHING_MISSED, self.others)
        marks: list[Mark] = []
        settled = settle(self.frame, self.invoices, self.receipts, force, marks=marks)
        if not is_sound(force, settled, marks, self.invoices, self.receipts):
            return False
        base = self.frame.counts(self.invoices, self.receipts, settled)
        effects = self._effects([*episode.instructions, *old], instructions, base, marks)
        if not effects:
            return False
        self.instructions, self.force, self.effects = instructions, force, effects
        self._write(episode)
        return True

    def _effects(
        self,
        newest: Sequence[Instruction],
        all_of_them: Sequence[Instruction],
        base: int,
        marks: Sequence[Mark],
    ) -> dict[str, int]:
        """Return what missing each instruction changes; nothing if some do not bite, alone or two together.

        newest: the instructions, those first that are most likely not to bite.
        base: what the customer adds to the answer if none is missed.
        marks: the account before each receipt in that case.
        """
        acts = {one.id: one.act for one in newest}
        since: dict[str, Mark] = {}
        effects = {}
        for one in newest:
            day = first_day(one.act, acts, self.receipts)
            mark = next((mark for mark in marks if self.receipts[mark.receipt].day >= day), None)
            if mark is None:
                return {}
            since[one.id] = mark
            effects[one.id] = effect = self.counted(all_of_them, frozenset((one.id,)), mark) - base
            if abs(effect) < LEAST_EFFECT:
                return {}
        for pair in combinations(effects, 2):
            mark = min((since[id] for id in pair), key=lambda mark: mark.receipt)
            if self.counted(all_of_them, frozenset(pair), mark) == base:
                return {}
        return effects

    def counted(self, instructions: Sequence[Instruction], missed: Missed, since: Mark = NOTHING_YET) -> int:
        """Return what the customer adds to the answer for a reader who misses some instructions.

        since: where what they miss begins to matter.
        """
        force = in_force(instructions, missed, self.others)
        settled = settle(self.frame, self.invoices, self.receipts, force, since)
        return self.frame.counts(self.invoices, self.receipts, settled)

    def mails(self) -> tuple[Mail, ...]:
        """Return the mails so far, in order."""
        return tuple(
            Mail(day, letter.writer, tuple(letter.said), letter.ours)
            for day, letter in sorted(self.letters.items())
        )

    def numbered(self) -> tuple[Instruction, ...]:
        """Return the instructions, their mails by number and their effects known."""
        at = {day: number for number, day in enumerate(sorted(self.letters))}
        return tuple(
            replace(one, mails=tuple(at[day] for day in one.mails), effect=self.effects[one.id])
            for one in self.instructions
        )

    def _write(self, episode: Episode) -> None:
        for day, letter in episode.letters:
            if day in self.letters:
                self.letters[day].said += letter.said
            else:
                self.letters[day] = letter
        for matter, day in episode.locks:
            self.locks[matter] = max(day, self.locks.get(matter, 0))
        for one in episode.instructions:
            if isinstance(one.act, (Until, Correction)):
                self.followed.add(one.act.target)
            elif isinstance(one.act, Delegation):
                self.left_to_others.update(dict.fromkeys(one.act.matters, one.act.first))
            elif isinstance(one.act, StandingOrder) and one.act.needs:
                self.followed |= {one.id, one.act.needs}
        for said in (said for _, letter in episode.letters for said in letter.said):
            self._note(said)

    def _note(self, said: Said) -> None:
        """Remember what a mail disputes and splits, and whom it silences."""
        for act in (said.act, said.target):
            if isinstance(act, OneOff):
                self.one_off_receipts.add(act.receipt)
            elif isinstance(act, StandingOrder) and act.matter == DISPUTE:
                self.touched.add(act.number)
        if said.form == "distrust" and isinstance(said.target, StandingOrder):
            self.silenced[said.target.writer] = said.number
