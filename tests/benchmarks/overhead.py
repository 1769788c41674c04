"""Measure what a trial costs beyond the solution's own time: calibrate, trap-cli and Inspect AI.

    python tests/benchmarks/overhead.py --tp PATH/TO/tp --inspect PATH/TO/inspect
    python tests/benchmarks/overhead.py --scale        # many at once; memory

With --scale: 1,000 x `sleep 1` at -j 100, and the memory of 200 and of 2,000 trials.

trap-cli 0.0.14 and Inspect AI 0.3.285 need an environment each; that of Inspect AI needs trapcli, too,
because its scorer judges with it, in its own process. All run the same cases of billing and the same
solution (a shell script), each with its default options: 4 and 24 trials of each of 10 cases. (These are
epochs of Inspect AI; trap-cli has none, so it gets 40 and 240 cases.) The cost of a trial is the slope
between the two, so that start-up does not count. Inspect AI is also run with one sample at a time,
which is faster than its default where a sample takes a millisecond. The solution's own time is measured
alone, as a bare subprocess. Exits with 1 if a ratio is over its limit.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

CASES = 10
TRIALS = (4, 24)  # of each case
ROUNDS = 3
OF_TP, OF_INSPECT = 0.10, 0.25
SLEEPERS, AT_ONCE, IDEAL = 1000, 100, 1.3
MEMORY = 1.1
TRAPCLI = str(Path(sys.executable).parent / "trapcli")
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
AGENT = "#!/bin/sh\necho '[]'\n"
TASK = """\
import json, os
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver
from inspect_ai.util import subprocess
from pathlib import Path
import trapcli

suite = trapcli.load(os.environ["SUITE"])

@solver
def command():
    async def solve(state, generate):
        manifest = {"inputs_dir": str(suite.directory / "inputs" / state.sample_id), "outputs_dir": "."}
        done = await subprocess([os.environ["AGENT"]], env={"TRAP_MANIFEST": json.dumps(manifest)})
        state.output.completion = done.stdout
        return state
    return solve

@scorer(metrics=[accuracy()])
def verdict():
    async def score(state, target):
        found = suite.judge(state.sample_id, state.output.completion)
        return Score(value=found.score, answer=state.output.completion, explanation=found.reason)
    return score

