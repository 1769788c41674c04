"""One decimal amount, printed on an `ANSWER:` line: an answer kind that any family can use."""

from trapcli.answers.amount.answers import AmountAnswers

__all__ = ["AmountAnswers"]
