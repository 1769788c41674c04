"""Put a mail together: header, greeting, what it says among what it only talks about, farewell."""

import re
from datetime import date

from families.ledger.correspondence.acts import Correction, Said
from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.language.clauses import say
from families.ledger.correspondence.language.filler import Talk
from families.ledger.correspondence.language.references import WEEKDAYS, Place
from families.ledger.correspondence.language.statements import sentences
from families.ledger.domain.formats import MONTHS
from trapcli.core.draw import Draw

VOICES = ("formal", "terse", "chatty", "sorry", "plain")
NONE = "-"  # the pattern of a greeting or farewell that is left out
OURS = "Receivables <receivables@accounts.example>"
# How many sentences of filler a mail has, by whether it says anything else.
WITH_OTHERS = (0, 0, 1, 1, 1, 2, 2, 3)
ALONE = (1, 2, 2, 2, 3, 3, 4, 5)


class Letters:
    """The letters of a case: every person writes in a voice of their own."""

    def __init__(self, draw: Draw, clerk: str, correspondence: Correspondence, talk: Talk) -> None:
        self.clerk = clerk
        self.talk = talk
        self.voices = {
            person: draw.choice(VOICES) for customer in correspondence.customers for person in customer.people
        }
        self.corrected = {
            (customer.name, one.mails[0], one.act.target)
            for customer in correspondence.customers
            for one in customer.instructions
            if isinstance(one.act, Correction)
        }

    def text(self, place: Place) -> str:
        """Return a mail as it stands in its file."""
        mail = place.mail
        when = date.fromordinal(mail.day)
        theirs = f"{mail.writer}, {place.customer.name} <{address(mail.writer, place.customer.name)}>"
        from_, to = (OURS, theirs) if mail.ours else (theirs, OURS)
        voice = "plain" if mail.ours else self.voices[mail.writer]
        day = f"{WEEKDAYS[when.weekday()]}, {when.day} {MONTHS[when.month - 1]} {when.year}"
        greeting = f"Dear {mail.writer}," if mail.ours else say(place, f"greeting {voice}")
        farewell = say(place, f"farewell {voice}")
        name = self.clerk if mail.ours else mail.writer
        parts = [
            *([] if greeting == NONE else [greeting]),
            *self.paragraphs(place, voice),
            name if farewell == NONE else f"{farewell}\n{name}",
        ]
        subject = capitals(self._subject(place))
        head = f"Date: {day}\nFrom: {from_}\nTo: {to}\nSubject: {subject}\n\n"
        return head + "\n\n".join(parts) + "\n"

    def paragraphs(self, place: Place, voice: str) -> list[str]:
        """Return the body of a mail: what it says in any order, with filler before, between and after."""
        draw = place.draw
        blocks = [self._said(place, said) for said in place.mail.said if said.form != "chat"]
        count = draw.choice(WITH_OTHERS if blocks else ALONE)
        fillers = [sentence for _ in range(count) if (sentence := self.talk.sentence(place))]
        if not blocks and not fillers:
            fillers = [say(place, "opening plain")]
        units = draw.shuffled([*blocks, *([sentence] for sentence in fillers)])
        paragraphs: list[str] = []
        for number, unit in enumerate(units):
            text = " ".join(capitals(sentence) for sentence in unit)
            if number and draw.chance(0.55):
                paragraphs[-1] += " " + text
            else:
                paragraphs.append(text)
        return paragraphs

    def _said(self, place: Place, said: Said) -> list[str]:
        number = place.customer.mails.index(place.mail)
        return sentences(place, said, (place.customer.name, number, said.id) in self.corrected)

    def _subject(self, place: Place) -> str:
        return say(
            place,
            "subject",
            branch=place.branch,
            person=place.mail.writer,
            month=lambda: place.month(place.some_month()),
        )


def capitals(text: str) -> str:
    """Return a text with a capital at the start of every sentence."""
    text = re.sub(r"([.?!] )([a-z])", lambda match: match[1] + match[2].upper(), text)
    return text[:1].upper() + text[1:]


def address(person: str, house: str) -> str:
    """Return the address of a person at a customer's."""
    domain = re.sub(r"[^a-z0-9]+", "", house.lower()) or "customer"
    return f"{person.lower().replace(' ', '.')}@{domain}.example"
