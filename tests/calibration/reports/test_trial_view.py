"""The trials of a case, and one trial: its verdict, how its process ended, and its output."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from factories import run_of, stored, suite_of, trial
from toy_family import Toy, ToyAnswers, installed

from trapcli.calibration.reports.trial_view import BYTES, LINES, about_trial, about_trials
from trapcli.calibration.store.store import open_store
from trapcli.calibration.store.trial_files import store_files
from trapcli.system.output_files import LeftOut, OutputFiles
from trapcli.views.terminal import show_sections


class BrokenAnswers(ToyAnswers):
    """Answers whose verdicts cannot be shown."""

    def view(self, verdict: Any) -> Any:
        raise KeyError("nothing here")


class Broken(Toy):
    """A family with such answers."""

    name = "broken"
    answers = BrokenAnswers()


BROKEN = Broken()


@pytest.fixture(autouse=True)
def toy_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, broken=f"{__name__}:BROKEN")


def text_of(view: Any) -> Any:
    stream = io.StringIO()
    show_sections(view.sections, stream)
    return stream.getvalue()


def view_of(directory: Any, one: Any, stdout: Any = b"", stderr: Any = b"", suite: Any = 1) -> Any:
    """Return the view of a stored trial."""
    run = stored(directory, run_of(suite, 3), [(one, stdout, stderr)])
    with open_store(directory / ".trapcli", create=False) as store:
        return about_trial(store, run, store.trial(run.number, one.suite, one.case, one.number))


# The trials of a case


def test_one_row_per_trial() -> None:
    """Each trial of the case is a row with status, seconds, exit, mistake and reason."""
    trials = [
        trial(number=1, seconds=12.345),
        trial(number=2, status="failed", mistake="void_counted", reason="31 is not the sum"),
        trial(number=3, status="timed_out", seconds=600.2),
        trial(number=4, status="crashed", exit_code=-11),
        trial("case_02", 1),
    ]
    view = about_trials(run_of(2, 10, number=5), 0, "case_01", trials)
    rows = [tuple(row) for row in view.sections[0].rows]
    assert rows == [
        ("1", "passed", "12.3", "0", "", "it is passed"),
        ("2", "failed", "2.00", "0", "void_counted", "31 is not the sum"),
        ("3", "timed out", "600", "time limit", "", "the time limit was reached; nothing was printed"),
        ("4", "crashed", "2.00", "signal 11", "", "exit code 3"),
    ]
    assert "Run 5, toy case_01: 4 of 10 trials" in text_of(view)
    assert "`trapcli inspect run 5 case_01 --trial 1`" in text_of(view)
    document = json.loads(json.dumps(view.document))
    assert [one["status"] for one in document["trials"]] == ["passed", "failed", "timed_out", "crashed"]
    assert (document["case"], document["planned"]) == ("case_01", 10)


def test_case_without_a_trial() -> None:
    """A case without trials so far has an empty table."""
    assert "0 of 10 trials" in text_of(about_trials(run_of(1), 0, "case_01", []))


# One trial


def test_family_shows_the_verdict(tmp_path: Path) -> None:
    """The family shows the stored verdict as `judge` does, followed by its notes."""
    one = trial(status="failed", mistake="void_counted", reason="31 is not the sum")
    one = replace(one, verdict={**one.verdict, "details": {"sum": 31}, "notes": ["line 2 was ignored"]})
    view = view_of(tmp_path, one, b"The sum is 31.\n")
    out = text_of(view)
    assert "Answer read\n  31\n" in out
    assert "- line 2 was ignored" in out
    assert "matches the mistake  void_counted" in out
    assert "31 is not the sum" in out
    assert "The sum is 31.\n" in out
    assert view.document["stdout"]["path"].endswith("case_01-1.stdout")
    assert view.document["stderr"]["path"] is None
    json.dumps(view.document, allow_nan=False)


def test_limit_and_measured_seconds(tmp_path: Path) -> None:
    """A trial says how long it took, and whether its limit was reached."""
    late = text_of(view_of(tmp_path, trial(status="timed_out", seconds=602.5, limit=600.0)))
    assert "killed after 602.50 s: the limit of 600 s was reached" in late
    inner = text_of(view_of(tmp_path, trial(status="crashed", seconds=303.2, exit_code=124)))
    assert "after 303.20 s, by itself; the limit of 600 s was not reached" in inner
    assert "exit code  124" in inner


def test_facts_of_a_trial(tmp_path: Path) -> None:
    """Signal, stragglers, usage and load are shown."""
    one = trial(status="crashed", exit_code=-11, stragglers=("sleep 600 (pid 7)",), running=4, load=2.5)
    out = text_of(view_of(tmp_path, replace(one, usage={"input_tokens": 7})))
    assert "-11 (signal 11)" in out and "sleep 600 (pid 7)" in out and "input_tokens 7" in out
    assert "load 2.50 when it ended; 4 trials running when it started" in out


def test_files_of_a_trial(tmp_path: Path) -> None:
    """The files that a trial left are listed with their sizes, and so is what was left out and why."""
    assert "Files it left" not in text_of(view_of(tmp_path, trial()))
    left_out = (LeftOut("big.bin", 20_000_000, "over the limit"), LeftOut("link", 0, "a link"))
    left = OutputFiles({"a/log": b"x" * 1234, "usage.json": b"{}"}, left_out, 1)
    with open_store(tmp_path / ".trapcli", create=True) as store:
        archive = store.outputs_directory(1) / "one.files.zip"
        one = trial(files=store_files(archive, left, judged=False))
        view = about_trial(store, run_of(1, 1), one)
        out = text_of(view)
        assert f"Files it left: 2 files, 1,236 bytes, in {archive}" in " ".join(out.split())
        assert re.search(r"a/log +1,234\n +usage.json +2\n", out)
        assert re.search(r"big.bin +20,000,000 +over the limit\n +link +a link\n", out)
        document = view.document["files"]
        assert (document["path"], document["over_limit"], document["judged"]) == (str(archive), 1, False)
        assert document["entries"] == [{"path": "a/log", "bytes": 1234}, {"path": "usage.json", "bytes": 2}]
        assert document["left_out"][1] == {"path": "link", "bytes": 0, "why": "a link"}
        archive.write_bytes(b"changed")
        view = about_trial(store, run_of(1, 1), one)
    assert "is missing or was changed" in text_of(view) and view.document["files"]["entries"] is None


def test_judge_error_shows_its_reason(tmp_path: Path) -> None:
    """A trial without a verdict says why, and that it does not count."""
    out = text_of(view_of(tmp_path, trial(status="judge_error", reason="the judge was killed"), b"[1]\n"))
    assert "judge error: no verdict, so it does not count" in out
    assert "the judge was killed" in out and "[1]\n" in out


@pytest.mark.parametrize(
    ("family", "why"), [("gone", "gone"), ("broken", "view raised KeyError: 'nothing here'")]
)
def test_family_that_cannot_show_it(tmp_path: Path, family: str, why: str) -> None:
    """If the family is not installed, or fails, the rest of the trial is still shown."""
    out = text_of(view_of(tmp_path, trial(), b"The sum is 7.\n", suite=suite_of(1, family=family)))
    assert re.search(f"The family cannot show it: .*{why}", out) and "The sum is 7." in out


def test_outputs_are_bounded_and_the_file_is_named(tmp_path: Path) -> None:
    """Only the last lines or bytes of a long output are shown, with its size and path."""
    lines = b"".join(b"line %d\n" % n for n in range(1000))
    out = text_of(view_of(tmp_path, trial(), lines, b"x" * 50_000))
    assert "line 999\n" in out and "line 800\n" in out and "line 799\n" not in out
    assert f"stdout: the end of {len(lines):,} bytes; more is in {tmp_path}" in out
    assert f"  ...{'x' * BYTES}\n" in out
    short = text_of(view_of(tmp_path, trial(), b"\n".join(b"%d" % n for n in range(LINES))))
    assert "the end of" not in short


def test_outputs_are_literal(tmp_path: Path) -> None:
    """Control sequences and wrong bytes are shown escaped or replaced, never sent to the terminal."""
    out = text_of(view_of(tmp_path, trial(), b"\x1b[31mred\x07\xff [bold]x[/bold]\r\nnext\n"))
    assert "\x1b" not in out and "\x07" not in out
    assert "\\x1b[31mred\\x07\ufffd [bold]x[/bold]\n  next\n" in out


@pytest.mark.parametrize("length", [10, 30_001])
def test_utf16_is_decoded(tmp_path: Path, length: int) -> None:
    """UTF-16 with a byte-order mark is shown as text, also if only its end is shown."""
    out = text_of(view_of(tmp_path, trial(), ("é" * length).encode("utf-16")))
    assert "é" * 10 in out and "\ufffd" not in out


def test_missing_output(tmp_path: Path) -> None:
    """If the stored file is gone, its path is shown instead."""
    run = stored(tmp_path, run_of(1, 1), [(trial(), b"[1]", b"")])
    with open_store(tmp_path / ".trapcli", create=False) as store:
        one = store.trial(1, 0, "case_01", 1)
        store.output_path(1, one.stdout).unlink()
        assert "is missing)" in text_of(about_trial(store, run, one))
