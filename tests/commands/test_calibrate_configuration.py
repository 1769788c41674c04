"""What a run's results depend on is recorded, shown and compared; a run that measures nothing is stopped."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import RIGHT, agent, assert_error, cut_short, open_runs, starts

pytestmark = pytest.mark.slow

GEMINI = '[{"error":{"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]'


def types(document: Any) -> set[str]:
    return {warning["type"] for warning in document["warnings"]}


# What is recorded.


def test_label_tags_and_variables_are_recorded_and_shown(
    run: Callable[..., Any], measure: Callable[..., Any], toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in the document and at the top of the report; of a secret only its name is."""
    monkeypatch.setenv("MODEL", "big")
    monkeypatch.setenv("AGENT_KEY", "s3cr3t")
    words = (
        "--label",
        "first try",
        "--tag",
        "effort=low",
        "--tag",
        "note=",
        "--env",
        "MODEL",
        "--env",
        "AGENT_KEY",
    )
    found = measure(*words)["plan"]["configuration"]
    assert (found["label"], found["tags"]) == ("first try", {"effort": "low", "note": ""})
    assert found["variables"] == {"MODEL": "big", "AGENT_KEY": None}
    shown = run("inspect", "run", "1").out
    for line in (
        "label      first try",
        "tags       effort=low, note=",
        "variables  MODEL=big, AGENT_KEY (a secret)",
    ):
        assert line in shown
    assert "s3cr3t" not in shown
    assert b"s3cr3t" not in Path(".trapcli/runs.db").read_bytes()


