"""What `inspect` shows of a ledger case."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from families.ledger.domain.mistakes import AUDIT_MISTAKES, CLOSE_MISTAKES
from families.ledger.files.paths import QUESTION
from trapcli.core.contract import Case, Section

LINES: Mapping[str, str] = {**CLOSE_MISTAKES, **AUDIT_MISTAKES}


def explain(case: Case, public: bool) -> list[Section]:
    """Return the question; unless `public`, also what leads to the answer and to wrong ones."""
    sections = [Section("Question", text=case.files[QUESTION].removeprefix("# Question").strip())]
    if public:
        return sections
    facts = case.facts
    sections += [_practice(facts), _lines(facts), *_missed(case)]
    columns = ("date", "voucher", "entry", "amount", "quotes", "settles", "at the end")
    for name, rows in facts["settlements"].items():
        sections.append(Section(f"Settlement of {name}", columns, _cells(rows)))
    counted = ("customer", "billed on", "invoice", "billed at", "receipt", "counted")
    text = f"{len(facts['parts'])} parts add up to {Decimal(case.gold):,}."
    sections.append(Section("Where the answer comes from", counted, _cells(facts["parts"]), text))
    if "instructions" in facts:
        sections.append(_instructions(case))
    sections.append(_wrong_answers(case))
    return sections


def _cells(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row) for row in rows)


def _practice(facts: Mapping[str, Any]) -> Section:
    shown, receipts = facts["memo"]
    text = "\n".join(facts["practice"])
    text += f"\nNo file says so. {shown} of {receipts} receipts are worked through, and show it."
    return Section("The practice", text=text)


def _lines(facts: Mapping[str, Any]) -> Section:
    columns = ("order", "date", "receipt", "narration", "cites", "was put to", "another rule would give")
    text = "Receipts that were worked through and that no other rule of the practice explains."
    return Section("What shows the practice", columns, _cells(facts["lines"]), text)


def _missed(case: Case) -> Iterator[Section]:
    """Yield for each thing that can be missed where its evidence stands, and how the answer moves."""
    alone = {
        record["mistakes"][0]: record["answer"]
        for record in case.facts["wrong_answers"]
        if len(record["mistakes"]) == 1 and record["copied"] and "order" not in record
    }
    for name, missed in case.facts["missed"].items():
        answer = Decimal(alone[name])
        text = f"{LINES[name]}: then the answer is {answer:,}, off by {answer - Decimal(case.gold):+,}."
        if told := missed.get("evidence"):
            yield Section(f"Evidence: {name}", ("file", "what stands there"), _cells(told))
        rows = _cells(missed["moves"])
        columns = ("what counts otherwise", "right", "if missed") if rows else ()
        yield Section(f"Missed: {name}", columns, rows, f"{text[0].upper()}{text[1:]}")


def _instructions(case: Case) -> Section:
    right = Decimal(case.gold)
    rows = tuple(
        (one["id"], one["customer"], ", ".join(one["mails"]), one["meaning"], one["answer"],
         f"{Decimal(one['answer']) - right:+}")
        for one in case.facts["instructions"]
    )  # fmt: skip
    columns = ("instruction", "customer", "mail", "what it means", "answer if missed", "off by")
    text = f"{len(rows)} instructions, each of which changes the answer."
    return Section("What the mails instruct", columns, rows, text)


def _wrong_answers(case: Case) -> Section:
    right = Decimal(case.gold)
    rows = tuple(
        (" and ".join(record["mistakes"]), "yes" if record["copied"] else "no", record["answer"],
         f"{Decimal(record['answer']) - right:+}")
        for record in case.facts["wrong_answers"]
    )  # fmt: skip
    columns = ("missed", "lines of the memo copied", "answer", "off by")
    return Section("Where mistakes lead, alone and in pairs", columns, rows)
