"""Whole cases of both families: what they are, how they spread, how answers to them are judged."""

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
from families.ledger.domain.names import EXCLUSIVE, KINDS
from families.ledger.family import LedgerFamily
from trapcli.core.contract import Answer, Case, Slip, parse_knobs
from trapcli.core.errors import TrapError
from trapcli.core.output import Output
from trapcli.judging.judge import judge_output

BOTH = pytest.mark.parametrize("family", [CLOSE, AUDIT], ids=lambda family: family.name)


@pytest.fixture
def cases(family: LedgerFamily, closes: list[Case], audits: list[Case]) -> list[Case]:
    return closes if family is CLOSE else audits


def said(family: LedgerFamily, case: Case, text: str):  # type: ignore[no-untyped-def]
    return judge_output(family, case, Output(text, cut=False, size=len(text)))


@BOTH
def test_what_a_case_consists_of(family: LedgerFamily, cases: list[Case]) -> None:
    """Every case has the same README and gold like 12345.67; its question stands in a file of its own."""
    assert len({case.files["README.md"] for case in cases}) == 1
    for case, kind in zip(cases, KINDS * 2, strict=False):
        assert case.category == kind
        assert re.fullmatch(r"\d{4,}\.\d\d", case.gold)
        assert case.mechanisms == family.mistakes
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


def test_nothing_but_its_file_tells_of_the_supplement(closes: list[Case]) -> None:
    """Its vouchers stand in no other file."""
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
    """Single mistakes move the answer by 100.00 or more, each elsewhere; pairs are kept too."""
    for case in cases:
        answers = {tuple(made["mechanisms"]): Decimal(made["answer"]) for made in case.facts["mistakes"]}
        single = [answers[(name,)] for name in family.mistakes]
        assert all(abs(answer - Decimal(case.gold)) >= 100 for answer in single)
        assert len(set(single)) == len(single)
        assert set(answers) == {
            *((name,) for name in family.mistakes),
            *(pair for pair in combinations(family.mistakes, 2) if set(pair) != EXCLUSIVE),
        }


@BOTH
def test_how_far_and_how_deep_is_kept(family: LedgerFamily, cases: list[Case]) -> None:
    """The facts name the files that must be read, and through how many receipts a wrong turn runs."""
    for case in cases:
        assert case.facts["horizon"] == len(case.facts["must_be_read"]) >= 2
        assert set(case.facts["must_be_read"]) <= set(case.files)
        assert case.facts["depth"] >= 1
        assert json.loads(json.dumps(case.facts)) == case.facts
    if family is CLOSE:
        assert all(any("supplement" in path for path in case.facts["must_be_read"]) for case in cases)


@BOTH
def test_a_wrong_answer_is_named(family: LedgerFamily, cases: list[Case]) -> None:
    """The right amount passes in any form; what one mistake or two lead to fails and is named."""
    case = replace(cases[0], slips=tuple(
        Slip(made["mechanisms"][0], "", made["answer"])
        for made in cases[0].facts["mistakes"] if len(made["mechanisms"]) == 1
    ))  # fmt: skip
    assert said(family, case, f"ANSWER: {case.gold}").score == 1.0
    assert said(family, case, f"**ANSWER:** ${int(case.gold[:-3]):,}{case.gold[-3:]}").score == 1.0
    assert said(family, case, f"ANSWER: {Decimal(case.gold) + Decimal('0.01')}").score == 0.0
    for made in case.facts["mistakes"]:
        if made["answer"] == case.gold:
            continue
        verdict = said(family, case, f"ANSWER: {made['answer']}")
        names = [
            " + ".join(other["mechanisms"])
            for other in case.facts["mistakes"]
            if other["answer"] == made["answer"]
        ]
        assert verdict.status == "failed"
        assert all(
            name in verdict.reason
            for name in names
            if " + " not in name or not set(names) & set(family.mistakes)
        )
        if len(made["mechanisms"]) == 1:
            assert verdict.slip == (made["mechanisms"][0],)
    assert said(family, case, "ANSWER: 1.00").slip == ()
    assert said(family, case, "I do not know").status == "unreadable"
    assert said(family, case, family.noop).score == 0.0


@BOTH
def test_pairs_are_named_by_the_family(family: LedgerFamily, cases: list[Case]) -> None:
    """The family's own verdict names a pair when no single mistake leads to the amount."""
    case = cases[1]
    single = {made["answer"] for made in case.facts["mistakes"] if len(made["mechanisms"]) == 1}
    pair = next(
        made
        for made in case.facts["mistakes"]
        if len(made["mechanisms"]) == 2 and made["answer"] not in single
    )
    verdict = family.judge(case, Answer(Decimal(pair["answer"])))
    assert " + ".join(pair["mechanisms"]) in verdict.slip
    assert verdict.result == pair["answer"]


@BOTH
def test_a_broken_case_is_an_error_not_a_verdict(family: LedgerFamily, cases: list[Case]) -> None:
    """Gold that is no amount, or facts without mistakes, end in a TrapError."""
    for broken in (replace(cases[0], gold="much"), replace(cases[0], facts={}), replace(cases[0], gold=None)):
        with pytest.raises(TrapError, match="broken"):
            family.judge(broken, Answer(Decimal(1)))


@BOTH
def test_figures_that_stand_in_the_files_do_not_pass(family: LedgerFamily, cases: list[Case]) -> None:
    """No amount in any file, nor a difference of two balances or totals, is the answer."""
    for case in cases:
        shown = {
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
        assert int(case.gold.replace(".", "")) not in shown | differences


@BOTH
def test_what_is_explained(family: LedgerFamily, cases: list[Case]) -> None:
    """In private policy, evidence, settlements, derivation and mistakes are told; in public the question."""
    for case in cases[:5]:
        public = family.explain(case, public=True)
        assert [section.title for section in public] == ["Question"]
        private = family.explain(case, public=False)
        titles = [section.title for section in private]
        text = repr(private)
        assert "The policy" in titles
        assert "How the answer comes about" in titles
        assert sum(title.startswith("Settlement of ") for title in titles) >= 3
        assert ("The short month" in titles) == ("The re-coded customer" in titles) == (family is CLOSE)
        assert case.facts["changeover"] in text
        assert f"add up to {int(case.gold[:-3]):,}{case.gold[-3:]}." in text
        assert all(made["answer"] in text for made in case.facts["mistakes"])
        for section in private:
            assert all(len(row) == len(section.columns) for row in section.rows if section.columns)


def chi_square(values: Iterable[int], cells: Sequence[int]) -> float:
    """Pearson's statistic of the values against a uniform spread over the cells."""
    count = Counter(values)
    expected = count.total() / len(cells)
    return sum((count[cell] - expected) ** 2 / expected for cell in cells)


def test_cases_do_not_repeat_a_pattern() -> None:
    """Short months, re-coded customers and changeovers of 60 seeds are spread evenly (chi-square)."""
    cases = [CLOSE.generate(str(seed), CLOSE.knobs(), seed % 5) for seed in range(60)]
    months, places, thirds, dates = [], [], [], set()
    for case in cases:
        ((old, new),) = case.facts["recoded"]
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
    """Cases are planned, not drawn until one fits: five plans a case or fewer, on average."""
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