def test_a_comparison_names_what_differs(
    run: Callable[..., Any],
    measure: Callable[..., Any],
    toy: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Label, tags, variables, files and other variables of two runs are compared, secrets by their hashes."""
    monkeypatch.setenv("MODEL", "big")
    monkeypatch.setenv("AGENT_KEY", "a")
    monkeypatch.setenv("OTHER", "1")
    names = ("--env", "MODEL", "--env", "AGENT_KEY")
    measure("--label", "one", "--tag", "effort=low", *names)
    monkeypatch.setenv("MODEL", "small")
    monkeypatch.setenv("AGENT_KEY", "b")
    monkeypatch.setenv("OTHER", "2")
    agent(tmp_path, f"# changed\n{RIGHT}")
    measure("--label", "two", "--tag", "effort=high", *names)
    measure("--label", "two", "--tag", "effort=high", *names)
    done = run("calibrate", "--compare", 1, 2, "--json")
    differences = {one["what"]: (one["a"], one["b"]) for one in json.loads(done.out)["differences"]}
    assert differences == {
        "label": ("one", "two"),
        "tag effort": ("low", "high"),
        "variable MODEL": ("big", "small"),
        "variable AGENT_KEY": ("a secret", "another secret"),
        "file agent.sh": ("one content", "another content"),
        "other variables": ("one value", "another value of OTHER"),
    }
    assert json.loads(run("calibrate", "--compare", 2, 3, "--json").out)["differences"] == []


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--tag", "effort"], "'effort' is not NAME=VALUE"),
        (["--tag", "=low"], "'=low' is not NAME=VALUE"),
        (["--tag", "a=1", "--tag", "a=2"], "a has two values: '1' and '2'"),
        (["--label", ""], "it is empty"),
        (["--allow-changes"], "--allow-changes is only for --resume"),
    ],
)
def test_labels_that_make_no_sense_are_refused(
    calibrate: Callable[..., Any], toy: Any, words: Any, error: str
) -> None:
    """A tag needs a name and one value, a label a text."""
    assert_error(calibrate(*words), error)


# What is different at a resume.


@pytest.fixture
def stopped(measure: Callable[..., Any], toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with a label, a tag and a named variable that was stopped after three trials."""
    monkeypatch.setenv("MODEL", "big")
    monkeypatch.setenv("OTHER", "1")
    measure("--label", "one", "--tag", "effort=low", "--env", "MODEL")
    cut_short(tmp_path, left=3)


CHANGES: dict[str, tuple[Callable[[pytest.MonkeyPatch], Any], list[str]]] = {
    "the label was 'one', now 'two'": (lambda patch: None, ["--label", "two"]),
    "the tag effort was 'low', now 'high'": (lambda patch: None, ["--tag", "effort=high"]),
    "the variable MODEL was 'big', now 'small'": (lambda patch: patch.setenv("MODEL", "small"), []),
    "the file agent.sh has changed": (lambda patch: agent(Path.cwd(), f"# changed\n{RIGHT}"), []),
}


@pytest.mark.parametrize("difference", CHANGES)
def test_another_configuration_must_be_allowed(
    run: Callable[..., Any], stopped: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, difference: str
) -> None:
    """A resume that would mix configurations is refused; allowed, it marks the run for ever."""
    change, words = CHANGES[difference]
    change(monkeypatch)
    assert_error(
        run("calibrate", "--resume", *words), f"run 1 cannot be resumed: {difference}.", "--allow-changes"
    )
    with open_runs(tmp_path) as kept:
        assert len(kept.trial_keys(1)) == 3
    done = run("calibrate", "--resume", "--allow-changes", *words)
    assert done.code == 0, done.err
    before_rates = done.out.partition("95% interval")[0]
    assert f"The run mixes configurations: --allow-changes resumed it although {difference}." in before_rates
    cut_short(tmp_path, left=5)
    document = json.loads(run("inspect", "run", "1", "--json").out)
    assert document["mixed"] and "mixed_configuration" in types(document)
    assert document["changes"][0]["mixed"] == [difference]


def test_the_same_configuration_may_be_named_again(run: Callable[..., Any], stopped: Any) -> None:
    """A label and tags that the run has are no difference, and neither is leaving them out."""
    done = run("calibrate", "--resume", "--label", "one", "--tag", "effort=low", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert not document["mixed"] and not {"mixed_configuration", "changed_environment"} & types(document)


def test_other_variables_that_differ_are_named(
    run: Callable[..., Any], stopped: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on and its report names them, without their values, and so does every later one."""
    monkeypatch.setenv("OTHER", "a private value")
    done = run("calibrate", "--resume", "--json")
    assert done.code == 0 and "a private value" not in done.out
    for text in (done.out, run("inspect", "run", "1", "--json").out):
        document = json.loads(text)
        assert not document["mixed"] and "changed_environment" in types(document)
        assert document["changes"] == [{"resume": 1, "mixed": [], "noted": ["the variable OTHER"]}]


def test_a_file_that_a_solution_writes_does_not_stop_a_resume(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """A new file in the directory of a solution is noted; one that was changed is refused."""
    home = tmp_path / "mine"
    home.mkdir()
    agent(home, f"echo x > log\n{RIGHT}")
    (home / "trap.yaml").write_text("cmd: sh agent.sh\n")
    (home / "prompt.txt").write_text("You are")
    assert run("calibrate", "--solution", "mine", "--trials", 1).code == 0
    cut_short(tmp_path, left=2)
    done = run("calibrate", "--resume", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["changes"][0]["noted"] == ["the file log is new", "the file starts is new"]
    cut_short(tmp_path, left=2)
    (home / "prompt.txt").write_text("You are not")
    assert_error(run("calibrate", "--resume"), "the file prompt.txt has changed")


# Runs that measure nothing.


def test_a_run_that_measures_nothing_is_stopped(
    run: Callable[..., Any], calibrate: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """Its first five trials are kept, the report says so above its rates, and a resume goes on."""
    agent(tmp_path, "echo 'KeyError: MY_SETTING' >&2; exit 1")
    done = calibrate("--trials", 3)
    assert done.code == 1 and starts(tmp_path) == 5
    assert "Error: run 1 measured nothing: its first 5 trials all ended with exit code 1" in done.err
    assert "\n  KeyError: MY_SETTING\n`trapcli inspect run 1 case_01 --trial 1` shows more." in done.err
    assert "5 of 5 trials crashed" in done.out.partition("95% interval")[0]
    done = run("calibrate", "--resume", "--json")
    assert done.code == 0 and starts(tmp_path) == 12
    document = json.loads(done.out)
    assert document["status"] == "complete" and document["warnings"][0]["type"] == "mostly_crashed"


def test_keep_going(calibrate: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """With --keep-going the run is carried out, whatever its first trials show."""
    agent(tmp_path, "exit 1")
    assert calibrate("--trials", 3, "--keep-going").code == 0
    assert starts(tmp_path) == 12


def test_a_run_that_mostly_crashes_says_so(measure: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Three of four trials are most of them, two of four are not."""
    agent(tmp_path, f"[ $(wc -l < starts) -gt 2 ] && exit 1\n{RIGHT}")
    assert "mostly_crashed" in types(measure("--trials", 2))
    (tmp_path / "starts").unlink()
    agent(tmp_path, f"[ $(wc -l < starts) -gt 4 ] && exit 1\n{RIGHT}")
    assert "mostly_crashed" not in types(measure("--trials", 2))


def test_errors_of_a_provider_are_counted_and_shown(
    measure: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """A body of errors in every second trial counts as it ended; the rate is printed without it too."""
    agent(tmp_path, f"n=$(wc -l < starts); [ $((n % 2)) = 0 ] && {{ echo '{GEMINI}'; exit 0; }}\n{RIGHT}")
    document = measure("--trials", 4, "--only", "case_01")
    [suite] = document["suites"]
    assert (suite["provider_errors"], suite["counted"], suite["rate"]) == (2, 4, 0.5)
    assert suite["rate_without_provider_errors"] == 1.0 and suite["outcomes"]["unreadable"] == 2
    assert "provider_errors" in types(document)


def test_a_script_that_does_not_exist_is_an_error(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A script that an interpreter is given is looked for before the first trial; other words are not."""
    assert_error(
        run("calibrate", "--solution", "sh nosuch.sh"), f"there is no file {tmp_path}/nosuch.sh for sh to run"
    )
    assert not (tmp_path / "starts").exists()
    assert run("calibrate", "--solution", "sh agent.sh nosuch.sh", "--trials", 1).code == 0


def test_shell_syntax_gets_a_hint_and_runs(run: Callable[..., Any], toy: Any) -> None:
    """A word that only a shell would understand may be meant, so it is not an error."""
    done = run("calibrate", "--solution", "sh agent.sh > out", "--trials", 1)
    assert done.code == 0
    assert done.err.startswith(
        "--solution sh agent.sh > out: the command runs without a shell, so '>' is passed on"
    )
