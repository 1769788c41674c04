"""`trapcli build`: what it takes, prints and refuses."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from toy_family import Toy, declare, installed

from trapcli.cli import cli
from trapcli.commands.build import command, complete_knobs
from trapcli.core import registry
from trapcli.core.contract import knob
from trapcli.suites.reader import digest, open_suite

Run = Callable[..., Any]


class Other(Toy):
    """A second family, with a knob that the toy has too and one that it has not."""

    name = "other"
    ladder = ({},)


OTHER = Other()


@dataclass(frozen=True)
class Depth:
    """Knobs that are not quite those of the toy."""

    lines: int = knob(6, 4, 100, "amounts")
    largest: int = knob(50, 10, 100, "the largest")
    depth: int = knob(1, 1, 3, "how deep")


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, other=f"{__name__}:OTHER")


def test_a_build_says_where_what_and_what_next(run: Run, tmp_path: Path) -> None:
    """A build prints its suite, size, digest and a warning if it is for practice; nothing goes to stderr."""
    done = run("build", "toy")
    assert (done.code, done.err) == (0, "")
    first, second, third = done.out.splitlines()
    assert first == f"traps/toy: 4 cases of toy, digest {digest(tmp_path / 'traps/toy')}"
    assert "for practice" in second
    assert third == "next: trapcli inspect toy case_01"
    assert open_suite(tmp_path / "traps/toy").seed == "1"


def test_json_is_one_document(run: Run, tmp_path: Path) -> None:
    """With --json standard output is one JSON document, and a seed drawn at random is not in it."""
    done = run("build", "toy", "--json", "--seed", "0x10", "--cases", "3", "--set", "lines=9")
    assert done.err == ""
    assert json.loads(done.out) == {
        "suites": [
            {
                "suite": "traps/toy",
                "expected": "traps/toy/expected",
                "family": "toy",
                "version": "1",
                "cases": 3,
                "seed": "16",
                "knobs": {"lines": 9, "largest": 50, "hidden": 3},
                "practice": True,
                "redraws": open_suite(tmp_path / "traps/toy").redraws,
                "digest": digest(tmp_path / "traps/toy"),
            }
        ]
    }
    found = json.loads(run("build", "toy", "--json", "--force", "--seed", "random").out)["suites"][0]
    assert (found["seed"], found["practice"]) == (None, False)


def test_a_random_seed_is_shown_nowhere(run: Run, tmp_path: Path) -> None:
    """`--seed random` keeps the seed in the private half, and the suite is not for practice."""
    done = run("build", "toy", "--seed", "random", "--expected", "kept here")
    seed = open_suite(tmp_path / "traps/toy", tmp_path / "kept here").seed
    assert len(seed) > 30
    assert "practice" not in done.out
    assert "private half: kept here (judge with --expected 'kept here')" in done.out
    shown = done.out + "".join(path.read_text() for path in (tmp_path / "traps").rglob("*") if path.is_file())
    assert seed not in shown
    assert f"{int(seed):x}" not in shown


def test_all_families_are_built(run: Run, tmp_path: Path) -> None:
    """--all builds each family at OUT/FAMILY, its private half at EXPECTED/FAMILY, seeds drawn apart."""
    done = run(
        "build", "--all", "--seed", "random", "--out", "some where", "--expected", "kept", "--cases", 2
    )
    assert done.code == 0
    halves = [(tmp_path / "some where" / name, tmp_path / "kept" / name) for name in registry.names()]
    suites = [open_suite(public, private) for public, private in halves]
    assert [len(suite.cases) for suite in suites] == [2, 2]
    assert suites[0].seed != suites[1].seed
    assert "next: trapcli inspect --suite 'some where/toy' --expected kept/toy case_01" in done.out


def test_a_rung_is_a_preset_that_single_knobs_override(run: Run, tmp_path: Path) -> None:
    """--rung takes a preset of the ladder, counted from 1, and --set goes over it, the last one last."""
    run("build", "toy", "--rung", "3", "--set", "lines=50", "--set", "lines=60")
    assert open_suite(tmp_path / "traps/toy").knobs == {"lines": 60, "largest": 1000, "hidden": 3}


def test_knobs_go_to_whom_they_belong(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --all a knob is set where it exists; one that no family has is an error with a list."""
    monkeypatch.setattr(Other, "knobs", Depth)
    assert run("build", "--all", "--set", "lines=8", "--set", "depth=2").code == 0
    assert open_suite(tmp_path / "traps/toy").knobs["lines"] == 8
    assert open_suite(tmp_path / "traps/other").knobs == {"lines": 8, "largest": 50, "depth": 2}
    done = run("build", "--all", "--force", "--set", "width=2")
    assert (done.code, done.out) == (2, "")
    assert "no family has a knob 'width'; there are depth, hidden, largest, lines." in done.err


