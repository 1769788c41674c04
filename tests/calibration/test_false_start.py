"""A run whose first trials show that its solution does not run is noticed, whatever their order."""

from pathlib import Path

import pytest
from factories import run_of, stored, trial

from trapcli.calibration.false_start import FIRST, FalseStart
from trapcli.calibration.records import Trial
from trapcli.calibration.store.store import open_store


def crashed(number: int = 1, exit_code: int = 2, output: str = "", output_status: str = "empty") -> Trial:
    return trial(
        number=number, status="crashed", exit_code=exit_code, output=output, output_status=output_status
    )


def watched(*trials: Trial, total: int = 20) -> FalseStart:
    watch = FalseStart(total)
    for one in trials:
        watch.add(one)
    return watch


def test_the_first_five_that_crash_alike() -> None:
    """Five trials with the same exit code and no answer are suspect; four are not yet."""
    assert not watched(*[crashed()] * (FIRST - 1)).suspected
    watch = watched(*[crashed()] * FIRST)
    assert watch.suspected and not watch.not_found


def test_a_short_run_needs_all_of_its_trials() -> None:
    """A run of two trials is suspect after two."""
    assert not watched(crashed(), total=2).suspected
    assert watched(crashed(), crashed(), total=2).suspected


@pytest.mark.parametrize(
    "other",
    [
        trial(status="passed"),
        trial(status="failed"),
        trial(status="unreadable"),
        trial(status="empty"),
        trial(status="timed_out"),
        trial(status="judge_error"),
        crashed(exit_code=3),
        crashed(output_status="passed"),
        crashed(output_status="failed"),
    ],
)
def test_one_trial_that_ends_otherwise_ends_the_watch(other: Trial) -> None:
    """After it, trials that crash are nothing but crashes, and so are those before it."""
    for at in range(FIRST):
        trials = [crashed()] * FIRST
        trials[at] = other
        watch = watched(*trials, *[crashed()] * 20)
        assert not watch.suspected and not watch.watching


@pytest.mark.parametrize("exit_code", [126, 127])
def test_a_missing_command_is_suspect_at_once(exit_code: int) -> None:
    """One trial with the exit code of a missing command and no output is enough, as long as all are so."""
    watch = watched(crashed(exit_code=exit_code))
    assert watch.suspected and watch.not_found
    watch.add(trial(status="failed"))
    assert not watch.suspected
    watch.add(crashed(exit_code=exit_code))
    assert not watch.suspected


def test_output_shows_that_the_command_was_found() -> None:
    """A trial that printed something was started, so it takes five of them."""
    watch = watched(crashed(exit_code=127, output="agnet: not found", output_status="unreadable"))
    assert not watch.suspected
    assert not watched(crashed(exit_code=1)).suspected


@pytest.mark.parametrize(
    ("streams", "shown"),
    [
        ((b"", b"Traceback\n\nKeyError: 'API_KEY'\n"), ["Traceback", "KeyError: 'API_KEY'"]),
        ((b"no key\n", b" \n"), ["no key"]),
        ((b"", b"\n".join(b"%d" % n for n in range(9))), ["4", "5", "6", "7", "8"]),
        ((b"", b"\x1b[31mred\x1b[0m"), [r"\x1b[31mred\x1b[0m"]),
        ((b"", b""), []),
    ],
)
def test_the_message(tmp_path: Path, streams: tuple[bytes, bytes], shown: list[str]) -> None:
    """It has the last lines of stderr or stdout, escaped, where more is, and how to go on."""
    run = stored(tmp_path, run_of(3, 10, ended=""), [(crashed(), *streams)])
    with open_store(tmp_path / ".trapcli", create=False) as store:
        [first] = store.trials(1)
        lines = watched(*[first] * FIRST).message(run, store).split("\n")
    assert (
        lines[0]
        == "run 1 measured nothing: its first 5 trials all ended with exit code 2 and no readable answer."
    )
    assert lines[1:-1] == [f"  {line}" for line in shown]
    assert "`trapcli inspect run 1 case_01 --trial 1`" in lines[-1]
    assert "`trapcli calibrate --resume 1`" in lines[-1] and "--keep-going" in lines[-1]


def test_the_message_of_a_run_that_is_complete(tmp_path: Path) -> None:
    """There is nothing to go on with, so it does not say how."""
    run = stored(tmp_path, run_of(1, 1), [(crashed(exit_code=-9), b"", b"")])
    with open_store(tmp_path / ".trapcli", create=False) as store:
        message = watched(*store.trials(1), total=1).message(run, store)
    assert "its first trial ended with signal 9" in message and "--resume" not in message
