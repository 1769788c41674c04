"""What must hold for a case of any family before it is emitted; families add their own in `check`.

A problem is named after the invariant it breaks: files (the case can be written on any system),
declared (its trap and mistakes are the family's), sound (the family does not call the case broken),
solvable, bites (each mistake changes the answer), opaque (nothing public gives secrets away).
"""

import re
from collections.abc import Iterator

from trapcli.core.contract import Case, Family, KnownMistake, Problem
from trapcli.core.errors import FamilyFault, TrapError
from trapcli.core.family_calls import checked, solver_output
from trapcli.core.output import output_of
from trapcli.core.recipe import is_practice
from trapcli.judging.judge import judge_output
from trapcli.suites.layout import README

SHORTEST_SEED = 6  # digits; a shorter number can occur anywhere by chance
SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


def examine(family: Family, case: Case, seed: str = "") -> tuple[tuple[KnownMistake, ...], list[Problem]]:
    """Return the case's known mistakes, each judged once, and what is wrong with the case.

    seed: what must not show in the case.

    A TrapError of the family counts as a problem of the case: another case may be drawn. A
    FamilyFault is raised: it is a bug of the family.
    """
    problems = [*_file_problems(case), *_declaration_problems(family, case)]
    if problems:
        return (), problems
    known: list[KnownMistake] = []
    try:
        problems += _opacity_problems(family, case, seed)
        problems += _answer_problems(family, case, known)
        problems += checked(family, case)
    except FamilyFault:
        raise
    except TrapError as error:
        problems.append(Problem(str(error), "sound"))
    return tuple(known), problems


def _file_problems(case: Case) -> Iterator[Problem]:
    """Yield the files that cannot be written as they are on every system."""
    if README not in case.files:
        yield Problem(f"there is no {README}", "files")
    lowered = [path.lower() for path in case.files]  # some file systems ignore upper and lower case
    for path, text in case.files.items():
        if not all(SAFE_NAME.fullmatch(part) for part in path.split("/")):
            yield Problem(f"{path!r} is not a plain relative path", "files")
        if lowered.count(path.lower()) > 1 or any(p in lowered for p in _parents(path.lower())):
            yield Problem(f"{path!r} conflicts with another path", "files")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            yield Problem(f"{path} is not text: {error}", "files")


def _parents(path: str) -> Iterator[str]:
    """Yield the directories that a path is in: a/b of a/b/c, then a."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _declaration_problems(family: Family, case: Case) -> Iterator[Problem]:
    if case.trap not in family.traps:
        yield Problem(f"the family has no trap {case.trap!r}", "declared")
    for name in case.mistakes:
        if name not in family.mistakes:
            yield Problem(f"the family has no mistake {name!r}", "declared")
    if len(set(case.mistakes)) < len(case.mistakes):
        yield Problem("a mistake is listed twice", "declared")


def _answer_problems(family: Family, case: Case, known: list[KnownMistake]) -> Iterator[Problem]:
    """Judge the solver, every mistake (added to `known`) and the output of doing nothing."""
    gold = judge_output(family, case, solver_output(family, case.files))
    if not gold.passed:
        yield Problem(f"the solver's answer is {gold.status}: {gold.reason}", "solvable")
    results = {gold.result: "the right answer", "": "no answer at all"}
    for name in case.mistakes:
        output = solver_output(family, case.files, name)
        verdict = judge_output(family, case, output)
        files = {path: data.decode("utf-8", "replace") for path, data in output.files.items()}
        known.append(KnownMistake(name, output.text, verdict.result, files))
        if verdict.passed:
            yield Problem(f"the mistake {name} does not change the answer: {verdict.reason}", "bites")
        elif verdict.status != "failed":
            yield Problem(f"the mistake {name} is {verdict.status}: {verdict.reason}", "bites")
        elif verdict.result in results:
            yield Problem(f"the mistake {name} has the result of {results[verdict.result]}", "bites")
        results[verdict.result] = name
    if judge_output(family, case, output_of(family.answers.noop)).passed:
        yield Problem("doing nothing passes", "bites")


def _opacity_problems(family: Family, case: Case, seed: str) -> Iterator[Problem]:
    """Yield texts and paths that give away a trap, a mistake or the seed."""
    names = {name.lower().replace("-", "_") for name in (*family.traps, *family.mistakes)}
    telling = [name for name in sorted(names) if "_" in name]  # a single word may be plain English
    secrets = _seed_patterns(seed)
    for path, text in case.files.items():
        text = f"{path}\n{text}".lower()
        plain = text.replace("-", "_")
        for name in telling:
            if name in plain and re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", plain):
                yield Problem(f"{path} names {name!r}", "opaque")
        if any(secret.search(text) for secret in secrets):
            yield Problem(f"{path} contains the seed", "opaque")


def giveaway_problems(family: Family, case: Case) -> Iterator[Problem]:
    """Yield the public files that pass as an answer when they are printed as they are."""
    for path, text in case.files.items():
        if judge_output(family, case, output_of(text)).passed:
            yield Problem(f"{path} passes as an answer", "opaque")


def _seed_patterns(seed: str) -> list[re.Pattern[str]]:
    """Return patterns that find the seed in a lower-case text: in decimal, a secret one also in hexadecimal.

    A secret seed counts wherever it occurs; a practice seed only as a number of its own.
    """
    if len(seed) < SHORTEST_SEED:
        return []
    if is_practice(seed):
        return [re.compile(rf"(?<![a-z0-9]){seed}(?![a-z0-9])")]
    return [re.compile(seed), re.compile(f"{int(seed):x}")]
