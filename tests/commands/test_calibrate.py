"""`trapcli calibrate` as a user runs it: its options, and the suites that it runs on."""

import json
import os
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import CASES, VOID_COUNTED, agent, assert_error, open_runs, run_numbers, starts

from trapcli.core import registry
from trapcli.suites.reader import open_suite

# Options.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["nosuch"], "there is no family 'nosuch'; installed: toy"),
        (["toy", "nosuch"], "there is no family 'nosuch'"),
        (["--suite", "nowhere"], "there is no suite at nowhere"),
        (["--suite", "agent.sh"], "agent.sh is not a complete suite"),
        (["--suite", "traps"], "traps is not a complete suite"),
        (["--suite", ""], "'--suite': it is empty;"),
        (["--expected", "nowhere"], "--expected nowhere is not the private half"),
        (["--expected", "agent.sh"], "--expected agent.sh is not the private half"),
        (["--timeout", "0"], "'--timeout': 0.0 is not in the range"),
        (["--timeout", "-1"], "'--timeout': -1.0 is not in the range"),
        (["--timeout", "nan"], "'--timeout': nan is not a number of seconds"),
        (["--timeout", "inf"], "'--timeout': inf is not in the range"),
        (["--timeout", "ten"], "'--timeout': 'ten' is not a valid float"),
        (["--timeout", "1000001"], "'--timeout': 1000001.0 is not in the range"),
        (["--trials", "0"], "'--trials': 0 is not in the range"),
        (["--trials", "10001"], "'--trials': 10001 is not in the range"),
        (["--trials", "1.5"], "'--trials': '1.5' is not a whole number"),
        (["-j", "0"], "'--jobs': 0 is not in the range"),
        (["-j", "1001"], "'--jobs': 1001 is not in the range"),
        (
            ["--only", "case_99"],
            "--only case_99: no suite of this run has that case: toy has case_01 to case_04",
        ),
        (["--only", "case_01", "--only", "nonsense"], "--only nonsense: no suite of this run"),
        (["--only", ""], "--only : no suite of this run"),
        (["--no-network"], "--no-network is only for --isolate"),
        (["--env", "HOME"], "--env HOME: trapcli sets or removes this variable"),
        (["--isolate", "--env", "NOT_SET_HERE"], "--env NOT_SET_HERE: this variable is not set"),
        (["--isolate", "--env", "A=B"], "--env A=B: give only a variable's name"),
        (["--trails", "3"], "No such option '--trails'"),
    ],
)
def test_wrong_options_are_refused(
    calibrate: Callable[..., Any], toy: Any, tmp_path: Path, words: Any, error: str
) -> None:
    """An option that makes no sense is named, with what is wrong, and no run begins."""
    assert_error(calibrate(*words), error)
    assert starts(tmp_path) == 0
    assert run_numbers(tmp_path) == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("", "--solution: '' names no program"),
        ("  ", "names no program"),
        ("'unclosed", "cannot be split into words"),
        ("no-such-program", "there is no program 'no-such-program' on PATH"),
        ("./missing.sh", "there is no program"),
        ("./notes.txt", "notes.txt is not executable. Name what runs it"),
        ("missing/", "there is no such directory"),
        ("missing.yaml", "there is no such file"),
        ("traps", "trap.yaml is missing"),
        ("empty.yaml", "empty.yaml is empty; it needs at least"),
        ("builtin:nope", "there is no such solution. There are builtin:solve"),
        ("builtin:flaky:2", "there is no such solution"),
        ("builtin:mistake:nope", "no family of this run has a mistake of that name: toy has void_counted"),
        ("git+https://host/agent", "clone it"),
    ],
)
def test_wrong_solutions_are_refused(
    run: Callable[..., Any], toy: Any, tmp_path: Path, given: str, error: str
) -> None:
    """A solution that is missing, empty or not a program is an error, and no run begins."""
    (tmp_path / "notes.txt").write_text("no program")
    (tmp_path / "empty.yaml").touch()
    assert_error(run("calibrate", "--solution", given), error)
    assert run_numbers(tmp_path) == []


