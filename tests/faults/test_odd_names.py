"""Blanks, line ends, quotes, leading dashes and other bytes are allowed in every name that users choose."""

import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from agents import RIGHT, program
from toy_family import declare

pytestmark = pytest.mark.slow

NAMES = {
    "line end": " new\nline ",
    "quotes": "quo'te\"s`\x1b[31m\t",
    "dash": "-dash",
    "non-ASCII": "größe 日",
    "non-UTF-8": os.fsdecode(b"caf\xe9"),
    "shell": "$x [a]*?~%41\\",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_every_place_may_have_an_odd_name(name: str, tmp_path: Path) -> None:
    """Working directory, HOME, TMPDIR, suite, private half, answers, solution: all of them at once."""
    home = tmp_path / name
    (home / name).mkdir(parents=True)
    families = declare(tmp_path / "packages")

    def run(*words: object, code: int = 0) -> Any:
        done = program(home, *words, families=families, HOME=str(home), TMPDIR=str(home / name))
        assert done.returncode == code and "Traceback" not in done.stderr, (words, done.stdout, done.stderr)
        return done.stdout

    run("build", "toy", f"--out={name}", f"--expected={name}/secret")
    halves = (f"--suite={name}/toy", f"--expected={name}/secret")
    run("inspect", *halves, "case_01")
    answers = home / name / "answers"
    answers.mkdir()
    (answers / "case_01").write_text("7")
    run("judge", *halves, "--answers", answers, code=1)
    (home / name / f"{name}.jsonl").write_text('{"case": "case_01", "output": "7"}\n')
    run("judge", *halves, f"--answers={name}/{name}.jsonl", code=1)
    shutil.copy(answers / "case_01", home / f"{name}.txt")
    run("judge", *halves, "--case", "case_01", "--", f"{name}.txt", code=1)
    (home / name / f"{name}.sh").write_text(RIGHT)
    solution = f"sh {shlex.quote(f'./{name}/{name}.sh')}"
    assert "4, complete" in run("calibrate", *halves, "--solution", solution, "--trials", 1)
    (home / name / "trap.yaml").write_text("cmd: sh agent.sh\n")
    (home / name / "agent.sh").write_text(RIGHT)
    run("calibrate", *halves, f"--solution=./{name}", "--trials", 1, "--json")
    assert "1.00" in run("inspect", "run", 1)
    run("judge", "--run", 1)
    run("inspect", "run", 2, "case_01", "--trial", 1)
    run("calibrate", "--resume", 2)
    assert not [found for found in os.listdir(home / name) if found.startswith("trapcli-")]
