"""What a payout ticket says: the product, the vendors, the day, the factor, and whether b2b is included."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from families.payout.solver.books import Books
from trapcli.answers.edits.solving import values
from trapcli.answers.edits.solving.tables import Unclear
from trapcli.answers.edits.solving.ticket import Name, Sentence, Ticket
from trapcli.answers.edits.solving.ticket import read_ticket as read

WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
ONCE = {"twice": 2, "double": 2, "triple": 3, "thrice": 3}
FACTOR = re.compile(
    rf"\b(?:(?P<once>{'|'.join(ONCE)})"
    rf"|(?P<whole>{'|'.join(WORDS)})(?P<half> and a half)? times"
    r"|(?<![\w.,-])(?P<number>\d+(?:\.\d+)?)(?: times|-fold|x))\b",
    re.IGNORECASE,
)

B2B = re.compile(r"\bb2b\b|\bbusiness customers\b", re.IGNORECASE)
NO_B2B = re.compile(
    r"\bno b2b\b|\b(?:leave|except|without) b2b\b|\bonly (?:for )?(?:retail|the shop)\b"
    r"|\bretail(?: sales)? only\b|\bnot\b[^.;,]*\bb2b\b|\bb2b\b[^.;]*\b(?:stays?|unchanged|separately|not)\b",
    re.IGNORECASE,
)

EARLIER = re.compile(r"\b(?:before|until|till|up to|earlier|formerly|used to)\b", re.IGNORECASE)
# What is next to a vendor that sales were booked to in error, and next to one that they belong to.
WRONG = (
    re.compile(r"\b(?:under(?: the name of)?|(?:instead|in place) of|rather than|not|nothing for|keeps?)$"),
    re.compile(r"(?<!\bbe )\b(?:record|recorded|booked|entered|filed|stands?) (?:for|to|as|under|with)$"),
    re.compile(r"\bbooking\b[^.;]* (?:for|to|as|under|with)$"),
    re.compile(r"\b(?:took|taken|takes) over\b[^.;]* from$"),
)
WRONG_AFTER = re.compile(r"(?: [^.;,]*)? (?:never|nothing)\b")
RIGHT = (
    re.compile(r"\b(?:came|comes?|coming|bought|delivered|supplied) (?:from|by)$"),
    re.compile(r"\b(?:goods|stock|those|terms) of$"),
    re.compile(r"\b(?:[Bb]ook|[Rr]ebook|[Mm]oved?|belongs?|be (?:re)?booked)\b[^.;]* to$"),
    re.compile(r"\bshould (?:be|have been|read)$"),
)
RIGHT_AFTER = re.compile(r" (?:took over|takes over|delivers|supplies|(?:is|has) to (?:get|be paid))\b")


def find_factors(text: str) -> Iterator[values.Found]:
    """Yield by how much something is multiplied, as a plain fraction."""
    for match in FACTOR.finditer(text):
        if match["once"]:
            times = Fraction(ONCE[match["once"].lower()])
        elif match["whole"]:
            times = WORDS[match["whole"].lower()] + Fraction(1 if match["half"] else 0, 2)
        else:
            times = Fraction(match["number"])
        yield *match.span(), str(times)


def read_ticket(text: str, books: Books) -> Ticket:
    """Return what the text of a ticket names.

    The types are product (values are names), vendor (supplier_id), date, amount (dollars) and factor.
    """
    products = dict.fromkeys(terms[0]["product_name"] for terms in books.catalog.values())
    names = [Name(name, "product", name) for name in products]
    names += [Name(row["supplier_name"], "vendor", key) for key, row in books.suppliers.items()]
    finders = (("date", values.find_dates), ("amount", values.find_amounts), ("factor", find_factors))
    return read(text, names, finders)


def only_value(ticket: Ticket, type: str) -> str:
    """Return the one value of a type; Unclear if the ticket names none, or several."""
    if len(ticket.all(type)) > 1:
        raise Unclear(f"the ticket may mean {' or '.join(ticket.all(type))}")
    return ticket.one(type)


def includes_b2b(ticket: Ticket, default: bool | None = None) -> bool:
    """Whether the ticket includes b2b sales.

    default: what to return if the ticket does not say; if None, Unclear is raised.
    """
    answers = {
        NO_B2B.search(ticket.text, sentence.start, sentence.end) is None
        for sentence in ticket.sentences
        if B2B.search(ticket.text, sentence.start, sentence.end)
    }
    if not answers and default is not None:
        return default
    if len(answers) != 1:
        raise Unclear("the ticket does not say whether it includes b2b")
    return answers.pop()


def wrong_and_right(ticket: Ticket, vendors: Iterable[str]) -> tuple[str, str]:
    """Return the vendor that the sales were booked to, and the one that they belong to."""
    scores = dict.fromkeys(vendors, 0)
    for sentence in ticket.sentences:
        for vendor, score in _cues(ticket.text, sentence):
            if vendor in scores:
                scores[vendor] += score
    wrong, right = ([v for v, score in scores.items() if sign * score > 0] for sign in (-1, 1))
    if len(wrong) != 1 or len(right) != 1:
        raise Unclear("the ticket does not say which vendor is wrong and which is right")
    return wrong[0], right[0]


def _cues(text: str, sentence: Sentence) -> Iterator[tuple[str, int]]:
    """Yield the vendors in a sentence, each with -1 if it is called wrong, 1 if right, 0 if neither."""
    vendors = sorted(mention for mention in sentence.mentions if mention.type == "vendor")
    if sentence.remark:
        return
    for i, vendor in enumerate(vendors):
        start = vendors[i - 1].end if i else sentence.start
        end = vendors[i + 1].start if i + 1 < len(vendors) else sentence.end
        before, after = text[start : vendor.start].rstrip(), text[vendor.end : end]
        yield vendor.value, _cue(before, after)


def _cue(before: str, after: str) -> int:
    clause = before.rpartition(";")[2] + after.partition(";")[0]
    if EARLIER.search(clause) or any(cue.search(before) for cue in WRONG) or WRONG_AFTER.match(after):
        return -1
    return 1 if any(cue.search(before) for cue in RIGHT) or RIGHT_AFTER.match(after) else 0
