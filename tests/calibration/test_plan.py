"""What a run is planned to do, and when a stored one can no longer be done so."""

import json
import os
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest
from factories import run_of, suite_of
from toy_family import TOY, Toy, installed

from trapcli import __version__
from trapcli.building.builder import build_practice, build_suite
from trapcli.calibration import plan
from trapcli.calibration.plan import (
    digest_now,
    files_of,
    host,
    plan_suite,
    prepare,
    refuse_other,
    reopened,
)
from trapcli.calibration.records import Solution
from trapcli.core import registry
from trapcli.core.contract import parse_knobs
from trapcli.core.errors import TrapError
from trapcli.suites.reader import open_suite


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A practice suite of the toy family."""
    installed(monkeypatch)
    return build_practice(TOY, tmp_path / "traps" / "toy", lambda done, total: None)


def command(*argv, cwd=Path("/"), **changes):
    return Solution(" ".join(argv), argv, cwd, **changes)


def planned(suite, **changes):
    """A run of three trials a case on the suite."""
    return run_of(plan_suite(suite), 3, tool=__version__, **changes)


def refusal(call, *words):
    with pytest.raises(TrapError) as caught:
        call(*words)
    return str(caught.value)


def test_a_suite_is_planned_with_all_that_tells_what_it_is(suite, tmp_path, monkeypatch):
    """Family, version, seed, knobs, digest and the real places of both halves are planned."""
    monkeypatch.chdir(tmp_path)
    found = plan_suite(open_suite(Path("traps/toy")))
    assert (found.family, found.version, found.seed, found.practice) == ("toy", "1", "1", True)
    assert found.knobs == {"lines": 6, "largest": 50, "hidden": 3}
    assert found.digest == digest_now(suite.directory, suite.expected)
    assert found.directory == tmp_path / "traps" / "toy"
    assert found.expected == tmp_path / "traps" / "toy" / "expected"
    assert found.cases == ("case_01", "case_02", "case_03", "case_04")
    assert not found.changed


def test_only_some_cases_are_planned_in_their_order(suite):
    """The cases that are asked for are planned, each once, in the suite's order."""
    assert plan_suite(suite, ["case_03", "case_01", "case_03", "case_99"]).cases == ("case_01", "case_03")


def test_the_digest_does_not_depend_on_where_the_private_half_stands(suite, tmp_path):
    """A suite built with its private half elsewhere has the digest that it has in one piece."""
    build_suite(
        TOY, seed="1", knobs=parse_knobs(TOY, {}), count=4, target=tmp_path / "public",
        expected=tmp_path / "private",
    )  # fmt: skip
    apart = open_suite(tmp_path / "public", tmp_path / "private")
    assert plan_suite(apart).digest == plan_suite(suite).digest


@pytest.mark.parametrize("path", ["inputs/case_02/task.md", "expected/case_02/answer.json", "README.md"])
def test_the_digest_covers_every_file_of_both_halves(suite, path):
    """Whichever file is changed by a byte, the digest is another one."""
    before = digest_now(suite.directory, suite.expected)
    with open(suite.directory / path, "a") as file:
        file.write("\n")
    assert digest_now(suite.directory, suite.expected) != before


def test_the_files_that_a_command_names_are_known_by_their_digests(tmp_path):
    """Scripts and data on the command line count, also a program in the solution's directory."""
    for name in ("agent.py", "run.sh", "config.json"):
        (tmp_path / name).write_text(name)
    assert [*files_of(command("./run.sh", "--config", "config.json", cwd=tmp_path))] == [
        "./run.sh",
        "config.json",
    ]
    found = files_of(command("python", "-u", "agent.py", cwd=tmp_path))
    (tmp_path / "agent.py").write_text("changed")
    assert [*found] == ["agent.py"]
    assert files_of(command("python", "-u", "agent.py", cwd=tmp_path)) != found


def test_words_of_a_command_that_are_no_files_of_the_solution(tmp_path, monkeypatch):
    """Programs from PATH, directories, pipes, endless words, huge and missing files are passed over."""
    (tmp_path / "python").write_text("a file that happens to have the program's name")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_bytes(b"x" * 101)
    monkeypatch.setattr(plan, "LARGEST", 100)
    words = ("folder", "pipe", "huge", "missing", "", ".", "x" * 5000, "a\nb", "/dev/zero")
    assert files_of(command("python", *words, cwd=tmp_path)) == {}


