"""Solve a case: from its files to what an agent prints. A mistake breaks one rule and keeps the others."""

from collections.abc import Callable, Collection, Iterator, Mapping

from families.ledger.solver.books import Books, by_customer, cites_of, read_audit, read_close
from families.ledger.solver.policy_search import ALWAYS, CITATION_ALWAYS, CITATION_NEVER, Practice
from families.ledger.solver.settling import settle
from families.ledger.solver.sheets import UnclearFiles

Read = Callable[[tuple[tuple[str, str], ...]], Books]
PRACTICES = {"citation_always": CITATION_ALWAYS, "citation_never": CITATION_NEVER}
MISSED, PRIOR, SPLIT = "missed_supplement", "prior_year_folded_in", "recoded_split"
VOUCHER_ORDER, CARRIED = "voucher_order", "unapplied_carried"
KNOWN = {*PRACTICES, MISSED, PRIOR, SPLIT, VOUCHER_ORDER, CARRIED}


def solve_close(files: Mapping[str, str], mistake: str | None = None) -> str:
    """Return what an agent that makes this mistake, or none, prints for a year of receivables."""
    return _solve(read_close, files, mistake)


def solve_audit(files: Mapping[str, str], mistake: str | None = None) -> str:
    """Return what an agent that makes this mistake, or none, prints for one sheet of receivables."""
    return _solve(read_audit, files, mistake)


def _solve(read: Read, files: Mapping[str, str], mistake: str | None) -> str:
    """Return the answer, or a sentence that says why the files do not decide it."""
    mistakes = {mistake} if mistake else set()
    if not mistakes <= KNOWN:
        raise ValueError(f"{mistake!r} is not one of the mistakes {', '.join(sorted(KNOWN))}")
    try:
        books = read(tuple(files.items()))
    except UnclearFiles as unclear:
        return f"Undecided: {unclear}."
    cents = answer(books, mistakes)
    return "\n".join([*_reasons(books, mistakes), f"ANSWER: {cents // 100}.{cents % 100:02d}"])


def answer(books: Books, mistakes: Collection[str]) -> int:
    """Return the amount asked for, in cents, with all these mistakes made together."""
    practice = _practice(books, mistakes)
    entries = list(books.entries)
    if MISSED in mistakes:
        late = set(books.late)
        entries = [entry for entry in entries if entry not in late]
    if PRIOR in mistakes:
        entries = sorted([*books.prior, *entries])
    if VOUCHER_ORDER in mistakes:
        entries.sort(key=lambda entry: entry.voucher)
    cites = cites_of(entries, books.papers)
    customers = {
        books.known_as(code) for code, name in books.names.items() if name == books.question.customer
    }
    return books.question.answer(
        settle(customer, theirs, cites, practice.order_of, CARRIED in mistakes)
        for customer, theirs in by_customer(entries, {} if SPLIT in mistakes else books.same).items()
        if not customers or books.known_as(customer) in customers
    )


def _practice(books: Books, mistakes: Collection[str]) -> Practice:
    return next((practice for name, practice in PRACTICES.items() if name in mistakes), books.practice)


def _reasons(books: Books, mistakes: Collection[str]) -> Iterator[str]:
    """Yield what the answer rests on, in a few lines."""
    if books.late and MISSED not in mistakes:
        yield f"{books.late[0].day:%Y-%m} does not tie without the {len(books.late)} entries booked late."
    if SPLIT not in mistakes:
        for code, first in books.same.items():
            if code != first:
                yield f"{code} and {first} are one customer."
    yield f"Receipts settle invoices in this order: {_words(_practice(books, mistakes))}."


def _words(practice: Practice) -> str:
    before, after = (order.__name__.replace("_", " ") for order in (practice.before, practice.after))
    if practice.since == ALWAYS or before == after:
        return after
    return f"{before} before {practice.since}, {after} from then on"
