"""`trapcli calibrate`: what it prints and where, what a solution can see, and two runs side by side."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents import INPUTS, RIGHT, SECRET, VOID_COUNTED, agent, open_runs, program, run_numbers
from checkout import MODULES

from trapcli.calibration.configuration import Configuration


def warning_types(document: Any) -> Any:
    return [warning["type"] for warning in document["warnings"]]


# Beside the rates.


@pytest.mark.slow
def test_practice_suites_are_warned_about(
    measure: Any, run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """A practice suite is a warning for an agent; a secret suite, or a builtin solution, is not."""
    assert "practice" not in warning_types(measure())
    assert run("build", "toy", "--force").code == 0
    document = measure()
    assert "practice" in warning_types(document) and document["suites"][0]["practice"] is True
    [text] = [warning["text"] for warning in document["warnings"] if warning["type"] == "practice"]
    assert "traps/toy is a practice suite: anyone with this package can rebuild its answers" in text
    assert "practice" not in warning_types(measure("--solution", "builtin:solve"))


@pytest.mark.slow
def test_runs_on_the_same_cases_are_counted(
    measure: Any, run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """Runs that are repeated until the rate looks good are listed and counted."""
    documents = [measure("--trials", 1) for _ in range(3)]
    assert [document["run"] for document in documents] == [1, 2, 3]
    assert [document["earlier_runs"] for document in documents] == [0, 1, 2]
    assert "This is run 3 on these cases" in run("calibrate", "--resume", 3).out
    listed = json.loads(run("inspect", "run", "--json").out)["runs"]
    assert [(one["run"], one["done"]) for one in listed] == [(1, 4), (2, 4), (3, 4)]


@pytest.mark.slow
def test_a_suite_that_a_solution_changes_is_warned_about(measure: Any, toy: Any, tmp_path: Path) -> None:
    """If a trial writes to the suite, the run is marked, and a warning says so."""
    agent(tmp_path, "echo tampered >> traps/toy/README.md\necho 1\n")
    document = measure("--trials", 1)
    assert document["suites"][0]["changed"] is True and "changed" in warning_types(document)


# Streams.


@pytest.mark.slow
def test_json_is_one_document_on_stdout(run: Callable[..., Any], bare_toy: Any, tmp_path: Path) -> None:
    """With --json stdout has one document, of a new, resumed or compared run; notes go to stderr."""
    begun = run("calibrate", "--trials", 1, "--json")
    assert begun.err.startswith("built traps/toy")
    again = run("calibrate", "--resume", 1, "--json")
    assert again.err == "run 1 is complete: nothing is left to run\n"
    agent(tmp_path, VOID_COUNTED)
    assert run("calibrate", "--solution", "sh agent.sh", "--trials", 1, "--json").code == 0
    compared = run("calibrate", "--compare", 1, 2, "--json")
    assert compared.err == ""
    for done in (begun, again, compared):
        assert done.code == 0 and isinstance(json.loads(done.out), dict)


@pytest.mark.slow
def test_a_secret_seed_is_in_no_report(
    measure: Any, run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """Reports, which may be shared, do not show how to build a secret suite; a practice seed is shown."""
    document = measure("--trials", 1)
    shown = run("inspect", "run", 1, "--json")
    for text in (json.dumps(document), shown.out, run("inspect", "run", 1).out):
        assert SECRET not in text
    with open_runs(tmp_path) as kept:
        assert kept.run(1).plan.suites[0].recipe.seed == SECRET
    run("build", "toy", "--force")
    assert measure("--trials", 1)["plan"]["suites"][0]["recipe"]["seed"] == "1"


def show_on_terminal(directory: Any, words: Any, families: Any, **changes: Any) -> Any:
    """Return what a terminal shows of the program, which runs in the directory."""
    path = os.pathsep.join(map(str, (families, *MODULES)))
    hidden = ("NO_COLOR", "FORCE_COLOR")
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"PYTHONPATH": path, "TERM": "xterm-256color", "COLUMNS": "150", **changes}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "trapcli", *words]
    with subprocess.Popen(command, cwd=directory, env=env, stdout=theirs, stderr=theirs) as started:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how Linux says that the other end was closed
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
    assert started.returncode == 0, shown
    return shown.decode()


@pytest.mark.slow
def test_a_terminal_shows_a_bar(declared: Path, tmp_path: Path) -> None:
    """A terminal shows a bar with trials done, running and failed and the rate; NO_COLOR is honoured."""
    agent(tmp_path)
    words = ["calibrate", "toy", "--solution", "sh agent.sh", "--trials", "3"]
    colour = re.compile(r"\x1b\[[0-9;]*(3|4|9|10)[0-8][;m]")
    first = show_on_terminal(tmp_path, words, declared)
    assert colour.search(first)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", first)
    assert "building toy" in plain
    assert re.search(r"trials \S+ +\d+/12 \d running, 0 failed, rate 1\.00 +\S+ left", plain)
    second = show_on_terminal(tmp_path, words, declared, NO_COLOR="1")
    assert "/12" in second and not colour.search(second)
    check = show_on_terminal(tmp_path, ["calibrate", "toy", "--trials", "1"], declared, NO_COLOR="1")
    assert re.search("self-check .*run 3: 4 trials of builtin:solve.*trials .*running", check, re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "code", "runs"), [(">&-", 2, []), ("2>&-", 0, [1]), ("<&-", 0, [1]), ("<&- 2>&-", 0, [1])]
)
def test_closed_streams(declared: Path, tmp_path: Path, end: str, code: int, runs: Any) -> None:
    """If stdout is closed no trial runs; stdin and stderr are not needed."""
    agent(tmp_path)
    words = f"calibrate toy --solution 'sh agent.sh' --trials 1 {end}"
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m trapcli {words}'],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (declared, *MODULES)))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert run_numbers(tmp_path) == runs


@pytest.mark.slow
def test_a_closed_pipe_loses_no_trial(declared: Path, tmp_path: Path) -> None:
    """`trapcli calibrate ... | head -0` ends as any program does then, and the run is complete."""
    agent(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    path = os.pathsep.join(map(str, (declared, *MODULES)))
    command = [
        sys.executable,
        "-m",
        "trapcli",
        "calibrate",
        "toy",
        "--solution",
        "sh agent.sh",
        "--trials",
        "1",
    ]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, b"Traceback" in done.stderr) == (141, False)
    with open_runs(tmp_path) as kept:
        assert kept.run(1).ended and kept.count_by_status(1) == {"passed": 4}


@pytest.mark.slow
def test_records_do_not_depend_on_the_environment(declared: Path, tmp_path: Path) -> None:
    """Hash seed, locale and time zone change no record and no verdict, apart from times."""
    agent(
        tmp_path, INPUTS + 'case $(cat "$inputs"/data/lines.csv | wc -c) in *[02468]) ' + RIGHT + ";; esac\n"
    )
    assert program(tmp_path, "build", "toy", families=declared).returncode == 0
    seen = []
    for number, changes in enumerate(
        [
            {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
            {"PYTHONHASHSEED": "1", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
        ],
        1,
    ):
        words = ("calibrate", "--suite", "traps/toy", "--solution", "sh agent.sh", "--trials", 2)
        assert program(tmp_path, *words, families=declared, **changes).returncode == 0
        with open_runs(tmp_path) as kept:
            plan = kept.run(number).plan
            trials = [
                (trial.case, trial.number, trial.status, trial.verdict, trial.stdout.digest)
                for trial in kept.trials(number)
            ]
        seen.append((replace(plan, configuration=Configuration()), trials))
        files = plan.configuration.files
        assert [*files] == ["agent.sh"] and {"LC_ALL", "TZ"} <= plan.configuration.environment.keys()
    assert seen[0] == seen[1] and len(seen[0][1]) == 8


@pytest.mark.slow
def test_cases_are_in_the_order_of_their_ids(measure: Any, toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order in which a file system lists files changes no case, trial or digest."""
    plain = measure()
    scandir, listdir = os.scandir, os.listdir
    monkeypatch.setattr(os, "listdir", lambda *place: sorted(listdir(*place), reverse=True))
    monkeypatch.setattr(os, "scandir", lambda *place: ReversedEntries(scandir(*place)))
    other = measure()
    assert other["plan"]["suites"] == plain["plan"]["suites"]
    for document in (plain, other):
        assert [case["case"] for case in document["suites"][0]["cases"]] == [*toy.cases]


