"""The engine of `build`: a seed becomes cases that hold every invariant, and these a suite on disk."""

import json
import multiprocessing
import os
import re
import secrets
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from trapcli.building.invariants import called, examine
from trapcli.core import registry
from trapcli.core.contract import Case, Family, Problem, parse_knobs
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.suites.reader import EXPECTED, INPUTS, README, Suite, case_ids, is_practice, open_suite
from trapcli.suites.replacement import replacing
from trapcli.suites.writer import (
    Written,
    knob_values,
    real_halves,
    refuse_to_replace,
    write_case,
    write_suite,
)

DEFAULT_SEED = "1"
WORTH_A_WORKER = 10  # cases: starting a process costs about as much as building a few
RANDOM_BITS = 128
LONGEST_SEED = 512  # bits
DRAWS = 200  # of a case, before we give up
AHEAD = 4  # cases that wait for each worker: enough to keep it busy, few enough to hold

CANARY = "trapcli canary {}: benchmark data, not to be in any training set"


@dataclass(frozen=True, slots=True)
class Built:
    """A case that holds every invariant, its slips filled in, and how it came about.

    index: which case of the family's order it is. attempts: how many were drawn for it;
    attempt 1 has the suite's seed, attempt n the seed "SEED/n".
    """

    case: Case
    attempts: int
    index: int


def parse_seed(text: str) -> str:
    """The seed as decimal digits: from digits, 0x and hexadecimal ones, or "random" (128 bits)."""
    spelled = text.strip().lower()
    if spelled == "random":
        return str(secrets.randbits(RANDOM_BITS))
    if re.fullmatch("[0-9]{1,160}|0x[0-9a-f]{1,128}", spelled):
        value = int(spelled, 16 if spelled.startswith("0x") else 10)
        if value.bit_length() <= LONGEST_SEED:
            return str(value)
    raise TrapError(
        f"--seed {text!r}: a seed is a whole number from 0, of at most {LONGEST_SEED} bits, in decimal or as "
        f"0x..., or the word random, which draws {RANDOM_BITS} bits."
    )


def canary(family: Family, seed: str) -> str:
    """The line in every case README of a suite, by which leaked data can be recognised."""
    name = f"{family.name}/{family.version}/{seed}"
    return CANARY.format(UUID(bytes=sha256(name.encode()).digest()[:16], version=4))


def order(family: Family, seed: str, k: int) -> int:
    """Which case of the family's order is case `k` of a suite: itself in a practice suite.

    Else each block of as many cases as there are kinds is in an order that the seed decides.
    """
    if is_practice(seed):
        return k
    kinds = len(family.kinds)
    block = k // kinds
    draw = Draw(f"{family.name}/{family.version}/{seed}/order/{block}")
    return block * kinds + draw.shuffled(range(kinds))[k % kinds]


def build_case(family: Family, seed: str, knobs: Any, k: int) -> Built:
    """Case `k` (from 0) of a suite; drawn again until it holds every invariant.

    Raises TrapError, naming the invariant that failed most often, if `DRAWS` draws do not.
    """
    index, line = order(family, seed, k), canary(family, seed)
    failed: Counter[str] = Counter()
    last: dict[str, Problem] = {}
    for attempt in range(1, DRAWS + 1):
        drawn = seed if attempt == 1 else f"{seed}/{attempt}"
        case = _finished(family, called(family, "generate", family.generate, drawn, knobs, index), line)
        slips, problems = examine(family, case, seed)
        if not problems:
            return Built(replace(case, slips=slips, id=f"case_{k + 1:02}"), attempt, index)
        failed.update({problem.where for problem in problems})
        last |= {problem.where: problem for problem in problems}
    name, times = failed.most_common(1)[0]
    raise TrapError(
        f"{family.name} makes no case {k + 1} with these knobs: of {DRAWS} draws {times} broke the invariant "
        f"{name!r}, for instance: {last[name]}. Try other knobs or another seed."
    )


def _finished(family: Family, case: Case, line: str) -> Case:
    """The case as an agent and a judge will read it from disk: with its canary, its data through JSON."""
    files = dict(case.files)
    if README in files:
        files[README] = f"{files[README].rstrip()}\n\n{line}\n"
    try:
        gold, facts = json.loads(json.dumps([case.gold, dict(case.facts)], allow_nan=False))
    except (TypeError, ValueError) as error:
        raise TrapError(
            f"family {family.name!r} made a case of kind {case.category!r} whose gold or facts are no JSON "
            f"data: {error}. This is a fault of the family."
        ) from error
    return replace(case, files=files, gold=gold, facts=facts)


