"""The page that lists every sentence pattern of the mails with its one meaning.

python -m families.ledger.correspondence.language.catalogue > docs/ledger-instructions.md
"""

from collections.abc import Iterator

from families.ledger.correspondence.language.phrasebook import Section, sections
from trapcli.wording.grammar import skeletons

TITLES = {
    "orders": "What is ordered",
    "requests": "How it is put",
    "followups": "What a mail says about an earlier one",
    "reports": "Talk about orders that instructs nothing",
    "chat": "Chat that instructs nothing",
    "manners": "Greetings, farewells and subjects",
}
INTRODUCTION = """\
# Instructions in the mails of ledger-close

From the middle levels on, some customers write mails that say where their receipts go. This page lists
what their sentences are made of. `families/ledger/correspondence/language/catalogue.py` writes it from the
phrase books, and a test compares the two.

In a pattern, `[a|b]` is one of these alternatives, and `{slot}` is filled: with a day, an amount, an
invoice, a clause of another section, and so on. `do` sections hold infinitives and `that` sections
clauses of orders; those of "How it is put" put either into a sentence. Around an order stand, in places
that vary, its first day, its last day and a reason. A mail says one to three such things, or none, in any
order, among sentences that instruct nothing. What each means for the books is in the README of each case.
"""


def page() -> str:
    """Return the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION.rstrip()
    for book, title in TITLES.items():
        yield from ("", f"## {title}")
        for section in sections().values():
            if section.book == book:
                yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    count = sum(skeletons(pattern) for pattern in section.patterns)
    yield from ("", f"### {section.name}", "", f"Meaning: {section.meaning}. Skeletons: {count}.", "")
    yield from (f"- `{pattern}`" for pattern in section.patterns)


if __name__ == "__main__":
    print(page(), end="")
