"""Turn a planned audit into its two files."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from families.ledger.domain.formats import iso, money
from families.ledger.domain.settlement import INVOICE, RECEIPT
from families.ledger.files import vocabulary
from families.ledger.files.paths import AUDIT, QUESTION
from families.ledger.files.wordings import question_text
from families.ledger.filing.binder import LETTERS
from families.ledger.planning.audit_plan import PlannedAudit
from families.ledger.planning.frame import YEAR
from families.ledger.planning.labels import company_names, spare_codes
from trapcli.core.draw import Draw

COLUMNS = (
    ("Date", 10, False), ("Voucher", 10, False), ("Ref", 10, False), ("Narration", 30, False),
    ("Cust", 4, False), ("Debit", 13, True), ("Credit", 13, True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FiledAudit:
    """The files of an audit; vouchers: entry -> its voucher; names: customer -> code and name."""

    files: dict[str, str]
    vouchers: dict[int, str]
    names: dict[int, str]


def file_audit(draw: Draw, planned: PlannedAudit) -> FiledAudit:
    """Return the files of an audit, except its README."""
    frame, ledger = planned.frame, planned.ledger
    labels = draw.stream("labels")
    first, second = labels.sample(LETTERS, 2)
    vouchers = {
        key: f"{first}{second}{YEAR % 100}-{number:04d}" for key, number in sorted(planned.places.items())
    }
    codes = list(islice(spare_codes(labels.stream("codes")), frame.customers))
    names = list(islice(company_names(labels.stream("names")), frame.customers))
    account = f"{labels.between(1_200, 1_239)} {labels.choice(vocabulary.ACCOUNTS)}"
    customers = sorted(zip(codes, names, strict=True))
    head = [
        f"Account {account}", f"Period {iso(frame.starts[0])} to {iso(frame.last)}", "",
        labels.choice(vocabulary.UNAPPLIED), "", "Customers:",
        *(f"  {code}  {name}" for code, name in customers), "", _row(*(name for name, _, _ in COLUMNS)),
    ]  # fmt: skip
    lines = [*head, *_entries(labels.stream("narrations"), planned, vouchers, codes)]
    sides = [
        sum(d.event.amount for d in planned.drafts if d.event.kind == kind) for kind in (INVOICE, RECEIPT)
    ]
    lines.append(_row("", "", "", "Total", "", *(money(cents) for cents in sides)))
    question = ledger.question
    asked = draw.shuffled([names[who] for who in question.customers])
    text = question_text(
        draw.stream("question"), question, f"Account {account}. Year {YEAR}.", frame.last, asked
    )
    files = {AUDIT: "\n".join(lines) + "\n", QUESTION: text}
    return FiledAudit(files, vouchers, {who: f"{codes[who]} {name}" for who, name in enumerate(names)})


def _entries(draw: Draw, planned: PlannedAudit, vouchers: dict[int, str], codes: list[str]) -> Iterator[str]:
    """Yield the entries by voucher, each receipt that was worked through with what it settled below it."""
    for draft in sorted(planned.drafts, key=lambda draft: planned.places[draft.event.key]):
        event = draft.event
        billed = event.kind == INVOICE
        narration = draw.choice(vocabulary.BILLED) if billed else event.narration
        sides = (money(event.amount), "") if billed else ("", money(event.amount))
        ref = vouchers[event.ref] if event.ref >= 0 else ""
        yield _row(iso(event.day), vouchers[event.key], ref, narration, codes[draft.customer], *sides)
        if (pieces := planned.ledger.memo.get(event.key)) is not None:
            for invoice, cents in sorted(pieces.items()):
                yield f"    settles {vouchers[invoice]} {money(cents):>13}"
            if left := event.amount - sum(pieces.values()):
                yield f"    unapplied {money(left):>21}"


def _row(*cells: str) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, (_, width, right) in zip(cells, COLUMNS, strict=True)
    )
    return " ".join(padded).rstrip()
