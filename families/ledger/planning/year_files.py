"""From the entries of a year to everything that its files say: names, re-coding, months, master, decoys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from families.ledger.domain.book import Book
from families.ledger.domain.formats import iso
from families.ledger.domain.questions import Question
from families.ledger.domain.traps_and_mistakes import OWED_SINCE
from families.ledger.files import vocabulary
from families.ledger.files.case_files import CaseFiles, Customer, Document, Sheet
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.decoys import other_sheets, prior_sheets
from families.ledger.planning.labels import Labels, Papers, draw_prefixes, monthly_vouchers
from families.ledger.planning.planned_case import PlanFailed
from families.ledger.planning.question_search import draw_wording
from families.ledger.planning.year_outline import CaseOutline, YearOutline
from families.ledger.planning.year_state import DraftEntry
from trapcli.core.draw import Draw

UNINDEXED = 12  # percent of the invoices that nobody cites


@dataclass(frozen=True, slots=True)
class FiledYear:
    """A year with a re-coding and last year's files; the book's question is still to be found.

    since: the first day of the new code.
    """

    since: int
    prior: tuple[Sheet, ...]
    documents: tuple[Document, ...]
    book: Book


class YearFiles:
    """The files of a year. What the answer does not depend on is drawn last."""

    def __init__(
        self, draw: Draw, knobs: CloseKnobs, outline: CaseOutline, year: YearOutline,
        drafts: Sequence[DraftEntry],
    ) -> None:  # fmt: skip
        self.draw, self.knobs, self.outline, self.year, self.drafts = draw, knobs, outline, year, drafts
        self.prefix, *self.other_prefixes = draw_prefixes(draw.stream("prefixes"), 3)
        vouchers = monthly_vouchers(self.prefix, self.drafts)
        self.labels = Labels(draw.stream("labels"), self.drafts, outline.customers, vouchers)
        self.both_codes = (self.labels.codes[outline.recoded], self.labels.codes[outline.customers])
        self.papers = Papers(draw.stream("papers"))
        self.refs, self.documents = self._documents(draw.stream("documents"))
        accounts = draw.stream("accounts")
        numbers = accounts.sample(range(1200, 1240), 3)
        titles = (accounts.choice(vocabulary.ACCOUNTS), *accounts.sample(vocabulary.OTHER_ACCOUNTS, 2))
        self.account, *self.other_accounts = (
            f"{n} {title}" for n, title in zip(numbers, titles, strict=True)
        )
        self.memo = self.labels.memo(self.year.changeover)

    def _documents(self, draw: Draw) -> tuple[list[str], list[Document]]:
        """Draw each entry's Ref doc, and the index: nothing of late entries, little of what nobody cites."""
        refs: list[str] = [""] * len(self.drafts)
        documents: list[Document] = []
        cited = {draft.cited for draft in self.drafts}
        papers = {
            i: self.papers.of(self.labels.vouchers[i])
            for i, draft in enumerate(self.drafts)
            if draft.amount > 0
        }
        for i, draft in enumerate(self.drafts):
            if draft.amount > 0:
                refs[i] = papers[i][1].document
                if not draft.late and (i in cited or draw.below(100) >= UNINDEXED):
                    documents += papers[i]
            elif draft.cited >= 0:
                refs[i] = papers[draft.cited][draw.below(4) == 0].document
        return refs, documents

    def file_year(self, draw: Draw) -> FiledYear:
        """Draw a re-coding that the memo has an example of, and last year's files."""
        since = self._recoding(draw)
        entries = self.labels.entries(self.refs, self.outline.recoded, self.both_codes[1], since)
        behind = draw.sample(self.year.paying[1:], len(self.year.paying) // 2)
        codes = [self.labels.codes[who] for who in (self.outline.recoded, *behind)]
        prior, documents = prior_sheets(
            draw, self.account, self.prefix, (self.knobs.decoys + 1) // 2, draw.shuffled(codes), self.papers
        )
        late = [draft.late for draft in self.drafts]
        book = Book(
            entries=tuple(sorted(entry for entry, is_late in zip(entries, late, strict=True) if not is_late)),
            memo=self.memo,
            question=Question(OWED_SINCE),
            late=tuple(sorted(entry for entry, is_late in zip(entries, late, strict=True) if is_late)),
            prior=tuple(sorted(entry for sheet in prior for entry in sheet.entries if entry.code)),
            successions=(self.both_codes,),
            documents=tuple((d.document, d.voucher) for d in (*self.documents, *documents)),
        )
        return FiledYear(since, prior, tuple(documents), book)

    def _recoding(self, draw: Draw) -> int:
        """Draw a day such that a later receipt of the re-coded customer settles an invoice from before it.

        The receipt is one of the memo; PlanFailed if there is no such day.
        """
        vouchers = self.labels.vouchers
        day_of = dict(zip(vouchers, (draft.day for draft in self.drafts), strict=True))
        customer_of = dict(zip(vouchers, (draft.customer for draft in self.drafts), strict=True))
        spans = [
            (day_of[invoice], line.day)
            for line in self.memo
            if customer_of[line.receipt] == self.outline.recoded
            for invoice, _ in line.settles
        ]
        days = range(self.outline.starts[0] + 15, self.memo[-1].day + 1)
        fitting = [day for day in days if any(billed < day <= paid for billed, paid in spans)]
        if not fitting:
            raise PlanFailed("no receipt of the re-coded customer in the memo settles an older invoice")
        return draw.choice(fitting)

    def case_files(self, filed: FiledYear, question: Question) -> CaseFiles:
        """Return everything that the files say."""
        draw, outline, book = self.draw.stream("binder"), self.outline, filed.book
        months = self._months(book)
        short = months[outline.short - 1]
        net = sum(entry.amount for entry in book.late)
        odd = draw.sample(range(1, len(outline.starts)), self.knobs.decoys // 2)
        count = len(odd)
        return CaseFiles(
            account=self.account,
            question=draw_wording(draw, question, outline.last, self.labels.names[outline.recoded]),
            months=months,
            memo=self.memo,
            customers=self._customers(draw, filed.since),
            supplement=Sheet(self.account, short.period, short.closing, book.late, short.closing + net),
            prior=filed.prior,
            other_accounts=other_sheets(
                draw, self.other_accounts[:count], self.other_prefixes[:count], sorted(odd),
                self.labels.codes[: outline.customers],
            ),
            documents=tuple(sorted((*self.documents, *filed.documents))),
        )  # fmt: skip

    def _months(self, book: Book) -> tuple[Sheet, ...]:
        """Return the months. What was booked late is in no month's entries, but in the next one's opening."""
        sheets: list[Sheet] = []
        opening = 0
        for start, end in pairwise(self.outline.starts):
            entries = tuple(entry for entry in book.entries if start <= entry.day < end)
            closing = opening + sum(entry.amount for entry in entries)
            sheets.append(Sheet(self.account, f"{date.fromordinal(start):%Y-%m}", opening, entries, closing))
            opening = closing + sum(entry.amount for entry in book.late if start <= entry.day < end)
        return tuple(sheets)

    def _customers(self, draw: Draw, since: int) -> tuple[Customer, ...]:
        """Draw the master: all customers with entries, some without, and the note about the re-coding."""
        labels, count = self.labels, self.outline.customers
        old, new = self.both_codes
        codes = [*labels.codes[:count], *labels.codes[count + 1 :]]
        notes, many = dict.fromkeys(codes, ""), min(len(codes) // 2, len(vocabulary.NOTES))
        for code, note in zip(draw.sample(codes, many), draw.sample(vocabulary.NOTES, many), strict=True):
            notes[code] = note.format(code=draw.choice([other for other in codes if other != code]))
        side, note = draw.choice(vocabulary.SUCCESSIONS)
        notes[old], notes[new] = notes[old] if side == "new" else "", ""
        notes[old if side == "old" else new] = note.format(old=old, new=new, day=iso(since))
        names = dict(zip(labels.codes, labels.names, strict=True)) | {new: labels.names[self.outline.recoded]}
        retired = {old, draw.choice(codes[count:])}
        status = {True: vocabulary.RETIRED, False: vocabulary.CURRENT}
        return tuple(
            Customer(code, names[code], status[code in retired], notes[code]) for code in sorted(notes)
        )


def draw_memo_texts(draw: Draw) -> tuple[str, str, str, str]:
    """Return title, first lines, rule and last line of a memo."""
    return (
        draw.choice(vocabulary.MEMO_TITLES), draw.choice(vocabulary.MEMO_STARTS),
        draw.choice(vocabulary.UNAPPLIED), draw.choice(vocabulary.MEMO_ENDS),
    )  # fmt: skip
