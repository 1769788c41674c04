"""Whole cases of both families: their files, their variety, and how answers to them are judged."""

import json
import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.case_maker import check
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.formats import cents_of
from families.ledger.family import LedgerFamily
from trapcli.core.contract import Answer, Case, Verdict
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import output_of
from trapcli.judging.judge import judge_output

BOTH = pytest.mark.parametrize("family", [CLOSE, AUDIT], ids=lambda family: family.name)


@pytest.fixture
def cases(
    family: LedgerFamily, closes: list[Case], deep_closes: list[Case], audits: list[Case]
) -> list[Case]:
    return [*closes, *deep_closes] if family is CLOSE else audits


def verdict_on(family: LedgerFamily, case: Case, text: str) -> Verdict:
    return judge_output(family, case, output_of(text))


@BOTH
def test_what_a_case_consists_of(family: LedgerFamily, cases: list[Case]) -> None:
    """Every case has the same README, gold like 12345.67, its question in a file, and mistakes of its own."""
    assert len({case.files["README.md"] for case in cases}) == 1
    for case, trap in zip(cases, family.traps, strict=False):
        assert case.trap == trap
    for case in cases:
        assert re.fullmatch(r"\d{4,}\.\d\d", case.gold)
        assert set(case.mistakes) <= set(family.mistakes)
        assert case.mistakes[:2] == ("first_order_for_all", "last_order_for_all")
        assert case.files["question.md"].startswith("# Question\n\nAccount ")
        assert "ANSWER: 12345.67" in case.files["README.md"]
        assert json.loads(json.dumps(case.facts)) == case.facts


@BOTH
def test_every_wrong_answer_is_wrong_and_named(family: LedgerFamily, cases: list[Case]) -> None:
    """Each recorded answer is 100.00 or more off; it is named by the smallest set of things missed."""
    for case in cases:
        sizes: dict[str, int] = {}
        for record in case.facts["wrong_answers"]:
            known = sizes.setdefault(record["answer"], len(record["mistakes"]))
            sizes[record["answer"]] = min(known, len(record["mistakes"]))
        for record in case.facts["wrong_answers"]:
            assert abs(Decimal(record["answer"]) - Decimal(case.gold)) >= 100
            verdict = verdict_on(family, case, f"ANSWER: {record['answer']}")
            assert not verdict.passed
            assert verdict.mistake.count(" + ") + 1 == sizes[record["answer"]]
            assert verdict.mistake in verdict.reason
        assert verdict_on(family, case, "ANSWER: 1.00").mistake == ""


@BOTH
def test_the_mistakes_of_a_case_are_all_told_apart(family: LedgerFamily, cases: list[Case]) -> None:
    """No two single mistakes, the memo copied, give the same answer."""
    for case in cases:
        single = [r["answer"] for r in case.facts["wrong_answers"] if r["copied"] and len(r["mistakes"]) == 1]
        own = single[: len(case.mistakes)]
        assert len(set(own)) == len(own)


@BOTH
def test_a_right_amount_passes_in_any_form(family: LedgerFamily, cases: list[Case]) -> None:
    """The right amount passes with or without commas, dollars and emphasis; a cent more fails."""
    case = cases[0]
    dollars, cents = case.gold.split(".")
    for text in (case.gold, f"**${int(dollars):,}.{cents}**"):
        assert verdict_on(family, case, f"ANSWER: {text}").passed
    assert not verdict_on(family, case, f"ANSWER: {Decimal(case.gold) + Decimal('0.01')}").passed
    assert verdict_on(family, case, "I do not know").status == "unreadable"
    assert not verdict_on(family, case, family.answers.noop).passed


@BOTH
def test_a_broken_case_is_an_error_not_a_verdict(family: LedgerFamily, cases: list[Case]) -> None:
    """Gold that is not an amount, or facts without wrong answers, end in a TrapError."""
    for broken in (replace(cases[0], gold="much"), replace(cases[0], facts={}), replace(cases[0], gold=None)):
        with pytest.raises(TrapError, match="broken"):
            family.answers.judge(broken, Answer(Decimal(1)))


@BOTH
def test_figures_in_the_files_do_not_pass(family: LedgerFamily, cases: list[Case]) -> None:
    """No amount in any file, nor a difference of two balances or totals, is the answer."""
    for case in cases:
        text = "\n".join(case.files.values())
        figures = {cents_of(found) for found in re.findall(r"-?\d{1,3}(?:,\d{3})*\.\d\d", text)}
        balances = [
            cents_of(found[-1])
            for line in text.splitlines()
            if re.search("Opening|Closing|Total", line)
            and (found := re.findall(r"-?\d{1,3}(?:,\d{3})*\.\d\d", line))
        ]
        differences = {abs(one - other) for one in balances for other in balances}
        assert int(case.gold.replace(".", "")) not in figures | differences