@pytest.mark.parametrize(
    ("args", "what"),
    [
        ([], "Name a family, or give --all. Installed: other, toy."),
        (["toy", "--all"], "Either toy or --all, not both."),
        (["payout"], "there is no family 'payout'; installed: other, toy."),
        (["toy", "--seed", "x"], "--seed 'x': a seed is a whole number"),
        (["toy", "--seed", "-1"], "--seed '-1': a seed is a whole number"),
        (["toy", "--cases", "0"], "'--cases'"),
        (["toy", "--cases", "100001"], "'--cases'"),
        (["toy", "--cases", "many"], "'--cases'"),
        (["toy", "--rung", "4"], "--rung 4: toy has the rungs 1 to 3."),
        (["toy", "--rung", "0"], "'--rung'"),
        (["--all", "--rung", "2"], "--rung 2: other has the rungs 1 to 1."),
        (["toy", "--set", "lines"], "write --set KNOB=VALUE"),
        (["toy", "--set", "=3"], "write --set KNOB=VALUE"),
        (["toy", "--set", "width=3"], "toy has no knob 'width'; it has lines, largest, hidden."),
        (["toy", "--set", "lines=3"], "knob lines: 3 is outside its range, 4 to 10000."),
        (["toy", "--set", "lines=1.5"], "knob lines: '1.5' is not a whole number"),
        (["toy", "--set", "lines="], "knob lines: '' is not a whole number"),
        (["toy", "-j", "0"], "'-j'"),
        (["toy", "--expected", "traps/toy/private"], "must not lie in the suite"),
        (["toy", "more"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_told_and_builds_nothing(run: Run, tmp_path: Path, args: list[str], what: str) -> None:
    """Each mistake on the command line exits 2 with what is wrong and what to choose from."""
    done = run("build", *args)
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert os.listdir(tmp_path) == []


def test_all_or_none_is_refused_before_anything_is_built(run: Run, tmp_path: Path) -> None:
    """If one of all suites may not be replaced, none is built."""
    run("build", "toy")
    done = run("build", "--all")
    assert done.code == 2
    assert "traps/toy is a suite already; --force replaces it." in done.err
    assert os.listdir(tmp_path / "traps") == ["toy"]
    assert run("build", "--all", "--force").code == 0


def test_an_interrupted_build_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C exits 130 and leaves what was there."""

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Toy, "check", pressed)
    assert run("build", "toy").code == 130
    assert os.listdir(tmp_path) == []


def test_workers_build_the_same(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With -j 2 the workers find an installed family by name, and the suite has the same digest."""
    monkeypatch.syspath_prepend(str(declare(tmp_path / "packages")))
    digests = [
        json.loads(run("build", "toy", "--force", "--json", "-j", jobs).out)["suites"][0]["digest"]
        for jobs in (1, 2)
    ]
    assert digests[0] == digests[1]


def test_the_help_has_every_knob_and_examples_that_work(run: Run, tmp_path: Path) -> None:
    """The help lists each family's knobs, or those of the one that was named, and its examples are taken."""
    done = run("build", "--help")
    assert done.code == 0
    for name in ("toy", "other"):
        assert f"Knobs of {name}, for --set" in done.out
    assert re.search(r"lines +amounts in the file; 4 to 10000, default 6", done.out)
    assert "Knobs of other" not in run("build", "toy", "--help").out
    examples = re.findall(r"^ +trapcli build (.*)$", done.out, re.MULTILINE)
    assert len(examples) == 4
    for example in examples:
        with cli.make_context("trapcli", ["build", *example.split()]) as context:
            taken = command.make_context("build", example.split(), parent=context).params
        assert taken["family"] == "billing" or taken["everything"]


def test_help_works_beside_a_broken_plugin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family that does not load is left out of the help, and is an error where it is asked for."""
    installed(monkeypatch, broken="no_such_module:FAMILY")
    done = run("build", "--help")
    assert (done.code, done.err) == (0, "")
    assert "Knobs of toy" in done.out
    assert "family 'broken' (no_such_module:FAMILY) does not load" in run("build", "broken").err


def test_knobs_are_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    """--set completes the knobs of the family on the line, or of all, with their ranges."""
    context = click.Context(command)
    context.params = {"family": "toy"}
    option = next(one for one in command.params if one.name == "settings")
    items = complete_knobs(context, option, "l")
    assert [item.value for item in items] == ["largest=", "lines="]
    assert items[1].help == "amounts in the file; 4 to 10000, default 6"
    context.params = {}
    assert len(complete_knobs(context, option, "")) == 3
    context.params = {"family": "none"}
    assert complete_knobs(context, option, "") == []


def test_no_suite_is_built_inside_another(run: Run, tmp_path: Path) -> None:
    """Neither half may lie in a suite, whose cases agents see."""
    assert run("build", "toy", "--cases", "1").code == 0
    for place in (["--out", "traps/toy/inputs/case_01"], ["--out", "o", "--expected", "traps/toy/x"]):
        done = run("build", "toy", "--cases", "1", *place)
        assert done.code == 2
        assert "lies inside the suite" in done.err
    assert not (tmp_path / "o").exists()


def test_the_private_half_of_another_suite_stays(run: Run, tmp_path: Path) -> None:
    """With --force, a private half is replaced only together with the public half it belongs to."""
    build = ("build", "toy", "--cases", "1", "--expected", "private")
    assert run(*build, "--out", "one").code == 0
    before = (tmp_path / "private/suite.json").read_bytes()
    done = run(*build, "--out", "two", "--seed", "9", "--force")
    assert done.code == 2
    assert "private half of another suite" in done.err
    assert (tmp_path / "private/suite.json").read_bytes() == before
    assert run(*build, "--out", "one", "--seed", "9", "--force").code == 0


def test_the_command_it_suggests_works(run: Run) -> None:
    """What is printed after `next:` can be run as it stands, with the private half elsewhere too."""
    done = run("build", "toy", "--cases", "1", "--out", "public", "--expected", "private")
    command = done.out.split("next: trapcli ")[1].split()
    assert run(*command).code == 0
