"""The answer kind `AmountAnswers`: an agent answers with one amount, which is compared with gold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from trapcli.answers.amount.reader import read_answer
from trapcli.core.contract import Answer, Case, Problem, Section, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.money import CENT, WIDE, number
from trapcli.core.output import Output
from trapcli.core.shorten import quoted

EXAMPLE = Decimal("12345.67")  # the example in `instructions.md`; it must not be the gold of any case
NOISE = Decimal("1e-6")  # more than binary floating point leaves after adding up, less than wrong rounding

WrongAnswers = Callable[[Case], Mapping[str, str]]


@dataclass(frozen=True, eq=False)
class AmountAnswers:
    """Answers of one amount; see `AnswerKind`. A case's gold is a decimal number, as text or as a number.

    wrong_answers: returns, for a case, amount (such as "1490.00") -> name of the mistake, or of
        the mistakes made together ("a + b"), that leads to it.
    """

    wrong_answers: WrongAnswers | None = None
    noop: str = field(default="", init=False)
    reads_files: bool = field(default=False, init=False)

    def instructions(self) -> str:
        """Return how to answer, in Markdown for a case README."""
        return Path(__file__).with_name("instructions.md").read_text(encoding="utf-8")

    def rules(self) -> str:
        """Return every form of an answer that is read, in Markdown for a suite's README."""
        return Path(__file__).with_name("rules.md").read_text(encoding="utf-8")

    def extract(self, output: Output) -> Answer | Problem:
        """Return the amount (a finite Decimal) in an output, or why it cannot be read."""
        return read_answer(output)

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """Return whether the amount equals gold, and which mistake leads to it if not.

        The details are {"answer": ..., "right": ...}, both in canonical form. Raises TrapError if
        the case's gold, or a wrong answer of it, is not a decimal number.
        """
        key = _answer_key(self.wrong_answers, case)
        amount = canonical(answer.value)
        details = {"answer": amount, "right": key.text}
        if equal(answer.value, key.right):
            return Verdict("passed", "the amount is right", amount, 1.0, details=details)
        mistake = key.wrong.get(amount, "")
        reason = f"{amount} is not {key.text}"
        if mistake:
            reason += f"; it results from {mistake}"
        return Verdict("failed", reason, amount, details=details, mistake=mistake)

    def view(self, verdict: Verdict) -> tuple[Section, ...]:
        """Return no sections: the reason says everything."""
        return ()


def equal(one: Decimal, other: Decimal) -> bool:
    """Whether two amounts are the same except for binary noise: at most 1e-6 apart."""
    return WIDE.subtract(one, other).copy_abs() <= NOISE  # abs() would round to the caller's context


def canonical(value: Decimal) -> str:
    """Return an amount as text: the same text for all that are `equal` to the same whole number of cents.

    The text has two decimals if the amount is within the noise of whole cents, else all its digits.
    """
    whole = WIDE.quantize(value, CENT)
    shown = whole if equal(value, whole) else WIDE.normalize(value)
    return f"{shown.copy_abs() if shown.is_zero() else shown:f}"


class _AnswerKey(NamedTuple):
    """What the answers to a case are compared with.

    right: gold.
    text: gold in canonical form.
    wrong: amount in canonical form -> name of the mistake.
    """

    right: Decimal
    text: str
    wrong: Mapping[str, str]


@lru_cache(maxsize=64)
def _answer_key(wrong_answers: WrongAnswers | None, case: Case) -> _AnswerKey:
    try:
        right = _decimal(case.gold)
        wrong: dict[str, str] = {}
        for amount, mistake in (wrong_answers(case) if wrong_answers else {}).items():
            wrong.setdefault(canonical(_decimal(amount)), mistake)
        return _AnswerKey(right, canonical(right), wrong)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        name = f"case {case.id or '?'} of {case.family}"
        raise TrapError(f"{name} is broken: {error!r}. Build the suite again.") from error


def _decimal(amount: object) -> Decimal:
    """Return an amount given as text or as a number; ValueError if it is neither."""
    value = number(str(amount))
    if value is None or isinstance(amount, bool):
        raise ValueError(f"{quoted(amount)} is not a decimal number")
    return value
