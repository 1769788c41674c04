"""Whole cases of both families: their files, their variety, and how answers to them are judged."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations

import pytest

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.formats import cents_of, day_of
from families.ledger.domain.traps_and_mistakes import EXCLUSIVE, TRAPS
from families.ledger.family import LedgerFamily
from trapcli.core.contract import Answer, Case, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import output_of
from trapcli.judging.judge import judge_output

BOTH = pytest.mark.parametrize("family", [CLOSE, AUDIT], ids=lambda family: family.name)


@pytest.fixture
def cases(family: LedgerFamily, closes: list[Case], audits: list[Case]) -> list[Case]:
    return closes if family is CLOSE else audits


def verdict_on(family: LedgerFamily, case: Case, text: str) -> Verdict:
    return judge_output(family, case, output_of(text))


@BOTH
def test_what_a_case_consists_of(family: LedgerFamily, cases: list[Case]) -> None:
    """Every case has the same README, gold like 12345.67, and its question in a file of its own."""
    assert len({case.files["README.md"] for case in cases}) == 1
    for case, trap in zip(cases, [*TRAPS] * 2, strict=False):
        assert case.trap == trap
        assert re.fullmatch(r"\d{4,}\.\d\d", case.gold)
        assert case.mistakes == tuple(family.mistakes)
        assert case.files["question.md"].startswith("# Question\n\nAccount ")
        assert "ANSWER: 12345.67" in case.files["README.md"]


def test_the_files_of_a_close(closes: list[Case]) -> None:
    """Seven months, one supplement in between, last year's December, another account: nothing more."""
    for case in closes:
        ledgers = sorted(path for path in case.files if path.startswith("ledgers/"))
        months = [path for path in ledgers if re.fullmatch(r"ledgers/2026-\d\d\.txt", path)]
        late = [path for path in ledgers if path.endswith("-supplement.txt")]
        assert [path[13:15] for path in months] == [f"{month:02d}" for month in range(1, 8)]
        assert len(late) == 1
        assert "02" <= late[0][13:15] <= "06"
        assert len(ledgers) == 10
        assert sorted(set(case.files) - set(ledgers)) == [
            "README.md", "index/documents.csv", "masters/counterparties.csv", "policy/allocation-memo.md",
            "question.md",
        ]  # fmt: skip
        assert all(len(case.files[path].splitlines()) == 4 + 2 + 13 for path in months)


def test_only_its_own_file_shows_the_supplement(closes: list[Case]) -> None:
    """The vouchers of the supplement are in no other file."""
    for case in closes:
        (path,) = [path for path in case.files if path.endswith("-supplement.txt")]
        vouchers = re.findall(r"[A-Z]{2}26\d\d-\d{3}", case.files[path])
        assert len(vouchers) == 3
        others = "".join(text for name, text in case.files.items() if name != path)
        assert not any(voucher in others for voucher in vouchers)


def test_an_audit_is_one_sheet_with_the_worked_receipts_first(audits: list[Case]) -> None:
    """Vouchers are out of the order of dates; only the first part says what receipts settle."""
    for case in audits:
        assert set(case.files) == {"README.md", "question.md", "ledger.txt"}
        first, rest = case.files["ledger.txt"].split("Not worked through")
        assert "settles" in first
        assert "settles" not in rest
        days = re.findall(r"^\d{4}-\d\d-\d\d", rest, re.MULTILINE)
        assert days != sorted(days)


@BOTH
def test_every_mistake_has_an_answer_of_its_own(family: LedgerFamily, cases: list[Case]) -> None:
    """Single mistakes move the answer by 100.00 or more, each elsewhere; pairs are recorded too."""
    for case in cases:
        records = case.facts["wrong_answers"]
        answers = {tuple(record["mistakes"]): Decimal(record["answer"]) for record in records}
        single = [answers[(name,)] for name in family.mistakes]
        assert all(abs(answer - Decimal(case.gold)) >= 100 for answer in single)
        assert len(set(single)) == len(single)
        assert set(answers) == {
            *((name,) for name in family.mistakes),
            *(pair for pair in combinations(family.mistakes, 2) if set(pair) != EXCLUSIVE),
        }


