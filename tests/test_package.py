"""What is installed, and what may import what."""

import ast
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
import zipfile
from contextlib import suppress

import pytest
from checkout import ROOT

from trapcli import __version__

MODULES = sorted(path for top in ("trapcli", "families") for path in (ROOT / top).rglob("*.py"))

# A module imports from the rows below its own, and from its own row. One that is not
# named here is an engine.
LAYERS = [
    ["errors"],
    ["contract", "money", "streams", "text"],
    ["edits", "answer_line", "answer_number", "answer_words"],
    ["registry", "files", "swapping", "suite", "selecting"],
    ["invariants", "building", "judging", "batch", "interop"],
    ["calibration"],
    ["console"],
    ["cli", "commands"],
    ["__main__"],
]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
ENGINE = HEIGHT["building"]
FOR_FAMILIES = {"answer_line", "contract", "edits", "errors", "money", "streams"}


def imports(path):
    """The dotted names that a module imports, at its top or anywhere inside."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parts_of_the_core(path):
    """The modules of trapcli, by their name below the package, that a module imports."""
    for name in imports(path):
        if name.partition(".")[0] == "trapcli":
            yield f"{name}.__init__".split(".")[1]


@pytest.mark.parametrize("top", ["trapcli", "families"])
def test_wheel_holds_every_file(wheel, top):
    """Every file of both packages, report scripts and texts too, is in the wheel; nothing else is."""
    files = (path for path in (ROOT / top).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    checkout = {path.relative_to(ROOT).as_posix() for path in files}
    assert checkout == {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(f"{top}/")}


def test_wheel_holds_nothing_else(wheel):
    """Tests and tools of the checkout are not installed; the licence is."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "trapcli",
        "families",
        f"trapcli-{__version__}.dist-info",
    }
    assert [name for name in names if name.endswith("LICENSE")]


def test_top_of_the_checkout():
    """The files that a newcomer and CI look for are where they look."""
    for name in (
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "pyproject.toml",
        "setup.cfg",
        ".gitignore",
        ".ci/run",
    ):
        assert (ROOT / name).is_file()
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_metadata():
    """Python, the programs and the families are declared, and nobody is named."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {"trapcli": "trapcli.cli:main", "trap": "trapcli.cli:main"}
    assert project["entry-points"]["trapcli.families"]["billing"] == "families.billing:FAMILY"
    assert project["authors"] == [{"name": "the trapcli contributors"}]


def test_ways_to_start_it(installed, tmp_path):
    """`trapcli`, `trap` and `python -m trapcli` are the same program."""
    ways = [[installed], [installed.parent / "trap"], [installed.parent / "python", "-m", "trapcli"]]
    for way in ways:
        done = subprocess.run([*way, "--version"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"trapcli {__version__}\n", "")


def test_installed_program_from_seed_to_verdict(installed, tmp_path):
    """An installation builds a suite, passes the gold answer, fails an empty one and shows the case."""

    def trapcli(*args, **options):
        options = {"capture_output": True, "text": True, "cwd": tmp_path, **options}
        return subprocess.run([installed, *args], **options)

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


def test_colour_only_on_a_terminal_and_never_with_no_color(installed, tmp_path):
    """On a terminal `inspect` may use colour; with NO_COLOR it uses none."""
    subprocess.run([installed, "build", "billing"], cwd=tmp_path, check=True, capture_output=True)
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    for more, coloured in [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    ]:
        here, there = pty.openpty()
        command = [installed, "inspect", "billing", "case_01"]
        with subprocess.Popen(
            command, cwd=tmp_path, env={**plain, **more}, stdout=there, stderr=there
        ) as started:
            os.close(there)
            shown = b""
            with suppress(OSError):  # how Linux says that the other end was closed
                while part := os.read(here, 65536):
                    shown += part
            os.close(here)
        assert started.returncode == 0
        assert bool(re.search(rb"\x1b\[[0-9;]*(3|4|9|10)[0-8]", shown)) == coloured


def test_judge_json_loads_only_what_it_needs(installed, tmp_path):
    """`judge --json` on one answer imports neither rich nor yaml, and no other family."""
    subprocess.run([installed, "build", "billing"], cwd=tmp_path, check=True, capture_output=True)
    code = (
        "import sys; from trapcli.cli import main; "
        "main(['judge', '--suite', 'traps/billing', '--case', 'case_01', '--json', '-']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    python = installed.parent / "python"
    done = subprocess.run([python, "-c", code], cwd=tmp_path, input="[]", capture_output=True, text=True)
    loaded = done.stderr.split()
    assert "families.billing" in loaded
    assert not {"rich", "yaml", "asyncio", "multiprocessing"} & set(loaded)
    assert {name.split(".")[1] for name in loaded if name.startswith("families.")} == {"billing"}


def test_commands_load_nothing_heavy():
    """Importing the modules of all commands, and showing their help, imports no engine and no family."""
    code = (
        "import sys; from trapcli.cli import main, COMMANDS; "
        "[main([name, '--help']) for name in COMMANDS if name != 'build']; "  # that one shows knobs
        "import trapcli.commands.build; print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    heavy = {"rich", "yaml", "families", "sqlite3", "asyncio", "multiprocessing", "subprocess", "tempfile"}
    assert not heavy & {name.partition(".")[0] for name in loaded}
    engines = {
        "trapcli.calibration",
        "trapcli.judging.judge",
        "trapcli.building.builder",
        "trapcli.views.inspection",
    }
    assert "trapcli.commands.calibrate" in loaded and not engines & {*loaded}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path):
    """The core names no family, and a family imports only the contract and the small toolkits."""
    if path.parts[len(ROOT.parts)] == "families":
        assert set(parts_of_the_core(path)) <= FOR_FAMILIES
        return
    assert "families" not in {name.partition(".")[0] for name in imports(path)}
    own = path.relative_to(ROOT / "trapcli").with_suffix("").parts[0]
    if own == "__init__":
        assert not list(parts_of_the_core(path))
    for part in parts_of_the_core(path):
        if part in ("__init__", "__version__"):
            continue
        assert HEIGHT.get(part, ENGINE) <= HEIGHT.get(own, ENGINE), f"{own} imports {part}"


def test_one_file_draws_on_the_terminal():
    """rich is imported in console.py and nowhere else."""
    drawing = [path.name for path in MODULES if "rich" in {name.partition(".")[0] for name in imports(path)}]
    assert set(drawing) <= {"console.py"}
