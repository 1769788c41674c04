"""The functions behind `import trapcli`: suites as Python objects."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count as count_from
from pathlib import Path
from typing import Any

from trapcli.building.builder import build_suite, make_recipe
from trapcli.building.case_builder import build_case
from trapcli.calibration.execution.scheduler import Progress
from trapcli.calibration.run_request import RunRequest
from trapcli.calibration.session import RunResult, Session
from trapcli.calibration.solutions.function import Agent, Function
from trapcli.calibration.solutions.solution import Solution, read_solution
from trapcli.core import registry
from trapcli.core.case_ids import case_id, is_case_id
from trapcli.core.contract import Case, Family, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import Output, output_of
from trapcli.core.recipe import MOST_CASES, Recipe
from trapcli.core.shorten import quoted
from trapcli.judging.judge import judge_output
from trapcli.suites.halves import Halves
from trapcli.suites.reader import Suite, open_suite, read_case

CACHED_CASES = 64


class TaskSuite(ABC):
    """Cases of one family, in order, with their judge. `load` and `generate` return one."""

    def __init__(self, family: Family, recipe: Recipe) -> None:
        self._family = family
        self.recipe = recipe
        self._case = lru_cache(maxsize=CACHED_CASES)(self._make_case)

    @property
    def family(self) -> str:
        """The name of the suite's family."""
        return self.recipe.family

    @property
    def practice(self) -> bool:
        """Whether anyone with this package can rebuild the right answers. Measure agents on other suites."""
        return self.recipe.practice

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the cases. TypeError if the suite is endless."""
        return tuple(case_id(number, len(self)) for number in range(1, len(self) + 1))

    def __len__(self) -> int:
        return self.recipe.count

    def __iter__(self) -> Iterator[Case]:
        return map(self._case, self.ids)

    def __getitem__(self, id: str) -> Case:
        """Return the case with this id, such as "case_03"; TrapError if the suite has no such case."""
        if not isinstance(id, str):
            raise TypeError(f"a case is named by its id, as in suite['case_03'], not by {quoted(id)}")
        return self._case(id)

    def judge(
        self,
        case: Case | str,
        output: str | bytes | Output,
        *,
        files: Mapping[str, bytes] | None = None,
        exit_code: int = 0,
        timed_out: bool = False,
    ) -> Verdict:
        """Return the verdict on what an agent left for a case.

        case: a case of this suite, or its id.
        output: everything the agent printed, as text or bytes.
        files: what the agent left in its output directory (path -> bytes), for families whose
            answers are files.
        exit_code, timed_out: how the agent's process ended; a bad end fails whatever was printed.

        An output, however bad, never raises; TrapError means that the suite is damaged.
        """
        id: Any = getattr(case, "id", case)
        known = self[id]
        if not isinstance(output, str | bytes | Output):
            raise TypeError(f"output must be text, bytes or an Output, not {type(output).__name__}")
        if isinstance(output, bytes):
            from io import BytesIO

            from trapcli.core.output import read_output

            output = read_output(BytesIO(output))
        elif isinstance(output, str):
            output = output_of(output)
        if files is not None:
            from dataclasses import replace

            output = replace(output, files=dict(files))
        return judge_output(self._family, known, output, exit_code=exit_code, timed_out=timed_out)

    @abstractmethod
    def _make_case(self, id: str) -> Case:
        """Return the case with this id; TrapError if there is none."""


class LoadedSuite(TaskSuite):
    """A suite on disk. directory, expected: where its halves are."""

    def __init__(self, suite: Suite) -> None:
        super().__init__(registry.family(suite.family), suite.recipe)
        self.suite = suite
        self.directory = suite.halves.public
        self.expected = suite.halves.private

    def _make_case(self, id: str) -> Case:
        return read_case(self.suite, id)

    def __repr__(self) -> str:
        return f"<suite of {len(self)} {self.family} cases in {self.directory}>"


class GeneratedSuite(TaskSuite):
    """Cases generated in memory when they are asked for. Without a count the suite is endless."""

    def __init__(self, family: Family, recipe: Recipe, endless: bool) -> None:
        super().__init__(family, recipe)
        self.endless = endless
        self._knobs = parse_knobs(family, recipe.knobs)

    def __len__(self) -> int:
        if self.endless:
            raise TypeError("an endless suite has no length; give generate(..., count=N)")
        return self.recipe.count

    def __iter__(self) -> Iterator[Case]:
        if self.endless:
            return (self._case(case_id(number)) for number in count_from(1))
        return super().__iter__()

    def _make_case(self, id: str) -> Case:
        number = int(id.rpartition("_")[2]) if is_case_id(id) else 0
        expected = case_id(number, 1 if self.endless else self.recipe.count)
        if id != expected or number < 1 or not (self.endless or number <= self.recipe.count):
            last = "on" if self.endless else f"to {case_id(self.recipe.count, self.recipe.count)}"
            raise TrapError(f"the suite has no case {quoted(id)}; it has case_01 {last}.")
        from dataclasses import replace

        built = build_case(self._family, self.recipe.seed, self._knobs, number - 1)
        return replace(built.case, id=id)

    def __repr__(self) -> str:
        size = "endless" if self.endless else f"{self.recipe.count}"
        return f"<{size} {self.family} cases in memory>"


def families() -> list[str]:
    """Return the names of the installed families, sorted."""
    return registry.names()


def load(directory: str | os.PathLike[str], expected: str | os.PathLike[str] | None = None) -> LoadedSuite:
    """Open a suite on disk.

    directory: the suite's directory, such as "traps/billing".
    expected: its private half, if it was built with `--expected`.

    Raises TrapError if a part is missing, damaged, or from another version of the family.
    """
    return LoadedSuite(open_suite(Path(directory), None if expected is None else Path(expected)))


def generate(
    family: str | Family,
    *,
    seed: int | str = 1,
    level: int | None = None,
    knobs: Mapping[str, int | str] | None = None,
    count: int | None = None,
) -> GeneratedSuite:
    """Generate cases in memory; nothing is written to disk.

    family: a family's name, or a family object that need not be installed.
    seed: a whole number, or "random" (128 bits). The same seed gives the same cases on any machine.
        A seed under 64 bits can be guessed: use it for practice, not to measure an agent.
    level: difficulty, 1 is the easiest; default: the family's default knobs.
    knobs: knob values over those of the level; a range such as "6-7" is drawn from for each case.
    count: how many cases; None: endless.

    Raises TrapError for an unknown family, level, knob or seed.
    """
    if isinstance(family, str):
        chosen = registry.family(family)
    else:
        registry.require_contract(family, "given as an object")
        chosen = family
    if count is not None and not 1 <= count <= MOST_CASES:
        raise TrapError(f"count {count}: a suite has 1 to {MOST_CASES:,} cases.")
    recipe = make_recipe(chosen, seed=seed, level=level, knobs=knobs, cases=count)
    return GeneratedSuite(chosen, recipe, endless=count is None)


def build(
    family: str,
    directory: str | os.PathLike[str] | None = None,
    *,
    seed: int | str = 1,
    level: int | None = None,
    knobs: Mapping[str, int | str] | None = None,
    cases: int | None = None,
    expected: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    force: bool = False,
) -> LoadedSuite:
    """Build a suite on disk, all or nothing, and open it.

    directory: where it goes; default: traps/FAMILY.
    expected: put the private half there, so that the directory can be handed to others.
    jobs: processes that build cases.
    force: replace a suite that is there.
    seed, level, knobs, cases: as for `generate`; default number of cases: the family's own.

    Raises TrapError as `trapcli build` does.
    """
    chosen = registry.family(family)
    recipe = make_recipe(chosen, seed=seed, level=level, knobs=knobs, cases=cases)
    target = Path("traps") / family if directory is None else Path(directory)
    halves = Halves.of(target, None if expected is None else Path(expected))
    return LoadedSuite(build_suite(chosen, recipe, halves, jobs=jobs, force=force))


def calibrate(
    suite: LoadedSuite | str | os.PathLike[str],
    solution: Agent | str | None = None,
    *,
    trials: int = 10,
    jobs: int = 1,
    timeout: float = 600.0,
    only: Sequence[str] = (),
    isolate: bool = False,
    no_network: bool = False,
    label: str = "",
    tags: Mapping[str, str] | None = None,
    keep_going: bool = False,
    store: str | os.PathLike[str] = ".trapcli",
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> RunResult:
    """Run an agent several times on each case of a suite, and return what came of it.

    suite: a loaded suite, or the directory of one.
    solution: a function that takes a `PublicCase` and returns what the agent printed; or a command,
        as for `trapcli calibrate --solution`; None checks suite and judge with the reference solver.
    trials: how many of each case.
    jobs: how many trials run at a time; a function is then called from several threads.
    timeout: seconds of wall clock of one trial.
    only: run only the cases with these ids.
    isolate, no_network: run a command under bubblewrap, and without a network. A function cannot be isolated.
    label, tags: recorded with the run, and compared when it is resumed or compared with another one.
    keep_going: go on also if the first trials all crash alike; else `stopped` of the result says so.
    store: the directory where runs are kept; `trapcli inspect run` and `--compare` find them there.
    on_progress: called while trials run.

    Every trial is stored as it ends. Raises TrapError if the run cannot be started or stored.
    """
    if isinstance(suite, GeneratedSuite):
        raise TypeError("calibrate runs on a suite on disk: trapcli.build(...) writes one")
    loaded = suite if isinstance(suite, LoadedSuite) else load(suite)
    request = RunRequest(
        suites=(loaded.suite,),
        solution=_solution_of(solution, isolate),
        trials=trials,
        only=tuple(only),
        timeout=timeout,
        isolate=isolate,
        no_network=no_network,
        jobs=jobs,
        label=label,
        tags=tuple((tags or {}).items()),
        keep_going=keep_going,
    )
    return Session(Path(store), on_progress=on_progress).start(request)


def _solution_of(solution: Agent | str | None, isolate: bool) -> Solution | None:
    """Return what `calibrate` was asked to measure; TypeError, or TrapError if it cannot be isolated."""
    if isinstance(solution, str):
        return read_solution(solution, Path.cwd())
    if solution is not None and not callable(solution):
        raise TypeError(f"solution must be a function, a command or None, not {type(solution).__name__}")
    if isolate and solution is not None:
        raise TrapError("isolate: a Python function runs in this process. Give a command to isolate it.")
    return None if solution is None else Function.of(solution)
