"""What is installed, and what the installed program loads."""

import ast
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from checkout import ROOT
from import_graph import parse, sources

from trapcli import __version__

MODULES = sources(ROOT)


@pytest.mark.parametrize("top", ["trapcli", "families"])
def test_wheel_holds_every_file(wheel: Path, top: str) -> None:
    """Every file of both packages, report scripts and texts too, is in the wheel; nothing else is."""
    files = (path for path in (ROOT / top).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    checkout = {path.relative_to(ROOT).as_posix() for path in files}
    assert checkout == {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(f"{top}/")}


def test_wheel_holds_nothing_else(wheel: Path) -> None:
    """Tests and tools of the checkout are not installed; the licence and the marker of type hints are."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "trapcli",
        "families",
        f"trapsuite-{__version__}.dist-info",
    }
    assert [name for name in names if name.endswith("LICENSE")]
    assert "trapcli/py.typed" in names


def test_top_of_the_checkout() -> None:
    """The files that a newcomer and CI look for are where they look."""
    for name in (
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "pyproject.toml",
        "setup.cfg",
        ".gitignore",
        ".pre-commit-config.yaml",
        "noxfile.py",
        ".ci/run",
    ):
        assert (ROOT / name).is_file()
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_metadata() -> None:
    """Python, the programs and the families are declared, and nobody is named."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "trapsuite"
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {"trapcli": "trapcli.cli:main", "trap": "trapcli.cli:main"}
    assert project["entry-points"]["trapcli.families"]["billing"] == "families.billing:FAMILY"
    assert project["authors"] == [{"name": "the trapcli contributors"}]


def test_ways_to_start_it(installed: Path, tmp_path: Path) -> None:
    """`trapcli`, `trap` and `python -m trapcli` are the same program."""
    ways: list[list[Path | str]] = [
        [installed],
        [installed.parent / "trap"],
        [installed.parent / "python", "-m", "trapcli"],
    ]
    for way in ways:
        done = subprocess.run([*way, "--version"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"trapcli {__version__}\n", "")


@pytest.mark.slow
def test_installed_program_from_seed_to_verdict(installed: Path, tmp_path: Path) -> None:
    """An installation builds a suite, passes the gold answer, fails an empty one and shows the case."""

    def trapcli(*words: str, input: str | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([installed, *words], capture_output=True, text=True, cwd=tmp_path, input=input)

    built = trapcli("build", "billing")
    assert built.returncode == 0, built.stderr
    answer = json.loads((tmp_path / "traps/billing/expected/case_01/answer.json").read_text())
    (tmp_path / "edits.json").write_text(json.dumps(answer["gold"]))

    passed = trapcli("judge", "--case", "case_01", "--json", "edits.json")
    assert passed.returncode == 0, passed.stderr
    verdict = json.loads(passed.stdout)
    assert (verdict["id"], verdict["score"], verdict["status"]) == ("case_01", 1.0, "passed")

    failed = trapcli("judge", "--case", "case_01", "-", input="[]")
    assert failed.returncode == 1, failed.stderr

    missing = trapcli("judge", "--case", "case_01", "no-such-file.json")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no-such-file.json" in missing.stderr and "Traceback" not in missing.stderr

    shown = trapcli("inspect", "billing", "case_01")
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in shown.stdout + shown.stderr + built.stdout + built.stderr + failed.stdout


@pytest.mark.slow
def test_colour_only_on_a_terminal_and_never_with_no_color(installed: Path, tmp_path: Path) -> None:
    """On a terminal `inspect` may use colour; with NO_COLOR it uses none."""
    subprocess.run([installed, "build", "billing"], cwd=tmp_path, check=True, capture_output=True)
    for more, coloured in [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    ]:
        ours, theirs = pty.openpty()
        command = [str(installed), "inspect", "billing", "case_01"]
        with subprocess.Popen(
            command, cwd=tmp_path, env={**os.environ, **more}, stdout=theirs, stderr=theirs
        ) as started:
            os.close(theirs)
            shown = b""
            with suppress(OSError):  # how Linux says that the other end was closed
                while part := os.read(ours, 65536):
                    shown += part
            os.close(ours)
        assert started.returncode == 0
        assert bool(re.search(rb"\x1b\[[0-9;]*(3|4|9|10)[0-8]", shown)) == coloured


@pytest.mark.slow
@pytest.mark.usefixtures("unmeasured")
def test_judge_json_loads_only_what_it_needs(installed: Path, tmp_path: Path) -> None:
    """`judge --json` on one answer imports neither rich nor yaml, and no other family."""
    subprocess.run([installed, "build", "billing"], cwd=tmp_path, check=True, capture_output=True)
    code = (
        "import sys; from trapcli.cli import main; "
        "main(['judge', '--suite', 'traps/billing', '--case', 'case_01', '--json', '-']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    python = installed.parent / "python"
    loaded = loaded_by([python, "-c", code], tmp_path)
    assert "families.billing" in loaded
    assert not {"rich", "yaml", "asyncio", "multiprocessing"} & set(loaded)
    assert {name.split(".")[1] for name in loaded if name.startswith("families.")} == {"billing"}


@pytest.mark.usefixtures("unmeasured")
def test_commands_load_nothing_heavy() -> None:
    """Importing the modules of all commands, and showing their help, imports no engine and no family."""
    code = (
        "import sys; from trapcli.cli import main, COMMANDS; "
        "[main([name, '--help']) for name in COMMANDS if name != 'build']; "  # that one shows knobs
        "import trapcli.commands.build; print(*sys.modules, file=sys.stderr)"
    )
    loaded = loaded_by([sys.executable, "-c", code], ROOT)
    heavy = {"rich", "yaml", "families", "sqlite3", "asyncio", "multiprocessing", "subprocess", "tempfile"}
    assert not heavy & {name.partition(".")[0] for name in loaded}
    engines = {
        "trapcli.calibration.records",
        "trapcli.judging.judge",
        "trapcli.building.builder",
        "trapcli.views.case_view",
    }
    assert "trapcli.commands.calibrate" in loaded and not engines & {*loaded}


@pytest.mark.usefixtures("unmeasured")
def test_the_list_of_commands_loads_no_command() -> None:
    """`trapcli --help` imports no module of a command, and of ours only what every start needs."""
    code = "import sys; from trapcli.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    loaded = [name for name in loaded_by([sys.executable, "-c", code], ROOT) if name.startswith("trapcli.")]
    parts = {".".join(name.split(".")[:2]) for name in loaded}
    assert parts == {"trapcli.cli", "trapcli.core", "trapcli.system"}, loaded


def loaded_by(command: Sequence[Path | str], cwd: Path) -> list[str]:
    """Return the modules that a program of Python loads, which it prints on standard error."""
    done = subprocess.run(command, cwd=cwd, input="[]", capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr.split()


def test_one_folder_draws_on_the_terminal() -> None:
    """rich is imported in trapcli/views and nowhere else."""
    drawing = [name for name, path in MODULES.items() if "rich" in {*top_level_imports(path)}]
    assert drawing and all(name.startswith("trapcli.views.") for name in drawing), drawing


def top_level_imports(path: Path) -> Iterator[str]:
    """Yield the packages that a module imports, at its top or inside a function."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
