"""The README is true: its commands are run, and print what it shows."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "===== end of command ====="

# What differs each time: dates, durations, how busy the machine was, a file's random name. One in
# the README matches any value of its type.
VARYING = [
    re.compile(pattern)
    for pattern in (
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00",
        r"(?<= to \d\.\d\d) +\d+\.\d\d  +\d+\.\d\d$",  # median and 95th percentile of seconds
        r"\d+\.\d+ s(?= in all trials)",
        r"(?<=after )\d+\.\d\d(?= s, by itself)",
        r"(?<=load )\d+\.\d\d",
        r"\d trials?(?= running when it (?:began|started))",
        r"(?<=-)[0-9a-f]{8}(?=\.std)",
    )
]


def blocks(language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(README) if found == language]


def steps(session: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block, each with the output that is shown."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        n = 1
        while lines[n - 1].endswith("\\") or (n < len(lines) and lines[n].startswith("> ")):
            n += 1
        command = "\n".join(line.removeprefix("> ") for line in lines[:n])
        yield command, "\n".join(lines[n:]).rstrip("\n")


def as_pattern(shown: str) -> str:
    """Return a pattern for the output: as shown, except that a line "..." matches any lines."""
    return (
        "".join(".*" if line == "..." else line_pattern(line) + "\n" for line in shown.split("\n"))
        if shown
        else ""
    )


def line_pattern(line: str) -> str:
    """Return a pattern for one line of output, in which what varies matches any value of its type."""
    for varying in VARYING:
        if found := varying.search(line):
            before, after = line[: found.start()], line[found.end() :]
            value = re.sub(r"\\?\d+(\\?\.\d+)?", "N", re.escape(found[0]))
            value = "[0-9a-f]{8}" if ".std" in after else re.sub("N", r"[\\d.]+", value)
            return line_pattern(before) + re.sub(r"(\\ )+", r" +", value) + line_pattern(after)
    return re.escape(line)


@pytest.fixture(scope="module")
def shell(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Where and how commands are run: in a new directory, the installed program first on PATH."""
    place = tmp_path_factory.mktemp("readme")
    environment = {
        "PATH": f"{installed.parent}:{os.environ['PATH']}",
        "HOME": str(place),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    return {"cwd": place, "env": environment}


@pytest.mark.slow
def test_every_command_prints_what_is_shown(shell: dict[str, object]) -> None:
    """The console blocks, run in order in one real bash, print exactly what the README shows."""
    commands = [step for block in blocks("console") for step in steps(block)]
    assert len(commands) >= 8
    script = "".join(f"{command}\necho; echo '{END}'\n" for command, _ in commands)
    done = subprocess.run(
        ["bash", "-c", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
        encoding="utf-8", **shell,  # type: ignore[call-overload]
    )  # fmt: skip
    printed = done.stdout.split(f"\n{END}\n")
    for (command, shown), output in zip(commands, printed, strict=False):
        tidy = "\n".join(line.rstrip() for line in output.rstrip("\n").split("\n"))
        pattern = as_pattern(shown)
        assert re.fullmatch(pattern, tidy + "\n" if tidy else "", re.DOTALL), (
            f"$ {command}\n{tidy}\n--- shown:\n{shown}"
        )
    assert len(printed) == len(commands) + 1


@pytest.mark.slow
def test_the_family_it_shows_works(installed: Path, shell: dict[str, object], tmp_path: Path) -> None:
    """The family in the README, saved and declared as described, builds, judges and inspects."""
    code = next(text for text in blocks("python") if "EditsFamily(" in text)
    (tmp_path / "shelf").mkdir()
    for name, text in split_files(code).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    metadata = tmp_path / "shelf-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    declared = next(text for text in blocks("toml") if "trapcli.families" in text)
    lines = declared.replace('"', "").split("\n", 1)[1]
    (metadata / "entry_points.txt").write_text(f"[trapcli.families]\n{lines}")
    env = {**shell["env"], "PYTHONPATH": str(tmp_path)}  # type: ignore[dict-item]
    script = """set -e
        trapcli build shelf --cases 4
        answer=traps/shelf/expected/case_03/answer.json
        grep -q . traps/shelf/inputs/case_01/ticket.md
        python3 -c 'import json; print(json.dumps(json.load(open("'$answer'"))["gold"]))' > gold.json
        trapcli judge --suite traps/shelf --case case_03 gold.json
        trapcli inspect shelf case_03
        ! trapcli judge --suite traps/shelf --case case_03 - <<< '[]'
        python3 -c 'import shelf, trapcli.testing; trapcli.testing.check_family(shelf.FAMILY, seeds=30)'
    """
    done = subprocess.run(["bash", "-c", script], text=True, capture_output=True, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_python_it_shows_runs(installed: Path, shell: dict[str, object], tmp_path: Path) -> None:
    """The program under "From Python" runs as it is, and its run is found by `trapcli inspect run`."""
    code = next(text for text in blocks("python") if "trapcli.calibrate(" in text)
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    script = f"{installed.parent}/python program.py && trapcli inspect run"
    env = shell["env"]
    done = subprocess.run(
        ["bash", "-c", script], text=True, capture_output=True, cwd=tmp_path, env=env, timeout=120
    )  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    assert "python:__main__.agent" in done.stdout


def split_files(code: str) -> dict[str, str]:
    """Return the files in a code block, each after a line `# file: NAME`."""
    parts = re.split(r"^# file: (\S+)\n", code, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_ci_finds_the_test_command() -> None:
    """Exactly one line of the README matches what .ci/run takes for its test command: it runs pytest."""
    wanted = re.search(r'grep -E "(.*)" README.md', (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert wanted is not None
    found = re.findall(wanted[1] + ".*$", README, re.MULTILINE)
    assert len(found) == 1
    assert ".[test]" in found[0]