@BOTH
def test_a_changed_case_is_found_out(family: LedgerFamily, cases: list[Case]) -> None:
    """Another gold, another wrong answer, a changed amount and a missing file are problems of a case."""
    case = cases[1]
    assert list(check(family, case)) == []
    other = f"{Decimal(case.gold) + 1}"
    records = [dict(record) for record in case.facts["wrong_answers"]]
    records[0]["answer"] = other
    for changed in (
        replace(case, gold=other),
        replace(case, facts={**case.facts, "wrong_answers": records}),
        replace(case, files={p: t for p, t in case.files.items() if p not in ("ledger.txt", "question.md")}),
        replace(case, files={**case.files, "note.md": f"It is {case.gold}."}),
    ):
        assert list(check(family, changed))


@BOTH
def test_what_an_explanation_shows(family: LedgerFamily, cases: list[Case]) -> None:
    """The private one has practice, evidence, settlements and mistakes; the public one only the question."""
    for case in cases:
        public = family.explain(case, public=True)
        assert [section.title for section in public] == ["Question"]
        private = family.explain(case, public=False)
        titles = [section.title for section in private]
        text = repr(private)
        for title in ("The practice", "What shows the practice", "Where the answer comes from"):
            assert title in titles
        assert sum(title.startswith("Settlement of ") for title in titles) >= 3
        assert f"add up to {int(case.gold[:-3]):,}{case.gold[-3:]}." in text
        assert all(record["answer"] in text for record in case.facts["wrong_answers"])
        for name in case.mistakes:
            assert f"Missed: {name}" in titles
            obstacle = name not in ("first_order_for_all", "last_order_for_all") and family is CLOSE
            assert (f"Evidence: {name}" in titles) == obstacle
        for section in private:
            assert all(len(row) == len(section.columns) for row in section.rows if section.columns)


def test_the_evidence_of_an_obstacle_stands_in_the_files(deep_closes: list[Case]) -> None:
    """Each piece of evidence names a file of the case; vouchers and codes that it tells of stand there."""
    for case in deep_closes:
        for name, missed in case.facts["missed"].items():
            for path, told in missed.get("evidence", ()):
                assert path in case.files, (name, path)
                if told.startswith("20") and "supplement" not in name:
                    continue
                voucher = re.match(r"[A-Z]{2}\d{4}-\d{3}", told)
                assert not voucher or voucher[0] in case.files[path]


def test_practices_differ_from_case_to_case() -> None:
    """Of 40 drawn practices no pair of orders makes up more than a quarter, and groups occur."""
    knobs = parse_knobs(CLOSE, {**CLOSE.levels[3]})
    pairs: Counter[tuple[str, ...]] = Counter()
    groups = 0
    for k in range(40):
        frame = CLOSE.craft.draw_outline(Draw(f"pairs/{k}"), knobs)
        practice = frame.frame.practice
        pairs[practice.bases] += 1
        groups += bool(practice.by)
    assert pairs.most_common(1)[0][1] <= 10
    assert 8 <= groups <= 32


@BOTH
def test_knobs_that_leave_no_room_are_refused(family: LedgerFamily, monkeypatch: pytest.MonkeyPatch) -> None:
    """Knobs for which no year is found end in an error that says what to change."""
    monkeypatch.setattr("families.ledger.case_maker.OUTLINES", 1)
    monkeypatch.setattr("families.ledger.case_maker.PLANS", 1)
    knobs = parse_knobs(family, {"months": 3, "per_month": 12, "customers": 4})
    with pytest.raises(TrapError, match="more months or entries"):
        for k in range(40):
            family.generate("1", knobs, k)


@BOTH
@pytest.mark.slow
@pytest.mark.parametrize("corner", ["low", "high"])
def test_the_corners_of_the_knobs(family: LedgerFamily, corner: str) -> None:
    """The fewest months give a case, and so do the most customers, obstacles and delayed entries."""
    low = {"months": 3, "per_month": 16, "customers": 4}
    high = {"months": 12, "per_month": 24, "customers": 20, "delayed": 60, "obstacles": 12}
    wanted = low if corner == "low" else high
    own = {name: value for name, value in wanted.items() if hasattr(family.knobs(), name)}
    case = family.generate("2", parse_knobs(family, own), 0)
    assert list(family.check(case)) == []


@pytest.mark.parametrize(
    ("knobs", "problem"),
    [
        ({"mails": 19, "months": 12, "drawn_orders": 1}, "it is 0, or at least 20"),
        ({"mails": 40, "months": 9, "drawn_orders": 1}, "at least 10 months, not 9"),
        ({"mails": 40, "months": 12}, "drawn orders only"),
    ],
)
def test_knobs_that_do_not_go_together(knobs: dict[str, int], problem: str) -> None:
    """Mails with too little to say, too little time or fixed orders are refused at once."""
    with pytest.raises(TrapError, match=problem):
        CLOSE.generate("1", parse_knobs(CLOSE, knobs), 0)
