"""What customers' mails come to: orders that hold from a day to a day, and orders for one receipt."""

from dataclasses import dataclass

FOREVER = 10**9  # the last day of what has none
SEQUENCE, BRANCH, LARGE, DISPUTE = "sequence", "branch", "large", "dispute"
PRACTICE = "practice"


@dataclass(frozen=True, slots=True)
class Standing:
    """An order that holds from the day `first` to the day `last`.

    matter: SEQUENCE, BRANCH, LARGE or DISPUTE.
    value: a sequence or PRACTICE, a branch or "" for none.
    limit: in cents, of LARGE only; a receipt must exceed it.
    invoice: the voucher of what is disputed.
    writer, written: who gave it in a mail of which day.
    paths: the mails that make it what it is. mails: the days of those by which later mails name it.
    """

    customer: str
    matter: str
    value: str
    limit: int
    invoice: str
    first: int
    last: int
    writer: str
    written: int
    paths: tuple[str, ...]
    mails: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OneOff:
    """An order for one receipt.

    split: "named", "part", "group", "halves", "all but" or "ordered".
    month: year * 12 + month - 1, of a group.
    cents: of a part.
    rest: the sequence of what it leaves, whatever holds otherwise, or "".
    """

    customer: str
    receipt: str
    split: str
    invoices: tuple[str, ...]
    branches: tuple[str, ...]
    month: int
    cents: int
    rest: str
    paths: tuple[str, ...]
    mails: tuple[int, ...]


def holding(orders: list[Standing], day: int) -> Standing | None:
    """Return which of the orders on one matter holds on a day: of those not over, the one that began last."""
    able = [one for one in orders if one.first <= day <= one.last]
    return max(able, key=lambda one: (one.first, one.written), default=None)
