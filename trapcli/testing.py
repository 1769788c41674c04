"""Check a family against the whole contract: for the tests of authors of families."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from trapcli.building.case_builder import build_case
from trapcli.building.invariants import giveaway_problems
from trapcli.core import registry
from trapcli.core.contract import Case, Family, Verdict
from trapcli.core.errors import TrapError, message_of
from trapcli.core.family_calls import call, explained, generated, solver_output, viewed
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import output_of
from trapcli.core.plugins.attributes import attribute_problems
from trapcli.core.plugins.declarations import name_problem
from trapcli.core.shorten import listed
from trapcli.judging.judge import judge_output, stored_verdict_json
from trapcli.suites.layout import README

DRAWS = 30  # of a case; a build tries more, but a family that needs more is too slow to build
FAILED_SEEDS = 3  # after which no more seeds are tried: they would fail in the same way
DIGEST_SEEDS = 5  # that two other processes generate, to compare

# Outputs that a judge must survive, whatever answers look like.
NONSENSE = (
    "", " \n", "I do not know.", "[]", "{}", "[{}]", "null", "ANSWER:", "ANSWER: NaN", "ANSWER: 1e999999",
    "[" * 5000, '{"file": 1}', "\x00\x1b[31m", "\ud800", "9" * 5000, "<think>", "```json\n[",
)  # fmt: skip

DIGESTS = """
import sys
from trapcli.testing import case_digests
print(case_digests(sys.argv[1], int(sys.argv[2])))
"""


def check_family(family: Family, *, seeds: int = 100, level: int | None = None) -> None:
    """Check a family against the contract; raise AssertionError with a list of what is wrong.

    family: the family object; it need not be installed.
    seeds: how many seeds are tried, each with one case; traps and levels take turns.
    level: use only this level's knobs; default: the knobs' defaults and every level.

    Checked are: attributes and methods; that cases are deterministic (if the family is installed,
    also in other processes) and hold every invariant that `trapcli build` checks (files can be
    written, the solver passes, every mistake and doing nothing fails, nothing public gives a trap or
    the seed away, the family's own `check`); that traps take turns, and all mistakes occur; that
    READMEs say how to answer and do not differ between traps; that no public file passes as an
    answer; that verdicts, gold and facts are JSON data; that nonsense is judged without an
    exception; that `explain` (also of a public case) and `view` work.
    """
    __tracebackhide__ = True  # pytest then shows the list, not this function
    if seeds < 1:
        raise ValueError(f"seeds={seeds}: give 1 or more")
    problems = _attribute_problems(family)
    if not problems and level is not None and not 1 <= level <= len(family.levels):
        raise ValueError(f"level={level}: the family has the levels 1 to {len(family.levels)}")
    if not problems:
        problems = [*_case_problems(family, seeds, level), *_process_problems(family)]
    if problems:
        shown = "\n".join(f"- {problem}" for problem in problems)
        name = getattr(family, "name", family)
        raise AssertionError(f"family {name!r} breaks the contract:\n{shown}")


def case_digests(name: str, seeds: int) -> str:
    """Return a digest of the files and gold of some cases of an installed family."""
    family = registry.family(name)
    parts = []
    for number in range(seeds):
        case = generated(family, str(number), family.knobs(), number % len(family.traps))
        parts.append(json.dumps([dict(case.files), case.gold, list(case.mistakes)], sort_keys=True))
    return sha256("\n".join(parts).encode()).hexdigest()


def _attribute_problems(family: Any) -> list[str]:
    try:
        problems = list(attribute_problems(family))
    except Exception as error:
        return [f"to read an attribute raised {message_of(error)}"]
    if not problems and (why := name_problem(family.name)):
        problems.append(f"`name` is {family.name!r}: {why}")
    return problems


def _case_problems(family: Family, seeds: int, level: int | None) -> Iterator[str]:
    """Yield each problem once, with the seeds that showed it; stop early if seeds keep failing."""
    levels = [family.levels[level - 1]] if level else [{}, *family.levels]
    mistakes: set[str] = set()
    readmes: set[str] = set()
    found: dict[str, list[str]] = {}
    failed = 0
    for number in range(seeds):
        knobs = parse_knobs(family, levels[number % len(levels)])
        seed = str(1_000_003 + number)  # long enough for the search for seeds in the files
        case, problems = _try_seed(family, seed, knobs, number % len(family.traps))
        for problem in problems:
            found.setdefault(problem, []).append(seed)
        failed += bool(problems)
        if failed >= FAILED_SEEDS:
            break
        if case is not None:
            mistakes.update(case.mistakes)
            readmes.add(case.files[README].partition("trapcli canary")[0])
    yield from (f"{problem} (seed {listed(shown, len(shown))})" for problem, shown in found.items())
    if not failed and seeds >= 2 * len(family.traps) * len(levels):
        yield from (f"mistake {name!r} never occurs" for name in family.mistakes if name not in mistakes)
    if len(readmes) > 1:
        yield f"{README} differs between cases, which could give traps away"


def _try_seed(family: Family, seed: str, knobs: Any, k: int) -> tuple[Case | None, list[str]]:
    try:
        case = build_case(family, seed, knobs, k, DRAWS).case
        again = build_case(family, seed, knobs, k, DRAWS).case
        return case, [*_one_case_problems(family, case, again, k)]
    except Exception as error:  # whatever a family can be made to raise
        text = str(error) if isinstance(error, TrapError) else message_of(error)
        return None, [text]


def _one_case_problems(family: Family, case: Case, again: Case, k: int) -> Iterator[str]:
    parts = [
        (one.trap, dict(one.files), one.gold, one.mistakes, dict(one.facts), one.known_mistakes)
        for one in (case, again)
    ]
    if parts[0] != parts[1]:
        yield "the same seed gave two different cases: generate must depend on its arguments alone"
    if case.family != family.name:
        yield f"the case's family is {case.family!r}"
    if case.trap != list(family.traps)[k % len(family.traps)]:
        yield f"case {k} must set trap {k} modulo their number, not {case.trap!r}"
    instructions = call(family.name, "instructions", family.answers.instructions)
    if " ".join(instructions.split()) not in " ".join(case.files[README].split()):
        yield f"{README} does not include answers.instructions(), so nobody learns how to answer"
    yield from (problem.message for problem in giveaway_problems(family, case))
    yield from _verdict_problems(family, judge_output(family, case, solver_output(family, case.files)))
    for text in NONSENSE:
        yield from _verdict_problems(family, judge_output(family, case, output_of(text)))
    public = Case(family.name, "", case.files, None, (), id=case.id)
    for shown, only in ((case, False), (public, True)):
        explained(family, shown, only)


def _verdict_problems(family: Family, verdict: Verdict) -> Iterator[str]:
    data = json.loads(stored_verdict_json(verdict))
    if Verdict.from_json(data).to_json() != data:
        yield f"the verdict {data!r} does not survive JSON"
    if verdict.mistake and not set(verdict.mistake.split(" + ")) <= {*family.mistakes, "noop"}:
        yield f"a verdict names the mistake {verdict.mistake!r}, which the family does not declare"
    viewed(family, replace(verdict, result=""))


def _process_problems(family: Family) -> Iterator[str]:
    """Yield a problem if two processes with other hash seeds generate different cases."""
    try:
        if type(registry.family(family.name)) is not type(family):
            return
    except TrapError:  # it is not installed, so no other process finds it
        return
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", DIGESTS, family.name, str(DIGEST_SEEDS)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            yield f"cases cannot be generated in another process: {done.stderr.strip().splitlines()[-1]}"
            return
        digests.add(done.stdout)
    if len(digests) > 1:
        yield "two processes gave different cases: perhaps the order of a set decides something"
