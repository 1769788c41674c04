"""How mails name days, amounts, invoices, receipts and other mails: always one thing, beyond doubt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from families.ledger.correspondence.acts import Mail
from families.ledger.correspondence.correspondence import Correspondence, Customer
from families.ledger.correspondence.frame import Receipt
from families.ledger.correspondence.settling import month_of
from families.ledger.domain.formats import MONTHS, money
from trapcli.core.draw import Draw

# How often, in percent, an invoice is named by its voucher, and a day in the plain form.
BY_VOUCHER = 45
PLAIN_DAY = 50


@dataclass(slots=True)
class Place:
    """Where something is said: the customer, the mail, and what can be named there.

    vouchers: of the customer's invoices.
    years: whether days need a year, as the ledgers are of more than one.
    outsiders: names of persons who write no mails.
    by_day: day -> the mail of the customer of that day.
    """

    draw: Draw
    correspondence: Correspondence
    customer: Customer
    mail: Mail
    vouchers: tuple[str, ...]
    outsiders: Sequence[str]
    years: bool = False
    by_day: Mapping[int, Mail] = field(default_factory=dict)

    def day(self, day: int) -> str:
        """Name a day."""
        when = date.fromordinal(day)
        month, number = MONTHS[when.month - 1], when.day
        year = f" {when.year}" if self.years else ""
        form = self.draw.below(100)
        if form < PLAIN_DAY:
            return f"{number} {month}{year}"
        if form < 70:
            return f"{month} {number}" + (f", {when.year}," if self.years else "")
        if form < 85:
            return f"the {ordinal(number)} of {month}{year}"
        return f"{WEEKDAYS[when.weekday()]} {number} {month}{year}"

    def plain_day(self, day: int) -> str:
        """Name a day as corrections quote it."""
        return plain_day(day, self.years)

    def month(self, month: int) -> str:
        """Name a month, counted as `month_of` counts."""
        return MONTHS[month % 12] + (f" {month // 12}" if self.years else "")

    def invoice(self, number: int) -> str:
        """Name an invoice by its voucher, or by what is true of no other invoice of the customer."""
        one, voucher = self.customer.invoices[number], self.vouchers[number]
        if self.draw.below(100) < BY_VOUCHER:
            return self.draw.choice((voucher, f"invoice {voucher}", f"your invoice {voucher}"))
        forms = [
            f"the invoice for {money(one.amount)}",
            f"the {one.branch} invoice for {money(one.amount)}",
            f"the invoice dated {self.plain_day(one.day)}",
            f"the {one.branch} invoice dated {self.plain_day(one.day)}",
        ]
        alike = [
            other
            for other in self.customer.invoices
            if other.branch == one.branch and month_of(other.day) == month_of(one.day)
        ]
        if len(alike) == 1:
            forms += [f"the {one.branch} invoice of {self.month(month_of(one.day))}"] * 3
        return self.draw.choice(forms)

    def invoices(self, numbers: tuple[int, ...]) -> str:
        """Name invoices in the order in which they are paid."""
        names = [self.invoice(number) for number in numbers]
        if len(names) == 1:
            return names[0]
        then = self.draw.choice((", then ", " and then ", ", after that ", " first, then "))
        if then == " first, then ":
            return names[0] + then + ", then ".join(names[1:])
        return (", then " if len(names) > 2 else then).join(names)

    def receipt(self, number: int, seen_from_here: bool = True) -> str:
        """Name a receipt, one that is still to come or one that has arrived.

        seen_from_here: whether it may be called the next or the latest one.
        """
        receipts, written = self.customer.receipts, self.mail.day
        one = receipts[number]
        forms = [f"the transfer of {self.plain_day(one.day)}", f"the transfer of {money(one.amount)}"]
        if not seen_from_here:
            return self.draw.choice((*forms, *self._by_month(number, receipts)))
        if one.day > written:
            forms.append(f"the transfer that reaches you on {self.plain_day(one.day)}")
            to_come = [at for at, other in enumerate(receipts) if other.day > written]
            if to_come[0] == number:
                forms += ["our next transfer"] * 2
            elif to_come[1] == number:
                forms += ["the transfer after our next one"] * 2
        else:
            forms.append(f"the transfer that reached you on {self.plain_day(one.day)}")
            forms.append(f"the {money(one.amount)} that reached you on {self.plain_day(one.day)}")
            if max(at for at, other in enumerate(receipts) if other.day < written) == number:
                forms += ["our latest transfer"] * 2
        forms += self._by_month(number, receipts)
        return self.draw.choice(forms)

    def outsider(self) -> str:
        """Name a person who writes no mails."""
        return self.draw.choice(self.outsiders)

    def branch(self) -> str:
        """Name a branch."""
        return self.draw.choice(self.correspondence.frame.branches)

    def some_month(self) -> int:
        """Return a month not long before or after the mail, within the ledgers."""
        frame = self.correspondence.frame
        day = self.mail.day + 30 * self.draw.between(-3, 1)
        return month_of(max(frame.start, min(frame.end, day)))

    def _by_month(self, number: int, receipts: tuple[Receipt, ...]) -> list[str]:
        month = month_of(receipts[number].day)
        alike = [at for at, other in enumerate(receipts) if month_of(other.day) == month]
        if len(alike) == 1:
            return [f"our only transfer of {self.month(month)}"]
        return [f"our first transfer of {self.month(month)}"] if alike[0] == number else []

    def mail_of(self, day: int) -> str:
        """Name the mail that the customer sent on a day."""
        writer, when = self.by_day[day].writer, self.day(day)
        if writer == self.mail.writer:
            forms = (
                f"my mail of {when}",
                f"the mail that I sent you on {when}",
                f"the mail of {when} from me",
            )
        else:
            forms = (
                f"{writer}'s mail of {when}",
                f"the mail of {when} from {writer}",
                f"the mail that {writer} sent you on {when}",
            )
        return self.draw.choice((*forms, f"our mail of {when}", forms[0]))


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def plain_day(day: int, years: bool) -> str:
    """Return a day as 3 March, with its year if years are needed."""
    when = date.fromordinal(day)
    return f"{when.day} {MONTHS[when.month - 1]}" + (f" {when.year}" if years else "")


def ordinal(number: int) -> str:
    """Return a number as 1st, 2nd, 3rd, 4th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number in (11, 12, 13) else ending}"
