"""What a suite says in public: its README, the task file of trap-cli, and no secret anywhere."""

import subprocess
from pathlib import Path

import pytest
import yaml
from toy_family import TOY, Knobs, Toy, build_toy, installed

from trapcli.building.builder import make_recipe
from trapcli.suites.reader import Suite
from trapcli.suites.suite_readme import suite_readme
from trapcli.suites.traptask import task_text

SECRET = str(2**127 + 12345)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    installed(monkeypatch)
    return build_toy(tmp_path / "suite", seed=SECRET, knobs=Knobs(lines=7), count=5)


def test_the_task_file_has_what_trap_cli_reads(suite: Suite) -> None:
    """traptask.yaml lists the cases, all described alike, and lets `trapcli judge` judge and grade."""
    task = yaml.safe_load((suite.directory / "traptask.yaml").read_text())
    assert task == {
        "name": TOY.title,
        "dirs": {"inputs": "inputs/", "expected": "expected/"},
        "declared_outputs": ["stdout"],
        "cases": [{"id": case, "description": TOY.title, "tags": ["toy"]} for case in suite.cases],
        "judge": {"cmd": "trapcli judge", "timeout": 120},
        "grader": {"cmd": "trapcli judge", "timeout": 120},
    }


@pytest.mark.parametrize(
    "title", ['A "quoted" title: #1', "Größe ✓ 😀", "yes", "- x", "back\\slash", "tab\there"]
)
def test_any_title_is_one_text_in_the_task_file(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family's title is read back by YAML as it is."""
    monkeypatch.setattr(Toy, "title", title)
    assert yaml.safe_load(task_text(TOY, ["case_01"]))["name"] == title


def test_a_readme_names_knobs_but_no_private_one(suite: Suite) -> None:
    """The README names the knobs that the suite was built with, except those marked as private."""
    text = (suite.directory / "README.md").read_text()
    assert "- lines = 7: amounts in the file" in text
    assert "- largest = 50" in text
    assert "hidden" not in text
    assert "trapcli inspect toy case_01" in text


@pytest.mark.parametrize(("seed", "practice"), [("1", True), (str(2**63 - 1), True), (SECRET, False)])
def test_a_readme_says_if_a_suite_is_for_practice(seed: str, practice: bool) -> None:
    """A suite whose seed can be guessed says so, and what to do instead."""
    text = suite_readme(TOY, make_recipe(TOY, seed=seed), ["case_01"], "canary")
    assert ("For practice" in text and "--seed random" in text) == practice


@pytest.mark.parametrize(("count", "more"), [(200, False), (201, True)])
def test_a_readme_states_how_many_cases_a_grader_takes(count: int, more: bool) -> None:
    """The limit of trap-cli's grader is in every README, and a larger suite says what to do."""
    text = suite_readme(TOY, make_recipe(TOY), [f"case_{n}" for n in range(count)], "canary")
    assert "128 KiB, which has room for 200 cases." in text
    assert ("This suite has\nmore" in text) == more


def test_nothing_public_gives_a_secret_away(suite: Suite) -> None:
    """No path, text or time of the public half gives away the seed, a trap or a private knob."""
    public = [path for path in suite.directory.rglob("*") if "expected" not in path.parts]
    texts = [str(path.relative_to(suite.directory)) for path in public]
    texts += [path.read_text() for path in public if path.is_file()]
    secrets = (SECRET, f"{int(SECRET):x}", *TOY.traps, *TOY.mistakes, "hidden")
    assert [secret for secret in secrets if any(secret in text for text in texts)] == []
    assert len({path.stat().st_mtime for path in public}) == 1


def test_sha256sum_checks_the_private_half(suite: Suite) -> None:
    """The tool of the system that reads expected.sha256 agrees with it, and notices a change."""
    check = ["sha256sum", "--check", "--strict", "--quiet", "expected.sha256"]
    assert subprocess.run(check, cwd=suite.directory, capture_output=True).returncode == 0
    with (suite.halves.private / "case_03" / "answer.json").open("a") as file:
        file.write(" ")
    failed = subprocess.run(check, cwd=suite.directory, capture_output=True, text=True)
    assert failed.stdout == "expected/case_03/answer.json: FAILED\n"