class ReversedEntries:
    """The result of os.scandir in reverse order."""

    def __init__(self, entries: Any) -> None:
        with entries:
            self.left = iter(sorted(entries, key=lambda entry: entry.name, reverse=True))

    def __iter__(self) -> Any:
        return self.left

    def __next__(self) -> Any:
        return next(self.left)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: Any) -> None:
        pass


# What a solution can see.

LOOK = INPUTS + (
    'echo "$TRAP_MANIFEST"; ls -aR "$inputs/.."; env; '
    'cat "$inputs"/README.md "$inputs"/task.md "$inputs"/data/*\n'
)


@pytest.mark.slow
def test_a_solution_sees_only_its_inputs(measure: Any, toy: Any, tmp_path: Path) -> None:
    """Around its inputs an agent finds no gold, no suite, no seed, no case id and no name of a trap."""
    agent(tmp_path, LOOK)
    measure("--trials", 1)
    with open_runs(tmp_path) as kept:
        for trial in kept.trials(1):
            shown = kept.output_path(1, trial.stdout).read_text()
            around = shown.replace(str(tmp_path), "HERE")
            assert "lines.csv" in around
            for word in ("expected", "answer.json", "suite.json", "traps", "case_0", SECRET, "void_amount"):
                assert word not in around, word
            variables = re.findall(r"^(\w+)=", shown, re.MULTILINE)
            assert not [name for name in variables if name.startswith("TRAPTASK") or name == "OLDPWD"]


