"""`trapcli calibrate` as a user runs it: what it takes and refuses, and which suites it means."""

import json
import os
import shlex
import shutil
import sqlite3
from pathlib import Path

import pytest
from agents import CASES, VOID_COUNTED, agent, assert_error, kept_here, run_numbers, starts

from trapcli.calibration.plan import digest_now
from trapcli.core import registry
from trapcli.suites.reader import open_suite

# What it takes and refuses.


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "there is no family 'nosuch'; installed: toy"),
        (["toy", "nosuch"], "there is no family 'nosuch'"),
        (["--suite", "nowhere"], "there is no suite at nowhere"),
        (["--suite", "agent.sh"], "agent.sh is no suite"),
        (["--suite", "traps"], "traps is no suite"),
        (["--suite", ""], "is no suite"),
        (["--expected", "nowhere"], "--expected nowhere is no private half"),
        (["--expected", "agent.sh"], "--expected agent.sh is no private half"),
        (["--timeout", "0"], "'--timeout': 0.0 is not in the range"),
        (["--timeout", "-1"], "'--timeout': -1.0 is not in the range"),
        (["--timeout", "nan"], "'--timeout': nan is no number of seconds"),
        (["--timeout", "inf"], "'--timeout': inf is not in the range"),
        (["--timeout", "ten"], "'--timeout': 'ten' is not a valid float"),
        (["--timeout", "1000001"], "'--timeout': 1000001.0 is not in the range"),
        (["--trials", "0"], "'--trials': 0 is not in the range"),
        (["--trials", "10001"], "'--trials': 10001 is not in the range"),
        (["--trials", "1.5"], "'--trials': '1.5' is not a valid integer"),
        (["-j", "0"], "'--jobs': 0 is not in the range"),
        (["-j", "1001"], "'--jobs': 1001 is not in the range"),
        (
            ["--only", "case_99"],
            "--only case_99: no suite of this run has that case: toy has case_01 to case_04",
        ),
        (["--only", "case_01", "--only", "nonsense"], "--only nonsense: no suite of this run"),
        (["--only", ""], "--only : no suite of this run"),
        (["--env", "HOME"], "--env goes with --isolate"),
        (["--isolate", "--env", "NOT_SET_HERE"], "--env NOT_SET_HERE: it is not set here"),
        (["--isolate", "--env", "A=B"], "--env A=B: give the name of a variable"),
        (["--trails", "3"], "No such option '--trails'"),
    ],
)
def test_ugly_options_are_refused_and_no_run_begins(calibrate, toy, tmp_path, words, said):
    """Each option that cannot be is named, with what is wrong, before a trial runs."""
    assert_error(calibrate(*words), said)
    assert starts(tmp_path) == 0
    assert run_numbers(tmp_path) == []


@pytest.mark.parametrize(
    ("given", "said"),
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
        ("empty.yaml", "empty.yaml is empty; it needs at least cmd"),
        ("builtin:nope", "there is no such solution. There are builtin:solve"),
        ("builtin:flaky:2", "there is no such solution"),
        ("builtin:slip:nope", "no family of this run has a mechanism of that name: toy has void_counted"),
        ("git+https://host/agent", "clone it"),
    ],
)
def test_ugly_solutions_are_refused_and_no_run_begins(run, toy, tmp_path, given, said):
    """A solution that is missing, empty or no program is an error, and never the reference solver."""
    (tmp_path / "notes.txt").write_text("no program")
    (tmp_path / "empty.yaml").touch()
    assert_error(run("calibrate", "--solution", given), said)
    assert run_numbers(tmp_path) == []


def test_a_command_that_cannot_start_stops_the_run_without_rates(run, toy, tmp_path):
    """A shell that finds no such command is one error, and nothing that looks like a result is printed."""
    assert_error(run("calibrate", "--solution", "sh -c nosuchagent", "--trials", 2), "cannot be started")
    with kept_here(tmp_path) as kept:
        assert list(kept.trials(1)) == []


def test_a_long_word_in_the_command_is_no_file(run, toy):
    """A program given on the command line may be longer than a file name."""
    done = run(
        "calibrate", "--solution", f"sh -c '{'true; ' * 500} echo 1'", "--trials", 1, "--only", "case_01"
    )
    assert done.code == 0, done.err


