"""File a planned year: codes, vouchers, documents and sheets, as its obstacles change them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from families.ledger.files import vocabulary
from families.ledger.files.paths import ledger_path
from families.ledger.filing.binder import LETTERS, Binder, Customer, Line, Sheet, line_of, month_name
from families.ledger.filing.mail_files import FiledMails, file_mails
from families.ledger.planning.close_plan import PlannedClose
from families.ledger.planning.frame import YEAR
from families.ledger.planning.plan import Plan
from trapcli.core.draw import Draw

INDEXED = 88  # percent of the documents that nobody quotes and that are in the index
OTHER_PAPERS = 60  # percent of the invoices that have a second paper


@dataclass(frozen=True, slots=True)
class Filed:
    """A binder with its sheets, and the index: (document, voucher, type).

    paths: role of a sheet -> its path. All are named alike, so that names do not tell what a file is.
    """

    binder: Binder
    sheets: tuple[Sheet, ...]
    index: tuple[tuple[str, str, str], ...]
    paths: dict[str, str]
    mails: FiledMails | None = None


def file_year(draw: Draw, planned: PlannedClose) -> Filed:
    """Return the files of a planned year, without their texts."""
    plan = planned.plan
    binder = _empty_binder(draw, plan, planned.names)
    paper = draw.choice(vocabulary.INVOICE_TYPES)
    lines = draw.stream("lines")
    for draft in plan.drafts:
        event = draft.event
        month = plan.frame.month_of(event.day) if event.day >= plan.frame.starts[0] else 0
        code = binder.code_of(draft.customer, event.day)
        binder.months.setdefault(month, []).append(line_of(event, code, lines, paper))
    for obstacle in planned.obstacles:
        obstacle.edit_lines(binder)
    _refresh_codes(binder)
    _number(draw.stream("vouchers"), binder)
    index = _documents(draw.stream("documents"), binder)
    for obstacle in planned.obstacles:
        obstacle.edit_sheets(binder)
    _remarks(draw.stream("notes"), binder)
    sheets = tuple(_sheets(draw.stream("sheets"), binder))
    mails = None
    if planned.mails:
        mails = file_mails(draw.stream("mails"), binder, planned.mails)
        sheets, index = (*sheets, *mails.sheets), tuple(sorted((*index, *mails.index)))
    return Filed(binder, sheets, index, _paths(draw.stream("paths"), sheets), mails)


def _empty_binder(draw: Draw, plan: Plan, names: Iterator[str]) -> Binder:
    frame = plan.frame
    codes = [next(plan.codes) for _ in range(frame.customers)]
    customers = {
        code: Customer(code, next(names), office) for code, office in zip(codes, frame.offices, strict=True)
    }
    for _ in range(draw.between(1, 3)):  # nobody's: customers without entries
        code, status = next(plan.codes), draw.choice((vocabulary.CURRENT, vocabulary.RETIRED))
        customers[code] = Customer(code, next(names), draw.choice(frame.offices), status)
    number = draw.between(1_200, 1_239)
    first, second = draw.sample(LETTERS, 2)
    return Binder(
        plan=plan,
        draw=draw.stream("binder"),
        account=f"{number} {draw.choice(vocabulary.ACCOUNTS)}",
        other_account=f"{number + draw.between(1, 9)} {draw.choice(vocabulary.OTHER_ACCOUNTS)}",
        prefixes=(f"{first}{draw.choice(LETTERS)}", f"{second}{draw.choice(LETTERS)}"),
        codes={who: [(0, code)] for who, code in enumerate(codes)},
        customers=customers,
        names=names,
        numbers=_numbers(draw.stream("numbers")),
        months={month: [] for month in range(frame.months + 1)},
    )


def _refresh_codes(binder: Binder) -> None:
    """Give each entry the code that its customer has on its day, unless an obstacle gave it another one."""
    codes = {code for known in binder.codes.values() for _, code in known[:1]}
    now = {known[0][1]: who for who, known in binder.codes.items()}
    for line in binder.all_lines():
        if line.code in codes:
            line.code = binder.code_of(now[line.code], line.day)


def _number(draw: Draw, binder: Binder) -> None:
    """Give each line its voucher: in order through each month, what was booked late after the others."""
    prefix, other = binder.prefixes
    for month, lines in binder.months.items():
        lines.sort(key=lambda line: (line.late, line.day, line.key < 0, abs(line.key)))
        if month == 0:
            numbers = sorted(draw.sample(range(2, 40), len(lines)))
            for line, number in zip(lines, numbers, strict=True):
                line.voucher = f"{prefix}{date.fromordinal(line.day):%y%m}-{number:03d}"
            continue
        for number, line in enumerate(lines, 1):
            line.voucher = f"{prefix}{YEAR % 100}{month:02d}-{number:03d}"
    for number, line in enumerate(binder.prior, 1):
        line.voucher = f"{prefix}{(YEAR - 1) % 100}12-{number:03d}"
    for month, lines in binder.others.items():
        for number, line in enumerate(lines, 1):
            line.voucher = f"{other}{YEAR % 100}{month:02d}-{number:03d}"


def _documents(draw: Draw, binder: Binder) -> tuple[tuple[str, str, str], ...]:
    """Give each line its document, and what it quotes; return the index."""
    numbers = binder.numbers
    other_type, other_letters = draw.choice(vocabulary.OTHER_TYPES)
    lines = [*binder.all_lines(), *binder.prior]
    papers: dict[int, list[str]] = {}
    index = []
    cited = {line.refers for line in lines}
    for line in lines:
        paper, letters = line.paper
        line.doc = f"{letters}-{next(numbers)}"
        papers[line.key] = [line.doc]
        if line.key in cited or draw.below(100) < INDEXED:
            index.append((line.doc, line.voucher, paper))
        invoice = line.amount > 0 and line.narration in vocabulary.BILLED
        if invoice and (draw.below(100) < OTHER_PAPERS):
            papers[line.key].append(f"{other_letters}-{next(numbers)}")
            index.append((papers[line.key][1], line.voucher, other_type))
    for line in lines:
        if line.refers in papers:
            line.ref = draw.choice(papers[line.refers])
    return tuple(sorted(index))


def _numbers(draw: Draw) -> Iterator[int]:
    taken: set[int] = set()
    while True:
        number = draw.between(10_000, 99_000)
        if number not in taken:
            taken.add(number)
            yield number


def _remarks(draw: Draw, binder: Binder) -> None:
    """Give customers notes that change nothing."""
    free = [customer for customer in binder.customers.values() if not customer.note]
    codes = list(binder.customers)
    for customer in draw.sample(free, len(free) // 2):
        note = draw.choice(vocabulary.NOTES)
        customer.note = note.format(code=draw.choice([code for code in codes if code != customer.code]))


def _paths(draw: Draw, sheets: Sequence[Sheet]) -> dict[str, str]:
    """Name the files of a month 1, 2, .. in any order."""
    count: Counter[str] = Counter()
    paths = {}
    for sheet in draw.shuffled(sheets):
        month = sheet.role[:7] if sheet.role[:2] == "20" and sheet.role[5:7].isdigit() else sheet.period
        count[month] += 1
        paths[sheet.role] = ledger_path(f"{month}-{count[month]}")
    return paths


# --- sheets ---------------------------------------------------------------------------


def _sheets(draw: Draw, binder: Binder) -> Iterator[Sheet]:
    opening = 0
    if items := binder.months[0]:
        opening = sum(line.amount for line in items)
        exported = (binder.plan.frame.starts[0] + draw.between(3, 9), _time(draw))
        yield _sheet(f"{YEAR}-opening", binder.account, f"{YEAR}-00", exported, 0, items)
    for month in range(1, binder.plan.frame.months + 1):
        lines = [line for line in binder.months[month] if not line.late]
        late = [line for line in binder.months[month] if line.late]
        period, after = month_name(month), binder.plan.frame.starts[month]
        exported = (after + draw.between(2, 9), _time(draw))
        if month in binder.first_exports:
            changes = binder.first_exports[month]
            first = [shown for line in lines if (shown := changes.get(line.key, line))]
            yield _sheet(f"{period}-first", binder.account, period, exported, opening, first)
            exported = (exported[0] + draw.between(8, 20), _time(draw))
        sheet = _sheet(period, binder.account, period, exported, opening, lines)
        sheet = sheet._replace(european=month in binder.european)
        yield sheet
        if month in binder.copied:
            yield sheet._replace(role=binder.copied[month])
        opening = sheet.closing
        if late:
            exported = (after + draw.between(15, 27), _time(draw))
            yield _sheet(f"{period}-supplement", binder.account, period, exported, opening, late)
            opening += sum(line.amount for line in late)
    yield from _foreign_sheets(draw, binder)


def _foreign_sheets(draw: Draw, binder: Binder) -> Iterator[Sheet]:
    frame = binder.plan.frame
    if binder.prior:
        moved = sum(line.amount for line in binder.prior[:-1])
        closing_out = binder.prior[-1]
        opening = -moved - closing_out.amount
        period = month_name(12, YEAR - 1)
        exported = (frame.starts[0] + draw.between(2, 9), _time(draw))
        yield _sheet(period, binder.account, period, exported, opening, binder.prior)
    for month, lines in binder.others.items():
        stray = [line for own in binder.months.values() for line in own if line.stray]
        shown = list(lines)
        for line in stray:
            shown.insert(draw.between(1, len(shown) - 1), line)
        exported = (frame.starts[month] + draw.between(2, 9), _time(draw))
        number = binder.other_account.split()[0]
        period = month_name(month)
        yield _sheet(
            f"{period}-{number}",
            binder.other_account,
            period,
            exported,
            binder.other_opening,
            shown,
            foreign=True,
        )


def _sheet(
    role: str, account: str, period: str, exported: tuple[int, str], opening: int, lines: Sequence[Line],
    foreign: bool = False,
) -> Sheet:  # fmt: skip
    """Return a sheet; a stray line moves its own account's balance, though it is not shown there."""
    shown, balance = [], opening
    for line in lines:
        balance += 0 if line.stray and foreign else line.amount
        if foreign or not line.stray:
            shown.append((line, balance))
    return Sheet(role, account, period, exported, opening, tuple(shown), balance)


def _time(draw: Draw) -> str:
    return f"{draw.between(8, 17):02d}:{draw.between(0, 59):02d}"
