"""Runs and trials made by hand, for tests of what is said about them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from trapcli.calibration.records import Plan, Run, RunSuite, Solution, Stream, Trial

REASONS = {"timed_out": "the time limit was reached; nothing was printed", "crashed": "exit code 3"}


def stream(text: str = "", *, file: str = "", size: int | None = None) -> Stream:
    """A stream that held this text; with `size` only its last bytes were kept."""
    kept = text.encode()
    digest = sha256(kept).hexdigest()
    written = len(kept) if size is None else size
    return Stream(file or (digest[:12] if kept else ""), written, len(kept), kept[:2], digest)


def trial(
    case: str = "case_01",
    number: int = 1,
    status: str = "passed",
    *,
    suite: int = 0,
    output: str | Stream | None = None,
    errors: str | Stream = "",
    category: str = "void_amount",
    slip: str | list[str] | None = None,
    reason: str = "",
    **changes: Any,
) -> Trial:
    """A trial; unless told what it printed, its output is unlike that of any other trial."""
    verdict: dict[str, Any] = {"reason": reason or REASONS.get(status, f"it is {status}")}
    if status != "judge_error":
        score = 1.0 if status == "passed" else 0.0
        verdict = {"id": case, "family": "toy", "category": category, "score": score, "status": status,
                   **verdict, "slip": slip, "partial": score, "notes": []}  # fmt: skip
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
    """Trials of case_01, case_02, ...: of each so many passed, of so many; the others failed."""
    return [
        trial(f"case_{case:02}", number, "passed" if number <= passed else "failed", suite=suite, **changes)
        for case, (passed, trials) in enumerate(passes, 1)
        for number in range(1, trials + 1)
    ]


def suite_of(cases: int | Sequence[str] = 3, *, family: str = "toy", **changes: Any) -> RunSuite:
    """A suite of a run; its digest is the family's name unless another is given."""
    names = [f"case_{n:02}" for n in range(1, cases + 1)] if isinstance(cases, int) else cases
    place = Path("traps") / family
    values: dict[str, Any] = {
        "directory": place,
        "expected": place / "expected",
        "version": "1",
        "seed": str(2**100),
        "knobs": {"lines": 6},
        "practice": False,
        "digest": f"digest of {family}",
        **changes,
    }
    return RunSuite(family=family, cases=tuple(names), **values)


def solution_of(given: str = "python agent.py", **changes: Any) -> Solution:
    """A solution as it is named; builtins are known by their prefix."""
    builtin = given.removeprefix("builtin:") if given.startswith("builtin:") else ""
    argv = () if builtin else tuple(given.split())
    return Solution(given, argv, Path("/home/me"), builtin=builtin, **changes)


def run_of(
    suites: RunSuite | Iterable[RunSuite] | int = 3,
    trials: int = 10,
    *,
    number: int = 1,
    given: str = "python agent.py",
    plan: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Run:
    """A run of these suites (or of one with so many cases), complete unless `ended` is given."""
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
    """Keep a run like this one in `directory`/.trapcli, with trials and what each printed to both streams."""
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
            instrument=run.instrument,
        )
        for one, *streams in trials:
            kept = {}
            for name, raw in zip(("stdout", "stderr"), streams, strict=True):
                file = f"{one.suite}-{one.case}-{one.number}.{name}"
                (store.outputs(begun.number) / file).write_bytes(raw)
                digest = sha256(raw).hexdigest()
                kept[name] = Stream(file if raw else "", len(raw), len(raw), raw[:2], digest)
            store.keep(begun.number, [replace(one, **kept)])
        store.note(begun.number, run.incidents)
        if run.ended:
            store.end(begun.number)
        return store.run(begun.number)
