"""Toy families with bad judges: one that fails in every way, one that sets an alarm, one that is slow.

Also the sources of families that break the contract, each in one way: `AT_LOAD` when they are loaded,
`IN_BUILD` when a case is built, `IN_JUDGE` when one is judged, `IN_VIEWS` when one is shown. `HEAD` is a
sound family called `bad`, and each of the sources that may follow it makes it a bad one.
"""

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


HEAD = """
import math
from dataclasses import dataclass, replace
from toy_family import Toy, ToyAnswers
from trapcli.core.contract import Answer, Case, Problem, Section, Verdict

class Odd(BaseException):
    pass

class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no message")

def loop(*given):
    return loop(*given)

def leave(*given):
    raise SystemExit(0)

def odd(*given):
    raise Odd("odd")

def unprintable(*given):
    raise Unprintable

def fail(*given):
    raise KeyError("x\\n\\x1b[31m")

class Answers(ToyAnswers):
    pass

class Bad(Toy):
    name = "bad"
    answers = Answers()

    def generate(self, seed, knobs, k):
        return replace(super().generate(seed, knobs, k), family="bad")

def family(**changes):
    vars_ = {name: value for name, value in changes.items() if not name.startswith("answers_")}
    kind = {name[8:]: value for name, value in changes.items() if name.startswith("answers_")}
    made = type("Made", (Bad,), vars_)()
    if kind:
        made.answers = type("Kind", (Answers,), kind)()
    return made

def case(**changes):
    return lambda self, seed, knobs, k: replace(Bad().generate(seed, knobs, k), **changes)

def verdict(**changes):
    return lambda self, case, answer: replace(Answers().judge(case, answer), **changes)

FAMILY = Bad()
"""

AT_LOAD = {
    "import error": "import no_such_module",
    "syntax error": "def",
    "exit": "leave()",
    "odd exception": "odd()",
    "exception without a message": "unprintable()",
    "endless recursion": "loop()",
    "no object": "del FAMILY",
    "None": "FAMILY = None",
    "bytes": "FAMILY = b'bad'",
    "a class": "FAMILY = Bad",
    "a module": "FAMILY = math",
    "other name": "FAMILY = family(name='good')",
    "name in bytes": "FAMILY = family(name=b'bad')",
    "title None": "FAMILY = family(title=None)",
    "title of two lines": "FAMILY = family(title='a\\nb')",
    "version as a number": "FAMILY = family(version=1)",
    "version missing": "FAMILY = family(version=property(lambda self: self.gone))",
    "traps as a list": "FAMILY = family(traps=['void_amount'])",
    "traps without texts": "FAMILY = family(traps={'void_amount': None})",
    "no traps": "FAMILY = family(traps={})",
    "mistakes None": "FAMILY = family(mistakes=None)",
    "knobs None": "FAMILY = family(knobs=None)",
    "knobs that are not frozen": "FAMILY = family(knobs=dataclass(type('K', (), {})))",
    "levels None": "FAMILY = family(levels=None)",
    "no levels": "FAMILY = family(levels=())",
    "level with an unknown knob": "FAMILY = family(levels=({'x': 1},))",
    "level out of range": "FAMILY = family(levels=({'lines': 1},))",
    "no cases": "FAMILY = family(cases=0)",
    "cases as text": "FAMILY = family(cases='4')",
    "cases True": "FAMILY = family(cases=True)",
    "answers None": "FAMILY = family(answers=None)",
    "answers without view": "FAMILY = family(answers_view=None)",
    "noop None": "FAMILY = family(answers_noop=None)",
    "reads_files as text": "FAMILY = family(answers_reads_files='no')",
    "property that fails": "FAMILY = family(title=property(fail))",
    "property that exits": "FAMILY = family(levels=property(leave))",
    "generate None": "FAMILY = family(generate=None)",
    "check missing": "FAMILY = family(check=None)",
}