def test_a_file_that_cannot_be_read_is_passed_over(tmp_path, monkeypatch):
    """A word that happens to name somebody else's file stops no run."""
    (tmp_path / "secret").write_text("x")

    def deny(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", deny)
    assert files_of(command("python", "secret", cwd=tmp_path)) == {}


def test_the_host_is_described_as_json():
    """System, kind of processor, processors that may be used, and load are stored as plain data."""
    found = host()
    assert [*found] == ["system", "release", "machine", "cpus", "load"]
    assert found["cpus"] >= 1 and json.loads(json.dumps(found)) == found


def test_the_suites_of_a_stored_run_are_opened(suite):
    """A suite that is as it was is opened from where it was, whichever way its halves stand."""
    [found] = reopened(planned(suite))
    assert found == suite


def test_a_private_half_that_stands_elsewhere_is_found_again(suite, tmp_path):
    """A run on a suite in two places opens both."""
    shutil.move(suite.expected, tmp_path / "private")
    apart = open_suite(suite.directory, tmp_path / "private")
    assert reopened(planned(apart))[0].expected == tmp_path / "private"


@pytest.mark.parametrize("path", ["inputs/case_02/task.md", "traptask.yaml", "README.md"])
def test_a_suite_that_was_changed_is_refused(suite, path):
    """Resuming or judging again on a suite of which any file changed is refused, naming the suite."""
    run = planned(suite)
    with open(suite.directory / path, "a") as file:
        file.write("\n")
    said = refusal(reopened, run)
    assert f"{suite.directory} is not the suite that run 1 is on" in said


def test_a_private_half_that_was_changed_is_refused(suite):
    """A changed record or answer is refused, naming the file or the suite."""
    run = planned(suite)
    for path in ("suite.json", "case_01/answer.json"):
        whole = (suite.expected / path).read_text()
        (suite.expected / path).write_text(whole + "\n")
        assert str(suite.directory) in refusal(reopened, run)
        (suite.expected / path).write_text(whole)
    assert reopened(run)


def test_a_suite_that_was_built_anew_is_refused(suite):
    """Another seed gives other cases, so it is another suite, though it stands in the same place."""
    run = planned(suite)
    build_suite(
        TOY, seed="2", knobs=parse_knobs(TOY, {}), count=4, target=suite.directory, force=True
    )  # fmt: skip
    assert "changed or built anew" in refusal(reopened, run)
    build_suite(TOY, seed="1", knobs=parse_knobs(TOY, {}), count=4, target=suite.directory, force=True)
    assert reopened(run)


def test_a_suite_that_is_gone_is_refused(suite):
    """A run whose suite was removed is refused, naming where it stood."""
    run = planned(suite)
    shutil.rmtree(suite.directory)
    assert f"there is no suite at {suite.directory}" in refusal(reopened, run)


def test_a_suite_of_another_version_of_its_family_is_refused(suite, monkeypatch):
    """Where the family that is installed is not the one that built the suite, the versions are named."""
    run = planned(suite)

    class Newer(Toy):
        version = "2"

    monkeypatch.setattr(registry, "family", lambda name: Newer())
    assert "was built by toy 1, but toy 2 is installed" in refusal(reopened, run)


def test_a_run_that_is_planned_as_it_was_goes_on():
    """Nothing is refused if solution, options, files, suites and version are the same."""
    run = run_of(3, tool=__version__, plan={"files": {"agent.py": "ab"}, "env": ("KEY",)})
    refuse_other(run, run.plan)


SOLUTION = {
    "given": "python other.py",
    "argv": ("python", "other.py"),
    "cwd": Path("/elsewhere"),
    "timeout": 5.0,
    "stdin": "ticket.md",
    "setup_cmd": "make",
    "manifest_envvar": "CASE",
    "name": "mine",
    "profile": {"model": ["another"]},
    "builtin": "solve",
}


@pytest.mark.parametrize("name", [field.name for field in fields(Solution)])
def test_a_run_of_another_solution_is_refused_naming_what_changed(name):
    """Whatever of the solution is not as it was, command, directory, limit or profile, it is named."""
    run = run_of(3, tool=__version__)
    now = replace(run.plan, solution=replace(run.plan.solution, **{name: SOLUTION[name]}))
    said = refusal(refuse_other, run, now)
    assert f"the solution's {name} was " in said and "begin a new run without --resume" in said


PLAN = {"trials": 11, "limit": 5.0, "isolate": True, "fresh_home": True, "env": ("KEY",)}


@pytest.mark.parametrize("name", [*PLAN])
def test_a_run_with_another_option_is_refused_naming_it(name):
    """Trials, limit, isolation, HOME and variables must be as they were."""
    run = run_of(3, tool=__version__)
    assert f"{name} was " in refusal(refuse_other, run, replace(run.plan, **{name: PLAN[name]}))


@pytest.mark.parametrize("files", [{}, {"agent.py": "other"}, {"agent.py": "ab", "more.py": "cd"}])
def test_a_run_with_other_files_is_refused_naming_one(files):
    """A file of the solution that was changed, removed or added is named."""
    run = run_of(3, tool=__version__, plan={"files": {"agent.py": "ab"}})
    said = refusal(refuse_other, run, replace(run.plan, files=files))
    assert f"{'more.py' if 'more.py' in files else 'agent.py'} is not the file that it was" in said


def test_a_run_on_other_suites_or_cases_is_refused():
    """Another digest or another choice of cases is another run."""
    run = run_of(3, tool=__version__)
    for other in (suite_of(2), suite_of(3, digest="another")):
        said = refusal(refuse_other, run, replace(run.plan, suites=(other,)))
        assert "the suites or the cases are others" in said


def test_a_run_of_another_version_is_refused_with_everything_else_that_differs():
    """The version that judged the trials so far is named, and each difference is told at once."""
    run = run_of(3, tool="0.0.1")
    said = refusal(refuse_other, run, replace(run.plan, trials=11, limit=1.0))
    assert f"it was begun by trapcli 0.0.1, and this is {__version__}" in said
    assert "trials was 10, now 11" in said and "limit was 600.0, now 1.0" in said
    assert "\n" not in said


def plan_of(suite, solution, **changes):
    return replace(run_of(plan_suite(suite), 3).plan, solution=solution, **changes)


def test_the_true_rate_of_a_flaky_solution_is_known(suite):
    """It is the mean over the planned cases of the chance that none of a case's mistakes happens."""
    both = 0.9 * 0.9  # each case of the toy family has two mistakes
    assert plan_suite(suite, builtin="flaky:0.1:7").truth == pytest.approx(both)
    assert plan_suite(suite, ["case_02"], "flaky:1").truth == 0
    for other in ("", "solve", "slip:void_counted"):
        assert plan_suite(suite, builtin=other).truth is None


def test_a_damaged_case_stops_the_run_before_it_begins(suite, tmp_path):
    """Each case that is meant is read, with its digests, before there is a run; others are not."""
    answer = suite.expected / "case_02" / "answer.json"
    answer.write_text(answer.read_text() + " ")
    whole = plan_of(suite, command("true", cwd=tmp_path))
    assert "case_02" in refusal(prepare, whole, [suite])
    first = replace(whole, suites=(replace(whole.suites[0], cases=("case_01",)),))
    prepare(first, [suite])


def test_what_a_trial_needs_is_looked_for_before_the_first(suite, tmp_path):
    """A run whose program, variables and input are there is prepared, its setup run once."""
    solution = command("sh", "-c", "true", cwd=tmp_path, stdin="task.md", setup_cmd="echo done >> setup")
    prepare(plan_of(suite, solution, env=("PATH",)), [suite])
    assert (tmp_path / "setup").read_text() == "done\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"argv": ("no-such-program",)}, "there is no program 'no-such-program' on PATH"),
        ({"argv": ("./missing.sh",)}, "there is no program"),
        ({"stdin": "ticket.md"}, "case_01 of "),
        ({"setup_cmd": "echo why; exit 3"}, "setup_cmd failed with exit code 3"),
        ({"builtin": "slip:nonsense"}, "no family of this run has a mechanism of that name"),
    ],
)
def test_what_is_missing_stops_the_run_before_the_first_trial(suite, tmp_path, changes, said):
    """A program, input, mechanism or preparation that fails is an error before anything is measured."""
    solution = replace(command("sh", "-c", "true", cwd=tmp_path), **changes)
    assert said in refusal(prepare, plan_of(suite, solution), [suite])


def test_a_variable_that_is_not_set_stops_the_run(suite, tmp_path, monkeypatch):
    """A variable that --env names and that is not set is an error, not an empty one."""
    monkeypatch.delenv("AGENT_KEY", raising=False)
    solution = command("sh", "-c", "true", cwd=tmp_path)
    assert "--env AGENT_KEY: it is not set here" in refusal(
        prepare, plan_of(suite, solution, env=("AGENT_KEY",)), [suite]
    )


def test_a_setup_may_make_the_program_that_is_run(suite, tmp_path):
    """The program is looked for after the preparation, which may build it."""
    setup = "printf '#!/bin/sh\\necho 1\\n' > agent && chmod +x agent"
    prepare(plan_of(suite, command("./agent", cwd=tmp_path, setup_cmd=setup)), [suite])


def test_isolation_without_its_program_is_refused_and_never_left_out(suite, tmp_path, monkeypatch):
    """Where bubblewrap is missing an isolated run is an error, and no trial runs without it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    solution = command("/bin/sh", "-c", "true", cwd=tmp_path)
    assert "bwrap" in refusal(prepare, plan_of(suite, solution, isolate=True), [suite])
