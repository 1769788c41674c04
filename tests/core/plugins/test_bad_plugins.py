"""A plugin that breaks the contract is named in one line, whatever it does, and nobody else is the worse."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from hostile_families import AT_LOAD, HEAD, IN_BUILD, IN_JUDGE, IN_VIEWS
from toy_family import declare, installed

from trapcli.core import registry

Run = Callable[..., Any]


class Plugin:
    """The package of the family `bad`, which can be made good or bad in the middle of a test."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def become(self, source: str = "") -> None:
        """Let the next process, and this one, load the family with this change."""
        name = f"bad_family_{len(list(self.directory.glob('bad_family_*.py')))}"  # no stale bytecode
        (self.directory / f"{name}.py").write_text(f"{HEAD}\n{source}\n")
        (self.directory / "bad_family.py").write_text(f"from {name} import *\nfrom {name} import FAMILY\n")
        sys.modules.pop("bad_family", None)


@pytest.fixture
def plugin(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The toy and the family `bad` are installed, nothing else in this process."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    site = tmp_path_factory.mktemp("site")
    declare(site, "toy = toy_family:TOY\nbad = bad_family:FAMILY")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (site, *MODULES))))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    installed(monkeypatch, bad="bad_family:FAMILY")
    registry._sound.clear()
    yield Plugin(site)
    for name in [name for name in sys.modules if name.startswith("bad_family")]:
        del sys.modules[name]
    registry._sound.clear()


def assert_plain(done: Any, *codes: int) -> None:
    """The exit code is one of these, and stderr holds whole lines that anyone may read."""
    assert done.code in codes, (done.code, done.err)
    assert "Traceback" not in done.err + done.out
    assert all(line.isprintable() for line in done.err.splitlines()), done.err


@pytest.mark.parametrize("way", AT_LOAD)
def test_a_family_that_does_not_load_is_left_out(run: Run, plugin: Plugin, tmp_path: Path, way: str) -> None:
    """`build --all` and `inspect` go on with the others and say why; to name the family is an error."""
    plugin.become(AT_LOAD[way])
    done = run("build", "--all", "--cases", 1)
    assert_plain(done, 1)
    assert "traps/toy: 1 case of toy" in done.out and not (tmp_path / "traps" / "bad").exists()
    assert len([line for line in done.err.splitlines() if line.startswith("Error: ")]) == 1
    assert "bad_family:FAMILY" in done.err and done.err.endswith("left out: bad; the errors above say why\n")
    done = run("inspect")
    assert_plain(done, 0)
    assert "Add up what counts" in done.out and "bad_family:FAMILY" in done.out
    for words in (
        ("inspect", "bad"),
        ("build", "bad"),
        ("judge", "--family", "bad", "--case", "case_01", "-"),
    ):
        assert_plain(run(*words), 2)
    assert_plain(run("build", "--help"), 0)
    assert_plain(run("inspect", "toy", "case_01"), 0)


@pytest.mark.parametrize("way", IN_BUILD)
def test_a_family_that_fails_in_a_build_is_left_out(
    run: Run, plugin: Plugin, tmp_path: Path, way: str
) -> None:
    """`build --all --json` builds the others and says why this one is missing; alone it is an error."""
    plugin.become(IN_BUILD[way])
    done = run("build", "--all", "--json")
    assert_plain(done, 1)
    document = json.loads(done.out)
    assert [suite["family"] for suite in document["suites"]] == ["toy"]
    assert [problem["where"] for problem in document["problems"]] == ["bad"]
    done = run("build", "bad")
    assert_plain(done, 2)
    assert "bad" in done.err and not (tmp_path / "traps" / "bad").exists()


