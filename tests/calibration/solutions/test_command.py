"""A solution that is a command: its setup runs once, and what is missing is refused before a trial."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from factories import command_of

from trapcli.core.errors import TrapError


@pytest.fixture
def agent(tmp_path: Path) -> Any:
    """The directory of an agent."""
    (tmp_path / "agent").mkdir()
    return tmp_path / "agent"


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    """A solution whose directory does not exist is refused."""
    with pytest.raises(TrapError, match="where it runs, is not a directory"):
        command_of("sh", cwd=tmp_path / "gone").prepare(())


def test_setup_runs_where_the_solution_is(agent: Any) -> None:
    """A shell runs it in the solution's directory, without our variables and with an empty input."""
    line = "cat > made; echo $TRAPCLI_X-$PLAIN >> made; pwd >> made; echo noise; echo noise >&2"
    environ = {**os.environ, "TRAPCLI_X": "ours", "PLAIN": "theirs"}
    command_of("sh", cwd=agent, setup_cmd=line).prepare((), environ)
    assert (agent / "made").read_text() == f"-theirs\n{agent}\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("echo no network >&2; exit 3", r"exit code 3: .*\n  no network$"),
        ("no-such-program", r"exit code 127: no-such-program\n.*not found$"),
        ("kill -9 $$", r"signal 9: kill -9 \$\$\n  \(it printed nothing\)$"),
    ],
)
def test_a_failed_setup_is_reported_with_its_output(agent: Any, line: str, message: str) -> None:
    """The message has the exit code or signal, the command, and what it printed."""
    with pytest.raises(TrapError, match=message):
        command_of("sh", cwd=agent, setup_cmd=line).prepare(())


def test_of_a_long_output_the_last_lines_are_reported(agent: Any) -> None:
    """Of what a failed setup printed, the last eight lines are in the message, whatever their bytes."""
    line = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; printf '\\377'; exit 1"
    with pytest.raises(TrapError) as caught:
        command_of("sh", cwd=agent, setup_cmd=line).prepare(())
    assert "\n  line 3\n" in str(caught.value) and "line 2\n" not in str(caught.value)


def test_a_setup_may_leave_a_server_running(agent: Any) -> None:
    """What it leaves in the background, holding its output, is not waited for."""
    began = time.monotonic()
    command_of("sh", cwd=agent, setup_cmd="sleep 5 & exit 0").prepare(())
    assert time.monotonic() - began < 3