IN_BUILD = {
    "generate fails": "FAMILY = family(generate=fail)",
    "generate exits": "FAMILY = family(generate=leave)",
    "generate raises oddly": "FAMILY = family(generate=odd)",
    "generate without a message": "FAMILY = family(generate=unprintable)",
    "generate recurses": "FAMILY = family(generate=loop)",
    "generate returns None": "FAMILY = family(generate=lambda *given: None)",
    "a file of bytes": "FAMILY = family(generate=case(files={'README.md': b'x'}))",
    "files None": "FAMILY = family(generate=case(files=None))",
    "mistakes as text": "FAMILY = family(generate=case(mistakes='void_counted'))",
    "facts None": "FAMILY = family(generate=case(facts=None))",
    "gold that is no JSON": "FAMILY = family(generate=case(gold={1}))",
    "gold that is not a number": "FAMILY = family(generate=case(gold=math.nan))",
    "trap None": "FAMILY = family(generate=case(trap=None))",
    "solve fails": "FAMILY = family(solve=fail)",
    "solve exits": "FAMILY = family(solve=leave)",
    "solve returns None": "FAMILY = family(solve=lambda *given: None)",
    "solve returns a number": "FAMILY = family(solve=lambda *given: 7)",
    "check fails": "FAMILY = family(check=fail)",
    "check returns None": "FAMILY = family(check=lambda *given: None)",
    "check returns texts": "FAMILY = family(check=lambda *given: ['no'])",
    "never a sound case": "FAMILY = family(check=lambda *given: [Problem('no')])",
    "chance": "import itertools; n = itertools.count()\n"
    "FAMILY = family(generate=lambda self, *given: case(facts={'n': next(n)})(self, *given))",
    "solver by chance": "import itertools; n = itertools.count()\n"
    "FAMILY = family(solve=lambda self, *given: f'{next(n)} ' + Bad().solve(*given))",
}

IN_JUDGE = {
    "extract fails": "FAMILY = family(answers_extract=fail)",
    "extract exits": "FAMILY = family(answers_extract=leave)",
    "extract raises oddly": "FAMILY = family(answers_extract=odd)",
    "extract returns None": "FAMILY = family(answers_extract=lambda *given: None)",
    "notes as numbers": "FAMILY = family(answers_extract=lambda *given: Answer(7, (1,)))",
    "judge fails": "FAMILY = family(answers_judge=fail)",
    "judge exits": "FAMILY = family(answers_judge=leave)",
    "judge recurses": "FAMILY = family(answers_judge=loop)",
    "judge returns None": "FAMILY = family(answers_judge=lambda *given: None)",
    "judge returns text": "FAMILY = family(answers_judge=lambda *given: 'passed')",
    "credit that is not a number": "FAMILY = family(answers_judge=verdict(partial_credit=math.nan))",
    "status made up": "FAMILY = family(answers_judge=verdict(status='great'))",
    "result None": "FAMILY = family(answers_judge=verdict(result=None))",
    "notes of numbers": "FAMILY = family(answers_judge=verdict(notes=(1,)))",
    "details None": "FAMILY = family(answers_judge=verdict(details=None))",
    "details that are no JSON": "FAMILY = family(answers_judge=verdict(details={'a': {1}}))",
}

IN_VIEWS = {
    "view fails": "FAMILY = family(answers_view=fail)",
    "view exits": "FAMILY = family(answers_view=leave)",
    "view returns None": "FAMILY = family(answers_view=lambda *given: None)",
    "view returns texts": "FAMILY = family(answers_view=lambda *given: ['x'])",
    "cells of numbers": "FAMILY = family(answers_view=lambda *given: [Section('a', ('b',), ((1,),))])",
    "explain fails": "FAMILY = family(explain=fail)",
    "explain exits": "FAMILY = family(explain=leave)",
    "explain returns None": "FAMILY = family(explain=lambda *given: None)",
    "rows of other widths": "FAMILY = family(explain=lambda *given: [Section('a', ('b',), (('1', '2'),))])",
}