@pytest.mark.parametrize("way", [*IN_JUDGE, *IN_VIEWS])
def test_a_family_that_fails_later_is_an_error_that_names_it(run: Run, plugin: Plugin, way: str) -> None:
    """A judge or a view that fails gives no verdict and no traceback; a batch goes on to its end."""
    plugin.become()
    assert run("build", "bad").code == 0
    plugin.become({**IN_JUDGE, **IN_VIEWS}[way])
    answer = "The sum is 7.\n"
    seen = [
        run("judge", "--family", "bad", "--case", "case_01", *words, "-", input=answer)
        for words in ((), ("--json",))
    ]
    lines = "".join(json.dumps({"case": f"case_0{n}", "output": answer}) + "\n" for n in (1, 2))
    seen += [
        run("judge", "--family", "bad", "--answers", "-", *words, input=lines) for words in ((), ("--json",))
    ]
    seen += [
        run("inspect", "bad", "case_01"),
        run("inspect", "bad", "case_01", "--public"),
        run("inspect", "bad"),
    ]
    for done in seen:
        assert_plain(done, 0, 1, 2)
    failed = [done for done in seen if done.code == 2]
    assert failed and all("'bad'" in done.err for done in failed)
    if way in IN_JUDGE and way != "details that are no JSON":
        assert seen[2].err.count("standard input, line") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", ["judge exits", "extract raises oddly", "judge returns None", "details that are no JSON"]
)
def test_calibrate_counts_a_judge_that_fails_as_a_judge_error(run: Run, plugin: Plugin, way: str) -> None:
    """A trial that the family cannot judge is a judge error that says why; the run ends as it should."""
    plugin.become()
    assert run("build", "bad", "--cases", 1).code == 0
    plugin.become(IN_JUDGE[way])
    done = run("calibrate", "bad", "--trials", 1, "--solution", "echo 7")
    assert_plain(done, 1)
    shown = run("inspect", "run", 1, "case_01", "--trial", 1, "--json")
    assert '"judge_error"' in shown.out and "family 'bad' failed" in shown.out


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [*list(AT_LOAD)[:4], "property that exits", "generate exits", "solve returns None"]
)
def test_calibrate_of_everything_goes_on_without_it(run: Run, plugin: Plugin, way: str) -> None:
    """A self-check runs on every family but the one that fails, names that, and exits with 1."""
    plugin.become({**AT_LOAD, **IN_BUILD}[way])
    done = run("calibrate", "--trials", 1)
    assert_plain(done, 1)
    assert "Self-check passed" in done.out
    assert "built traps/toy: 4 cases" in done.err and "'bad'" in done.err
    assert_plain(run("calibrate", "bad", "--trials", 1), 2)


@pytest.mark.slow
def test_a_suite_of_a_family_that_no_longer_loads_is_left_out(run: Run, plugin: Plugin) -> None:
    """`calibrate` without names says that the suite cannot be judged, and runs on the others."""
    plugin.become()
    assert run("build", "--all", "--cases", 1).code == 0
    plugin.become(AT_LOAD["exit"])
    done = run("calibrate", "--trials", 1)
    assert_plain(done, 1)
    assert "traps/bad: family 'bad'" in done.err
    assert_plain(run("calibrate", "bad", "--trials", 1), 2)


def test_an_interrupt_in_a_plugin_is_an_interrupt(run: Run, plugin: Plugin) -> None:
    """Ctrl-C while a family works ends the command as anywhere else."""
    plugin.become("FAMILY = family(generate=lambda *given: exec('raise KeyboardInterrupt'))")
    assert run("build", "--all").code == 130
    plugin.become("raise KeyboardInterrupt")
    assert run("inspect").code == 130


def test_what_a_plugin_prints_while_it_loads_stays_out_of_results(run: Run, plugin: Plugin) -> None:
    """A banner on standard output goes to stderr, so that JSON stays JSON."""
    plugin.become("print('welcome')")
    done = run("inspect", "--json")
    assert json.loads(done.out)["families"][0]["name"] == "bad"
    assert "welcome" in done.err


def test_the_sound_family_is_sound(run: Run, plugin: Plugin) -> None:
    """The family that the table breaks works in every command as long as nothing is changed."""
    plugin.become()
    assert run("build", "--all").code == 0
    assert run("inspect", "bad", "case_01").code == 0
    assert run("judge", "--family", "bad", "--case", "case_01", "-", input="7").code == 1