def test_a_command_that_cannot_start_stops_the_run(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """If a shell finds no such command, that is an error without a result; the trial is kept."""
    assert_error(run("calibrate", "--solution", "sh -c nosuchagent", "--trials", 2), "cannot be started")
    with open_runs(tmp_path) as kept:
        assert [(one.status, one.exit_code) for one in kept.trials(1)] == [("crashed", 127)]


@pytest.mark.slow
def test_a_long_word_in_the_command(run: Callable[..., Any], toy: Any) -> None:
    """A word of the command may be longer than the name of a file."""
    done = run(
        "calibrate", "--solution", f"sh -c '{'true; ' * 500} echo 1'", "--trials", 1, "--only", "case_01"
    )
    assert done.code == 0, done.err


@pytest.mark.slow
def test_a_run_is_reported_and_stored(calibrate: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Rates go to stdout and notes to stderr; each trial of each case is stored with what it printed."""
    done = calibrate("--trials", 3, "-j", 2)
    assert done.code == 0, done.err
    assert done.err == "run 1: 12 trials of sh agent.sh on traps/toy\n"
    assert "case_04" in done.out and "3/3" in done.out and "\x1b" not in done.out
    assert starts(tmp_path) == 12
    with open_runs(tmp_path) as kept:
        assert kept.trial_keys(1) == {(0, case, number) for case in CASES for number in (1, 2, 3)}
        for trial in kept.trials(1):
            assert kept.output_path(1, trial.stdout).read_bytes().startswith(b"The sum is ")
    assert (tmp_path / ".trapcli" / ".gitignore").read_text() == "*\n"


@pytest.mark.slow
def test_wrong_answers_are_a_result(calibrate: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """An agent that is always wrong is measured: exit code 0, and the mistake is named."""
    agent(tmp_path, VOID_COUNTED)
    done = calibrate("--trials", 2, "--json")
    assert (done.code, json.loads(done.out)["suites"][0]["rate"]) == (0, 0.0)
    assert json.loads(done.out)["suites"][0]["mistakes"] == {"void_counted": 8}


@pytest.mark.slow
def test_only_some_cases(calibrate: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """--only runs the cases named, each once, however often it is named."""
    done = calibrate("--trials", 2, "--only", "case_03", "--only", "case_01", "--only", "case_03", "--json")
    suite = json.loads(done.out)["suites"][0]
    assert [case["case"] for case in suite["cases"]] == ["case_01", "case_03"]
    assert starts(tmp_path) == 4


@pytest.mark.slow
def test_the_time_limit(
    run: Callable[..., Any], calibrate: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """--timeout wins over the timeout in trap.yaml, which wins over 600 seconds."""
    (tmp_path / "trap.yaml").write_text("cmd: sh agent.sh\ntimeout: 33\n")
    few = ("--trials", 1, "--only", "case_01")
    assert run("calibrate", "--solution", ".", "--timeout", "44", *few).code == 0
    assert run("calibrate", "--solution", ".", *few).code == 0
    assert calibrate(*few).code == 0
    with open_runs(tmp_path) as kept:
        assert [stored.plan.limit for stored in kept.runs()] == [44.0, 33.0, 600.0]


@pytest.mark.slow
def test_a_trap_yaml_that_is_not_named_is_not_used(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Without --solution a trap.yaml in the current directory is not measured, and a note says so."""
    (tmp_path / "trap.yaml").write_text("cmd: sh agent.sh\n")
    done = run("calibrate", "--trials", 1)
    assert "./trap.yaml is not used; --solution . measures it." in done.err
    assert (done.code, starts(tmp_path)) == (0, 0)


def test_help_needs_no_store(run: Callable[..., Any], tmp_path: Path) -> None:
    """--help works anywhere, creates nothing, and shows the exit codes."""
    done = run("calibrate", "--help")
    assert (done.code, done.err, os.listdir(tmp_path)) == (0, "", [])
    assert "130:" in done.out


def garbage(place: Any) -> None:
    place.mkdir()
    (place / "runs.db").write_bytes(b"no pages" * 1000)


def other_program(place: Any) -> None:
    place.mkdir()
    database = sqlite3.connect(place / "runs.db")
    database.execute("CREATE TABLE bookmarks (url)")
    database.close()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (Path.touch, ".trapcli is not a directory, but runs are stored there. Move it away"),
        (lambda place: (place / "runs.db").mkdir(parents=True), "runs.db is a directory"),
        (garbage, "runs.db is damaged: SQLite cannot read it. Move the directory away"),
        (other_program, "is not a database of runs; another program wrote it"),
    ],
)
def test_a_directory_that_cannot_store_runs(
    run: Callable[..., Any], calibrate: Callable[..., Any], toy: Any, tmp_path: Path, make: Any, error: str
) -> None:
    """What is in the place of the store is never overwritten, and every command that needs runs names it."""
    make(tmp_path / ".trapcli")
    assert_error(calibrate("--trials", 1), error)
    for words in ("calibrate --resume", "calibrate --compare 1 2", "judge --run 1", "inspect run"):
        done = run(*words.split())
        assert (done.code, done.out) == (2, "") and "Error: " in done.err
    assert starts(tmp_path) == 0
    assert run("inspect").code == 0


