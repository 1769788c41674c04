"""One case's trials and one trial: the verdict explained, how the process ended, what it printed."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from factories import run_of, stored, suite_of, trial
from toy_family import Toy, installed

from trapcli.calibration.reports.trial_view import (
    BYTES,
    LINES,
    about_trial,
    about_trials,
    find_case,
    suites_called,
    verdict_from_json,
)
from trapcli.calibration.store.store import open_store
from trapcli.core.contract import Verdict
from trapcli.core.errors import TrapError
from trapcli.views.terminal import show_sections


class Broken(Toy):
    """A toy that cannot show a verdict."""

    name = "broken"

    def view(self, verdict):
        raise KeyError("nothing here")


BROKEN = Broken()


@pytest.fixture(autouse=True)
def toy_installed(monkeypatch):
    installed(monkeypatch, broken="calibration.test_trial_view:BROKEN")


def text_of(view):
    stream = io.StringIO()
    show_sections(view.sections, stream)
    return stream.getvalue()


def shown(directory, one, stdout=b"", stderr=b"", suite=1):
    """The view of a stored trial."""
    run = stored(directory, run_of(suite, 3), [(one, stdout, stderr)])
    with open_store(directory / ".trapcli", create=False) as store:
        return about_trial(store, run, store.trial(run.number, one.suite, one.case, one.number))


# Which suite


def test_case_of_the_only_suite_that_has_it():
    """A case that one suite of the run has needs no family; a family or a directory may be named."""
    run = run_of([suite_of(2, family="toy"), suite_of(3, family="other")])
    assert find_case(run, "case_03", None) == 1
    assert find_case(run, "case_01", "other") == find_case(run, "case_01", "traps/other") == 1


def test_case_of_several_suites_lists_the_commands():
    """If several suites have the case, the commands to choose from are listed."""
    run = run_of([suite_of(2, family="toy"), suite_of(3, family="other")], number=3)
    with pytest.raises(TrapError) as refused:
        find_case(run, "case_01", None)
    assert str(refused.value).splitlines()[1:] == [
        "  trapcli inspect run 3 toy case_01",
        "  trapcli inspect run 3 other case_01",
    ]


def test_several_suites_of_a_family_are_told_by_their_directories(tmp_path, monkeypatch):
    """Suites of one family are named by directory, short if it lies below where we stand."""
    monkeypatch.chdir(tmp_path)
    places = [tmp_path / "traps" / "toy", Path("/elsewhere/toy")]
    run = run_of([suite_of(1, directory=place) for place in places])
    with pytest.raises(TrapError) as refused:
        find_case(run, "case_01", "toy")
    assert str(refused.value).splitlines()[1:] == [
        "  trapcli inspect run 1 traps/toy case_01",
        "  trapcli inspect run 1 /elsewhere/toy case_01",
    ]
    assert find_case(run, "case_01", "traps/toy/") == 0
    assert find_case(run, "case_01", "/elsewhere/toy") == 1


def test_what_a_run_does_not_have_is_named():
    """An unknown case and an unknown suite are refused with what there is."""
    run = run_of(2)
    with pytest.raises(TrapError, match="run 1 has no case 'case_07': toy has case_01 to case_02"):
        find_case(run, "case_07", None)
    with pytest.raises(TrapError, match="on no suite called 'billing'; it is on toy"):
        suites_called(run, "billing")


# The trials of a case


def test_trials_one_a_row():
    """Each trial of the case is a row with status, seconds, exit, mistake and reason."""
    trials = [
        trial(number=1, seconds=12.345),
        trial(number=2, status="failed", slip=["a", "b"], reason="31 is not the sum"),
        trial(number=3, status="timed_out", seconds=600.2),
        trial(number=4, status="crashed", exit_code=-11),
        trial("case_02", 1),
    ]
    view = about_trials(run_of(2, 10, number=5), 0, "case_01", trials)
    rows = [tuple(row) for row in view.sections[0].rows]
    assert rows == [
        ("1", "passed", "12.3", "0", "", "it is passed"),
        ("2", "failed", "2.00", "0", "a or b", "31 is not the sum"),
        ("3", "timed out", "600", "by the limit", "", "the time limit was reached; nothing was printed"),
        ("4", "crashed", "2.00", "signal 11", "", "exit code 3"),
    ]
    assert "Run 5, toy case_01: 4 of 10 trials" in text_of(view)
    assert "`trapcli inspect run 5 case_01 --trial 1`" in text_of(view)
    document = json.loads(json.dumps(view.document))
    assert [one["status"] for one in document["trials"]] == ["passed", "failed", "timed_out", "crashed"]
    assert (document["case"], document["planned"]) == ("case_01", 10)


def test_case_without_a_trial():
    """A case of which nothing ran yet is an empty table, and no error."""
    assert "0 of 10 trials" in text_of(about_trials(run_of(1), 0, "case_01", []))


# One trial


def test_verdict_is_explained_by_the_family(tmp_path):
    """The family shows the stored verdict as it would at `judge`, and its notes are there."""
    one = trial(status="failed", slip="void_counted", reason="31 is not the sum")
    one = replace(one, verdict={**one.verdict, "sum": 31, "notes": ["line 2 was ignored"]})
    view = shown(tmp_path, one, b"The sum is 31.\n")
    out = text_of(view)
    assert "Answer read\n  31\n" in out
    assert "- line 2 was ignored" in out
    assert "equals the mistake  void_counted" in out
    assert "31 is not the sum" in out
    assert "The sum is 31.\n" in out
    assert view.document["stdout"]["path"].endswith("case_01-1.stdout")
    assert view.document["stderr"]["path"] is None
    json.dumps(view.document, allow_nan=False)


def test_verdict_comes_back_from_json():
    """A verdict rebuilt from its JSON is the one it was, but for its result."""
    for slip in ((), ("a",), ("a", "b")):
        verdict = Verdict(
            "failed", "31 is wrong", "31", 0.5, ("a note",), {"sum": 31}, slip, "case_01", "toy", "k"
        )
        assert verdict_from_json(json.loads(json.dumps(verdict.to_json()))) == replace(verdict, result="")


def test_limit_that_fired_is_told_with_measured_seconds(tmp_path):
    """Of a timeout the limit and the measured seconds are told; else that the limit was not reached."""
    late = text_of(shown(tmp_path, trial(status="timed_out", seconds=602.5, limit=600.0)))
    assert "the limit of 600 s was reached; it was over after 602.50 s" in late
    inner = text_of(shown(tmp_path, trial(status="crashed", seconds=303.2, exit_code=124)))
    assert "after 303.20 s, by itself; the limit of 600 s was not reached" in inner
    assert "exit code  124" in inner


def test_what_the_runner_knows(tmp_path):
    """Signal, stragglers, usage and load are shown."""
    one = trial(status="crashed", exit_code=-11, stragglers=("sleep 600 (pid 7)",), running=4, load=2.5)
    out = text_of(shown(tmp_path, replace(one, usage={"input_tokens": 7})))
    assert "-11 (signal 11)" in out and "sleep 600 (pid 7)" in out and "input_tokens 7" in out
    assert "load 2.50 when it ended; 4 trials running when it began" in out


def test_judge_error_shows_its_reason(tmp_path):
    """A trial without a verdict says why, and that it is not counted."""
    out = text_of(shown(tmp_path, trial(status="judge_error", reason="the judge was killed"), b"[1]\n"))
    assert "judge error: no verdict, so it is not counted" in out
    assert "the judge was killed" in out and "[1]\n" in out


@pytest.mark.parametrize("family", ["gone", "broken"])
def test_family_that_cannot_show_it(tmp_path, family):
    """If the family is not installed, or fails, the rest of the trial is shown all the same."""
    out = text_of(shown(tmp_path, trial(), b"The sum is 7.\n", suite=suite_of(1, family=family)))
    assert "The family cannot show it" in out and "The sum is 7." in out


def test_outputs_are_bounded_and_the_file_is_named(tmp_path):
    """Of a long output the last lines or bytes are shown, with its size and where it is."""
    lines = b"".join(b"line %d\n" % n for n in range(1000))
    out = text_of(shown(tmp_path, trial(), lines, b"x" * 50_000))
    assert "line 999\n" in out and "line 800\n" in out and "line 799\n" not in out
    assert f"stdout: the end of {len(lines):,} bytes; more is in {tmp_path}" in out
    assert f"  ...{'x' * BYTES}\n" in out
    short = text_of(shown(tmp_path, trial(), b"\n".join(b"%d" % n for n in range(LINES))))
    assert "the end of" not in short


def test_outputs_are_literal(tmp_path):
    """Control sequences and wrong bytes are shown escaped or replaced, never sent to the terminal."""
    out = text_of(shown(tmp_path, trial(), b"\x1b[31mred\x07\xff [bold]x[/bold]\r\nnext\n"))
    assert "\x1b" not in out and "\x07" not in out
    assert "\\x1b[31mred\\x07\ufffd [bold]x[/bold]\n  next\n" in out


@pytest.mark.parametrize("length", [10, 30_001])
def test_utf16_is_decoded(tmp_path, length):
    """An output with the byte-order mark of UTF-16 is shown as text, also if only its end is."""
    out = text_of(shown(tmp_path, trial(), ("é" * length).encode("utf-16")))
    assert "é" * 10 in out and "\ufffd" not in out


def test_missing_output_is_told(tmp_path):
    """If the stored file is gone, that is said with its path."""
    run = stored(tmp_path, run_of(1, 1), [(trial(), b"[1]", b"")])
    with open_store(tmp_path / ".trapcli", create=False) as store:
        one = store.trial(1, 0, "case_01", 1)
        store.output(1, one.stdout).unlink()
        assert "is missing)" in text_of(about_trial(store, run, one))
