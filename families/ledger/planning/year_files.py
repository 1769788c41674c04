"""From the lines of a year to all that its files say: names, the re-coding, months, master, decoys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from families.ledger.domain.book import Book
from families.ledger.domain.formats import iso
from families.ledger.domain.names import OWED_SINCE
from families.ledger.domain.questions import Question
from families.ledger.files import vocabulary as words
from families.ledger.files.case_files import Binder, Customer, Document, Sheet
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.decoys import other_sheets, prior_sheets
from families.ledger.planning.labels import Labels, Papers, monthly_vouchers, prefixes
from families.ledger.planning.question_search import phrase
from families.ledger.planning.year_builder import Line
from families.ledger.planning.year_outline import Frame, Shape, Unlucky
from trapcli.core.draw import Draw

UNINDEXED = 12  # percent of the invoices that nobody cites


@dataclass(frozen=True, slots=True)
class Filed:
    """A year with a re-coding and last year's files; the book's question is yet to be found."""

    since: int
    prior: tuple[Sheet, ...]
    documents: tuple[Document, ...]
    book: Book


class Year:
    """A sketch with its names; what the answer does not depend on is drawn last."""

    def __init__(
        self, draw: Draw, knobs: CloseKnobs, within: Frame, form: Shape, lines: Sequence[Line]
    ) -> None:
        self.draw, self.knobs, self.within, self.form, self.lines = draw, knobs, within, form, lines
        self.prefix, *self.other_prefixes = prefixes(draw.stream("prefixes"), 3)
        vouchers = monthly_vouchers(self.prefix, self.lines)
        self.labels = Labels(draw.stream("labels"), self.lines, within.customers, vouchers)
        self.both_codes = (self.labels.codes[within.recoded], self.labels.codes[within.customers])
        self.papers = Papers(draw.stream("papers"))
        self.refs, self.documents = self._documents(draw.stream("documents"))
        accounts = draw.stream("accounts")
        numbers = accounts.sample(range(1200, 1240), 3)
        titles = (accounts.choice(words.ACCOUNTS), *accounts.sample(words.OTHER_ACCOUNTS, 2))
        self.account, *self.other_accounts = (
            f"{n} {title}" for n, title in zip(numbers, titles, strict=True)
        )
        self.memo = self.labels.worked(self.form.switch)

    def _documents(self, draw: Draw) -> tuple[list[str], list[Document]]:
        """The Ref doc of each line, and the index: nothing of late entries, little of what nobody cites."""
        refs: list[str] = [""] * len(self.lines)
        documents: list[Document] = []
        cited = {line.cited for line in self.lines}
        papers = {
            i: self.papers.of(self.labels.vouchers[i]) for i, line in enumerate(self.lines) if line.amount > 0
        }
        for i, line in enumerate(self.lines):
            if line.amount > 0:
                refs[i] = papers[i][1].document
                if not line.late and (i in cited or draw.below(100) >= UNINDEXED):
                    documents += papers[i]
            elif line.cited >= 0:
                refs[i] = papers[line.cited][draw.below(4) == 0].document
        return refs, documents

    def filed(self, draw: Draw) -> Filed:
        """The year with a re-coding that the memo shows an example of, and with last year's files."""
        since = self._recoding(draw)
        entries = self.labels.entries(self.refs, self.within.recoded, self.both_codes[1], since)
        behind = draw.sample(self.form.paying[1:], len(self.form.paying) // 2)
        codes = [self.labels.codes[who] for who in (self.within.recoded, *behind)]
        prior, documents = prior_sheets(
            draw, self.account, self.prefix, (self.knobs.decoys + 1) // 2, draw.shuffled(codes), self.papers
        )
        late = [line.late for line in self.lines]
        book = Book(
            entries=tuple(sorted(entry for entry, is_late in zip(entries, late, strict=True) if not is_late)),
            memo=self.memo,
            question=Question(OWED_SINCE),
            late=tuple(sorted(entry for entry, is_late in zip(entries, late, strict=True) if is_late)),
            prior=tuple(sorted(entry for sheet in prior for entry in sheet.entries if entry.code)),
            successions=(self.both_codes,),
            documents=tuple((d.document, d.voucher) for d in (*self.documents, *documents)),
        )
        return Filed(since, prior, tuple(documents), book)

    def _recoding(self, draw: Draw) -> int:
        """A day from which the recoded customer's receipts in the memo settle invoices from before it."""
        day_of = dict(zip(self.labels.vouchers, (line.day for line in self.lines), strict=True))
        whose = dict(zip(self.labels.vouchers, (line.who for line in self.lines), strict=True))
        spans = [
            (day_of[invoice], worked.day)
            for worked in self.memo
            if whose[worked.receipt] == self.within.recoded
            for invoice, _ in worked.settles
        ]
        days = range(self.within.starts[0] + 15, self.memo[-1].day + 1)
        fitting = [day for day in days if any(billed < day <= paid for billed, paid in spans)]
        if not fitting:
            raise Unlucky("no receipt of the re-coded customer in the memo settles an older invoice")
        return draw.choice(fitting)

    def binder(self, filed: Filed, question: Question) -> Binder:
        """All that the files say."""
        draw, within, book = self.draw.stream("binder"), self.within, filed.book
        months = self._months(book)
        short = months[within.short - 1]
        net = sum(entry.amount for entry in book.late)
        odd = draw.sample(range(1, len(within.starts)), self.knobs.decoys // 2)
        count = len(odd)
        return Binder(
            account=self.account,
            question=phrase(draw, question, within.last, self.labels.names[within.recoded]),
            months=months,
            memo=self.memo,
            customers=self._customers(draw, filed.since),
            late=Sheet(self.account, short.period, short.closing, book.late, short.closing + net),
            prior=filed.prior,
            others=other_sheets(
                draw, self.other_accounts[:count], self.other_prefixes[:count], sorted(odd),
                self.labels.codes[: within.customers],
            ),
            documents=tuple(sorted((*self.documents, *filed.documents))),
        )  # fmt: skip

    def _months(self, book: Book) -> tuple[Sheet, ...]:
        """The extracts. What was booked late is in no month's entries, but in the next one's opening."""
        sheets: list[Sheet] = []
        opening = 0
        for start, end in pairwise(self.within.starts):
            entries = tuple(entry for entry in book.entries if start <= entry.day < end)
            closing = opening + sum(entry.amount for entry in entries)
            sheets.append(Sheet(self.account, f"{date.fromordinal(start):%Y-%m}", opening, entries, closing))
            opening = closing + sum(entry.amount for entry in book.late if start <= entry.day < end)
        return tuple(sheets)

    def _customers(self, draw: Draw, since: int) -> tuple[Customer, ...]:
        """The master: everybody with entries, somebody without any, and the note about the re-coding."""
        labels, count = self.labels, self.within.customers
        old, new = self.both_codes
        codes = [*labels.codes[:count], *labels.codes[count + 1 :]]
        notes, many = dict.fromkeys(codes, ""), min(len(codes) // 2, len(words.NOTES))
        for code, note in zip(draw.sample(codes, many), draw.sample(words.NOTES, many), strict=True):
            notes[code] = note.format(code=draw.choice([other for other in codes if other != code]))
        side, said = draw.choice(words.SUCCESSIONS)
        notes[old], notes[new] = notes[old] if side == "new" else "", ""
        notes[old if side == "old" else new] = said.format(old=old, new=new, day=iso(since))
        names = dict(zip(labels.codes, labels.names, strict=True)) | {new: labels.names[self.within.recoded]}
        retired = {old, draw.choice(codes[count:])}
        return tuple(
            Customer(code, names[code], words.RETIRED if code in retired else words.CURRENT, notes[code])
            for code in sorted(notes)
        )


def memo_words(draw: Draw) -> tuple[str, str, str, str]:
    """Title, first lines, rule and last line of a memo."""
    return (
        draw.choice(words.MEMO_TITLES), draw.choice(words.MEMO_STARTS), draw.choice(words.UNAPPLIED),
        draw.choice(words.MEMO_ENDS),
    )  # fmt: skip
