"""Read the mails of a case and settle the customers who write them, by its README alone.

Of the program that writes mails only the published phrase books are used, as data.
"""

from families.ledger.solver.mails.accounts import Account, Invoice, Receipt
from families.ledger.solver.mails.correspondents import UNREAD, instructions, settle_correspondents
from families.ledger.solver.mails.language.terms import UnclearMails
from families.ledger.solver.mails.letters import Mail, read_mails
from families.ledger.solver.mails.orders import OneOff, Standing
from families.ledger.solver.mails.settling import Settled

__all__ = [
    "UNREAD",
    "Account",
    "Invoice",
    "Mail",
    "OneOff",
    "Receipt",
    "Settled",
    "Standing",
    "UnclearMails",
    "instructions",
    "read_mails",
    "settle_correspondents",
]
