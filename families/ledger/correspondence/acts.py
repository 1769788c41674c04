"""What mails instruct, without the words: the acts, the instructions made of them, and the mails.

An act is what one instruction does to its customer's account. Days are proleptic ordinals; both
ends of a span of days belong to it. Targets are the ids of other instructions of the customer.
"""

from dataclasses import dataclass
from typing import NamedTuple

FOREVER = 10**9  # the last day of what has none

# The matters that a standing order can be about.
SEQUENCE, BRANCH, LARGE, DISPUTE = MATTERS = ("sequence", "branch", "large", "dispute")

# The sequences in which open invoices are paid; the last leaves them to the practice.
OLDEST, NEWEST, LARGEST, SMALLEST = SEQUENCES = ("oldest", "newest", "largest", "smallest")
PRACTICE = "practice"
NO_BRANCH = ""

# How a one-off splits its receipt.
NAMED, PART, GROUP, HALVES, ALL_BUT, ORDERED = SPLITS = (
    "named", "part", "group", "halves", "all but", "ordered",
)  # fmt: skip

KINDS = (
    "dispute", "release", "sequence", "branch", "large", "limit", "temporary", "extension", "ending",
    "conditional", "confirmed", "agreed", "one-off", "late one-off", "correction", "disregard",
    "delegation", "distrust",
)  # fmt: skip


class StandingOrder(NamedTuple):
    """A standing order: from `first` to `last` it holds on its matter.

    matter: SEQUENCE, BRANCH, LARGE or DISPUTE.
    value: of SEQUENCE and LARGE one of SEQUENCES (or PRACTICE); of BRANCH a branch or NO_BRANCH.
    number: of LARGE the limit in cents that a receipt must exceed; of DISPUTE the invoice.
    writer, written: who wrote it, and the day from which it is known; for what other customers take over.
    needs: another standing order without which this one means nothing, or "".
    """

    matter: str
    value: str
    number: int
    first: int
    last: int
    writer: str
    written: int
    needs: str = ""


class OneOff(NamedTuple):
    """A one-off: how one receipt is split before the usual order takes the rest.

    split: NAMED (invoices in order), PART (`cents` of it to the one invoice), GROUP (invoices, the oldest
        first, that `branch` has of the month `month`), HALVES (half to each of two branches, the oldest
        first), ALL_BUT (nothing to `branch`) or ORDERED (all of it in the sequence `rest`).
    month: year * 12 + month - 1, or -1.
    rest: one of SEQUENCES, in which the rest is settled whatever else holds, or "" for the usual order.
    """

    receipt: int
    split: str
    invoices: tuple[int, ...] = ()
    branches: tuple[str, ...] = ()
    month: int = -1
    cents: int = 0
    rest: str = ""


class Until(NamedTuple):
    """The standing order `target` gets another last day: it ends early, is extended, or is released."""

    target: str
    last: int


class Correction(NamedTuple):
    """What `target` does was written wrongly at first; `instead` is how it stood there."""

    target: str
    instead: StandingOrder | OneOff


class Void(NamedTuple):
    """A mail that looks like an instruction counts as never sent; `act` is what it says."""

    act: StandingOrder | OneOff


class Delegation(NamedTuple):
    """From `first` on, what `person` of another customer writes on `matters` counts here as well."""

    customer: int
    person: str
    matters: tuple[str, ...]
    first: int


Act = StandingOrder | OneOff | Until | Correction | Void | Delegation


@dataclass(frozen=True, slots=True)
class Instruction:
    """One thing that the mails of a customer instruct.

    id: unique in the case.
    customer: the index of the customer that it is from.
    mails: which of the customer's mails must be read to know it, in order.
    effect: what the answer gains if it alone is ignored, in cents.
    """

    id: str
    kind: str
    customer: int
    act: Act
    mails: tuple[int, ...] = ()
    effect: int = 0


class Said(NamedTuple):
    """One thing that a mail says.

    form: how it is said (see `statements`).
    act: what it is about, as this mail has it; None for chat.
    id: the instruction that it belongs to, or "".
    target: the act that it ends, extends, corrects or changes.
    refers: the day of the mail that it refers to, or 0.
    number: a day, a number of a paper, or which of two proposals; what it is depends on the form.
    other: the other of two proposals.
    """

    form: str
    act: Act | None = None
    id: str = ""
    target: StandingOrder | OneOff | None = None
    refers: int = 0
    number: int = 0
    other: StandingOrder | None = None


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail of, or to, one customer.

    writer: the person at the customer's, or the one that our clerk writes to.
    ours: whether our clerk wrote it.
    """

    day: int
    writer: str
    said: tuple[Said, ...]
    ours: bool = False
