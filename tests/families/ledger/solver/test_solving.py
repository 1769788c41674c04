"""The reference solver: against the gold of generated cases, and by hand on a small year and sheet."""

import ast
import sys
from pathlib import Path

import pytest

import families.ledger.solver
from families.ledger.solver import solve_audit, solve_close
from trapcli.core.contract import Case

# A voucher, a day, a Ref doc, a customer and an amount; X-2 and D-2 are two papers of one invoice.
JANUARY = """\
A1-1 2026-01-03 D-1 1100 500.00
A1-2 2026-01-05 D-2 1100 300.00
A1-3 2026-01-07 D-3 2026 400.00"""
FEBRUARY = """\
A2-1 2026-02-02 D-4 1100 250.00
A2-2 2026-02-03 D-5 2026 600.00
A2-3 2026-02-04 X-2 1100 -300.00
A2-4 2026-02-05 X-5 2026 -100.00
A2-5 2026-02-20 X-4 1100 -120.00
A2-6 2026-02-25 D-5 1300 -90.00"""
LATE = "A2-7 2026-02-10 D-6 1300 150.00"
MARCH = """\
A3-1 2026-03-02 D-7 1300 700.00
A3-2 2026-03-10 X-4 1100 -350.00
A3-3 2026-03-15 X-7 1300 -500.00
A3-4 2026-03-20 - 1400 -50.00
A3-5 2026-03-25 D-8 1400 80.00"""
LAST_YEAR = """\
W-1 2025-12-10 D-9 1100 60.00
W-2 2025-12-12 - 2026 40.00
W-3 2025-12-31 - - -100.00"""
DEPOSITS = "Z-1 2026-02-11 - 1100 999.00"
MEMO = """\
| Date | Receipt | Amount | Settles | Unapplied |
|---|---|---:|---|---:|
| 2026-02-04 | A2-3 | 300.00 | A1-2 300.00 |  |
| 2026-02-05 | A2-4 | 100.00 | A2-2 100.00 |  |
| 2026-02-20 | A2-5 | 120.00 | A1-1 120.00 |  |
| 2026-02-25 | A2-6 | 90.00 | A1-3 90.00 |  |
"""
MASTER = """\
code,name,status,note
1100,Ash Foods,active,"sister company of 1300, an account of its own"
2026,Birch Tools,retired,re-coded to 1300 from 2026-02-08
1300,Birch Tools,active,"shares a building with 1400, not the same customer"
1400,Cedar Press,active,
"""
INDEX = "document_id,voucher,document_type\n" + "".join(
    f"{prefix}-{n},{voucher},paper\n"
    for n, voucher in enumerate(("A1-1", "A1-2", "A1-3", "A2-1", "A2-2", "A2-7", "A3-1", "A3-5", "W-1"), 1)
    for prefix in "DX"
)
SINCE = "How much is still owed at the end of 2026-03-31 on what was billed from 1 February 2026 onwards?"
BIRCH = "What does Birch Tools owe at the close of March 31, 2026 on invoices older than 2026-03-01?"
IN_FULL = "Of all invoices, what amount is paid in full as of 31 March 2026?"
CASH = (
    "Up to 2026-03-31: how much of the receipts dated 2026-03-01 or later was for invoices before 2026-02-01?"
)
IN_PART = "What is left open at the end of 2026-03-31 on invoices that have been paid in part?"

SHEET = """\
Account 12 Debtors
Period 2026-01-01 to 2026-03-31

Customers:
  21  Ash Foods
  22  Birch Tools

Worked through

Date       Voucher  Ref doc  Narration   Cust     Debit    Credit
2026-01-03 B01               Goods       21      500.00
2026-01-20 B02               Goods       21      300.00
2026-01-25 B03      B04      Cheque      21                200.00
    settles B04    200.00
2026-01-10 B04               Goods       21      400.00
2026-02-20 B05      B04      Cheque      21                100.00
    settles B01    100.00
2026-01-05 B06               Cheque      22                 50.00
    unapplied       50.00
2026-01-08 B07               Goods       22       90.00

Not worked through

Date       Voucher  Ref doc  Narration   Cust     Debit    Credit
2026-03-01 B08      B02      Cheque      21                650.00

                             Total             1,290.00  1,000.00
"""
NEWER = "What is open at the end of 2026-03-31 on invoices dated 2026-01-15 or later?"
ALL = "What is open at the end of 2026-03-31 on invoices dated 2026-01-01 or later?"
FIRST = "What does Ash Foods owe at the end of 2026-03-31 on invoices billed before 2026-01-08?"
LATER_CASH = "How much cash of 2026-02-01 or later, up to 2026-03-31, went to invoices before 2026-01-08?"


def ledger(period: str, opening: int, lines: str, account: str = "12 Debtors") -> tuple[str, int]:
    """Return a ledger file, and the dollars that it closes with; opening: in dollars."""
    columns = "{:10} {:10} {:10} {:30} {:4} {:>12} {:>12} {:>14}"
    names = ("Date", "Voucher", "Ref doc", "Narration", "Cust", "Debit", "Credit", "Balance")
    text = [f"Account {account}", f"Period {period}", "", columns.format(*names)]
    text.append(columns.format("", "", "", "Opening balance", "", "", "", f"{opening:,}.00"))
    balance = opening
    for line in lines.splitlines():
        voucher, day, ref, code, amount = (cell.removesuffix("-") for cell in line.split())
        balance += int(amount.removesuffix(".00"))
        debit, credit = ("", amount[1:]) if amount.startswith("-") else (amount, "")
        text.append(columns.format(day, voucher, ref, "Entry", code, debit, credit, f"{balance:,}.00"))
    text.append(columns.format("", "", "", "Closing balance", "", "", "", f"{balance:,}.00"))
    return "\n".join(text) + "\n", balance


