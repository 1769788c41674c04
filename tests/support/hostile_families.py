"""Toy families with bad judges: one that fails in every way, one that sets an alarm, one that is slow."""

import math
import os
import signal
import time
from pathlib import Path
from typing import Any

from toy_family import Toy, ToyAnswers

from trapcli.core.contract import Answer, Case, Problem, Verdict
from trapcli.core.output import Output

# The answers that make the judge fail, far beyond any sum of the toy.
RAISES, RECURSES, NONSENSE, NOT_FINITE, TOO_MUCH, DETAILS, HANGS, EXITS, DIES = range(1_000_001, 1_000_010)


class FailingAnswers(ToyAnswers):
    """The toy's answers; for some of them the judge fails."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        value = answer.value
        if value == RAISES:
            raise RuntimeError("the judge has a fault")
        if value == RECURSES:
            return self.judge(case, answer)
        if value == NONSENSE:
            return "passed"  # type: ignore[return-value]
        if value in (NOT_FINITE, TOO_MUCH):
            return Verdict("passed", "", partial_credit=math.nan if value == NOT_FINITE else 1.5)
        if value == DETAILS:
            return Verdict("passed", "", partial_credit=1.0, details={"a set": {1}})
        if value == HANGS:
            time.sleep(1000)
        if value == EXITS:
            raise SystemExit(0)
        if value == DIES:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(case, answer)


class AlarmAnswers(ToyAnswers):
    """The toy's answers, judged under an alarm, which only a main thread may set."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        def raise_timeout(*given: Any) -> None:
            raise TimeoutError("too late")

        before = signal.signal(signal.SIGALRM, raise_timeout)
        signal.setitimer(signal.ITIMER_REAL, 30)
        try:
            return super().judge(case, answer)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class SlowAnswers(ToyAnswers):
    """The toy's answers, judged slowly; a file in the current directory shows that the judge is at work."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        Path("judging").touch()
        time.sleep(1)
        return super().judge(case, answer)


class FileAnswers(ToyAnswers):
    """The toy's answers, read from the file `answer.txt` in the agent's output directory."""

    reads_files = True

    def extract(self, output: Output) -> Answer | Problem:
        if "answer.txt" not in output.files:
            return Problem("there is no answer.txt")
        return super().extract(Output(output.files["answer.txt"].decode()))


def _toy_with(answers: ToyAnswers) -> Toy:
    toy = Toy()
    toy.answers = answers
    return toy


FAILING = _toy_with(FailingAnswers())
ALARM = _toy_with(AlarmAnswers())
SLOW = _toy_with(SlowAnswers())
FILES = _toy_with(FileAnswers())
