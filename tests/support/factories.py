"""Runs and trials made by hand, for tests that need stored ones without running anything."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from trapcli.calibration.records import Plan, Run, RunSuite, Trial
from trapcli.calibration.solutions.builtin import PREFIX, read_builtin
from trapcli.calibration.solutions.command import Command
from trapcli.calibration.solutions.solution import Solution
from trapcli.calibration.stored_output import KeptFiles, Stream
from trapcli.core.case_ids import case_ids
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import Halves

REASONS = {"timed_out": "the time limit was reached; nothing was printed", "crashed": "exit code 3"}


def stream(text: str = "", *, file: str = "", size: int | None = None) -> Stream:
    """Return a stream with this text. `size`: how much was written, if the text is only the end of it."""
    kept = text.encode()
    digest = sha256(kept).hexdigest()
    written = len(kept) if size is None else size
    return Stream(file or (digest[:12] if kept else ""), written, len(kept), kept[:2], digest)


def kept_files(text: str, *, file: str = "x.zip", judged: bool = True, over_limit: int = 0) -> KeptFiles:
    """Return what is stored of the files of a trial; `text` stands for their archive."""
    size, data = len(text), text.encode()
    return KeptFiles(file, size, size, data[:2], sha256(data).hexdigest(), over_limit, judged)


def trial(
    case: str = "case_01",
    number: int = 1,
    status: str = "passed",
    *,
    suite: int = 0,
    output: str | Stream | None = None,
    errors: str | Stream = "",
    trap: str = "void_amount",
    mistake: str | None = None,
    reason: str = "",
    output_status: str = "",
    details: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Trial:
    """Return a trial; unless `output` is given, no other trial printed the same."""
    verdict: dict[str, Any] = {"reason": reason or REASONS.get(status, f"it is {status}")}
    if status != "judge_error":
        score = 1.0 if status == "passed" else 0.0
        verdict = {
            **{"id": case, "family": "toy", "trap": trap},
            **{"score": score, "status": status},
            **verdict,
            "mistake": mistake,
            "partial_credit": score,
            "output_status": output_status or status,
            "notes": [],
            "details": dict(details or {}),
        }
    output = f"answer {suite} {case} {number}\n" if output is None else output
    values: dict[str, Any] = {
        "exit_code": {"crashed": 3, "timed_out": -9}.get(status, 0),
        "timed_out": status == "timed_out",
        "limit": 600.0,
        "seconds": 2.0,
        "started": "2026-01-02T03:04:05+00:00",
        **changes,
    }
    return Trial(
        suite=suite,
        case=case,
        number=number,
        status=status,
        verdict=verdict,
        stdout=stream(output) if isinstance(output, str) else output,
        stderr=stream(errors) if isinstance(errors, str) else errors,
        **values,
    )


def results(passes: Sequence[tuple[int, int]], *, suite: int = 0, **changes: Any) -> list[Trial]:
    """Return trials of case_01, case_02, ...: for each case (passed, trials); the others failed."""
    return [
        trial(f"case_{case:02}", number, "passed" if number <= passed else "failed", suite=suite, **changes)
        for case, (passed, trials) in enumerate(passes, 1)
        for number in range(1, trials + 1)
    ]


def suite_of(
    cases: int | Sequence[str] = 3,
    *,
    family: str = "toy",
    version: str = "1",
    seed: str = "",
    knobs: Mapping[str, Any] | None = None,
    practice: bool = False,
    directory: Path | None = None,
    digest: str = "",
    **changes: Any,
) -> RunSuite:
    """Return a suite of a run; unless `digest` is given, it has one that names the family."""
    names = case_ids(cases) if isinstance(cases, int) else list(cases)
    seed = seed or ("1" if practice else str(2**100))
    return RunSuite(
        halves=Halves.of(directory or Path("traps") / family),
        recipe=Recipe(family, version, seed, {"lines": 6} if knobs is None else knobs, len(names)),
        digest=digest or f"digest of {family}",
        cases=tuple(names),
        **changes,
    )


def solution_of(given: str = "python agent.py", **changes: Any) -> Solution:
    """Return a solution with this name; a builtin is recognised by its prefix."""
    cwd = Path("/home/me")
    return read_builtin(given, cwd) if given.startswith(PREFIX) else command_of(given, cwd=cwd, **changes)


def command_of(given: str, *words: str, cwd: Path = Path("/"), **changes: Any) -> Command:
    """Return a command with this program and these arguments, or with the words of one text."""
    command = (given, *words) if words else tuple(given.split())
    return Command(" ".join(command), command, cwd, **changes)


def run_of(
    suites: RunSuite | Iterable[RunSuite] | int = 3,
    trials: int = 10,
    *,
    number: int = 1,
    given: str = "python agent.py",
    plan: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Run:
    """Return a run of these suites, or of one with this many cases; complete unless `ended` is given."""
    if isinstance(suites, int):
        suites = suite_of(suites)
    several = (suites,) if isinstance(suites, RunSuite) else tuple(suites)
    values: dict[str, Any] = {
        "token": f"token {number}",
        "jobs": 2,
        "tool": "0.4.0",
        "python": "3.11.9",
        "host": {"name": "here", "cpus": 4},
        "started": "2026-01-02T03:04:05+00:00",
        "ended": "2026-01-02T03:14:05+00:00",
        **changes,
    }
    options = {"limit": 600.0, **(plan or {})}
    return Run(number=number, plan=Plan(solution_of(given), several, trials, **options), **values)


def stored(directory: Path, run: Run, trials: Iterable[tuple[Trial, bytes, bytes]] = ()) -> Run:
    """Store a run like this one in `directory`/.trapcli; each trial comes with its stdout and stderr."""
    from trapcli.calibration.store.store import open_store

    with open_store(directory / ".trapcli", create=True) as store:
        begun = store.begin(
            run.plan,
            token=f"{run.token}, stored {len(store.runs())}",
            jobs=run.jobs,
            tool=run.tool,
            python=run.python,
            host=run.host,
            scratch=run.scratch,
            self_check=run.self_check,
        )
        for one, *streams in trials:
            kept: dict[str, Any] = {}
            for name, raw in zip(("stdout", "stderr"), streams, strict=True):
                file = f"{one.suite}-{one.case}-{one.number}.{name}"
                (store.outputs_directory(begun.number) / file).write_bytes(raw)
                digest = sha256(raw).hexdigest()
                kept[name] = Stream(file if raw else "", len(raw), len(raw), raw[:2], digest)
            store.add_trials(begun.number, [replace(one, **kept)])
        store.add_incidents(begun.number, run.incidents)
        if run.ended:
            store.finish(begun.number)
        return store.run(begun.number)
