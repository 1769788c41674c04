"""A full disk: one line that says so, nothing finished is lost, and everything works when there is room."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import MODULES, TESTS
from walls import needs_walls, small_disk

pytestmark = [pytest.mark.slow, needs_walls]

SIZE = 4_000_000  # bytes of the disk


def test_a_full_disk_stops_a_build_and_a_run_in_order(tmp_path: Path) -> None:
    """Without room a build and a run are refused, half-way a run stops; reading works, and later all."""
    disk = tmp_path / "disk"
    disk.mkdir()
    scenario = [sys.executable, str(TESTS / "faults" / "small_disk.py"), str(disk)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, MODULES))}
    ended = subprocess.run([*small_disk(disk, SIZE), *scenario], env=env, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert os.listdir(disk) == []
