"""One supervised process: how it ends, what is stored of its output, and that nothing outlives it."""

import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from pooled_jobs import LONG, PooledJobs

from trapcli.calibration.execution.messages import Outcome
from trapcli.core.output import LIMIT

# By name: a shell script and its limit. They all run at once; those with a short limit reach it.
SCRIPTS: Mapping[str, tuple[str, float]] = {
    "plain": ("echo out; echo err >&2", LONG),
    "nothing": ("", LONG),
    "exit 3": ("echo out; exit 3", LONG),
    "exit 124": ("echo out; exit 124", LONG),
    "own signal": ("echo out; kill -SEGV $$", LONG),
    "only stderr": ("echo err >&2", LONG),
    "bytes": (r"printf 'a\0\377\376\n'", LONG),
    "stdin": ("cat; echo end", LONG),
    "closed and goes on": ("exec >&- 2>&-; sleep 0.3; exit 5", LONG),
    "hangs": ("echo out; sleep 1000", 0.3),
    "hangs in silence": ("sleep 1000", 0.3),
    "deaf": ("trap '' TERM; echo out; sleep 1000; sleep 1000", 0.3),
    "deaf in a loop": ("trap '' TERM INT HUP; echo out; while :; do sleep 0.05; done", 0.3),
    "stopped": ("echo out; kill -STOP $$; echo never", 0.3),
    "handles SIGTERM": ("trap 'echo bye; exit 0' TERM; echo out; while :; do sleep 0.05; done", 0.3),
    "child holds the pipe": ("sh -c 'sleep 1000; :' {mark} & echo out", LONG),
    "session holds the pipe": (
        "setsid sh -c 'trap \"\" TERM; sleep 1000; :' {mark} & echo out; sleep 0.1", LONG
    ),
    "orphan without environment": (
        "(env -i setsid sh -c 'sleep 1000; :' {mark} &) ; echo out; sleep 0.1", LONG
    ),
    "hangs with children": (
        "setsid sh -c 'trap \"\" TERM; sleep 1000; :' {mark} & sh -c 'sleep 1000; :' {mark} & sleep 1000", 0.3
    ),
    "many children": ("for n in 1 2 3 4 5 6 7 8 9 10 11 12; do sh -c 'sleep 1000; :' {mark} & done", LONG),
}  # fmt: skip
# Exit code, whether it timed out, standard output.
EXPECTED: Mapping[str, tuple[int, bool, bytes]] = {
    "plain": (0, False, b"out\n"),
    "nothing": (0, False, b""),
    "exit 3": (3, False, b"out\n"),
    "exit 124": (124, False, b"out\n"),
    "own signal": (-signal.SIGSEGV, False, b"out\n"),
    "only stderr": (0, False, b""),
    "bytes": (0, False, b"a\0\xff\xfe\n"),
    "stdin": (0, False, b"end\n"),
    "closed and goes on": (5, False, b""),
    "hangs": (-signal.SIGTERM, True, b"out\n"),
    "hangs in silence": (-signal.SIGTERM, True, b""),
    "deaf": (-signal.SIGKILL, True, b"out\n"),
    "deaf in a loop": (-signal.SIGKILL, True, b"out\n"),
    "stopped": (-signal.SIGKILL, True, b"out\n"),
    "handles SIGTERM": (0, True, b"out\nbye\n"),
    "child holds the pipe": (0, False, b"out\n"),
    "session holds the pipe": (0, False, b"out\n"),
    "orphan without environment": (0, False, b"out\n"),
    "hangs with children": (-signal.SIGTERM, True, b""),
    "many children": (0, False, b""),
}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PooledJobs]:
    """Jobs that run under the supervisors of one pool."""
    made = PooledJobs(tmp_path_factory.mktemp("jobs"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def outcomes(jobs: PooledJobs) -> Mapping[str, Outcome]:
    """The outcomes of all scripts, run at once."""
    with ThreadPoolExecutor(len(SCRIPTS)) as threads:
        found = {name: threads.submit(jobs.run, *given, name=name) for name, given in SCRIPTS.items()}
    return {name: future.result() for name, future in found.items()}


@pytest.mark.parametrize("name", SCRIPTS)
def test_exit_code_timeout_and_output_are_recorded(
    jobs: PooledJobs, outcomes: Mapping[str, Outcome], name: str
) -> None:
    """The outcome has the exit code or signal and the output to the byte; only our own limit is a timeout."""
    outcome, output = outcomes[name], jobs.output(name)
    assert (outcome.exit_code, outcome.timed_out, output) == EXPECTED[name]
    assert outcome.stdout.digest == sha256(output).hexdigest()
    assert (outcome.stdout.size, outcome.stdout.cut) == (len(output), False)
    assert outcome.printed == output
    assert outcome.survivors == ()


def test_stdout_and_stderr_are_stored_separately(jobs: PooledJobs, outcomes: Mapping[str, Outcome]) -> None:
    """Each stream has a file of its own; an empty stream has none."""
    assert jobs.output("plain", "stderr") == jobs.output("only stderr", "stderr") == b"err\n"
    assert outcomes["only stderr"].stdout.file == outcomes["nothing"].stderr.file == ""
    assert outcomes["plain"].stderr.file == "plain.stderr"


def test_seconds_are_those_of_the_process(outcomes: Mapping[str, Outcome]) -> None:
    """A process that ends by itself has its own time; one that is ended has at least its limit."""
    assert outcomes["plain"].seconds < LONG and outcomes["closed and goes on"].seconds >= 0.3
    assert all(outcomes[name].seconds >= limit for name, (_, limit) in SCRIPTS.items() if limit < LONG)


def test_descendants_that_are_left_are_killed_and_named(
    jobs: PooledJobs, outcomes: Mapping[str, Outcome]
) -> None:
    """Children, other sessions, orphans without environment: all are killed, and at most ten are named."""
    assert jobs.processes() == []
    for name in ("child holds the pipe", "session holds the pipe", "orphan without environment"):
        assert any(jobs.mark in straggler for straggler in outcomes[name].stragglers), name
    assert len(outcomes["many children"].stragglers) == 10
    assert any(jobs.mark in straggler for straggler in outcomes["hangs with children"].stragglers)
    assert outcomes["plain"].stragglers == outcomes["exit 3"].stragglers == ()


@pytest.mark.slow
def test_a_flood_of_output_needs_bounded_memory_and_disk_space(jobs: PooledJobs) -> None:
    """Of 32 MB on each stream the last 10 MB are stored, and the supervisor never holds much more."""
    flood = "yes 0123456 | head -c 32000000; yes abcdefg | head -c 32000000 >&2; printf end"
    memory, disk = "grep VmHWM /proc/$PPID/status >&2", "echo files $(stat -L -c %s /proc/$PPID/fd/*) >&2"
    outcome = jobs.run(f"{flood}; {memory}; {disk}", name="flood")
    assert (outcome.exit_code, outcome.stdout.size, outcome.stdout.kept) == (0, 32_000_003, LIMIT)
    assert outcome.stdout.head == b"01" and outcome.stdout.cut and outcome.stderr.cut
    assert outcome.printed is None
    assert jobs.output("flood") == (b"0123456\n" * (LIMIT // 8 + 1) + b"end")[-LIMIT:]
    last_lines = jobs.output("flood", "stderr").decode().splitlines()[-2:]
    sizes = dict(line.split(maxsplit=1) for line in last_lines)
    assert int(sizes["VmHWM:"].split()[0]) < 64_000  # kB
    assert sum(map(int, sizes["files"].split())) <= 4 * LIMIT
    assert sum(path.stat().st_size for path in jobs.directory.glob("flood*")) <= 2 * LIMIT


@pytest.mark.slow
def test_orphans_are_reaped_while_the_process_runs(jobs: PooledJobs) -> None:
    """A process that leaves hundreds of short-lived orphans leaves no zombies behind while it runs."""
    orphans = "n=0; while [ $n -lt 400 ]; do (: &); n=$((n + 1)); done; sleep 0.2; "
    count = """awk -v p=$PPID '{ sub(/.*\\) /, ""); if ($1 == "Z" && $2 == p) z++ } END { print z + 0 }' """
    outcome = jobs.run(f"{orphans} cat /proc/[0-9]*/stat 2>/dev/null | {count}", name="orphans")
    assert (outcome.exit_code, outcome.stragglers) == (0, ())
    assert int(jobs.output("orphans")) <= 2


def test_a_supervisor_runs_one_job_after_the_other(jobs: PooledJobs) -> None:
    """An idle supervisor takes the next job, and nothing of the one before is left in it."""
    first = jobs.run("echo $PPID; sh -c 'sleep 1000; :' {mark} &", name="first")
    second = jobs.run("echo $PPID", name="second")
    assert jobs.output("first") == jobs.output("second")
    assert first.stragglers and not second.stragglers
    assert second.stderr.size == 0


def test_a_job_reads_the_file_given_as_its_input(jobs: PooledJobs, tmp_path: Path) -> None:
    """A job with a file for standard input reads all of it."""
    (tmp_path / "given").write_bytes(b"one\xfftwo")
    outcome = jobs.pool.run(replace(jobs.job("cat", name="given"), stdin=str(tmp_path / "given")))
    assert (outcome.exit_code, jobs.output("given")) == (0, b"one\xfftwo")
