"""One trial: what an agent is given, what is taken from it, and that nothing of it stays behind."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from calibration.place import Place

from trapcli.calibration import running, trials
from trapcli.calibration.keeper import Ended, Job
from trapcli.calibration.nursery import CannotStart, Nursery, Stopped
from trapcli.calibration.records import Run, Stream
from trapcli.calibration.running import clear, sweep_dead
from trapcli.calibration.trials import Ran, in_memory, remove, roomy, run_trial
from trapcli.suite import read_case

NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, cases=2).here(monkeypatch)


@pytest.fixture
def run(place: Place) -> Iterator[Run]:
    """A run that was begun, its directory for trials made; afterwards nothing is left in that."""
    with place.store() as store:
        run = place.begin(store, place.agent("right"))
        os.mkdir(run.scratch)
        yield run
        assert os.listdir(run.scratch) == []
        clear(run.scratch)
        assert place.is_clean()


def trial(place: Place, run: Run, start: Callable[[Job], Ended], number: int = 1) -> Ran:
    case = read_case(place.suite, "case_01")
    return run_trial(start, run, 0, case, number, place.root / ".trapcli/outputs/run_1")


def ended(exit_code: int = 0, stdout: Stream = Stream(), stderr: Stream = Stream()) -> Ended:  # noqa: B008
    return Ended(exit_code, False, 0.5, stdout, stderr)


def directories(job: Job) -> tuple[Path, Path]:
    """The directories that a job's agent is told of."""
    import json

    told = json.loads(job.env["TRAP_MANIFEST"])
    assert set(told) == {"inputs_dir", "outputs_dir"}
    return Path(told["inputs_dir"]), Path(told["outputs_dir"])


def test_an_agent_gets_a_copy_of_its_own(place: Place, run: Run) -> None:
    """All public files to the byte, nothing else; an empty place for outputs; no path back to the suite."""

    def start(job: Job) -> Ended:
        inputs, outputs = directories(job)
        original = place.suite.directory / "inputs" / "case_01"
        files = {path.relative_to(inputs): path.read_bytes() for path in inputs.rglob("*") if path.is_file()}
        assert files == {
            path.relative_to(original): path.read_bytes() for path in original.rglob("*") if path.is_file()
        }
        assert os.listdir(outputs) == []
        for parent in (inputs.parent, outputs.parent):
            assert not {"expected", "expected.sha256", "traptask.yaml"}.intersection(os.listdir(parent))
            assert "case_01" not in str(parent) and str(place.suite.directory) not in str(parent)
        assert not any("traps" in value and str(place.root) in value for value in job.env.values())
        (inputs / "README.md").write_text("changed")
        (inputs / "left").write_text("for the next trial")
        (outputs / "left").write_text("for the next trial")
        seen.append((inputs, outputs))
        return ended()

    seen: list[tuple[Path, Path]] = []
    for number in (1, 2):
        trial(place, run, start, number)
    assert len({path for pair in seen for path in pair}) == 4
    assert not any(path.exists() for pair in seen for path in pair)
    assert "changed" not in (place.suite.directory / "inputs/case_01/README.md").read_text()


def test_the_job_is_the_solution_s_command(place: Place, run: Run) -> None:
    """Its words, its directory, an empty input, the run's limit, and new files in the run's outputs."""
    jobs: list[Job] = []

    def start(job: Job) -> Ended:
        jobs.append(job)
        return ended()

    trial(place, run, start)
    trial(place, run, start)
    first, second = jobs
    assert first.argv == ("sh", str(place.root / "agent.sh"))
    assert (first.cwd, first.stdin, first.limit) == (str(place.root), None, 30.0)
    assert Path(first.stdout).parent == place.root / ".trapcli/outputs/run_1"
    assert len({first.stdout, first.stderr, second.stdout, second.stderr}) == 4


def test_figures_are_read_before_all_is_cleared(place: Place, run: Run) -> None:
    """What the agent wrote of its tokens is part of what came of the trial; without it there is nothing."""

    def start(job: Job) -> Ended:
        (directories(job)[1] / "usage.json").write_text('{"calls": 3}')
        return ended()

    assert trial(place, run, start).usage == {"calls": 3}
    assert trial(place, run, lambda job: ended()).usage is None


def test_a_trial_that_is_stopped_is_cleared_too(place: Place, run: Run) -> None:
    """Whatever `start` raises comes through, and the copies are gone."""

    def start(job: Job) -> Ended:
        raise Stopped

    with pytest.raises(Stopped):
        trial(place, run, start)


@pytest.mark.parametrize("exit_code", [126, 127])
def test_a_shell_that_finds_no_command_means_that_none_can_start(
    place: Place, run: Run, exit_code: int
) -> None:
    """Exit code 126 or 127 and nothing printed: there is no such command; the shell's words are told."""
    said = place.root / ".trapcli/outputs/run_1/said"
    said.write_text("sh: 1: agnet: not found\n")
    stream = Stream("said", 24, 24, b"sh", "d")
    with pytest.raises(
        CannotStart, match=rf"exit code {exit_code} and no output \(sh: 1: agnet: not found\)"
    ):
        trial(place, run, lambda job: ended(exit_code, stderr=stream))
    assert trial(place, run, lambda job: ended(exit_code, stdout=stream)).ended.exit_code == exit_code
    late = replace(ended(exit_code), timed_out=True)
    assert trial(place, run, lambda job: late).ended.exit_code == exit_code


