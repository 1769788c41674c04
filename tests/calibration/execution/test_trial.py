"""One trial: what an agent is given, what is taken from it, and that nothing of it stays behind."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox import Place

from trapcli.calibration.execution.supervisor import Ended, Job
from trapcli.calibration.execution.supervisor_pool import CannotStart, Nursery, Stopped
from trapcli.calibration.execution.trial import Ran, run_trial
from trapcli.calibration.execution.workdirs import clear
from trapcli.calibration.records import Run, Stream
from trapcli.suites.reader import read_case


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
