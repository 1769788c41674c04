"""`trapcli build`: what it takes, prints and refuses."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from toy_family import Toy, declare, installed

from trapcli.cli import cli
from trapcli.commands.build import command
from trapcli.core import registry
from trapcli.core.knobs import knob
from trapcli.suites.halves import Halves
from trapcli.suites.reader import open_suite

Run = Callable[..., Any]


class Other(Toy):
    """A second family, with a knob that the toy has too and one that it has not."""

    name = "other"
    levels = ({},)


OTHER = Other()


def digest(directory: Path) -> str:
    return Halves.of(directory).digest()


@dataclass(frozen=True)
class Depth:
    """Knobs that are not quite those of the toy."""

    lines: int = knob(6, 4, 100, "amounts")
    largest: int = knob(50, 10, 100, "the largest")
    depth: int = knob(1, 1, 3, "how deep")


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, other=f"{__name__}:OTHER")


def test_a_build_shows_where_what_and_what_next(run: Run, tmp_path: Path) -> None:
    """A build prints its suite, size and digest, a warning if it is for practice, and the next command."""
    done = run("build", "toy")
    assert (done.code, done.err) == (0, "")
    first, second, third = done.out.splitlines()
    assert first == f"traps/toy: 4 cases of toy, digest {digest(tmp_path / 'traps/toy')}"
    assert "for practice" in second
    assert third == "next: trapcli inspect toy case_01"
    assert open_suite(tmp_path / "traps/toy").recipe.seed == "1"


def test_json_is_one_document(run: Run, tmp_path: Path) -> None:
    """With --json standard output is one JSON document, and a seed drawn at random is not in it."""
    done = run("build", "toy", "--json", "--seed", "0x10", "--cases", "3", "--set", "lines=9")
    assert done.err == ""
    assert json.loads(done.out) == {
        "schema": "build/1",
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
        ],
    }
    found = json.loads(run("build", "toy", "--json", "--force", "--seed", "random").out)["suites"][0]
    assert (found["seed"], found["practice"]) == (None, False)


def test_a_random_seed_is_shown_nowhere(run: Run, tmp_path: Path) -> None:
    """`--seed random` keeps the seed in the private half, and the suite is not for practice."""
    done = run("build", "toy", "--seed", "random", "--expected", "kept here")
    seed = open_suite(tmp_path / "traps/toy", tmp_path / "kept here").recipe.seed
    assert len(seed) > 30
    assert "practice" not in done.out
    assert "private half: kept here (judge with --expected 'kept here')" in done.out
    shown = done.out + "".join(path.read_text() for path in (tmp_path / "traps").rglob("*") if path.is_file())
    assert seed not in shown
    assert f"{int(seed):x}" not in shown


def test_a_private_half_inside_a_secret_suite_is_pointed_out(run: Run, tmp_path: Path) -> None:
    """Without --expected a secret suite must not be handed out whole; a practice suite needs no such line."""
    done = run("build", "toy", "--seed", "random")
    assert "private half: traps/toy/expected, inside the suite: do not hand the suite out" in done.out
    assert "private half" not in run("build", "toy", "--force").out


def test_all_families_are_built(run: Run, tmp_path: Path) -> None:
    """--all builds each family at OUT/FAMILY, its private half at EXPECTED/FAMILY, seeds drawn apart."""
    done = run(
        "build", "--all", "--seed", "random", "--out", "some where", "--expected", "kept", "--cases", 2
    )
    assert done.code == 0
    halves = [(tmp_path / "some where" / name, tmp_path / "kept" / name) for name in registry.names()]
    suites = [open_suite(public, private) for public, private in halves]
    assert [len(suite.cases) for suite in suites] == [2, 2]
    assert suites[0].recipe.seed != suites[1].recipe.seed
    assert "next: trapcli inspect --suite 'some where/toy' --expected kept/toy case_01" in done.out


def test_a_level_is_a_preset_that_single_knobs_override(run: Run, tmp_path: Path) -> None:
    """--level sets the knobs to a level, counted from 1; --set overrides it, and the last one wins."""
    run("build", "toy", "--level", "3", "--set", "lines=50", "--set", "lines=60")
    assert open_suite(tmp_path / "traps/toy").recipe.knobs == {"lines": 60, "largest": 1000, "hidden": 3}


def test_knobs_go_to_the_families_that_have_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --all a knob is set in the families that have it; one that none has is an error with a list."""
    monkeypatch.setattr(Other, "knobs", Depth)
    assert run("build", "--all", "--set", "lines=8", "--set", "depth=2").code == 0
    assert open_suite(tmp_path / "traps/toy").recipe.knobs["lines"] == 8
    assert open_suite(tmp_path / "traps/other").recipe.knobs == {"lines": 8, "largest": 50, "depth": 2}
    done = run("build", "--all", "--force", "--set", "width=2")
    assert (done.code, done.out) == (2, "")
    assert "no family has a knob 'width'; the knobs are depth, hidden, largest, lines." in done.err