def test_a_run_is_told_and_kept(calibrate, toy, tmp_path):
    """Rates go to stdout and notes to stderr; each trial of each case is kept with what it printed."""
    done = calibrate("--trials", 3, "-j", 2)
    assert done.code == 0, done.err
    assert done.err == "run 1: 12 trials of sh agent.sh on traps/toy\n"
    assert "case_04" in done.out and "3/3" in done.out and "\x1b" not in done.out
    assert starts(tmp_path) == 12
    with kept_here(tmp_path) as kept:
        assert kept.done(1) == {(0, case, number) for case in CASES for number in (1, 2, 3)}
        for trial in kept.trials(1):
            assert kept.output(1, trial.stdout).read_bytes().startswith(b"The sum is ")
    assert (tmp_path / ".trapcli" / ".gitignore").read_text() == "*\n"


def test_wrong_answers_are_a_result_and_no_failure_of_the_command(calibrate, toy, tmp_path):
    """An agent that is always wrong is measured, which is done: exit 0, and the mistake is named."""
    agent(tmp_path, VOID_COUNTED)
    done = calibrate("--trials", 2, "--json")
    assert (done.code, json.loads(done.out)["suites"][0]["rate"]) == (0, 0.0)
    assert json.loads(done.out)["suites"][0]["slips"] == {"void_counted": 8}


def test_only_some_cases(calibrate, toy, tmp_path):
    """--only runs the cases named, each once however often it was named."""
    done = calibrate("--trials", 2, "--only", "case_03", "--only", "case_01", "--only", "case_03", "--json")
    suite = json.loads(done.out)["suites"][0]
    assert [case["case"] for case in suite["cases"]] == ["case_01", "case_03"]
    assert starts(tmp_path) == 4


def test_the_limit_comes_from_the_option_then_trap_yaml_then_ten_minutes(run, calibrate, toy, tmp_path):
    """--timeout wins over trap.yaml's timeout, which wins over 600 seconds."""
    (tmp_path / "trap.yaml").write_text("cmd: sh agent.sh\ntimeout: 33\n")
    few = ("--trials", 1, "--only", "case_01")
    assert run("calibrate", "--solution", ".", "--timeout", "44", *few).code == 0
    assert run("calibrate", "--solution", ".", *few).code == 0
    assert calibrate(*few).code == 0
    with kept_here(tmp_path) as kept:
        assert [stored.plan.limit for stored in kept.runs()] == [44.0, 33.0, 600.0]


def test_without_a_solution_a_trap_yaml_here_is_not_used_and_that_is_said(run, toy, tmp_path):
    """A solution that stands here is measured only if it is named."""
    (tmp_path / "trap.yaml").write_text("cmd: sh agent.sh\n")
    done = run("calibrate", "--trials", 1)
    assert "./trap.yaml is not used; --solution . measures it." in done.err
    assert (done.code, starts(tmp_path)) == (0, 0)


def test_help_needs_no_store_and_no_engine(run, tmp_path):
    """--help works anywhere, leaves nothing behind, and shows the exit codes."""
    done = run("calibrate", "--help")
    assert (done.code, done.err, os.listdir(tmp_path)) == (0, "", [])
    assert "130:" in done.out


def garbage(place):
    place.mkdir()
    (place / "runs.db").write_bytes(b"no pages" * 1000)


def other_program(place):
    place.mkdir()
    database = sqlite3.connect(place / "runs.db")
    database.execute("CREATE TABLE bookmarks (url)")
    database.close()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.touch, ".trapcli is no directory; runs are kept there. Move it away"),
        (lambda place: (place / "runs.db").mkdir(parents=True), "runs.db is a directory"),
        (garbage, "It is damaged. Move the directory away"),
        (other_program, "is no database of runs, but of another program"),
    ],
)
def test_a_place_that_cannot_keep_runs(run, calibrate, toy, tmp_path, make, said):
    """What stands where runs are kept is never overwritten; every command that needs runs says so."""
    make(tmp_path / ".trapcli")
    assert_error(calibrate("--trials", 1), said)
    for words in ("calibrate --resume", "calibrate --compare 1 2", "judge --run 1", "inspect run"):
        done = run(*words.split())
        assert (done.code, done.out) == (2, "") and "Error: " in done.err
    assert starts(tmp_path) == 0
    assert run("inspect").code == 0