def year(question: str) -> dict[str, str]:
    """Return the files of a year of three months, of which the second is short, and a question."""
    files = {"question.md": f"# Question\n\nAccount 12 Debtors.\n\n{question}\n"}
    closing = 0
    for name, lines in (
        ("2026-01", JANUARY), ("2026-02", FEBRUARY), ("2026-02-supplement", LATE), ("2026-03", MARCH),
    ):  # fmt: skip
        files[f"ledgers/{name}.txt"], closing = ledger(name[:7], closing, lines)
    files["ledgers/2025-12.txt"], _ = ledger("2025-12", 0, LAST_YEAR)
    files["ledgers/2026-02-77.txt"], _ = ledger("2026-02", 10, DEPOSITS, "77 Deposits")
    return files | {
        "policy/allocation-memo.md": MEMO,
        "masters/counterparties.csv": MASTER,
        "index/documents.csv": INDEX,
    }


def sheet(question: str) -> dict[str, str]:
    return {"question.md": f"# Question\n\nAccount 12 Debtors.\n\n{question}\n", "ledger.txt": SHEET}


def answered(text: str) -> str:
    """Return what the last line answers."""
    return text.splitlines()[-1].removeprefix("ANSWER: ")


@pytest.mark.parametrize(
    ("question", "mistake", "amount"),
    [
        (SINCE, None, "1490.00"),
        (BIRCH, None, "460.00"),
        (IN_FULL, None, "700.00"),
        (CASH, None, "660.00"),
        (IN_PART, None, "340.00"),
        (SINCE, "missed_supplement", "1340.00"),
        (SINCE, "prior_year_folded_in", "1530.00"),
        (SINCE, "recoded_split", "1090.00"),
        (BIRCH, "recoded_split", "900.00"),
        (SINCE, "citation_always", "840.00"),
        (IN_FULL, "citation_never", "900.00"),
    ],
)
def test_a_small_year(question: str, mistake: str | None, amount: str) -> None:
    """A year in words that no template has is answered to the cent; a mistake is that one mistake."""
    assert answered(solve_close(year(question), mistake)) == amount


@pytest.mark.parametrize(
    ("question", "mistake", "amount"),
    [
        (NEWER, None, "250.00"),
        (ALL, None, "340.00"),
        (FIRST, None, "0.00"),
        (LATER_CASH, None, "500.00"),
        (NEWER, "voucher_order", "0.00"),
        (ALL, "unapplied_carried", "290.00"),
        (FIRST, "citation_always", "150.00"),
        (LATER_CASH, "citation_never", "300.00"),
    ],
)
def test_a_small_sheet(question: str, mistake: str | None, amount: str) -> None:
    """A sheet with vouchers out of date order is answered to the cent; a mistake is that one mistake."""
    assert answered(solve_audit(sheet(question), mistake)) == amount


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("policy/allocation-memo.md", "A1-2 300.00", "A1-2 200.00; A1-1 100.00"),
        ("policy/allocation-memo.md", "A1-2 300.00", "A1-2 299.00"),
        ("policy/allocation-memo.md", "A2-3", "A9-9"),
        ("ledgers/2026-02-supplement.txt", "Account 12", "Account 13"),
        ("ledgers/2026-03.txt", "350.00", "351.00"),
        ("question.md", "still owed", "there"),
        ("question.md", "from 1 February 2026 onwards", "about 1 February 2026"),
        ("question.md", "2026-03-31", "some day"),
    ],
)
def test_unclear_files_are_reported(name: str, old: str, new: str) -> None:
    """Where the files do not decide, the solver says so instead of guessing."""
    files = year(SINCE)
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    assert solve_close(files).startswith("Undecided: ")


def test_answers_come_from_the_files_given() -> None:
    """Files that differ in one cell are never answered from files solved before."""
    files = year(SINCE)
    assert answered(solve_close(files)) == "1490.00"
    files["masters/counterparties.csv"] = MASTER.replace("re-coded to 1300", "collects at 1300")
    assert solve_close(files).startswith("Undecided: ")


def test_generated_cases(closes: list[Case], audits: list[Case]) -> None:
    """The solver gives gold; every mistake gives the answer in the private half, and no two the same one."""
    for solve, cases in ((solve_close, closes), (solve_audit, audits)):
        for case in cases:
            expected = {
                record["mistakes"][0]: record["answer"]
                for record in case.facts["wrong_answers"]
                if len(record["mistakes"]) == 1
            }
            assert answered(solve(case.files)) == case.gold
            assert {name: answered(solve(case.files, name)) for name in case.mistakes} == expected
            assert len({case.gold, *expected.values()}) == 1 + len(expected)


def test_the_solver_reads_nothing_else() -> None:
    """Its modules import each other and the standard library, nothing of the families or of trapcli."""
    own = families.ledger.solver.__name__
    for path in Path(families.ledger.solver.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert not node.level
                names = [node.module or ""]
            for name in names:
                assert f"{name}.".startswith(f"{own}.") or name.split(".")[0] in sys.stdlib_module_names, path
