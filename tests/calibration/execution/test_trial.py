"""One trial: what an agent gets, what is read from it, and that nothing is left behind."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_family import installed
from trial_place import Place

from trapcli.calibration.execution.messages import Job, Outcome
from trapcli.calibration.execution.supervisor_pool import Stopped, SupervisorPool
from trapcli.calibration.execution.trial import TrialRun, run_trial
from trapcli.calibration.execution.workdirs import clear_scratch
from trapcli.calibration.records import Run
from trapcli.calibration.solutions.command import Command
from trapcli.calibration.stored_output import Stream
from trapcli.suites.reader import read_case
from trapcli.system.output_files import REPLACED, OutputFiles

EMPTY = Stream()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, cases=2).activate(monkeypatch)


@pytest.fixture
def run(place: Place) -> Iterator[Run]:
    """A run with a directory for its trials; after the test the directory is empty."""
    with place.store() as store:
        run = place.begin(store, place.agent("right"))
        os.mkdir(run.scratch)
        yield run
        assert os.listdir(run.scratch) == []
        clear_scratch(run.scratch)
        assert place.is_clean()


def trial(place: Place, run: Run, start: Callable[[Any], Outcome], number: int = 1) -> TrialRun:
    case = read_case(place.suite, "case_01")
    return run_trial(start, run, 0, case, number, place.root / ".trapcli/outputs/run_1")


def outcome(
    exit_code: int = 0,
    stdout: Stream = EMPTY,
    stderr: Stream = EMPTY,
) -> Outcome:
    return Outcome(exit_code, False, 0.5, stdout, stderr)


def directories(job: Job) -> tuple[Path, Path]:
    """Return the directories of inputs and outputs in a job's manifest."""
    manifest = json.loads(job.env["TRAP_MANIFEST"])
    assert set(manifest) == {"inputs_dir", "outputs_dir"}
    return Path(manifest["inputs_dir"]), Path(manifest["outputs_dir"])


def test_an_agent_gets_its_own_copy_of_the_inputs(place: Place, run: Run) -> None:
    """It gets all public files and nothing else, an empty directory for outputs, and no path to the suite."""

    def start(job: Job) -> Outcome:
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
        return outcome()

    seen: list[tuple[Path, Path]] = []
    for number in (1, 2):
        trial(place, run, start, number)
    assert len({path for pair in seen for path in pair}) == 4
    assert not any(path.exists() for pair in seen for path in pair)
    assert "changed" not in (place.suite.directory / "inputs/case_01/README.md").read_text()


def test_the_job_is_the_command_of_the_solution(place: Place, run: Run) -> None:
    """The job has its words, directory and limit, an empty input, and new files for its output."""
    jobs: list[Job] = []

    def start(job: Job) -> Outcome:
        jobs.append(job)
        return outcome()

    trial(place, run, start)
    trial(place, run, start)
    first, second = jobs
    assert first.argv == ("sh", str(place.root / "agent.sh"))
    assert (first.cwd, first.stdin, first.limit) == (str(place.root), None, 30.0)
    assert Path(first.stdout).parent == place.root / ".trapcli/outputs/run_1"
    assert len({first.stdout, first.stderr, second.stdout, second.stderr}) == 4


def test_usage_is_read_before_the_directories_are_removed(place: Place, run: Run) -> None:
    """The usage that an agent reports is part of its trial; without a report it is None."""

    def start(job: Job) -> Outcome:
        (directories(job)[1] / "usage.json").write_text('{"calls": 3}')
        return outcome()

    assert trial(place, run, start).usage == {"calls": 3}
    assert trial(place, run, lambda job: outcome()).usage is None


def test_files_are_judged_only_for_a_family_whose_answers_are_files(
    place: Place, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an agent leaves in its output directory is read; whether it is judged is up to the family."""

    def start(job: Job) -> Outcome:
        (directories(job)[1] / "answer.txt").write_bytes(b"7\xff")
        return outcome()

    found = trial(place, run, start)
    assert (found.files.files, found.judged) == ({"answer.txt": b"7\xff"}, False)
    installed(monkeypatch, toy="hostile_families:FILES")
    found = trial(place, run, start)
    assert (found.files.files, found.judged) == ({"answer.txt": b"7\xff"}, True)


@pytest.mark.parametrize("what", ["outputs", "work directory", "run's directory"])
def test_a_link_in_place_of_a_directory_loses_nothing(place: Place, run: Run, what: str) -> None:
    """If an agent replaces a directory by a link, what is there is neither read nor touched."""
    precious = place.root / "precious"
    (precious / "outputs").mkdir(parents=True)
    (precious / "outputs" / "usage.json").write_text('{"calls": 3}')
    moved = place.root / "moved"

    def start(job: Job) -> Outcome:
        outputs = directories(job)[1]
        replaced = {
            "outputs": outputs,
            "work directory": outputs.parent,
            "run's directory": outputs.parent.parent,
        }[what]
        replaced.rename(moved)
        replaced.symlink_to(precious / "outputs" if what == "outputs" else precious)
        return outcome()

    found = trial(place, run, start)
    assert found.files == OutputFiles(left_out=(REPLACED,)) and found.usage is None
    assert sorted(path.name for path in precious.rglob("*")) == ["outputs", "usage.json"]
    left = Path(run.scratch)
    for path in (left, *left.glob("*")):
        if path.is_symlink():  # it is not ours, so it is left
            path.unlink()
    left.mkdir(exist_ok=True)


def test_a_stopped_trial_is_cleared_too(place: Place, run: Run) -> None:
    """What `start` raises is passed on, and the directories are removed."""

    def start(job: Job) -> Outcome:
        raise Stopped

    with pytest.raises(Stopped):
        trial(place, run, start)


@pytest.mark.parametrize("exit_code", [1, 126, 127, -9])
def test_no_exit_code_undoes_a_trial(place: Place, run: Run, exit_code: int) -> None:
    """A trial ends with whatever exit code its process chose, also with those of a missing command."""
    assert trial(place, run, lambda job: outcome(exit_code)).outcome.exit_code == exit_code


def test_a_file_of_the_case_may_be_standard_input(place: Place, run: Run) -> None:
    """A solution may read a file of its inputs on stdin; what it prints is stored."""
    assert isinstance(run.plan.solution, Command)
    solution = replace(run.plan.solution, stdin="task.md", command=("cat",))
    run = replace(run, plan=replace(run.plan, solution=solution))
    pool = SupervisorPool()
    found = trial(place, run, pool.run)
    pool.close()
    path = place.root / ".trapcli/outputs/run_1" / found.outcome.stdout.file
    assert path.read_bytes() == (place.suite.directory / "inputs/case_01/task.md").read_bytes()
