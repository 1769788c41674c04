"""What sentences of mails say. Mails and days are days (proleptic ordinals), 0 for one that is not named."""

from dataclasses import dataclass

from families.ledger.solver.mails.language.clauses import Clause


@dataclass(frozen=True, slots=True)
class Talk:
    """Nothing is instructed. aside: it is a remark on the order beside it."""

    aside: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """The customer orders something."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class Starts:
    """The first day of the order before it."""

    day: int


@dataclass(frozen=True, slots=True)
class Ends:
    """The last day of the order before it."""

    day: int


@dataclass(frozen=True, slots=True)
class Rest:
    """The sequence of what the one-off before it leaves, "" for the usual order."""

    sequence: str


@dataclass(frozen=True, slots=True)
class Announced:
    """An order that counts only if it is confirmed."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a mail announced counts from a day on."""

    mail: int
    first: int


@dataclass(frozen=True, slots=True)
class Proposed:
    """Our clerk proposes an order, or two to choose from."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Agreed:
    """The customer takes what our mail proposed. which: 0 for its only proposal, else 1 or 2."""

    mail: int
    which: int


@dataclass(frozen=True, slots=True)
class Condition:
    """An order that counts if a paper comes (or does not come) by a day."""

    paper: int
    comes: bool
    deadline: int
    clause: Clause


@dataclass(frozen=True, slots=True)
class Outcome:
    """A paper came on a day, or, if that is 0, has not come in time."""

    paper: int
    came: int


@dataclass(frozen=True, slots=True)
class Named:
    """An order of an earlier mail.

    matter: one of the headings of matters in the phrase books, "last day", or "" for the only one.
    entry: the invoice or the receipt that it is about, as named in the mail.
    """

    mail: int
    matter: str = ""
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Until:
    """An earlier order gets another last day."""

    what: Named
    last: int


@dataclass(frozen=True, slots=True)
class NewLimit:
    """From a day on the limit is another one. mail: the mail that gave the old one, if it is named."""

    mail: int
    old: int
    new: int
    first: int


@dataclass(frozen=True, slots=True)
class Corrected:
    """An earlier mail should have had one text where it had another."""

    what: Named
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class Disregarded:
    """An earlier mail counts as never sent."""

    mail: int


@dataclass(frozen=True, slots=True)
class Distrusted:
    """What a person writes from a day on does not count."""

    person: str
    first: int


@dataclass(frozen=True, slots=True)
class Delegated:
    """What a person of another house orders on a matter from a day on counts here too."""

    person: str
    house: str
    matter: str
    first: int


Statement = (
    Talk | Order | Starts | Ends | Rest | Announced | Confirmed | Proposed | Agreed | Condition | Outcome
    | Until | NewLimit | Corrected | Disregarded | Distrusted | Delegated
)  # fmt: skip
