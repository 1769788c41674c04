"""From the mails of a case and the accounts of those who write them to what is settled."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from families.ledger.solver.mails.accounts import Account
from families.ledger.solver.mails.language.statements import Disregarded, Distrusted
from families.ledger.solver.mails.language.terms import UnclearMails
from families.ledger.solver.mails.letters import Mail, read_mails
from families.ledger.solver.mails.orders import OneOff, Standing
from families.ledger.solver.mails.replay import Replay
from families.ledger.solver.mails.settling import PracticeOrder, Settled, Settling

UNREAD = "mails_unread"  # what a reader misses who reads no mail


def settle_correspondents(
    files: Mapping[str, str],
    accounts: Mapping[str, Account],
    practice_order: PracticeOrder,
    missed: Collection[str] = (),
) -> dict[str, Settled]:
    """Return customer -> how its receipts settle.

    files: path -> text of the mails.
    accounts: the customers who write them, by name.
    missed: paths of mails that are not read, or UNREAD for all of them.
    """
    read = {} if UNREAD in missed else {path: text for path, text in files.items() if path not in missed}
    orders: dict[str, list[Standing | OneOff]] = {customer: [] for customer in accounts}
    for order in instructions(read_mails(read), accounts):
        orders[order.customer].append(order)
    return {
        customer: Settling(account, orders[customer], practice_order).run()
        for customer, account in accounts.items()
    }


def instructions(mails: Sequence[Mail], accounts: Mapping[str, Account]) -> list[Standing | OneOff]:
    """Return what the mails order, as it stands after the last of them, and what is left to others."""
    replays = {customer: Replay(account) for customer, account in accounts.items()}
    for customer, replay in replays.items():
        for mail in counting([mail for mail in mails if mail.customer == customer]):
            replay.read(mail)
    if unknown := {mail.customer for mail in mails} - set(replays):
        raise UnclearMails(f"mails are from {min(unknown)!r}, who has no account")
    found: list[Standing | OneOff] = []
    for customer, replay in replays.items():
        found += replay.orders
        for left, path in replay.left:
            if left.house not in replays:
                raise UnclearMails(f"{path}: there is no customer {left.house!r}")
            found += [
                replace(order, customer=customer, paths=(path, *order.paths))
                for order in replays[left.house].orders
                if isinstance(order, Standing) and order.matter == left.matter
                and order.writer == left.person and order.written >= left.first
            ]  # fmt: skip
    return found


def counting(mails: Sequence[Mail]) -> list[Mail]:
    """Return those of a customer's mails that are not disregarded, nor by a person distrusted by then."""
    gone: set[str] = set()
    for _ in mails:
        silenced = _silenced([mail for mail in mails if mail.path not in gone])
        left = [mail for mail in mails if mail.ours or not 0 < silenced.get(mail.writer, 0) <= mail.day]
        disregarded: set[int] = set()
        for mail in reversed(left):
            if mail.day not in disregarded:
                disregarded |= {one.mail for one in mail.says() if isinstance(one, Disregarded)}
        counted = [mail for mail in left if mail.ours or mail.day not in disregarded]
        now_gone = {mail.path for mail in mails} - {mail.path for mail in counted}
        if now_gone == gone:
            break
        gone = now_gone
    return [mail for mail in mails if mail.path not in gone]


def _silenced(mails: Sequence[Mail]) -> dict[str, int]:
    """Return person -> the day from which their word does not count."""
    silenced: dict[str, int] = {}
    for mail in mails:
        if not 0 < silenced.get(mail.writer, 0) <= mail.day:
            for one in mail.says():
                if isinstance(one, Distrusted):
                    silenced[one.person] = min(one.first, silenced.get(one.person, one.first))
    return silenced