def test_an_input_of_the_case_may_be_the_solution_s_input(place: Place, run: Run) -> None:
    """A solution that takes a file on stdin is given that of its own copy, and its right answer is kept."""
    solution = replace(run.plan.solution, stdin="task.md", argv=("cat",))
    run = replace(run, plan=replace(run.plan, solution=solution))
    nursery = Nursery()
    ran = trial(place, run, nursery.run)
    nursery.close()
    path = place.root / ".trapcli/outputs/run_1" / ran.ended.stdout.file
    assert path.read_bytes() == (place.suite.directory / "inputs/case_01/task.md").read_bytes()


# What is left is removed, whatever it is.


@contextmanager
def as_nobody() -> Iterator[Path]:
    """A directory, and for the block the rights of a user that is not root."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o777)
        root = os.geteuid() == 0
        try:
            if root:
                os.seteuid(NOBODY)
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


def test_directories_made_unreadable_are_removed() -> None:
    """Directories without any rights, in one another, are removed with what is in them, also without being
    root."""
    with as_nobody() as place:
        inner = place / "scratch" / "a" / "b" / "c"
        inner.mkdir(parents=True)
        (inner / "file").write_text("x")
        (place / "scratch" / "kept from writing").mkdir()
        (place / "scratch" / "kept from writing" / "file").write_text("x")
        os.chmod(place / "scratch" / "kept from writing", 0o500)
        for folder in (inner, inner.parent, inner.parent.parent, place / "scratch"):
            os.chmod(folder, 0)
        remove(place / "scratch")
        assert os.listdir(place) == []


def test_trees_of_any_depth_are_removed(tmp_path: Path) -> None:
    """Directories nested deeper than a path may be long, and than a recursion may go, are removed."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    here = os.open(scratch, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove(scratch)
    assert os.listdir(tmp_path) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    """What a link in the directory points at stays as it is, its rights too."""
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (outside / "file").write_text("x")
    os.chmod(outside, 0o500)
    scratch = tmp_path / "scratch"
    (scratch / "a").mkdir(parents=True)
    (scratch / "a" / "link").symlink_to(outside)
    (scratch / "b").symlink_to(outside / "file")
    (scratch / "gone").symlink_to(tmp_path / "gone")
    os.mkfifo(scratch / "pipe")
    os.chmod(scratch / "a", 0)
    trials._remove_piecemeal(scratch)
    assert os.listdir(tmp_path) == ["outside"]
    assert stat.S_IMODE(outside.stat().st_mode) == 0o500 and (outside / "file").read_text() == "x"


def test_a_directory_that_is_gone_is_no_error(tmp_path: Path) -> None:
    """An agent may have removed it already; and what became a file is left alone."""
    remove(tmp_path / "gone")
    (tmp_path / "file").write_text("x")
    remove(tmp_path / "file")


def test_only_a_run_s_own_directory_is_cleared(place: Place) -> None:
    """A path from the database that is not one that we made, is not touched."""
    kept = place.root / "precious"
    kept.mkdir()
    inside = place.temp / "other"
    inside.mkdir()
    near = place.temp / "trapcli-0123"
    near.mkdir()
    for path in (kept, inside, near, place.temp, near / ".." / "other", Path("trapcli-0123456789abcdef")):
        assert clear(str(path)) == []
    assert kept.exists() and inside.exists() and near.exists()


def test_what_dead_runs_left_is_swept_and_nothing_of_the_living(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory whose lock nobody holds is removed, on the disk and in memory; one that is held, or is
    not marked as a run's, stays."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(running, "MEMORY", str(memory))
    found = [home / f"trapcli-{digit * 16}" for home in (place.temp, memory) for digit in "abc"]
    for path in found:
        (path / "deep").mkdir(parents=True)
    locks = [path / ".lock" for path in found if path.name[-1] != "c"]
    for lock in locks:
        lock.touch()
    with ExitStack() as life:
        for lock in locks:
            if lock.parent.name[-1] == "b":
                fcntl.flock(life.enter_context(open(lock)), fcntl.LOCK_EX)
        sweep_dead()
        assert [path.name[-1] for path in found if path.exists()] == ["b", "c", "b", "c"]
    sweep_dead()
    assert {path.name[-1] for path in found if path.exists()} == {"c"}


def test_copies_stand_in_memory_only_where_there_is_room(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without such a file system, or with a full one, copies are made on the disk."""
    case = read_case(place.suite, "case_01")
    monkeypatch.setattr(trials, "MEMORY", str(tmp_path))
    assert roomy([case], 2)
    assert not roomy([case], 10**9)
    monkeypatch.setattr(trials, "MEMORY", str(tmp_path / "gone"))
    assert not roomy([case], 2)
    assert in_memory("/tmp/trapcli-x") == str(tmp_path / "gone" / "trapcli-x")
