"""The files: what is written is read back, and damage is noticed."""

import re
from collections.abc import Callable

import pytest

from families.ledger import audit_craft, close_craft
from families.ledger.domain.traps_and_mistakes import TRAPS
from families.ledger.knobs import AUDIT_LEVELS, CLOSE_LEVELS, AuditKnobs, CloseKnobs
from families.ledger.planning.planned_case import PlanFailed, PlannedCase
from trapcli.core.contract import Case
from trapcli.core.draw import Draw


def first_plan(plan: Callable[[int], PlannedCase]) -> PlannedCase:
    """Return the plan of the first attempt that succeeds."""
    for attempt in range(30):
        try:
            return plan(attempt)
        except PlanFailed:
            continue
    raise AssertionError("no plan succeeds")


@pytest.mark.parametrize("level", [0, 2, 6])
def test_a_close_is_read_back(level: int) -> None:
    """Reading the written files of a close gives what was written."""
    knobs = CloseKnobs(**CLOSE_LEVELS[level])
    outline, traps = close_craft.draw_outline(Draw("frame"), knobs), list(TRAPS)
    planned = first_plan(lambda i: close_craft.plan_case(Draw(f"read/{i}"), knobs, traps[i % 5], outline))
    assert close_craft.read_files(close_craft.write_files(planned)) == planned.case_files


@pytest.mark.parametrize("level", [0, 2, 6])
def test_an_audit_is_read_back(level: int) -> None:
    """Reading the written sheet of an audit gives what was written."""
    knobs = AuditKnobs(**AUDIT_LEVELS[level])
    outline, traps = audit_craft.draw_outline(Draw("frame"), knobs), list(TRAPS)
    planned = first_plan(lambda i: audit_craft.plan_case(Draw(f"read/{i}"), knobs, traps[i % 5], outline))
    assert audit_craft.read_files(audit_craft.write_files(planned)) == planned.case_files


@pytest.mark.parametrize(
    ("path", "change", "complaint"),
    [
        ("ledgers/2026-02.txt", lambda text: text.replace(",", ";", 1), "is not an amount"),
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
        close_craft.read_files(files)


def test_a_damaged_audit_is_noticed(audits: list[Case]) -> None:
    """A sheet with a total that is not that of its entries is refused."""
    text = audits[0].files["ledger.txt"]
    cut = re.sub(r"\n2026-\d\d-\d\d [^\n]*invoiced[^\n]*", "", text, count=1)
    assert cut != text
    with pytest.raises(ValueError, match="totals"):
        audit_craft.read_files({**audits[0].files, "ledger.txt": cut})
