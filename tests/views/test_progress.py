"""Progress bars: silent away from a terminal, live on one."""

import io
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from trapcli.views import progress
from trapcli.views.progress import bar, trials_bar


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def plain(self) -> str:
        """What was drawn, without the terminal's control sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A wide colour terminal as stderr."""
    for name in ("NO_COLOR", "FORCE_COLOR", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "150")
    stream = Terminal()
    # Not sys.stderr itself, which pytest sets again before the test begins.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
    return stream


def counts(done: int, total: int, running: int, passed: int, failed: int) -> SimpleNamespace:
    return SimpleNamespace(done=done, total=total, running=running, passed=passed, failed=failed)


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_printed_away_from_a_terminal(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO
) -> None:
    """If stderr is a file, or closed, nothing is printed whatever the progress."""
    monkeypatch.setattr(sys, "stderr", stream)
    with bar("cases", 3) as advance, trials_bar() as show:
        advance(1, 3)
        show(counts(1, 2, 1, 1, 0))
    assert stream is None or stream.getvalue() == ""


def test_nothing_is_printed_on_a_dumb_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that cannot move its cursor gets no bar."""
    monkeypatch.setenv("TERM", "dumb")
    with bar("cases", 3) as advance:
        advance(1, 3)
    assert terminal.getvalue() == ""


def test_without_a_terminal_rich_is_not_imported() -> None:
    """If stderr is a file, rich is not imported."""
    code = (
        "import sys; from trapcli.views.progress import bar, trials_bar\n"
        "with bar('x', 1) as advance, trials_bar(): advance(1, 1)\n"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_bar_shows_label_and_count(terminal: Terminal) -> None:
    """A bar shows its label literally, and how many of how many are done."""
    with bar("[b]cases", 3) as advance:
        advance(3, 3)
    assert "[b]cases" in terminal.getvalue() and "3/3" in terminal.getvalue()


def test_a_total_may_change(terminal: Terminal) -> None:
    """The total that is reported last is the one shown."""
    with bar("cases", 3) as advance:
        advance(2, 5)
    assert "2/5" in terminal.getvalue()


def test_trials_show_counts_time_left_and_a_live_rate(terminal: Terminal) -> None:
    """The bar of a run shows trials done and in all, running and failed ones, the rate so far, time left."""
    with trials_bar() as show:
        show(counts(0, 40, 4, 0, 0))
        show(counts(30, 40, 4, 21, 9))
    drawn = terminal.plain()
    assert "30/40 4 running, 9 failed, rate 0.70" in drawn
    assert re.search(r"rate 0\.70 +\S+ left", drawn)


@pytest.mark.parametrize(("passed", "failed", "rate"), [(0, 0, None), (0, 1, "0.00"), (1, 0, "1.00")])
def test_trials_have_a_rate_as_soon_as_one_counts(
    terminal: Terminal, passed: int, failed: int, rate: str | None
) -> None:
    """Before the first counted trial there is no rate, and trials without a verdict do not count."""
    with trials_bar() as show:
        show(counts(passed + failed + 2, 40, 1, passed, failed))
    drawn = terminal.plain()
    assert f"{passed + failed + 2}/40" in drawn.replace(" ", "") and f"{failed} failed" in drawn
    assert (f"rate {rate}" in drawn) if rate else "rate" not in drawn


def test_trials_honour_no_color(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR the bar moves, without colour."""
    monkeypatch.setenv("NO_COLOR", "1")
    with trials_bar() as show:
        show(counts(3, 40, 1, 3, 0))
    assert not re.search(r"\x1b\[[0-9;]*(3|4|9|10)[0-8][;m]", terminal.getvalue())
    assert "3 failed" not in terminal.plain() and "1 running" in terminal.plain()
