"""All correspondents of a case: their entries, their mails, and the answer that follows."""

from dataclasses import dataclass

from families.ledger.correspondence.acts import Instruction, Mail
from families.ledger.correspondence.frame import Frame, Invoice, Receipt, Settled
from families.ledger.correspondence.in_force import NOTHING_MISSED, Missed, in_force
from families.ledger.correspondence.settling import settle


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer who writes mails.

    people: who writes for it.
    mails: in order of their days, at most one a day.
    """

    name: str
    people: tuple[str, ...]
    invoices: tuple[Invoice, ...]
    receipts: tuple[Receipt, ...]
    mails: tuple[Mail, ...]
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Correspondence:
    """The correspondents of a case; what they add to the answer depends on which instructions are missed."""

    frame: Frame
    customers: tuple[Customer, ...]

    def settle(self, customer: int, missed: Missed = NOTHING_MISSED) -> Settled:
        """Settle one customer's receipts for a reader who misses the instructions with these ids."""
        one = self.customers[customer]
        force = in_force(one.instructions, missed, [each.instructions for each in self.customers])
        return settle(self.frame, one.invoices, one.receipts, force)

    def answer(self, missed: Missed = NOTHING_MISSED) -> int:
        """Return what all customers add to the answer, in cents."""
        return sum(
            self.frame.counts(one.invoices, one.receipts, self.settle(number, missed))
            for number, one in enumerate(self.customers)
        )
