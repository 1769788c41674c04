"""Files and binders: what is rendered is read back, and what is damaged is noticed."""

import re
from collections.abc import Callable

import pytest

from families.ledger import audit_case, close_case
from families.ledger.domain.formats import cents_of, day_of, iso, money, plain
from families.ledger.domain.names import KINDS
from families.ledger.knobs import AUDIT_LADDER, CLOSE_LADDER, AuditKnobs, CloseKnobs
from families.ledger.planning.planned_case import Planned
from families.ledger.planning.year_outline import Unlucky
from trapcli.core.contract import Case
from trapcli.core.draw import Draw


def first_plan(make: Callable[[int], Planned]) -> Planned:
    for attempt in range(30):
        try:
            return make(attempt)
        except Unlucky:
            continue
    raise AssertionError("nothing can be planned")


@pytest.mark.parametrize("rung", [0, 2, 6])
def test_a_close_is_read_back(rung: int) -> None:
    """The binder read from the rendered files equals the one that was rendered."""
    knobs = CloseKnobs(**CLOSE_LADDER[rung])
    frame = close_case.outline(Draw("frame"), knobs)
    planned = first_plan(lambda i: close_case.plan(Draw(f"read/{i}"), knobs, KINDS[i % 5], frame))
    assert close_case.read(close_case.render(planned)) == planned.binder


@pytest.mark.parametrize("rung", [0, 2, 6])
def test_an_audit_is_read_back(rung: int) -> None:
    """The binder read from the sheet equals the one that was rendered."""
    knobs = AuditKnobs(**AUDIT_LADDER[rung])
    frame = audit_case.outline(Draw("frame"), knobs)
    planned = first_plan(lambda i: audit_case.plan(Draw(f"read/{i}"), knobs, KINDS[i % 5], frame))
    assert audit_case.read(audit_case.render(planned)) == planned.binder


@pytest.mark.parametrize(
    ("path", "change", "complaint"),
    [
        ("ledgers/2026-02.txt", lambda text: text.replace(",", ";", 1), "no amount"),
        ("ledgers/2026-02.txt", lambda text: re.sub(r"\.(\d\d)\n", r".\g<1>0\n", text, count=1), "wider"),
        ("ledgers/2026-02.txt", lambda text: "\n".join(text.split("\n")[:-3]) + "\n", "closing"),
        (
            "ledgers/2026-02.txt",
            lambda text: "\n".join([*text.split("\n")[:6], *text.split("\n")[7:]]),
            "balance",
        ),
        ("ledgers/2026-02.txt", lambda text: text.replace("Period 2026-02", "Period 2026-03"), "about"),
        ("question.md", lambda text: text.replace("?", "!").replace(".", ","), "form|wording"),
        ("masters/counterparties.csv", lambda text: text.replace("code,", "id,"), "columns"),
        ("policy/allocation-memo.md", lambda text: text.split("| 2026")[0], "no receipt"),
    ],
)
def test_a_damaged_close_is_noticed(
    closes: list[Case], path: str, change: Callable[[str], str], complaint: str
) -> None:
    """A file that cannot be read or does not add up is a ValueError that says what is wrong."""
    files = {**closes[0].files, path: change(closes[0].files[path])}
    assert files[path] != closes[0].files[path]
    with pytest.raises(ValueError, match=complaint):
        close_case.read(files)


def test_a_damaged_audit_is_noticed(audits: list[Case]) -> None:
    """A sheet whose total is not that of its entries is refused."""
    text = audits[0].files["ledger.txt"]
    cut = re.sub(r"\n2026-\d\d-\d\d [^\n]*invoiced[^\n]*", "", text, count=1)
    assert cut != text
    with pytest.raises(ValueError, match="totals"):
        audit_case.read({**audits[0].files, "ledger.txt": cut})


@pytest.mark.parametrize(
    ("cents", "text"),
    [(5924061, "59,240.61"), (5, "0.05"), (-123456, "-1,234.56"), (100, "1.00"), (0, "0.00")],
)
def test_amounts(cents: int, text: str) -> None:
    """Amounts are written with commas and two decimals, and read back."""
    assert money(cents) == text
    assert cents_of(text) == cents
    assert plain(cents) == text.replace(",", "")


@pytest.mark.parametrize("text", ["1.5", "1,23.00", "12345.67", "", "1.00 ", "+1.00", "1.000"])
def test_what_is_no_amount(text: str) -> None:
    """Anything that is not written so is refused."""
    with pytest.raises(ValueError, match="no amount"):
        cents_of(text)


def test_days() -> None:
    """Days are written as ISO dates and read back; a day that does not exist is refused."""
    assert iso(day_of("2026-02-28")) == "2026-02-28"
    with pytest.raises(ValueError, match="day"):
        day_of("2026-02-30")
