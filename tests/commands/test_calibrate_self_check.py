"""`trapcli calibrate` without a solution: the self-check; and agents whose rates are known beforehand."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import INPUTS, agent, program
from checkout import ROOT
from toy_family import declare, installed

from trapcli.core import registry
from trapcli.suites.reader import open_suite, read_case

# The self-check.


@pytest.mark.slow
def test_without_a_solution_suites_and_judge_are_checked(
    run: Callable[..., Any], bare_toy: Any, tmp_path: Path
) -> None:
    """Missing suites are built, every known mistake fails, the solver passes, and one line says so."""
    done = run("calibrate", "--trials", 3)
    assert done.code == 0, done.err
    assert done.err == (
        "built traps/toy: 4 cases, for practice\nrun 1: 12 trials of builtin:solve on traps/toy\n"
    )
    error = [line.strip() for line in done.out.splitlines() if "Self-check" in line]
    assert len(error) == 1
    assert re.search(
        "^Self-check passed: .*16 known mistakes.* failed, .*solver passed all 12 trials", error[0]
    )
    assert "practice" not in done.out  # no agent was measured
    assert open_suite(tmp_path / "traps" / "toy").practice


@pytest.mark.slow
def test_the_self_check_of_every_installed_family(installed: Path, tmp_path: Path) -> None:
    """The installed program builds a suite of each family, and all of them pass the self-check."""
    command = [str(installed), "calibrate", "--trials", "1", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {"billing", "payout", "ledger-close", "ledger-audit"} <= {
        suite["family"] for suite in document["suites"]
    }
    assert document["self_check_passed"] is True and document["self_check"]["wrong"] == []
    assert document["self_check"]["outputs"] > 5 * document["self_check"]["cases"]
    assert all(suite["rate"] == 1.0 for suite in document["suites"])
    assert len(done.stderr.splitlines()) == 1 + len(document["suites"])


BROKEN = {
    "solver": "def solve(self, files): return 'The sum is -1.'",
    "sometimes": "def solve(self, files):\n"
    "        with open('count', 'a') as count:\n"
    "            count.write('x')\n"
    "            return Toy.solve(self, files) if count.tell() > 1 else '-1'",
    "judge": "class answers(ToyAnswers):\n"
    "        def judge(self, case, answer): return Verdict('passed', 'anything goes', '', 1.0)\n"
    "    answers = answers()",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("solver", "the reference solver passed 0 of 3 trials of case_01"),
        ("sometimes", "the reference solver passed "),
        ("judge", "void_counted in case_01 passes: anything goes"),
    ],
)
def test_a_broken_family_fails_the_self_check(
    run: Callable[..., Any], bare_toy: Any, tmp_path: Path, fault: str, error: str
) -> None:
    """A solver that fails, always or sometimes, or a judge that lets mistakes pass: exit code 1, and why."""
    assert run("build", "toy").code == 0
    (tmp_path / "broken.py").write_text(
        "from toy_family import Toy, ToyAnswers\nfrom trapcli.core.contract import Verdict\n\n"
        f"class Broken(Toy):\n    {BROKEN[fault]}\n\nFAMILY = Broken()\n"
    )
    broken = declare(tmp_path / "plugin", "toy = broken:FAMILY")
    path = Path(os.pathsep.join([str(broken), str(tmp_path)]))
    done = program(tmp_path, "calibrate", "toy", "--trials", 3, "--json", families=path)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["self_check_passed"] is False
    assert document["self_check_summary"].startswith("Self-check FAILED: ")
    assert error in document["self_check_summary"]


def test_a_family_that_does_not_load_is_named(
    run: Callable[..., Any], bare_toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin that cannot be imported stops the self-check with its name."""
    monkeypatch.setattr(registry, "_declared", lambda: {"toy": "no_such_module:X"})
    done = run("calibrate")
    assert (done.code, done.out) == (2, "") and "family 'toy' (no_such_module:X) does not load" in done.err


# Controls: agents whose rates are known.


@pytest.mark.slow
def test_gold_passes_every_trial(measure: Any, toy: Any, tmp_path: Path) -> None:
    """An agent that prints the gold of each case scores 1.0 in every trial."""
    lines = "".join(
        f'cmp -s "$inputs/data/lines.csv" traps/toy/inputs/{case}/data/lines.csv && '
        f"echo {read_case(toy, case).gold}\n"
        for case in toy.cases
    )
    agent(tmp_path, INPUTS + lines + "true\n")
    assert [case["rate"] for case in measure()["suites"][0]["cases"]] == [1.0] * 4


