"""Where the files of a case are."""

README, QUESTION, AUDIT = "README.md", "question.md", "ledger.txt"
MEMO, NOTES = "policy/allocation-memo.md", "policy/notes.md"
MASTER, INDEX = "masters/counterparties.csv", "index/documents.csv"


def ledger_path(name: str) -> str:
    """Return the path of a ledger file: ledgers/2026-03.txt."""
    return f"ledgers/{name}.txt"
