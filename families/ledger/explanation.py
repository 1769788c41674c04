"""What `inspect` shows of a ledger case."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from families.ledger.case_craft import CraftedFamily
from families.ledger.case_maker import truth_of
from families.ledger.checks.invariants import decisive_receipts
from families.ledger.checks.truth import Truth
from families.ledger.domain.formats import day_of, iso, money
from families.ledger.domain.questions import answer_parts
from families.ledger.domain.settlement import BASE_NAMES, CITED_FIRST, OLDEST
from families.ledger.domain.traps_and_mistakes import CASH_TO_EARLIER, IN_FULL
from families.ledger.files.case_files import CaseFiles, Sheet, codes_by_name
from trapcli.core.contract import Case, Section


def explain(family: CraftedFamily, case: Case, public: bool) -> list[Section]:
    """Return the question; unless `public`, also the policy, its evidence, settlements and wrong answers."""
    case_files = family.craft.read_files(case.files)
    sections = [Section("Question", text=case_files.question)]
    if public:
        return sections
    changeover, evidence = day_of(case.facts["changeover"]), case.facts["min_change_evidence"]
    truth = truth_of(family, case_files, changeover, evidence)
    names = {code: name for name, codes in codes_by_name(case_files.customers).items() for code in codes}
    sections += [_policy(truth), *_evidence(truth)]
    if case_files.supplement:
        sections += [_short_month(case_files), _late_entries(case_files.supplement)]
    sections += _recoded_customers(case_files, truth)
    sections += [_settlement(truth, code, names.get(code, "")) for code in sorted(truth.accounts)]
    sections += [_derivation(truth), _wrong_answers(case), _difficulty(case)]
    return sections


def _policy(truth: Truth) -> Section:
    text = (
        f"Until {iso(truth.changeover - 1)} a receipt settles {BASE_NAMES[CITED_FIRST]}. "
        f"From {iso(truth.changeover)} on its citation is ignored: {BASE_NAMES[OLDEST]}. No file says so.\n"
        f"The memo works through {len(truth.book.memo)} of {len(truth.receipts)} receipts, "
        f"up to {truth.book.memo[-1].receipt} of {iso(truth.book.memo[-1].day)}."
    )
    return Section("The policy", text=text)


def _evidence(truth: Truth) -> Iterator[Section]:
    """Yield the receipts of the memo on which the two policies differ, before the changeover and after."""
    titles = ("Before the changeover: citations honoured", "From the changeover on: citations ignored")
    for title, receipts, other in zip(titles, decisive_receipts(truth), (OLDEST, CITED_FIRST), strict=True):
        rows = tuple(
            (iso(one.event.day), one.event.voucher, one.event.narration, one.event.cited,
             _pieces(one.pieces), _pieces(one.by_base[other]))
            for one in receipts
        )  # fmt: skip
        columns = (
            "date", "receipt", "narration", "cites", "the memo shows", f"{BASE_NAMES[other]} would give",
        )  # fmt: skip
        yield Section(f"{title} (shown by {len(rows)} rows of the memo)", columns, rows)


def _pieces(pieces: Mapping[str, int]) -> str:
    return "; ".join(f"{invoice} {money(cents)}" for invoice, cents in sorted(pieces.items())) or "nothing"


def _short_month(case_files: CaseFiles) -> Section:
    rows = []
    for before, after in zip(case_files.months, case_files.months[1:], strict=False):
        gap = after.opening - before.closing
        rows.append(
            (before.period, money(before.closing), money(after.opening), money(gap) if gap else "ties")
        )
    return Section("The short month", ("month", "closes with", "the next opens with", "gap"), tuple(rows))


def _late_entries(supplement: Sheet) -> Section:
    rows = tuple(
        (iso(entry.day), entry.voucher, entry.code, money(entry.amount), entry.narration)
        for entry in supplement.entries
    )
    net = sum(entry.amount for entry in supplement.entries)
    text = f"They are in the supplement of {supplement.period}; together they come to {money(net)}."
    return Section("Entries booked late", ("date", "voucher", "customer", "amount", "narration"), rows, text)


def _recoded_customers(case_files: CaseFiles, truth: Truth) -> Iterator[Section]:
    for old, new in truth.book.successions:
        rows = tuple(customer for customer in case_files.customers if customer.code in (old, new))
        yield Section("The re-coded customer", ("code", "name", "status", "note"), rows)


def _settlement(truth: Truth, code: str, name: str) -> Section:
    """Return a customer's entries in order, with what each receipt settles."""
    states = {one.event.voucher: one for one in truth.receipts}
    settlement = truth.settlements[code]
    rows = []
    for event in truth.accounts[code]:
        cited = settles = ""
        if event.amount > 0:
            left = settlement.owed.get(event.voucher, 0)
            state = "paid" if not left else f"{money(left)} open" if left < event.amount else "open"
        else:
            cited, settles = event.cited, _pieces(states[event.voucher].pieces)
            over = settlement.unapplied.get(event.voucher, 0)
            state = f"{money(over)} unapplied" if over else ""
        rows.append((iso(event.day), event.voucher, event.code, money(event.amount), cited, settles, state))
    owed, unapplied = sum(settlement.owed.values()), sum(settlement.unapplied.values())
    text = f"{money(owed)} open at the end, {money(unapplied)} unapplied."
    columns = ("date", "voucher", "code", "amount", "cites", "settles", "at the end")
    return Section(f"Settlement of {code} {name}".rstrip(), columns, tuple(rows), text)


def _derivation(truth: Truth) -> Section:
    """Return the parts that add up to the answer."""
    question = truth.book.question
    rows = []
    for code in sorted(truth.accounts):
        billed = {event.voucher: event for event in truth.accounts[code]}
        for part in answer_parts(question, code, truth.accounts[code], truth.settlements[code]):
            event = billed[part.invoice]
            rows.append(
                (code, iso(event.day), part.invoice, money(event.amount), part.receipt, money(part.cents))
            )
    counted = {IN_FULL: "billed and paid", CASH_TO_EARLIER: "settled by the receipt"}
    column = counted.get(question.type, "still open")
    columns = ("customer", "billed on", "invoice", "billed at", "receipt", column)
    text = f"{len(rows)} parts add up to {money(truth.answer)}."
    return Section("Where the answer comes from", columns, tuple(rows), text)


def _wrong_answers(case: Case) -> Section:
    right = Decimal(case.gold)
    rows = tuple(
        (" and ".join(record["mistakes"]), record["answer"], f"{Decimal(record['answer']) - right:+}")
        for record in case.facts["wrong_answers"]
    )
    return Section("Where mistakes lead, alone and in pairs", ("mistakes", "answer", "off by"), rows)


def _difficulty(case: Case) -> Section:
    facts = case.facts
    rows = (
        ("files that must be read", f"{facts['horizon']}: {', '.join(facts['required_files'])}"),
        ("receipts that one wrong turn runs through", str(facts["depth"])),
        ("plans tried for this case", str(facts["plans"])),
    )
    return Section("Difficulty", (), rows)