@task
def billing():
    return Task([Sample(input=case, id=case) for case in suite.ids], solver=command(), scorer=verdict())
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tp", help="the program tp of trap-cli 0.0.14")
    parser.add_argument("--inspect", help="the program inspect of Inspect AI")
    parser.add_argument("--scale", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        agent = work / "agent.sh"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        return _scale(work) if asked.scale else _overhead(work, agent, asked.tp, asked.inspect)


def _overhead(work: Path, agent: Path, tp: str | None, inspect: str | None) -> int:
    _run([TRAPCLI, "build", "billing", "--cases", str(CASES)], work)
    for cases in (CASES * trials for trials in TRIALS):
        _run([TRAPCLI, "build", "billing", "--cases", str(cases), "--out", f"suite_{cases}"], work)
        home = work / f"tp_{cases}"
        home.mkdir()
        (home / "trap.yaml").write_text(
            f"cmd: {agent}\ntasks:\n  billing:\n    source: ../suite_{cases}/billing\n"
        )
    (work / "task.py").write_text(TASK)
    tools: dict[str, Callable[[int], object]] = {"trapcli": lambda trials: _calibrate(work, agent, trials)}
    if tp:
        tools["tp run --no-cost"] = lambda trials: _tp(work, tp, CASES * trials)
    if inspect:
        tools["inspect eval"] = lambda trials: _inspect(work, agent, inspect, trials, None)
        tools["inspect eval, 1 at a time"] = lambda trials: _inspect(work, agent, inspect, trials, "1")
    costs: dict[str, list[float]] = {tool: [] for tool in tools}
    own = []
    for number in range(ROUNDS + 1):
        own.append(
            _seconds(lambda: [subprocess.run([agent], stdout=subprocess.PIPE) for _ in range(100)]) / 100
        )
        for tool, run in tools.items():
            times = [_seconds(partial(run, trials)) for trials in TRIALS]
            if number:  # the first round fills the caches
                costs[tool].append((times[1] - times[0]) / (CASES * (TRIALS[1] - TRIALS[0])))
    alone = statistics.median(own)
    print(f"median of {ROUNDS} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    print(f"the solution alone: {1000 * alone:.2f} ms")
    beyond = {tool: statistics.median(found) - alone for tool, found in costs.items()}
    over = 0
    for tool, seconds in beyond.items():
        limit = {"tp run --no-cost": OF_TP, "inspect eval": OF_INSPECT}.get(tool)
        ratio = beyond["trapcli"] / seconds
        over += limit is not None and ratio > limit
        comparison = f"  trapcli is {ratio:.3f} of it (limit {limit})" if limit else ""
        print(f"{tool:30}{1000 * seconds:8.2f} ms a trial{comparison}")
    return 1 if over else 0


def _calibrate(work: Path, agent: Path, trials: int) -> None:
    _run([TRAPCLI, "calibrate", "billing", "--solution", str(agent), "--trials", str(trials)], work)


def _tp(work: Path, tp: str, cases: int) -> None:
    command = [tp, "run", "--no-cost", "--no-environment", "--allow-unanchored", "--output", "json"]
    subprocess.run(command, cwd=work / f"tp_{cases}", env={**os.environ, "PATH": PATH}, capture_output=True)
    reports = list((work / f"tp_{cases}" / ".trap").rglob("report.json"))
    assert reports, f"{tp} wrote no report"


def _inspect(work: Path, agent: Path, inspect: str, trials: int, jobs: str | None) -> None:
    env = {**os.environ, "SUITE": str(work / "traps/billing"), "AGENT": str(agent)}
    command = [inspect, "eval", "task.py", "--model", "mockllm/model", "--display", "none"]
    command += ["--log-dir", "logs", "--epochs", str(trials)]
    if jobs:
        command += ["--max-samples", jobs, "--max-subprocesses", jobs]
    done = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _scale(work: Path) -> int:
    _run([TRAPCLI, "build", "billing", "--cases", "10"], work)
    trials = SLEEPERS // 10
    seconds = _seconds(lambda: _trials(work, "sleep 1", trials, AT_ONCE))
    ideal = SLEEPERS / AT_ONCE
    print(f"{SLEEPERS} x `sleep 1` at -j {AT_ONCE}: {seconds:.2f} s, {seconds / ideal:.3f} x the ideal")
    peaks = {count: _peak(work, count) for count in (200, 2000)}
    ratio = peaks[2000] / peaks[200]
    sizes = ", ".join(f"{count} trials {peak / 1024:.1f} MiB" for count, peak in peaks.items())
    print(f"peak memory of the runner: {sizes}: {ratio:.3f} x (limit {MEMORY})")
    return 1 if seconds > IDEAL * ideal or ratio > MEMORY else 0


def _trials(work: Path, solution: str, trials: int, jobs: int) -> None:
    _run(
        [TRAPCLI, "calibrate", "billing", "--solution", solution, "--trials", str(trials), "-j", str(jobs)],
        work,
    )


def _peak(work: Path, count: int) -> int:
    """Return the peak memory (KiB) of the runner itself over a run of `count` trials of an `echo`."""
    code = (
        "import resource, sys; from trapcli.cli import main; code = main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    words = ["calibrate", "billing", "--solution", "echo []", "--trials", str(count // 10), "-j", "2"]
    done = _run([sys.executable, "-c", code, *words], work)
    return int(done.stderr.split()[-1])


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _run(command: list[str], cwd: Path) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done


if __name__ == "__main__":
    sys.exit(main())
