"""Obstacles in whose an entry is: customers with several codes, payers for others, wrong postings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from families.ledger.domain.formats import iso
from families.ledger.domain.settlement import CREDIT, RETURN
from families.ledger.files import vocabulary
from families.ledger.files.paths import INDEX, MASTER
from families.ledger.filing.binder import Binder, Customer, Line, month_name
from families.ledger.obstacles.base import OWNED, Obstacle
from families.ledger.planning.plan import Plan
from families.ledger.planning.reading import ALIAS, Reading, Row, sorted_rows
from trapcli.core.draw import Draw

PAYER = 500  # the customer that a payer's code is taken for
JOURNAL = -3_000  # the keys of a journal's lines count down from here
TRIES = 30


@dataclass(frozen=True, slots=True)
class RecodedCustomer(Obstacle):
    """A customer got a new code, or two, one after the other; the master says so."""

    name = "recoded_split"
    rank = OWNED
    customer: int
    codes: tuple[tuple[int, str], ...]  # (first day, code) after the first
    first: str
    note: tuple[str, str]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        start, days = plan.frame.starts[0], plan.frame.last - plan.frame.starts[0]
        links = 2 if plan.frame.months > 7 and draw.chance(0.6) else 1
        codes = [next(plan.codes) for _ in range(links)]
        note = draw.choice(vocabulary.SUCCESSIONS)
        for _ in range(TRIES):
            spans = ((25, 40), (55, 75)) if links == 2 else ((25, 70),)
            cuts = [start + days * draw.between(*span) // 100 for span in spans]
            who = draw.below(plan.frame.customers)
            yield RecodedCustomer(who, tuple(zip(cuts, codes, strict=True)), "", note)

    def take(self, plan: Plan) -> None:
        plan.recoded[self.customer] = tuple(since for since, _ in self.codes)

    def misread(self, reading: Reading) -> Reading:
        day_of = {row.event.key: row.event.day for row in reading.rows}
        return replace(reading, rows=sorted_rows(self._split(row, day_of) for row in reading.rows))

    def _split(self, row: Row, day_of: Mapping[int, int]) -> Row:
        """Return the row under its code; what comes back or is credited is the other entry's code's."""
        if row.customer != self.customer:
            return row
        day = row.event.day
        if row.event.kind in (RETURN, CREDIT):
            day = day_of.get(row.event.ref, day)
        number = sum(day >= since for since, _ in self.codes)
        return row._replace(customer=row.customer + ALIAS * number)

    def edit_lines(self, binder: Binder) -> None:
        known = binder.codes[self.customer]
        side, text = self.note
        for since, code in self.codes:
            old = binder.customers[known[-1][1]]
            new = Customer(code, old.name, old.office)
            binder.customers[code] = new
            old.status = vocabulary.RETIRED
            holder = old if side == "old" else new
            holder.note = text.format(old=old.code, new=code, day=iso(since))
            known.append((since, code))

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        for _, code in binder.codes[self.customer]:
            customer = binder.customers[code]
            yield MASTER, f"{code} {customer.name}, {customer.status}: {customer.note or 'no note'}"


@dataclass(frozen=True, slots=True)
class PaidByAnother(Obstacle):
    """A code that is never billed pays for a customer; the master says so."""

    name = "payer_apart"
    customer: int
    keys: frozenset[int]
    code: str

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        code = next(plan.codes)
        receipts = plan.free_receipts()
        for _ in range(TRIES):
            who = draw.choice([c for c in range(plan.frame.customers) if c not in plan.recoded])
            theirs = [draft.event.key for draft in receipts if draft.customer == who]
            if len(theirs) >= 2:
                keys = draw.sample(theirs, draw.between(2, min(4, len(theirs))))
                yield PaidByAnother(who, frozenset(keys), code)

    def misread(self, reading: Reading) -> Reading:
        rows = tuple(Row(PAYER, row.event) if row.event.key in self.keys else row for row in reading.rows)
        return replace(reading, rows=rows)

    def take(self, plan: Plan) -> None:
        plan.busy |= self.keys

    def edit_lines(self, binder: Binder) -> None:
        current = binder.codes[self.customer][-1][1]
        office = binder.customers[current].office
        text = binder.draw.stream("payer").choice(vocabulary.PAYERS).format(code=current)
        binder.customers[self.code] = Customer(self.code, binder.spare_name(), office, note=text)
        for key in self.keys:
            binder.line(key).code = self.code

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        payer = binder.customers[self.code]
        yield MASTER, f"{self.code} {payer.name}: {payer.note}"
        for key in sorted(self.keys):
            line = binder.line(key)
            yield f"ledgers/{month_name(binder.plan.frame.month_of(line.day))}.txt", f"receipt {line.voucher}"


@dataclass(frozen=True, slots=True)
class WrongPosting(Obstacle):
    """Receipts were booked to a wrong customer; a journal of a later month puts them right."""

    name = "wrong_posting_kept"
    moved: tuple[tuple[int, int, int], ...]  # (receipt, wrong customer, day of the journal)
    offices: tuple[str, ...]

    @staticmethod
    def places(draw: Draw, plan: Plan) -> Iterator[Obstacle]:
        last = plan.frame.last
        receipts = [d for d in plan.free_receipts() if d.event.amount > 60_000 and d.event.day < last - 45]
        for _ in range(TRIES if receipts else 0):
            moved = []
            for draft in draw.sample(receipts, min(len(receipts), 2)):
                day = draft.event.day
                others = [who for who in range(plan.frame.customers)
                          if who != draft.customer and plan.is_alone(who, day)]  # fmt: skip
                journal = plan.workday(draw, day + 33, min(day + 90, last))
                if others:
                    moved.append((draft.event.key, draw.choice(others), journal))
            if moved:
                yield WrongPosting(tuple(sorted(moved)), plan.frame.offices)

    def misread(self, reading: Reading) -> Reading:
        wrong = {key: who for key, who, _ in self.moved}
        rows = []
        for row in reading.rows:
            who = wrong.get(row.event.key)
            if who is not None:
                row = Row(who, row.event._replace(office=self.offices[who]))
            rows.append(row)
        return replace(reading, rows=tuple(rows))

    def take(self, plan: Plan) -> None:
        plan.busy |= {key for key, _, _ in self.moved}
        for key, _, day in self.moved:
            plan.journals |= {plan.frame.month_of(day), plan.frame.month_of(plan.drafts[key].event.day)}

    def edit_lines(self, binder: Binder) -> None:
        for number, (key, who, day) in enumerate(self.moved):
            line = binder.line(key)
            right, line.code = line.code, binder.code_of(who, line.day)
            month = binder.plan.frame.month_of(day)
            for side, code, amount in ((0, line.code, -line.amount), (1, right, line.amount)):
                text = vocabulary.MOVED_FROM if side == 0 else vocabulary.MOVED_TO
                extra = Line(
                    day, JOURNAL - 2 * number - side, code, amount, text, key, vocabulary.JOURNAL_PAPER
                )
                binder.months[month].append(extra)

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        for key, _, day in self.moved:
            line, month = binder.line(key), binder.plan.frame.month_of(day)
            journal = next(j for j in binder.months[month] if j.refers == key and j.amount < 0)
            yield (
                f"ledgers/{month_name(month)}.txt",
                (
                    f"journal of {iso(day)} quotes {line.doc}, the slip of {line.voucher} of {iso(line.day)} "
                    f"(booked to {line.code}), and moves it to {journal.code}"
                ),
            )
        yield INDEX, "which voucher a slip belongs to"