# Which suites.


def test_the_suite_we_stand_in_is_used_and_stays_as_it_is(run, toy, tmp_path, monkeypatch):
    """Inside a suite it is the one that runs; runs are kept beside traps/, where others find them too."""
    before = digest_now(toy.directory, toy.expected)
    monkeypatch.chdir(toy.directory)
    done = run("calibrate", "--solution", "sh -c 'echo 1'", "--trials", 1)
    assert done.code == 0 and "changed" not in done.out, done.out
    assert sorted(os.listdir(toy.directory)) == [
        "README.md", "expected", "expected.sha256", "inputs", "traptask.yaml",
    ]  # fmt: skip
    assert digest_now(toy.directory, toy.expected) == before
    with kept_here(tmp_path) as kept:
        assert kept.numbers() == [1]


def test_runs_made_inside_a_suite_are_found_from_there(run, toy, tmp_path, monkeypatch):
    """All that shows, judges or goes on with runs finds them from inside the suite and from above."""
    monkeypatch.chdir(toy.directory / "inputs")
    assert run("calibrate", "--solution", "sh -c 'echo 1'", "--trials", 1).code == 0
    for place in (toy.directory / "inputs", toy.directory, tmp_path):
        monkeypatch.chdir(place)
        assert run("inspect", "run", "1").code == 0
        assert run("judge", "--run", "1").code == 0
        assert "run 1 is complete" in run("calibrate", "--resume", "1").err


def test_several_suites_of_a_family_are_told_apart_by_commands_that_work(calibrate, toy, tmp_path):
    """Where a family has several suites the error lists a command for each, which then runs it."""
    shutil.copytree(toy.directory, tmp_path / "traps" / "copy")
    done = calibrate("toy", "--trials", 1)
    assert_error(done, "several suites fit")
    commands = [shlex.split(line) for line in done.err.splitlines() if line.startswith("  trapcli")]
    assert len(commands) == 2
    for number, command in enumerate(commands, 1):
        assert command[:2] == ["trapcli", "calibrate"]
        again = calibrate(*[word for word in command[2:] if word not in ("--solution", "sh agent.sh")])
        assert again.code == 0, again.err
        with kept_here(tmp_path) as kept:
            assert kept.run(number).plan.suites[0].directory.name == ["copy", "toy"][number - 1]


def test_without_a_family_all_suites_are_run_also_several_of_one(calibrate, toy, tmp_path):
    """All that stands in traps/ is run, each suite apart."""
    shutil.copytree(toy.directory, tmp_path / "traps" / "copy")
    done = calibrate("--trials", 1, "--json")
    suites = json.loads(done.out)["suites"]
    assert [Path(suite["directory"]).name for suite in suites] == ["copy", "toy"]
    assert starts(tmp_path) == 8


def test_suites_can_be_named_by_their_directories(calibrate, toy, tmp_path):
    """--suite may be given again, with the family or without; the same one counts once."""
    shutil.copytree(toy.directory, tmp_path / "elsewhere")
    both = ("--suite", "elsewhere", "--suite", "traps/toy", "--suite", "traps/../elsewhere")
    for words in (both, (*both, "toy")):
        done = calibrate(*words, "--trials", 1, "--json", "--only", "case_01")
        suites = json.loads(done.out)["suites"]
        assert [Path(suite["directory"]).name for suite in suites] == ["elsewhere", "toy"]


def test_a_suite_that_is_not_of_the_family_named_is_refused(calibrate, toy, monkeypatch):
    """A directory and a family that do not go together are an error that says of which family it is."""
    monkeypatch.setattr(
        registry, "_declared", lambda: {"toy": "toy_family:TOY", "billing": "families.billing:FAMILY"}
    )
    assert_error(calibrate("billing", "--suite", "traps/toy"), "traps/toy is a suite of toy, which is not")


