"""What must hold for a case of any family before it is emitted; families add their own in `check`.

Problems are named after the invariant that they break: files (the case can be written),
declared (its kind and mistakes are the family's), sound (the family does not call the case
broken), solvable, bites, opaque.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from trapcli.core.contract import Case, Family, Problem, Slip, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import Output
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import README, is_practice

T = TypeVar("T")

SHORTEST_SEED = 6  # digits; a shorter number stands anywhere by chance
SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


def broken(family: Family, case: Case, seed: str = "") -> list[Problem]:
    """What is wrong with the case; nothing if it may be emitted. `seed`: what must not show in it."""
    return examine(family, case, seed)[1]


def examine(family: Family, case: Case, seed: str = "") -> tuple[tuple[Slip, ...], list[Problem]]:
    """The case's slips, each judged once, and what is wrong with the case.

    A TrapError from the family counts as a problem of the case: another may be drawn.
    Raises TrapError if the family fails with anything else, which is a fault of the family.
    """
    problems = [*_files(case), *_declared(family, case)]
    if problems:
        return (), problems
    slips: list[Slip] = []
    try:
        problems += _opaque(family, case, seed)
        problems += _solvable_and_bites(family, case, slips)
        problems += called(family, "check", _checked, family, case)
    except TrapError as error:
        if error.__cause__ is not None:
            raise
        problems.append(Problem(str(error), "sound"))
    return tuple(slips), problems


def called(family: Family, name: str, step: Callable[..., T], *given: Any) -> T:
    """What a step of the family gives; an exception that is no TrapError becomes one, with its place."""
    try:
        return step(*given)
    except TrapError:
        raise
    except Exception as error:
        trace, line = error.__traceback__, ""
        while trace is not None:
            line = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
            trace = trace.tb_next
        raise TrapError(
            f"family {family.name!r} failed: {name} raised {type(error).__name__}: {error} ({line}). "
            "This is a fault of the family; report it with the command that showed it."
        ) from error


def _checked(family: Family, case: Case) -> list[Problem]:
    return list(family.check(case))


def _files(case: Case) -> Iterator[Problem]:
    """Files that cannot be written as they are on every system."""
    if README not in case.files:
        yield Problem(f"there is no {README}", "files")
    lowered = [path.lower() for path in case.files]  # some file systems do not tell the case of letters
    for path, text in case.files.items():
        if not all(SAFE_NAME.fullmatch(part) for part in path.split("/")):
            yield Problem(f"{path!r} is no plain relative path", "files")
        if lowered.count(path.lower()) > 1 or any(p in lowered for p in _above(path.lower())):
            yield Problem(f"{path!r} gets in the way of another path", "files")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            yield Problem(f"{path} is no text: {error}", "files")


def _above(path: str) -> Iterator[str]:
    """The directories that a path lies in: a/b of a/b/c, then a."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _declared(family: Family, case: Case) -> Iterator[Problem]:
    if case.category not in family.kinds:
        yield Problem(f"the family has no trap kind {case.category!r}", "declared")
    for name in case.mechanisms:
        if name not in family.mechanisms:
            yield Problem(f"the family has no mechanism {name!r}", "declared")
    if len(set(case.mechanisms)) < len(case.mechanisms):
        yield Problem("a mechanism is listed twice", "declared")


def _solvable_and_bites(family: Family, case: Case, slips: list[Slip]) -> Iterator[Problem]:
    """Judge the solver, every slip (which is put into `slips`) and the output of doing nothing."""
    gold = _judge(family, case, called(family, "solve", family.solve, case.files))
    if gold.score != 1.0:
        yield Problem(f"the solver's answer is {gold.status}: {gold.reason}", "solvable")
    results = {gold.result: "the right answer", "": "no answer at all"}
    for name in case.mechanisms:
        text = called(family, "slip", family.slip, case.files, name)
        verdict = _judge(family, case, text)
        slips.append(Slip(name, text, verdict.result))
        if verdict.status != "failed":
            yield Problem(f"{name} is {verdict.status}: {verdict.reason}", "bites")
        elif verdict.result in results:
            yield Problem(f"{name} has the result of {results[verdict.result]}", "bites")
        results[verdict.result] = name
    if _judge(family, case, family.noop).score:
        yield Problem("doing nothing passes", "bites")


def _judge(family: Family, case: Case, text: str) -> Verdict:
    return judge_output(family, case, Output(text, cut=False, size=len(text)))


def _opaque(family: Family, case: Case, seed: str) -> Iterator[Problem]:
    """Texts and paths that tell the trap kind, a mechanism or the seed."""
    names = {name.lower().replace("-", "_") for name in (*family.kinds, *family.mechanisms)}
    telling = [name for name in sorted(names) if "_" in name]
    secrets = _spellings(seed)
    for path, text in case.files.items():
        text = f"{path}\n{text}".lower()
        plain = text.replace("-", "_")
        for name in telling:
            if name in plain and re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", plain):
                yield Problem(f"{path} names {name!r}", "opaque")
        if any(secret.search(text) for secret in secrets):
            yield Problem(f"{path} holds the seed", "opaque")


def _spellings(seed: str) -> list[re.Pattern[str]]:
    """What finds the seed in a lower-case text: in decimal, and if it is a secret in hexadecimal.

    A secret one counts wherever it stands; a guessable one only as a number of its own.
    """
    if len(seed) < SHORTEST_SEED:
        return []
    if is_practice(seed):
        return [re.compile(rf"(?<![a-z0-9]){seed}(?![a-z0-9])")]
    return [re.compile(seed), re.compile(f"{int(seed):x}")]