@pytest.mark.parametrize(
    ("args", "what"),
    [
        ([], "Name a family, or give --all. Installed: other, toy."),
        (["toy", "--all"], "Either toy or --all, not both."),
        (["payout"], "there is no family 'payout'; installed: other, toy."),
        (["toy", "--seed", "x"], "seed 'x': a seed is a whole number"),
        (["toy", "--seed", "-1"], "seed '-1': a seed is a whole number"),
        (["toy", "--cases", "0"], "'--cases'"),
        (["toy", "--cases", "100001"], "'--cases'"),
        (["toy", "--cases", "1e5"], "'--cases': '1e5' is not a whole number."),
        (["toy", "--level", "x"], "'--level': 'x' is not a whole number."),
        (["toy", "-j", "1.5"], "'--jobs': '1.5' is not a whole number."),
        (["toy", "--out", ""], "'--out': it is empty;"),
        (["toy", "--level", "4"], "level 4: toy has the levels 1 to 3."),
        (["toy", "--level", "0"], "'--level'"),
        (["--all", "--level", "2"], "level 2: other has the levels 1 to 1."),
        (["toy", "--set", "lines"], "write --set KNOB=VALUE"),
        (["toy", "--set", "=3"], "write --set KNOB=VALUE"),
        (["toy", "--set", "width=3"], "toy has no knob 'width'; it has lines, largest, hidden."),
        (["toy", "--set", "lines=3"], "knob lines: 3 is outside its range, 4 to 10000."),
        (["toy", "--set", "lines=1.5"], "knob lines: '1.5' is not a whole number"),
        (["toy", "--set", "lines="], "knob lines: '' is not a whole number"),
        (["toy", "-j", "0"], "'-j'"),
        (["toy", "--expected", "traps/toy/private"], "must not be inside the suite"),
        (["toy", "more"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_an_error_and_builds_nothing(
    run: Run, tmp_path: Path, args: list[str], what: str
) -> None:
    """Each mistake on the command line exits 2 and says what is wrong and what the choices are."""
    done = run("build", *args)
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert os.listdir(tmp_path) == []


def test_all_are_refused_before_anything_is_built(run: Run, tmp_path: Path) -> None:
    """If one of all suites may not be replaced, none is built."""
    run("build", "toy")
    done = run("build", "--all")
    assert done.code == 2
    assert "traps/toy is a suite already; --force" in done.err
    assert os.listdir(tmp_path / "traps") == ["toy"]
    assert run("build", "--all", "--force").code == 0


def test_an_interrupted_build_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C exits 130 and leaves everything as it was."""

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Toy, "check", pressed)
    assert run("build", "toy").code == 130
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
def test_workers_build_the_same(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With -j 2 the workers find an installed family by name, and the suite has the same digest."""
    monkeypatch.syspath_prepend(str(declare(tmp_path / "packages")))
    digests = [
        json.loads(run("build", "toy", "--force", "--json", "-j", jobs).out)["suites"][0]["digest"]
        for jobs in (1, 2)
    ]
    assert digests[0] == digests[1]


def test_the_help_has_every_knob_and_examples_that_work(run: Run, tmp_path: Path) -> None:
    """The help lists each family's knobs, or those of the named one, and its examples are accepted."""
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
    """A family that does not load is left out of the help, and is an error if it is named."""
    installed(monkeypatch, broken="no_such_module:FAMILY")
    done = run("build", "--help")
    assert (done.code, done.err) == (0, "")
    assert "Knobs of toy" in done.out
    assert "family 'broken' (no_such_module:FAMILY) does not load" in run("build", "broken").err


def test_no_suite_is_built_inside_another(run: Run, tmp_path: Path) -> None:
    """Neither half may be inside a suite, because agents see its cases."""
    assert run("build", "toy", "--cases", "1").code == 0
    for place in (["--out", "traps/toy/inputs/case_01"], ["--out", "o", "--expected", "traps/toy/x"]):
        done = run("build", "toy", "--cases", "1", *place)
        assert done.code == 2
        assert "is inside the suite" in done.err
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
    """The command printed after `next:` works, also if the private half is elsewhere."""
    done = run("build", "toy", "--cases", "1", "--out", "public", "--expected", "private")
    command = done.out.split("next: trapcli ")[1].split()
    assert run(*command).code == 0