def build_suite(
    family: Family,
    *,
    seed: str,
    knobs: Any,
    count: int,
    target: Path,
    expected: Path | None = None,
    jobs: int | None = 1,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Suite:
    """Build a suite of `count` cases in `target`, its private half in `expected` if given.

    All or nothing: whatever stops it, what stood there before stands there still. jobs: how many
    processes build cases, None for as many as are worth it; if more than one, each looks the
    family up by name. progress(done, total) is called after each case. Raises TrapError if a
    directory may not be replaced, if another build is at work there, if a case cannot be made,
    or if the disk fails.
    """
    halves = real_halves(target, expected)
    refuse_to_replace(halves, force)
    jobs = jobs or max(1, min(os.cpu_count() or 1, count // WORTH_A_WORKER))
    task = _Task(family.name, seed, knob_values(knobs))
    try:
        with replacing(halves, lambda: refuse_to_replace(halves, force)) as stages:
            public = stages[0]
            private = stages[1] if len(stages) > 1 else public / EXPECTED
            for folder in (public / INPUTS, private):
                folder.mkdir(exist_ok=True)
            cases: dict[str, Written] = {}
            with closing(_cases(family, knobs, task, public / INPUTS, private, count, jobs)) as built:
                for case_id, written in built:
                    cases[case_id] = written
                    _refuse_to_tell_apart(family, case_id, written, next(iter(cases.values())))
                    progress(len(cases), count)
            write_suite(public, private, cases, family, seed, knobs, canary(family, seed))
    except OSError as error:
        place = f" ({os.fsdecode(error.filename)})" if error.filename is not None else ""
        raise TrapError(
            f"cannot build {target}: {error.strerror or error}{place}. Nothing was changed; "
            "see that there is room on the disk and that you may write there, or name another place."
        ) from error
    return open_suite(target, expected)


def build_practice(family: Family, target: Path, progress: Callable[[int, int], None]) -> Suite:
    """Build the suite that `trapcli build FAMILY` makes: the same for everybody."""
    knobs = parse_knobs(family, {})
    seed = parse_seed(DEFAULT_SEED)
    return build_suite(
        family, seed=seed, knobs=knobs, count=family.cases, target=target, jobs=None, progress=progress
    )


def _refuse_to_tell_apart(family: Family, case_id: str, case: Written, first: Written) -> None:
    """Raise TrapError if a case differs from the first in what must be alike for every trap kind."""
    if (case.readme, case.paths) != (first.readme, first.paths):
        what = README if case.readme != first.readme else "the paths"
        raise TrapError(
            f"{what} of {case_id} and of the first case differ, which could tell trap kinds apart. "
            f"This is a fault of the family {family.name!r}."
        )


@dataclass(frozen=True, slots=True)
class _Task:
    """What a worker needs to know of a build: it finds the family by name."""

    family: str
    seed: str
    knobs: dict[str, Any]


def _cases(
    family: Family, knobs: Any, task: _Task, public: Path, private: Path, count: int, jobs: int
) -> Generator[tuple[str, Written]]:
    """Build the cases and write them as they come; gives id and digests of each, in order."""
    ids = case_ids(count)
    if jobs == 1 or count == 1:
        for k, case_id in enumerate(ids):
            yield case_id, _build_one(family, task.seed, knobs, k, case_id, public, private)
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    others = set(multiprocessing.active_children())
    # Spawned, not forked: the same on every system, and safe beside threads.
    pool = ProcessPoolExecutor(
        min(jobs, count), mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )
    waiting: deque[tuple[str, Future[Written]]] = deque()
    try:
        for k, case_id in enumerate(ids):
            with _unheard():
                waiting.append((case_id, pool.submit(_build_by_name, task, k, case_id, public, private)))
            if len(waiting) > AHEAD * jobs:
                case_id, future = waiting.popleft()
                yield case_id, future.result()
        for case_id, future in waiting:
            yield case_id, future.result()
    except BrokenProcessPool as error:
        raise TrapError(
            "a process that built cases was ended from outside, perhaps for lack of memory. "
            "Build with fewer --jobs, or smaller cases."
        ) from error
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _build_by_name(task: _Task, k: int, case_id: str, public: Path, private: Path) -> Written:
    family = registry.family(task.family)
    return _build_one(family, task.seed, parse_knobs(family, task.knobs), k, case_id, public, private)


def _build_one(
    family: Family, seed: str, knobs: Any, k: int, case_id: str, public: Path, private: Path
) -> Written:
    built = build_case(family, seed, knobs, k)
    return write_case(
        public, private, replace(built.case, id=case_id),
        version=family.version, seed=seed, knobs=knobs, index=built.index, attempts=built.attempts,
    )  # fmt: skip


@contextmanager
def _unheard() -> Iterator[None]:
    """Processes started in the block do not hear Ctrl-C: the one that started them does, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """Let this worker end when the build does, even if that is killed."""
    threading.Thread(target=_await_parent, daemon=True).start()


def _await_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
