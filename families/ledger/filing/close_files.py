"""Turn a filed year into the texts of a close."""

from collections.abc import Iterator, Mapping

from families.ledger.files import vocabulary
from families.ledger.files.paths import INDEX, MASTER, MEMO, NOTES, QUESTION
from families.ledger.files.render import (
    INDEX_HEAD,
    MASTER_HEAD,
    MemoLine,
    Shown,
    csv_text,
    ledger_text,
    memo_text,
    notes_text,
)
from families.ledger.files.wordings import question_text
from families.ledger.filing.binder import Binder, Sheet
from families.ledger.filing.sheets import Filed
from families.ledger.planning.close_plan import PlannedClose
from families.ledger.planning.frame import YEAR
from trapcli.core.draw import Draw


def close_files(draw: Draw, filed: Filed, planned: PlannedClose) -> dict[str, str]:
    """Return all files of a close except its README: path -> text."""
    binder = filed.binder
    files = {filed.paths[sheet.role]: _sheet_text(sheet) for sheet in filed.sheets}
    title, start, end = (
        draw.choice(texts) for texts in (vocabulary.MEMO_TITLES, vocabulary.MEMO_STARTS, vocabulary.MEMO_ENDS)
    )
    files[MEMO] = memo_text(title, start, end, memo_lines(binder), binder.written)
    files[NOTES] = notes_text(_notes(draw.stream("notes"), binder))
    customers = sorted(binder.customers.values(), key=lambda customer: customer.code)
    files[MASTER] = csv_text(MASTER_HEAD, [(c.code, c.name, c.office, c.status, c.note) for c in customers])
    files[INDEX] = csv_text(INDEX_HEAD, filed.index)
    question = binder.plan.ledger.question
    names = [binder.customers[binder.codes[who][0][1]].name for who in question.customers]
    accounts = f"Account {binder.account}. Year {YEAR}."
    if filed.mails:
        files |= filed.mails.mails
        accounts = f"Accounts {binder.account} and {filed.mails.account}, taken together. Year {YEAR}."
        if names and planned.mails:
            names += [customer.name for customer in planned.mails.customers]
    last = binder.plan.frame.last
    files[QUESTION] = question_text(draw.stream("question"), question, accounts, last, draw.shuffled(names))
    return files


def _sheet_text(sheet: Sheet) -> str:
    lines = [
        Shown(line.day, line.voucher, line.doc, line.ref, line.narration, line.code, line.amount, balance)
        for line, balance in sheet.shown
    ]
    return ledger_text(
        sheet.account, sheet.period, sheet.exported, sheet.opening, lines, sheet.closing, sheet.european
    )


def memo_lines(binder: Binder) -> Iterator[MemoLine]:
    """Yield the lines of the memo, with one that a note withdraws if there is one."""
    ledger = binder.plan.ledger
    written: dict[int, dict[int, int]] = {}
    for settled in ledger.settlements(ledger.reading()).values():
        written |= settled.written
    shown = {**ledger.memo, **binder.withdrawn}
    for line in sorted((binder.line(key) for key in shown), key=lambda line: (line.day, line.voucher)):
        rests = written.get(line.key, {}) if line.key not in binder.withdrawn else {}
        yield MemoLine(
            line.day, line.voucher, -line.amount, _named(binder, shown[line.key]), _named(binder, rests)
        )


def _named(binder: Binder, pieces: Mapping[int, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((binder.line(key).voucher, cents) for key, cents in pieces.items()))


def _notes(draw: Draw, binder: Binder) -> dict[int, str]:
    """Draw the notes to the memo, one of which may withdraw a line."""
    days = sorted(draw.sample(range(binder.plan.frame.last + 4, binder.plan.frame.last + 40), 4))
    shown = [binder.line(key).voucher for key in binder.plan.ledger.memo]
    texts = [text.format(n=draw.between(2, 9), receipt=draw.choice(shown))
             for text in draw.sample(vocabulary.REMARKS, 3)]  # fmt: skip
    for key in binder.withdrawn:
        texts.insert(
            draw.below(4), draw.choice(vocabulary.WITHDRAWN).format(receipt=binder.line(key).voucher)
        )
    return dict(zip(days, texts, strict=False))
