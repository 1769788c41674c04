"""Locks between processes: exclusive, released with their process, and removed only if asked."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trapcli.core.errors import TrapError
from trapcli.system.locks import is_in_use, locked_directory, locked_file, shared_directories, try_lock

HOLDER = """
import sys, time
from pathlib import Path
from trapcli.system.locks import locked_file
with locked_file(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(path: Path, seconds: float) -> "subprocess.Popen[str]":
    """A process that holds the lock of a file for some seconds, once it has it."""
    command = [sys.executable, "-c", HOLDER, str(path), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_lock_excludes_other_processes(tmp_path: Path) -> None:
    """While another process holds a lock it is refused at once, with the message given."""
    with holder(tmp_path / "lock", 30) as process:
        with pytest.raises(TrapError, match=r"^not now$"), locked_file(tmp_path / "lock", "not now"):
            pass
        process.kill()


@pytest.mark.slow
def test_a_lock_is_waited_for_with_patience(tmp_path: Path) -> None:
    """With patience a lock is taken as soon as its holder has ended, killed or not."""
    with holder(tmp_path / "lock", 0.3), locked_file(tmp_path / "lock", "not now", patience=20):
        pass
    with holder(tmp_path / "lock", 30) as process:
        process.kill()
        with locked_file(tmp_path / "lock", "not now", patience=20):
            pass


def test_a_lock_file_is_removed_unless_it_is_kept(tmp_path: Path) -> None:
    """After the block the file is gone, or still there with `keep`; a lock can be taken again."""
    for keep in (False, True, True):
        with locked_file(tmp_path / "lock", "busy", keep=keep):
            assert (tmp_path / "lock").exists()
        assert (tmp_path / "lock").exists() == keep


def test_a_lock_is_released_when_the_block_raises(tmp_path: Path) -> None:
    """An exception in the block leaves no lock behind."""
    with pytest.raises(ZeroDivisionError), locked_file(tmp_path / "lock", "busy"):
        raise ZeroDivisionError
    with locked_file(tmp_path / "lock", "busy"):
        pass


def test_a_directory_can_be_locked(tmp_path: Path) -> None:
    """The lock of a directory is exclusive too, and nothing is created in it."""
    with locked_directory(tmp_path):
        handle = os.open(tmp_path, os.O_RDONLY)
        assert not try_lock(handle)
        os.close(handle)
    assert not list(tmp_path.iterdir())
    start = time.monotonic()
    with locked_directory(tmp_path):
        assert time.monotonic() - start < 5


def test_a_directory_is_in_use_while_anyone_shares_it(tmp_path: Path) -> None:
    """Several may share a directory; it is free again when the last of them has left, and if it is gone."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert not is_in_use(one)
    with shared_directories([one, two]):
        with shared_directories([one]):
            assert is_in_use(one)
        assert is_in_use(one) and is_in_use(two)
    assert not is_in_use(one) and not is_in_use(two)
    assert not is_in_use(tmp_path / "gone")