@pytest.mark.slow
def test_a_trial_finds_nothing_of_an_earlier_one(measure: Any, toy: Any, tmp_path: Path) -> None:
    """Each trial has directories of its own, which are removed when it has ended."""
    agent(
        tmp_path,
        INPUTS
        + 'echo "$inputs" >> places\n[ -e "$inputs/left" ] && echo found >> places\n'
        + 'echo x > "$inputs/left"; echo x > "$inputs/../outputs/left"; echo 1\n',
    )
    measure()
    places = (tmp_path / "places").read_text().split()
    assert len(places) == len(set(places)) == 8 and "found" not in places
    assert not [place for place in places if Path(place).exists()]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_an_isolated_solution_finds_no_answers(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """With --isolate a solution works, and finds neither gold nor earlier outputs, unlike without it."""
    (tmp_path / "solution").mkdir()
    look = f"find {tmp_path} -type f ! -path '*/solution/*' 2> /dev/null | sed 's/^/found /' >&2\n"
    (tmp_path / "solution" / "agent.sh").write_text(look + RIGHT)
    (tmp_path / "solution" / "trap.yaml").write_text("cmd: sh agent.sh\n")
    words = ("calibrate", "--solution", "solution", "--trials", 2, "--only", "case_01", "--json")
    open_to_all, isolated = run(*words), run(*words, "--isolate")
    if "bubblewrap does not work here" in isolated.err:
        pytest.skip("bubblewrap may not be used here")
    for done in (open_to_all, isolated):
        assert json.loads(done.out)["suites"][0]["rate"] == 1.0, done.err
    with open_runs(tmp_path) as kept:
        first, second = (
            b"".join(kept.output_path(number, trial.stderr).read_bytes() for trial in kept.trials(number)
                     if trial.stderr.file)
            for number in (1, 2)
        )  # fmt: skip
    assert b"expected/case_01/answer.json" in first and b".trapcli/outputs/" in first
    assert second == b""


# Two runs.


@pytest.mark.slow
def test_two_runs_are_compared_case_by_case(
    measure: Any, run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """--compare A B shows both runs of the same cases and the difference; A comes first."""
    measure()
    agent(tmp_path, VOID_COUNTED, "other.sh")
    assert run("calibrate", "--solution", "sh other.sh", "--trials", 2).code == 0
    done = run("calibrate", "--compare", 1, 2)
    assert done.code == 0 and "Run 2 (B) against run 1 (A)" in done.out
    one, other = (
        json.loads(run("calibrate", "--compare", *pair, "--json").out)["suites"][0]["result"]
        for pair in ((1, 2), (2, 1))
    )
    assert (one["difference"], other["difference"]) == (-1.0, 1.0)


@pytest.mark.slow
def test_what_cannot_be_compared(measure: Any, run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A run with itself, one number, runs without a common case, and no runs at all are errors."""

    def refused(*words: Any) -> Any:
        done = run("calibrate", "--compare", *words)
        assert (done.code, done.out) == (2, "") and "Traceback" not in done.err
        return done.err

    assert "there are no runs here" in refused(1, 2)
    measure("--trials", 1, "--only", "case_01")
    measure("--trials", 1, "--only", "case_02")
    run("build", "toy", "--seed", "2", "--force")
    measure("--trials", 1)
    assert "run 1 cannot be compared with itself" in refused(1, 1)
    assert "'--compare' requires 2 arguments" in refused(1)
    assert "runs 1 and 2 share no case" in refused(1, 2)
    assert "runs 1 and 3 share no case" in refused(1, 3)
    assert "has no run 9; it has 1 to 3" in refused(1, 9)
    assert "--compare cannot be combined with --trials." in refused(1, 2, "--trials", 3)
    assert "--compare cannot be combined with FAMILY." in refused(1, 2, "toy")
    assert "--compare cannot be combined with --resume." in refused(1, 2, "--resume=1")
