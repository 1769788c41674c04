"""What a sentence of a mail says: `readings` matches it with every pattern that it may have."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from families.ledger.solver.mails.language import statements as said
from families.ledger.solver.mails.language.clauses import (
    Clause,
    bare,
    clauses,
    first_day,
    sequence_in,
    starts,
)
from families.ledger.solver.mails.language.phrases import Phrase, all_of, matches, phrases, source_of
from families.ledger.solver.mails.language.terms import MAIL, cents_in, day_in

ASIDES = ("why before", "why after", "late remark")
TALK = ("other account", "idle wish", "idle ours", "chat", "chat ours", "decline")
LONGEST_SINCE = 180  # days since an order ended when a mail says so
RESTS = ("rest usual", "rest ordered")

Slots = Mapping[str, str]
Reader = Callable[[Slots, int], Iterator[said.Statement]]


def readings(text: str, sentences: int, written: int) -> set[said.Statement]:
    """Return what a text may say; mostly one statement, none if it matches no pattern.

    sentences: how many there are in the text.
    written: the day of the mail.
    """
    found: set[said.Statement] = set()
    for words in matches(_table(sentences), text):
        if words.section in ASIDES:
            found.add(said.Talk(aside=True))
        elif words.section in READERS:
            found.update(READERS[words.section](words.slots, written))
        elif _is_talk(words.slots):
            found.add(said.Talk())
    if sentences == 1:
        found.update(_orders(text, written))
    lead = _chat_lead().match(text)
    if lead and any(words.section == "chat" for words in matches(_table(sentences), text[lead.end() :])):
        found.add(said.Talk())
    return found


@cache
def _table(sentences: int) -> tuple[Phrase, ...]:
    whole = (name for name in READERS if name not in RESTS)
    table = (*phrases((*ASIDES, *TALK, *whole)), *all_of("opening "), *phrases(RESTS, r"\."))
    return tuple(one for one in table if one.shape.fewest < sentences <= one.shape.most + 1)


@cache
def _chat_lead() -> re.Pattern[str]:
    return re.compile(source_of(("chat lead",)) + " ", re.IGNORECASE)


def _orders(text: str, written: int) -> Iterator[said.Order]:
    """Yield what a request orders."""
    for begins, body in starts(text, written):
        for words in matches(all_of("ask "), body):
            ((form, ordered),) = words.slots.items()
            for clause in clauses(ordered, form, written):
                if not (begins and clause.first):
                    yield said.Order(clause._replace(first=begins or clause.first))


def _is_talk(slots: Slots) -> bool:
    """Whether every clause that is only talked of is one."""
    return all(any(_clause_of({name: text})) for name, text in slots.items())


def _clause_of(slots: Slots) -> Iterator[Clause]:
    """Yield the clause in one of the slots for clauses."""
    for name in slots.keys() & {"do", "that", "do3", "that3"}:
        yield from bare(slots[name], name.removesuffix("3"))


def _paper(slots: Slots) -> int:
    return int(slots["paper"].rpartition(" ")[2])


def _what(text: str, written: int) -> Iterator[said.Named]:
    """Yield the order that a text like "the instruction in my mail of 3 March" means."""
    for words in matches(all_of("what "), text):
        mail = day_in(words.slots["mail"], written)
        if words.section == "what plain":
            yield said.Named(mail)
        else:
            yield from (said.Named(mail, *matter) for matter in _matter(words.slots["matter"]))


def _matter(text: str) -> Iterator[tuple[str, str]]:
    """Yield (matter, the invoice or receipt that is named with it)."""
    if text == "the last day":
        yield "last day", ""
    for words in matches(all_of("matter "), text):
        yield words.section.removeprefix("matter "), next(iter(words.slots.values()), "")


@cache
def _about() -> re.Pattern[str]:
    return re.compile(f"({MAIL}) (?:on|about|concerning) (.+)", re.IGNORECASE)


def _announce(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield from map(said.Announced, _clause_of(slots))


def _confirm(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Confirmed(day_in(slots["mail"], written), first_day(slots["from"], written))


def _propose_one(slots: Slots, written: int) -> Iterator[said.Statement]:
    for clause in _clause_of(slots):
        yield said.Proposed((clause,))


def _propose_two(slots: Slots, written: int) -> Iterator[said.Statement]:
    for one in bare(slots["that"], "that"):
        for other in bare(slots["other"], "that"):
            yield said.Proposed((one, other))


def _agree(slots: Slots, written: int) -> Iterator[said.Statement]:
    which = ("", "first", "second").index(slots.get("which", "").lower())
    yield said.Agreed(day_in(slots["day"], written), which)


def _condition(comes: bool) -> Reader:
    def read(slots: Slots, written: int) -> Iterator[said.Statement]:
        first, deadline = (day_in(slots[name], written, written) for name in ("after", "day"))
        for clause in _clause_of(slots):
            yield said.Condition(_paper(slots), comes, deadline, clause._replace(first=first))

    return read


def _outcome(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Outcome(_paper(slots), day_in(slots["day"], written) if "day" in slots else 0)


def _end(slots: Slots, written: int) -> Iterator[said.Statement]:
    if "from" in slots:
        last = first_day(slots["from"], written) - 1
    else:
        last = day_in(slots["day"], written, written - LONGEST_SINCE)
    for what in _what(slots["what"], written):
        yield said.Until(what, last)


def _limit(slots: Slots, written: int) -> Iterator[said.Statement]:
    mail = day_in(slots["mail"], written) if "mail" in slots else 0
    first = first_day(slots["from"], written)
    yield said.NewLimit(mail, cents_in(slots["old"]), cents_in(slots["new"]), first)


def _correct(slots: Slots, written: int) -> Iterator[said.Statement]:
    about = _about().fullmatch(slots["mail"])
    assert about is not None
    for matter in _matter(about[2]):
        yield said.Corrected(said.Named(day_in(about[1], written), *matter), slots["wrong"], slots["right"])


def _disregard(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Disregarded(day_in(slots["mail"], written))


def _distrust(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Distrusted(slots["person"], first_day(slots["from"], written))


def _delegate(slots: Slots, written: int) -> Iterator[said.Statement]:
    person, _, house = slots.get("lead", "").partition(" of ")
    first = first_day(slots["from"], written) if "from" in slots else day_in(slots["day"], written)
    matters = [matter for matter in ("sequence", "branch") if matter in slots["matters"]]
    named = slots.get("person", person)
    if len(matters) == 1 and (not person or named == person):
        yield said.Delegated(named, slots.get("house", house), matters[0], first)


def _starts(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Starts(day_in(slots["day"], written))


def _ends(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Ends(day_in(slots["day"], written, written))


def _rest(slots: Slots, written: int) -> Iterator[said.Statement]:
    yield said.Rest(sequence_in(slots["adj"]) if "adj" in slots else "")


READERS: Mapping[str, Reader] = {
    "announce": _announce, "confirm": _confirm, "propose one": _propose_one, "propose two": _propose_two,
    "agree one": _agree, "agree two": _agree, "condition met": _condition(True),
    "condition unmet": _condition(False), "outcome met": _outcome, "outcome late": _outcome,
    "outcome never": _outcome, "end before": _end, "end last": _end, "extend": _end, "limit": _limit,
    "correct": _correct, "disregard": _disregard, "distrust": _distrust, "delegate": _delegate,
    "starts": _starts, "ends": _ends, "rest usual": _rest, "rest ordered": _rest,
}  # fmt: skip
