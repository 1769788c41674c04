"""The answer kind `AmountAnswers`, used as an author of another family would use it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from trapcli.answers.amount import AmountAnswers
from trapcli.core.contract import Answer, AnswerKind, Case
from trapcli.core.errors import TrapError
from trapcli.core.output import output_of

WRONG = {"90.00": "gross", "75.5": "net", "60": "gross + net"}


def case_with(gold: Any) -> Case:
    return Case("shop", "discount", {"README.md": ""}, gold, ("gross", "net"), id="case_01")


def answer_in(text: str) -> Answer:
    answer = AmountAnswers().extract(output_of(text))
    assert isinstance(answer, Answer), answer
    return answer


def test_it_is_an_answer_kind() -> None:
    """Doing nothing prints nothing, no files are read, and a verdict has no view of its own."""
    kind: AnswerKind = AmountAnswers()
    assert kind.noop == ""
    assert not kind.reads_files
    assert kind.instructions().startswith("## What to print")
    assert list(kind.view(kind.judge(case_with("81.00"), answer_in("ANSWER: 81")))) == []


@pytest.mark.parametrize("gold", ["81.00", "81", "8.1e1", 81, 81.0, Decimal("81.000")])
def test_gold_may_be_text_or_a_number(gold: Any) -> None:
    """Gold in any form of the same number passes the same answers, and is shown alike."""
    verdict = AmountAnswers().judge(case_with(gold), answer_in("ANSWER: $81.00"))
    assert verdict.passed
    assert verdict.partial_credit == 1.0
    assert verdict.details == {"answer": "81.00", "right": "81.00"}
    wrong = AmountAnswers().judge(case_with(gold), answer_in("ANSWER: 81.01"))
    assert (wrong.status, wrong.reason, wrong.result) == ("failed", "81.01 is not 81.00", "81.01")
    assert wrong.mistake == ""
    assert wrong.partial_credit == 0.0


@pytest.mark.parametrize(
    ("amount", "mistake"),
    [("90.00", "gross"), ("90", "gross"), ("75.50", "net"), ("60.0000001", "gross + net"), ("90.01", "")],
)
def test_a_known_wrong_answer_is_named(amount: str, mistake: str) -> None:
    """The verdict names the mistake, and so does its reason, in whatever form the amounts are written."""
    verdict = AmountAnswers(lambda case: WRONG).judge(case_with("81.00"), answer_in(f"ANSWER: {amount}"))
    assert verdict.status == "failed"
    assert verdict.mistake == mistake
    assert verdict.reason.endswith(f"is not 81.00; it results from {mistake}" if mistake else "is not 81.00")


def test_the_first_name_of_an_amount_counts() -> None:
    """Two spellings of one amount are one wrong answer: the first one names it."""
    kind = AmountAnswers(lambda case: {"90": "gross", "90.00": "gross + net"})
    assert kind.judge(case_with(81), answer_in("ANSWER: 90")).mistake == "gross"


def test_the_wrong_answers_belong_to_the_case() -> None:
    """The function is asked about the case that is judged, and gold passes even if it is listed as wrong."""

    def wrong_answers(case: Case) -> Mapping[str, str]:
        return {str(case.gold): "harmless", str(case.gold + 1): "one more"}

    kind = AmountAnswers(wrong_answers)
    for gold in (5, 6):
        assert kind.judge(case_with(gold), answer_in(f"ANSWER: {gold}")).passed
        assert kind.judge(case_with(gold), answer_in(f"ANSWER: {gold + 1}")).mistake == "one more"


@pytest.mark.parametrize(
    "gold", ["much", "", None, True, [], {}, "nan", "inf", "1,000.00", "1e80", float("nan")]
)
def test_gold_that_is_not_an_amount_is_an_error(gold: Any) -> None:
    """A broken case is a TrapError that names it, not a verdict."""
    with pytest.raises(TrapError, match=r"case case_01 of shop is broken: .*Build the suite again\."):
        AmountAnswers().judge(case_with(gold), answer_in("ANSWER: 1"))


@pytest.mark.parametrize("wrong", [{"much": "gross"}, {None: "gross"}, [], None])
def test_wrong_answers_that_cannot_be_read_are_an_error(wrong: Any) -> None:
    """Wrong answers that are not amounts, or not a mapping, break the case, right answer or not."""
    with pytest.raises(TrapError, match="case_01 of shop is broken"):
        AmountAnswers(lambda case: wrong).judge(case_with("81.00"), answer_in("ANSWER: 81"))


def test_facts_that_are_missing_are_an_error() -> None:
    """A function that does not find its facts breaks the case."""
    with pytest.raises(TrapError, match=r"KeyError.'wrong'"):
        AmountAnswers(lambda case: case.facts["wrong"]).judge(case_with("81.00"), answer_in("ANSWER: 81"))
