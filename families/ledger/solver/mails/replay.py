"""Follow one customer's mails through the year: what they order, end, extend, correct and leave to others."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from families.ledger.solver.mails.accounts import Account
from families.ledger.solver.mails.language import statements as said
from families.ledger.solver.mails.language.clauses import ABOUT_RECEIPTS, Clause, sequence_in
from families.ledger.solver.mails.language.terms import (
    MONEY,
    VOUCHER,
    UnclearMails,
    cents_in,
    day_in,
    month_in,
)
from families.ledger.solver.mails.letters import Mail
from families.ledger.solver.mails.orders import (
    BRANCH,
    DISPUTE,
    FOREVER,
    LARGE,
    PRACTICE,
    SEQUENCE,
    OneOff,
    Standing,
)


@dataclass(slots=True)
class Replay:
    """What a customer's mails have come to so far.

    announced, proposed: day of the mail -> what waits for a confirmation or an answer.
    waiting: paper -> what waits for it.
    left: what is left to persons of other houses, and the path of the mail.
    """

    account: Account
    orders: list[Standing | OneOff] = field(default_factory=list)
    announced: dict[int, tuple[said.Announced, Mail]] = field(default_factory=dict)
    proposed: dict[int, tuple[said.Proposed, Mail]] = field(default_factory=dict)
    waiting: dict[int, tuple[said.Condition, Mail]] = field(default_factory=dict)
    left: list[tuple[said.Delegated, str]] = field(default_factory=list)

    def read(self, mail: Mail) -> None:
        """Do what a mail says."""
        for statement in mail.says():
            act = ACTS.get(type(statement))
            if act:
                try:
                    act(self, statement, mail)
                except UnclearMails as error:
                    raise UnclearMails(f"{mail.path}: {error}") from None

    def order(self, clause: Clause, mail: Mail, mails: tuple[Mail, ...] = ()) -> None:
        """Enter an order; mail: the one in which it is given, mails: all that it takes, if those are more."""
        given_in = mails or (mail,)
        paths, days = tuple(one.path for one in given_in), tuple(one.day for one in given_in)
        if clause.order == "release":
            self._release(clause, mail, paths)
        elif clause.order in ABOUT_RECEIPTS:
            self.orders.append(_one_off(self.account, clause, mail, paths, days))
        else:
            self.orders.append(_standing(self.account, clause, mail, paths, days))

    def announce(self, statement: said.Announced, mail: Mail) -> None:
        self.announced[mail.day] = statement, mail

    def confirm(self, statement: said.Confirmed, mail: Mail) -> None:
        if statement.mail in self.announced:
            announced, earlier = self.announced[statement.mail]
            self.order(announced.clause._replace(first=statement.first), mail, (earlier, mail))

    def propose(self, statement: said.Proposed, mail: Mail) -> None:
        if mail.ours:
            self.proposed[mail.day] = statement, mail

    def agree(self, statement: said.Agreed, mail: Mail) -> None:
        if statement.mail in self.proposed:
            proposed, earlier = self.proposed[statement.mail]
            if bool(statement.which) != (len(proposed.clauses) == 2):
                raise UnclearMails("the answer does not fit the proposal")
            self.order(proposed.clauses[max(0, statement.which - 1)], mail, (earlier, mail))

    def wait(self, statement: said.Condition, mail: Mail) -> None:
        self.waiting[statement.paper] = statement, mail

    def decide(self, statement: said.Outcome, mail: Mail) -> None:
        """Enter what waited for a paper, if the condition is met."""
        if statement.paper not in self.waiting:
            return
        condition, earlier = self.waiting.pop(statement.paper)
        in_time = 0 < statement.came <= condition.deadline
        if in_time == condition.comes:
            self.order(condition.clause, earlier, (earlier, mail))

    def until(self, statement: said.Until, mail: Mail) -> None:
        for number in self._named(statement.what, mail):
            self._end(number, statement.last, (mail.path,))

    def new_limit(self, statement: said.NewLimit, mail: Mail) -> None:
        """Enter the new limit with the sequence that goes with the old one."""
        first = statement.first
        old = [
            one
            for one in self.orders
            if isinstance(one, Standing) and one.matter == LARGE and one.limit == statement.old
            and (not statement.mail or statement.mail in one.mails) and one.first <= first <= one.last
        ]  # fmt: skip
        if old:
            latest = max(old, key=lambda one: (one.first, one.written))
            changed = replace(latest, limit=statement.new, first=first, writer=mail.writer)
            paths = (*latest.paths, mail.path)
            self.orders.append(replace(changed, written=mail.day, paths=paths, mails=(mail.day,)))

    def correct(self, statement: said.Corrected, mail: Mail) -> None:
        for number in self._named(statement.what, mail):
            order = self.orders[number]
            right = _corrected(self.account, order, statement, mail.day)
            if right != order:
                self.orders[number] = replace(right, paths=(*order.paths, mail.path))

    def leave(self, statement: said.Delegated, mail: Mail) -> None:
        self.left.append((statement, mail.path))

    def _release(self, clause: Clause, mail: Mail, paths: tuple[str, ...]) -> None:
        last = (clause.first or mail.day) - 1
        for number in self._disputes(clause.get("invoice"), mail):
            order = self.orders[number]
            if isinstance(order, Standing) and last < order.last:
                self._end(number, last, paths)

    def _end(self, number: int, last: int, paths: tuple[str, ...]) -> None:
        order = self.orders[number]
        if isinstance(order, Standing):
            self.orders[number] = replace(order, last=last, paths=(*order.paths, *paths))

    def _disputes(self, named: str, mail: Mail) -> list[int]:
        invoice = self.account.invoice(named, mail.day)
        standing = [(n, one) for n, one in enumerate(self.orders) if isinstance(one, Standing)]
        return [n for n, one in standing if one.invoice == invoice]

    def _named(self, what: said.Named, mail: Mail) -> list[int]:
        """Return which orders an earlier mail gave on a matter, or at all; none if it is not known."""
        given = [(n, one) for n, one in enumerate(self.orders) if what.mail in one.mails]
        if what.matter == "one-off":
            receipt = self.account.receipt(what.entry, mail.day)
            given = [(n, one) for n, one in given if isinstance(one, OneOff) and one.receipt == receipt]
        elif what.matter == DISPUTE:
            known = self._disputes(what.entry, mail)
            given = [(n, one) for n, one in given if n in known]
        elif what.matter not in ("", "last day"):
            given = [(n, one) for n, one in given if isinstance(one, Standing) and one.matter == what.matter]
        if len(given) > 1 and what.matter != "last day":
            raise UnclearMails(f"{what} may be {len(given)} orders")
        return [n for n, _ in given]


def _standing(
    account: Account, clause: Clause, mail: Mail, paths: tuple[str, ...], days: tuple[int, ...]
) -> Standing:
    kind, limit, invoice = clause.order, 0, ""
    if kind in ("sequence", "practice"):
        matter, value = SEQUENCE, PRACTICE if kind == "practice" else clause.sequence
    elif kind in ("branch", "no branch"):
        matter, value = BRANCH, "" if kind == "no branch" else clause.get("branch")
    elif kind == "large":
        matter, value, limit = LARGE, clause.sequence, cents_in(clause.get("limit"))
    else:
        matter, value, invoice = DISPUTE, "", account.invoice(clause.get("invoice"), mail.day)
    first, last = clause.first or mail.day, clause.last or FOREVER
    return Standing(
        mail.customer, matter, value, limit, invoice, first, last, mail.writer, mail.day, paths, days
    )


def _one_off(
    account: Account, clause: Clause, mail: Mail, paths: tuple[str, ...], days: tuple[int, ...]
) -> OneOff:
    slots, day = dict(clause.slots), mail.day
    return OneOff(
        customer=mail.customer,
        receipt=account.receipt(slots["receipt"], day),
        split=clause.order,
        invoices=account.invoices_in(slots.get("invoices", slots.get("invoice", "")), day),
        branches=tuple(slots[name] for name in ("branch", "other") if name in slots),
        month=month_in(slots["month"], day) if "month" in slots else -1,
        cents=cents_in(slots["cents"]) if "cents" in slots else 0,
        rest=clause.sequence if "adj" in slots else clause.rest,
        paths=paths,
        mails=days,
    )


def _corrected(
    account: Account, order: Standing | OneOff, statement: said.Corrected, written: int
) -> Standing | OneOff:
    """Return an order as it should have been given, or as it was if it had nothing of what was wrong."""
    wrong, right = statement.wrong, statement.right
    if isinstance(order, OneOff):
        if re.fullmatch(MONEY, wrong):
            return replace(order, cents=cents_in(right)) if order.cents == cents_in(wrong) else order
        invoices = tuple(right if one == wrong else one for one in order.invoices)
        return replace(order, invoices=invoices)
    if statement.what.matter == "last day":
        was, is_now = (day_in(text, written, order.first) for text in (wrong, right))
        return replace(order, last=is_now) if order.last == was else order
    if re.fullmatch(VOUCHER, wrong):
        return replace(order, invoice=right) if order.invoice == wrong else order
    if re.fullmatch(MONEY, wrong):
        return replace(order, limit=cents_in(right)) if order.limit == cents_in(wrong) else order
    if wrong.endswith(' first"'):
        wrong, right = (sequence_in(one.strip('"').removesuffix(" first")) for one in (wrong, right))
    return replace(order, value=right) if order.value == wrong else order


ACTS: Mapping[type, Callable[[Replay, Any, Mail], None]] = {
    said.Order: lambda replay, statement, mail: replay.order(statement.clause, mail),
    said.Announced: Replay.announce,
    said.Confirmed: Replay.confirm,
    said.Proposed: Replay.propose,
    said.Agreed: Replay.agree,
    said.Condition: Replay.wait,
    said.Outcome: Replay.decide,
    said.Until: Replay.until,
    said.NewLimit: Replay.new_limit,
    said.Corrected: Replay.correct,
    said.Delegated: Replay.leave,
}
