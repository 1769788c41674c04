"""Build one case: draw it again until it holds every invariant."""

import json
import re
import secrets
from collections import Counter
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from uuid import UUID

from trapcli.building.invariants import examine, giveaway_problems
from trapcli.core.case_ids import case_id
from trapcli.core.contract import Case, Family, Problem
from trapcli.core.draw import Draw
from trapcli.core.errors import FamilyFault, TrapError, message_of
from trapcli.core.family_calls import fault, generated, solver_output
from trapcli.core.knobs import drawn_knobs
from trapcli.core.recipe import is_practice
from trapcli.core.shorten import quoted
from trapcli.suites.layout import README
from trapcli.system import debug

DEFAULT_SEED = "1"
RANDOM_BITS = 128
LONGEST_SEED = 512  # bits
DRAWS = 200  # of a case, before we give up

CANARY = "trapcli canary {}: benchmark data, not to be in any training set"


@dataclass(frozen=True, slots=True)
class BuiltCase:
    """A case that holds every invariant, with its known mistakes, and how it was drawn.

    attempts: how many cases were drawn; attempt 1 has the suite's seed, attempt n the seed "SEED/n".
    index: which case of the family's order it is.
    knobs: what the case was generated with: a value of each range is drawn for it.
    """

    case: Case
    attempts: int
    index: int
    knobs: Any = None


def parse_seed(text: str) -> str:
    """Return a seed as decimal digits, from digits, from 0x and hexadecimal digits, or from "random".

    "random" draws 128 bits. Raises TrapError for anything else.
    """
    spelled = text.strip().lower()
    if spelled == "random":
        return str(secrets.randbits(RANDOM_BITS))
    if re.fullmatch("[0-9]{1,160}|0x[0-9a-f]{1,128}", spelled):
        value = int(spelled, 16 if spelled.startswith("0x") else 10)
        if value.bit_length() <= LONGEST_SEED:
            return str(value)
    raise TrapError(
        f"seed {quoted(text)}: a seed is a whole number from 0, of at most {LONGEST_SEED} bits, in "
        f"decimal or as 0x..., or the word random, which draws {RANDOM_BITS} bits."
    )


def canary(family: Family, seed: str) -> str:
    """Return the line in every case README of a suite, by which leaked data can be recognised."""
    name = f"{family.name}/{family.version}/{seed}"
    return CANARY.format(UUID(bytes=sha256(name.encode()).digest()[:16], version=4))


def case_index(family: Family, seed: str, k: int) -> int:
    """Return which case of the family's order is case `k` of a suite: `k` itself in a practice suite.

    Otherwise each block of as many cases as there are traps is in an order that the seed decides,
    so that a case's place in the suite does not give its trap away.
    """
    if is_practice(seed):
        return k
    traps = len(family.traps)
    block = k // traps
    draw = Draw(f"{family.name}/{family.version}/{seed}/order/{block}")
    return block * traps + draw.shuffled(range(traps))[k % traps]


def build_case(family: Family, seed: str, knobs: Any, k: int, draws: int | None = None) -> BuiltCase:
    """Build case `k` (from 0) of a suite; draw it again until it holds every invariant.

    knobs: an instance of `family.knobs`; a range in it is drawn once for the case.
    draws: how many to try, default `DRAWS`.

    Raises FamilyFault, naming the invariant that failed most often, if none of them holds all.
    """
    index, line = case_index(family, seed, k), canary(family, seed)
    knobs = drawn_knobs(knobs, Draw(f"{family.name}/{family.version}/{seed}/{index}/knobs"))
    failures: Counter[str] = Counter()
    last: dict[str, Problem] = {}
    draws = draws or DRAWS
    for attempt in range(1, draws + 1):
        drawn = seed if attempt == 1 else f"{seed}/{attempt}"
        case = _draw(family, drawn, knobs, index, line)
        known, problems = examine(family, case, seed)
        if not problems and k < len(family.traps):  # once for each trap: it costs up to a fifth of a build
            problems = [*giveaway_problems(family, case)]
        if not problems:
            if k == 0:  # once in a build: generating may be most of the work
                _require_repeatable(family, case, _draw(family, drawn, knobs, index, line))
            case = replace(case, known_mistakes=known, id=case_id(k + 1))
            return BuiltCase(case, attempt, index, knobs)
        debug.log("%s: draw %d of case %d was rejected: %s", family.name, attempt, k + 1, problems[0])
        failures.update([*dict.fromkeys(problem.where for problem in problems)])
        last |= {problem.where: problem for problem in problems}
    name, times = failures.most_common(1)[0]
    raise FamilyFault(
        f"{family.name} cannot make case {k + 1} with these knobs: {times} of {draws} draws broke the "
        f"invariant {name!r}, for instance: {last[name]}. Try other knobs or another seed."
    )


def _draw(family: Family, seed: str, knobs: Any, index: int, line: str) -> Case:
    try:
        return _as_on_disk(family, generated(family, seed, knobs, index), line)
    except TrapError as error:  # also one that the family raises because these knobs allow no case
        raise FamilyFault(str(error)) from error


def _require_repeatable(family: Family, case: Case, again: Case) -> None:
    """Raise FamilyFault if a case that was generated again, or the solver's answer to it, is another one."""
    for what in ("trap", "files", "gold", "mistakes", "facts"):
        if getattr(case, what) != getattr(again, what):
            raise fault(
                family.name,
                f"generate gave two cases with different {what} for the same arguments: use no randomness "
                "but Draw, no clock, and no order of a set",
            )
    if solver_output(family, case.files) != solver_output(family, case.files):
        raise fault(family.name, "solve gave two different answers to the same files")


def _as_on_disk(family: Family, case: Case, line: str) -> Case:
    """Return the case as it will be read from disk: with its canary, and gold and facts through JSON."""
    files = dict(case.files)
    if README in files:
        files[README] = f"{files[README].rstrip()}\n\n{line}\n"
    try:
        gold, facts = json.loads(json.dumps([case.gold, dict(case.facts)], allow_nan=False))
    except Exception as error:  # whatever they are
        what = message_of(error)
        raise fault(
            family.name, f"gold or facts of a case of trap {case.trap!r} are not JSON data: {what}"
        ) from error
    return replace(case, files=files, gold=gold, facts=facts)