# Suites.


@pytest.mark.slow
def test_the_suite_around_the_current_directory_is_used(
    run: Callable[..., Any], toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a suite, that suite is run and not changed; runs are stored beside traps/."""
    before = toy.halves.digest()
    monkeypatch.chdir(toy.directory)
    done = run("calibrate", "--solution", "sh -c 'echo 1'", "--trials", 1)
    assert done.code == 0 and "changed" not in done.out, done.out
    assert sorted(os.listdir(toy.directory)) == [
        "README.md", "expected", "expected.sha256", "inputs", "traptask.yaml",
    ]  # fmt: skip
    assert toy.halves.digest() == before
    with open_runs(tmp_path) as kept:
        assert kept.run_numbers() == [1]


@pytest.mark.slow
def test_runs_started_inside_a_suite_are_found_from_there(
    run: Callable[..., Any], toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command that uses runs finds them from inside the suite and from above."""
    monkeypatch.chdir(toy.directory / "inputs")
    assert run("calibrate", "--solution", "sh -c 'echo 1'", "--trials", 1).code == 0
    for place in (toy.directory / "inputs", toy.directory, tmp_path):
        monkeypatch.chdir(place)
        assert run("inspect", "run", "1").code == 0
        assert run("judge", "--run", "1").code == 0
        assert "run 1 is complete" in run("calibrate", "--resume", "1").err


@pytest.mark.slow
def test_several_suites_of_a_family_are_an_error_with_commands(
    calibrate: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """The error lists a command for each suite of the family, and each command works."""
    shutil.copytree(toy.directory, tmp_path / "traps" / "copy")
    done = calibrate("toy", "--trials", 1)
    assert_error(done, "several suites fit")
    commands = [shlex.split(line) for line in done.err.splitlines() if line.startswith("  trapcli")]
    assert len(commands) == 2
    for number, command in enumerate(commands, 1):
        assert command[:2] == ["trapcli", "calibrate"]
        again = calibrate(*[word for word in command[2:] if word not in ("--solution", "sh agent.sh")])
        assert again.code == 0, again.err
        with open_runs(tmp_path) as kept:
            assert kept.run(number).plan.suites[0].directory.name == ["copy", "toy"][number - 1]


@pytest.mark.slow
def test_without_a_family_all_suites_are_run(calibrate: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Every suite in traps/ is run, also several of one family."""
    shutil.copytree(toy.directory, tmp_path / "traps" / "copy")
    done = calibrate("--trials", 1, "--json")
    suites = json.loads(done.out)["suites"]
    assert [Path(suite["directory"]).name for suite in suites] == ["copy", "toy"]
    assert starts(tmp_path) == 8


@pytest.mark.slow
def test_suites_can_be_named_by_their_directories(
    calibrate: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """--suite may be repeated, with a family or without; the same suite counts once."""
    shutil.copytree(toy.directory, tmp_path / "elsewhere")
    both = ("--suite", "elsewhere", "--suite", "traps/toy", "--suite", "traps/../elsewhere")
    for words in (both, (*both, "toy")):
        done = calibrate(*words, "--trials", 1, "--json", "--only", "case_01")
        suites = json.loads(done.out)["suites"]
        assert [Path(suite["directory"]).name for suite in suites] == ["elsewhere", "toy"]


def test_a_suite_of_another_family_is_refused(
    calibrate: Callable[..., Any], toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a directory is not a suite of the family named, the error says which family it is of."""
    monkeypatch.setattr(
        registry, "_declared", lambda: {"toy": "toy_family:TOY", "billing": "families.billing:FAMILY"}
    )
    assert_error(calibrate("billing", "--suite", "traps/toy"), "traps/toy is a suite of toy, which is not")


@pytest.mark.slow
def test_a_damaged_suite_stops_only_runs_that_use_it(
    calibrate: Callable[..., Any], toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged suite does not disturb a run of another one; it is named if all suites are run."""
    shutil.copytree(toy.directory, tmp_path / "traps" / "broken")
    (tmp_path / "traps" / "broken" / "traptask.yaml").unlink()
    assert calibrate("toy", "--trials", 1, "--only", "case_01").code == 0
    assert calibrate("--suite", "traps/toy", "toy", "--trials", 1, "--only", "case_01").code == 0
    assert_error(calibrate("--trials", 1), "traps/broken/traptask.yaml is missing")


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("expected/suite.json", "expected/suite.json is not the file"),
        ("expected/case_02/answer.json", "expected/case_02/answer.json is not the file"),
        ("inputs/case_02/task.md", "inputs/case_02/task.md was changed or damaged"),
    ],
)
def test_a_suite_that_was_changed_gives_no_rate(
    run: Callable[..., Any], calibrate: Callable[..., Any], toy: Any, tmp_path: Path, path: str, error: str
) -> None:
    """The self-check names a file that is not the one the suite commits to."""
    with open(toy.directory / path, "a") as file:
        file.write("\n")
    assert_error(run("calibrate", "--trials", 1), error)


def test_a_file_in_place_of_traps(calibrate: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A file where suites would be built is named, and stays."""
    shutil.rmtree(tmp_path / "traps")
    (tmp_path / "traps").write_text("mine")
    for words in ([], ["toy"]):
        assert_error(calibrate("--trials", 1, *words), f"{tmp_path / 'traps'} is a file, not a directory")
    assert (tmp_path / "traps").read_text() == "mine"


def test_a_directory_in_place_of_a_suite_is_not_replaced(
    calibrate: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """A directory that is not a suite is never built over."""
    shutil.rmtree(tmp_path / "traps")
    (tmp_path / "traps" / "toy").mkdir(parents=True)
    (tmp_path / "traps" / "toy" / "mine").touch()
    assert_error(calibrate("--trials", 1), "traps/toy")
    assert os.listdir(tmp_path / "traps" / "toy") == ["mine"]


def test_nothing_to_run_is_an_error(
    calibrate: Callable[..., Any], toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without families and suites there is no run, which would look sound."""
    shutil.rmtree(tmp_path / "traps")
    monkeypatch.setattr(registry, "_declared", dict)
    assert_error(calibrate(), "there is nothing to run: no family is installed")


def test_missing_suites_are_built(
    run: Callable[..., Any], toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A family without a suite gets its practice suite, and a note says so; other suites are not changed."""
    (tmp_path / "second.py").write_text(
        "from toy_family import Toy\n\nclass Second(Toy):\n    name = 'second'\n\nFAMILY = Second()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_declared", lambda: {"toy": "toy_family:TOY", "second": "second:FAMILY"})
    before = toy.halves.digest()
    assert_error(
        run("calibrate", "second", "--expected", "x"), "there is no suite of second in traps, and --expected"
    )
    done = run("calibrate", "--trials", 1, "--only", "case_99")
    assert_error(done, "built traps/second: 4 cases, for practice\n", "--only case_99")
    assert toy.halves.digest() == before
    assert open_suite(tmp_path / "traps" / "second").recipe.seed == "1"


@pytest.mark.slow
def test_a_private_half_elsewhere(
    run: Callable[..., Any], calibrate: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """--expected names the private half, or the directory that has it under the family's name."""
    (tmp_path / "private").mkdir()
    shutil.move(toy.halves.private, tmp_path / "private" / "toy")
    assert_error(calibrate("--trials", 1), "If it was built with --expected DIR, give that")
    for number, place in enumerate(("private", "private/toy"), 1):
        done = calibrate("--trials", 1, "--only", "case_01", "--expected", place)
        assert done.code == 0, done.err
        assert run("calibrate", "--resume", number).code == 0
    assert_error(calibrate("--expected", "traps/toy"), "--expected traps/toy is not the private half")