@BOTH
def test_the_difficulty_is_recorded(family: LedgerFamily, cases: list[Case]) -> None:
    """The facts name the files that must be read, and through how many receipts a wrong turn runs."""
    for case in cases:
        assert case.facts["horizon"] == len(case.facts["required_files"]) >= 2
        assert set(case.facts["required_files"]) <= set(case.files)
        assert case.facts["depth"] >= 1
        assert json.loads(json.dumps(case.facts)) == case.facts
    if family is CLOSE:
        assert all(any("supplement" in path for path in case.facts["required_files"]) for case in cases)


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
def test_every_wrong_answer_in_the_private_half_is_named(family: LedgerFamily, cases: list[Case]) -> None:
    """A single mistake is named alone; a pair is named "a + b" unless an earlier record has its answer."""
    for case in cases:
        first: dict[str, str] = {case.gold: ""}
        for record in case.facts["wrong_answers"]:
            name = first.setdefault(record["answer"], " + ".join(record["mistakes"]))
            verdict = verdict_on(family, case, f"ANSWER: {record['answer']}")
            assert verdict.mistake == name
            assert name in verdict.reason
            assert len(record["mistakes"]) > 1 or name == record["mistakes"][0]
        assert verdict_on(family, case, "ANSWER: 1.00").mistake == ""


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
        figures = {
            cents_of(text)
            for text in re.findall(r"-?\d{1,3}(?:,\d{3})*\.\d\d", "\n".join(case.files.values()))
        }
        balances = [
            cents_of(line.split()[-1])
            for text in case.files.values()
            for line in text.splitlines()
            if re.search("Opening|Closing|Total", line)
        ]
        differences = {abs(one - other) for one in balances for other in balances}
        assert int(case.gold.replace(".", "")) not in figures | differences


@BOTH
def test_what_an_explanation_shows(family: LedgerFamily, cases: list[Case]) -> None:
    """The private one has policy, settlements, derivation and mistakes; the public one only the question."""
    for case in cases[:5]:
        public = family.explain(case, public=True)
        assert [section.title for section in public] == ["Question"]
        private = family.explain(case, public=False)
        titles = [section.title for section in private]
        text = repr(private)
        assert "The policy" in titles
        assert "Where the answer comes from" in titles
        assert sum(title.startswith("Settlement of ") for title in titles) >= 3
        assert ("The short month" in titles) == ("The re-coded customer" in titles) == (family is CLOSE)
        assert case.facts["changeover"] in text
        assert f"add up to {int(case.gold[:-3]):,}{case.gold[-3:]}." in text
        assert all(record["answer"] in text for record in case.facts["wrong_answers"])
        for section in private:
            assert all(len(row) == len(section.columns) for row in section.rows if section.columns)


def chi_square(values: Iterable[int], cells: Sequence[int]) -> float:
    """Return Pearson's statistic of the values against a uniform spread over the cells."""
    count = Counter(values)
    expected = count.total() / len(cells)
    return sum((count[cell] - expected) ** 2 / expected for cell in cells)


@pytest.mark.slow
def test_cases_do_not_repeat_a_pattern() -> None:
    """Short months, re-coded customers and changeovers of 60 seeds are spread evenly (chi-square)."""
    cases = [CLOSE.generate(str(seed), CLOSE.knobs(), seed % 5) for seed in range(60)]
    months, places, thirds, dates = [], [], [], set()
    for case in cases:
        ((old, new),) = case.facts["successions"]
        codes = [line[:4] for line in case.files["masters/counterparties.csv"].splitlines()[1:]]
        codes.remove(new)
        places.append(3 * codes.index(old) // len(codes))
        months.append(int(case.facts["short_month"][-2:]))
        dates.add(case.facts["changeover"])
        thirds.append(3 * (day_of(case.facts["changeover"]) - day_of("2026-02-12")) // 54)
    assert chi_square(months, range(2, 7)) < 18.5  # p = 0.001 with 4 degrees of freedom
    assert chi_square(places, range(3)) < 13.8  # with 2
    assert chi_square(thirds, range(3)) < 13.8
    assert len(dates) > 30
    assert len({case.gold for case in cases}) == 60


@BOTH
def test_at_least_a_fifth_of_the_plans_succeed(family: LedgerFamily, cases: list[Case]) -> None:
    """Cases are planned, not drawn until one fits: on average a case takes at most five plans."""
    assert sum(case.facts["plans"] for case in cases) <= 5 * len(cases)


@BOTH
def test_knobs_that_leave_no_room_are_refused(family: LedgerFamily) -> None:
    """Knobs that no year can satisfy end in an error that says what to change."""
    knobs = parse_knobs(family, {"months": 3, "per_month": 12, "min_change_evidence": 8})
    with pytest.raises(TrapError, match="more months or entries"):
        family.generate("1", knobs, 0)


@BOTH
@pytest.mark.parametrize("corner", ["low", "high"])
def test_the_corners_of_the_knobs(family: LedgerFamily, corner: str) -> None:
    """The fewest months give a case, and so do the most customers, decoys and late or delayed entries."""
    low = {"months": 3, "per_month": 14, "customers": 4}
    high = {"months": 12, "per_month": 12, "customers": 20, "supplement": 8, "delayed": 60, "decoys": 4}
    wanted = {
        name: value
        for name, value in (low if corner == "low" else high).items()
        if hasattr(family.knobs(), name)
    }
    case = family.generate("2", parse_knobs(family, wanted), 0)
    assert list(family.check(case)) == []
