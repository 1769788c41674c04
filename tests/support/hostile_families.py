"""A toy family whose judge fails in every way, told by the answer, and a family that is slow to judge."""

import math
import os
import signal
import time
from pathlib import Path
from typing import Any

from toy_family import Toy

from trapcli.core.contract import Answer, Case, Verdict

RAISES, RECURSES, NONSENSE, NOT_FINITE, TOO_MUCH, DETAILS, HANGS, EXITS, DIES = range(1_000_001, 1_000_010)


class Odd(Toy):
    """The toy, but for some answers far beyond any sum."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        value = answer.value
        if value == RAISES:
            raise RuntimeError("the judge has a fault")
        if value == RECURSES:
            return self.judge(case, answer)
        if value == NONSENSE:
            return "passed"  # type: ignore[return-value]
        if value in (NOT_FINITE, TOO_MUCH):
            return Verdict("passed", "", partial=math.nan if value == NOT_FINITE else 1.5)
        if value == DETAILS:
            return Verdict("passed", "", partial=1.0, details={"a set": {1}})
        if value == HANGS:
            time.sleep(1000)
        if value == EXITS:
            raise SystemExit(0)
        if value == DIES:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(case, answer)


class Alarmed(Toy):
    """The toy, judged under an alarm of the judge's own, as only a main thread may set one."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        def late(*given: Any) -> None:
            raise TimeoutError("too late")

        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, 30)
        try:
            return super().judge(case, answer)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class Slow(Toy):
    """The toy, judged slowly; each judgement is noted where we stand."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        Path("judging").touch()
        time.sleep(1)
        return super().judge(case, answer)


ODD, ALARMED, SLOW = Odd(), Alarmed(), Slow()