def test_a_damaged_suite_stops_what_means_it_and_nothing_else(calibrate, toy, tmp_path, monkeypatch):
    """A damaged suite beside the one that is named is nobody's business; where all are meant it is named."""
    shutil.copytree(toy.directory, tmp_path / "traps" / "broken")
    (tmp_path / "traps" / "broken" / "traptask.yaml").unlink()
    assert calibrate("toy", "--trials", 1, "--only", "case_01").code == 0
    assert calibrate("--suite", "traps/toy", "toy", "--trials", 1, "--only", "case_01").code == 0
    assert_error(calibrate("--trials", 1), "traps/broken/traptask.yaml is missing")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("expected/suite.json", "expected/suite.json is not the file"),
        ("expected/case_02/answer.json", "expected/case_02/answer.json is not the file"),
        ("inputs/case_02/task.md", "inputs/case_02/task.md was changed or damaged"),
    ],
)
def test_a_suite_that_was_tampered_with_gives_no_rate(run, calibrate, toy, tmp_path, path, said):
    """Where a file of a suite is not what it commits to, the instrument check refuses it by name."""
    with open(toy.directory / path, "a") as file:
        file.write("\n")
    assert_error(run("calibrate", "--trials", 1), said)


def test_traps_that_is_a_file(calibrate, toy, tmp_path):
    """A file where suites would be built is named, and stays."""
    shutil.rmtree(tmp_path / "traps")
    (tmp_path / "traps").write_text("mine")
    for words in ([], ["toy"]):
        assert_error(calibrate("--trials", 1, *words), f"{tmp_path / 'traps'} is a file, no directory")
    assert (tmp_path / "traps").read_text() == "mine"


def test_a_directory_in_the_way_of_a_suite_is_not_replaced(calibrate, toy, tmp_path):
    """What is no suite is never built over."""
    shutil.rmtree(tmp_path / "traps")
    (tmp_path / "traps" / "toy").mkdir(parents=True)
    (tmp_path / "traps" / "toy" / "mine").touch()
    assert_error(calibrate("--trials", 1), "traps/toy")
    assert os.listdir(tmp_path / "traps" / "toy") == ["mine"]


def test_nothing_to_run_is_an_error(calibrate, toy, tmp_path, monkeypatch):
    """Without families and suites there is no run of no trials that would look sound."""
    shutil.rmtree(tmp_path / "traps")
    monkeypatch.setattr(registry, "_declared", dict)
    assert_error(calibrate(), "there is nothing to run: no family is installed")


def test_what_is_missing_is_built_and_what_is_there_is_used(run, toy, tmp_path, monkeypatch):
    """Of a family that has no suite the practice suite is built, and the note says so; another is left."""
    (tmp_path / "second.py").write_text(
        "from toy_family import Toy\n\nclass Second(Toy):\n    name = 'second'\n\nFAMILY = Second()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_declared", lambda: {"toy": "toy_family:TOY", "second": "second:FAMILY"})
    before = digest_now(toy.directory, toy.expected)
    assert_error(run("calibrate", "second", "--expected", "x"), "there is no suite of second in traps, whose")
    done = run("calibrate", "--trials", 1, "--only", "case_99")
    assert_error(done, "built traps/second: 4 cases, for practice\n", "--only case_99")
    assert digest_now(toy.directory, toy.expected) == before
    assert open_suite(tmp_path / "traps" / "second").seed == "1"


def test_a_private_half_that_stands_elsewhere(run, calibrate, toy, tmp_path):
    """--expected names the private half, or the directory that has it under the family's name."""
    (tmp_path / "private").mkdir()
    shutil.move(toy.expected, tmp_path / "private" / "toy")
    assert_error(calibrate("--trials", 1), "If it was built with --expected DIR, give that")
    for number, place in enumerate(("private", "private/toy"), 1):
        done = calibrate("--trials", 1, "--only", "case_01", "--expected", place)
        assert done.code == 0, done.err
        assert run("calibrate", "--resume", number).code == 0
    assert_error(calibrate("--expected", "traps/toy"), "--expected traps/toy is no private half")