CONSTANTS = {
    "nothing": "true",
    "an empty array": "echo '[]'",
    "a constant": "echo 'ANSWER: 0.00'",
    "a sentence": "echo I cannot do that",
    "its instructions": INPUTS + 'cat "$inputs"/README.md',
}


@pytest.mark.slow
@pytest.mark.parametrize("printed", [*CONSTANTS])
def test_agents_that_know_nothing_pass_nothing(measure: Any, toy: Any, tmp_path: Path, printed: Any) -> None:
    """Printing nothing, [], one number or the task itself passes no case."""
    agent(tmp_path, CONSTANTS[printed])
    suite = measure()["suites"][0]
    assert [(case["passes"], case["counted"]) for case in suite["cases"]] == [(0, 2)] * 4
    assert suite["on_these_cases"][0] == 0.0 < suite["on_these_cases"][1]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A directory with a small suite of every installed family."""
    place = tmp_path_factory.mktemp("small")
    for family in ("billing", "payout", "ledger-close", "ledger-audit"):
        command = [sys.executable, "-m", "trapcli", "build", family, "--cases", "1", "--seed", "random"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
    return place


@pytest.mark.slow
def test_agents_that_know_nothing_pass_nothing_in_any_family(
    run: Callable[..., Any], small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing, [] and constant answers pass no case of any installed family."""
    monkeypatch.chdir(small)
    for line in ("true", "echo '[]'", "echo 'ANSWER: 0.00'"):
        done = run("calibrate", "--solution", f'sh -c "{line}"', "--trials", 1, "--json")
        document = json.loads(done.out)
        assert done.code == 0 and len(document["suites"]) == 4
        assert [suite["rate"] for suite in document["suites"]] == [0.0] * 4, line


@pytest.mark.slow
def test_gold_passes_in_any_family(
    run: Callable[..., Any], small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that prints the gold of its case passes in every installed family."""
    monkeypatch.chdir(small)
    lines = ""
    for place in sorted(small.glob("traps/*")):
        gold = read_case(open_suite(place), "case_01").gold
        text = json.dumps(gold) if isinstance(gold, list) else f"ANSWER: {gold}"
        (tmp_path / f"{place.name}.gold").write_text(text)
        lines += (
            f'diff -rq "$inputs" {place}/inputs/case_01 > /dev/null && cat {tmp_path}/{place.name}.gold\n'
        )
    agent(small, INPUTS + lines + "true\n")
    done = run("calibrate", "--solution", "sh agent.sh", "--trials", 1, "--json")
    assert [suite["rate"] for suite in json.loads(done.out)["suites"]] == [1.0] * 4, done.out


@pytest.mark.slow
def test_every_mistake_fails_every_case_that_has_it(run: Callable[..., Any], toy: Any) -> None:
    """An agent with one wrong belief fails each case, and its mistake is named."""
    for mistake in ("void_counted", "late_counted"):
        done = run("calibrate", "--solution", f"builtin:mistake:{mistake}", "--trials", 1, "--json")
        suite = json.loads(done.out)["suites"][0]
        assert [(case["passes"], case["mistakes"]) for case in suite["cases"]] == [(0, {mistake: 1})] * 4


@pytest.mark.slow
def test_the_self_check_judges_every_mistake(
    run: Callable[..., Any], small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The self-check judges each mistake of each case and two no-op agents, and counts them."""
    monkeypatch.chdir(small)
    mistakes = sum(len(read_case(open_suite(place), "case_01").mistakes) for place in small.glob("traps/*"))
    done = run("calibrate", "--trials", 1, "--json")
    document = json.loads(done.out)
    assert done.code == 0, done.err
    assert document["self_check"] == {"cases": 4, "outputs": mistakes + 2 * 4, "wrong": []}


@pytest.mark.slow
def test_a_family_that_is_left_out_is_not_passed_over(
    run: Callable[..., Any], bare_toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A family that does not load is named, the others are checked, and the exit code is 1."""
    installed(monkeypatch, broken="no_such_module:FAMILY")
    result = run("calibrate", "--trials", 1)
    assert result.code == 1 and "Self-check passed" in result.out
    assert "family 'broken'" in result.err and "It is left out." in result.err
    installed(monkeypatch)
    assert run("calibrate", "--trials", 1).code == 0
