"""What must hold for every registered family: it satisfies the contract, whatever it is about."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT

from trapcli import testing
from trapcli.building.case_builder import build_case
from trapcli.building.invariants import examine
from trapcli.core import registry
from trapcli.core.contract import Answer
from trapcli.core.errors import TrapError
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import output_of

FAMILIES = registry.names()


@pytest.mark.parametrize("name", FAMILIES)
def test_what_it_declares_is_complete(name: str) -> None:
    """Traps, mistakes and knobs all have a line of description, and there are at least six valid levels."""
    family = registry.family(name)
    assert family.name == name
    assert family.title
    assert re.fullmatch(r"[0-9.]+", family.version)
    for text in (*family.traps.values(), *family.mistakes.values()):
        assert text.strip()
        assert "\n" not in text
    for field in fields(family.knobs):
        assert field.metadata["low"] <= field.default <= field.metadata["high"]
        assert field.metadata["help"]
    assert len(family.levels) >= 6
    levels = [asdict(parse_knobs(family, preset)) for preset in family.levels]
    assert all(levels[i] != levels[i + 1] for i in range(len(levels) - 1))


@pytest.mark.parametrize("name", FAMILIES)
def test_knobs_out_of_range_are_refused(name: str) -> None:
    """A value below or above a knob's range, or not a whole number, is an error that names the knob."""
    family = registry.family(name)
    for field in fields(family.knobs):
        for value in (
            field.metadata["low"] - 1,
            field.metadata["high"] + 1,
            "many",
            "",
            "1.5",
            "1e1",
            "\u0663",
        ):
            with pytest.raises(TrapError, match=field.name):
                parse_knobs(family, {field.name: value})
        assert parse_knobs(family, {field.name: str(field.default)}) == family.knobs()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [*product(FAMILIES, ["1", "2", "29"])])
def test_built_cases_hold_every_invariant(name: str, seed: str) -> None:
    """A case of each trap is solved by the solver, failed by every mistake, and has no problem."""
    family = registry.family(name)
    for k, trap in enumerate(family.traps):
        case = build_case(family, seed, family.knobs(), k).case
        assert case.trap == trap
        assert examine(family, case, seed)[1] == []
        assert [known.name for known in case.known_mistakes] == list(case.mistakes)
        assert case.mistakes


@pytest.mark.parametrize("name", FAMILIES)
def test_levels_give_cases(name: str) -> None:
    """The easiest level and two in the middle give cases that hold every invariant."""
    family = registry.family(name)
    for k, level in enumerate((0, 2, 3)):
        knobs = parse_knobs(family, family.levels[level])
        assert build_case(family, "4", knobs, k).case.known_mistakes


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_neighbouring_seeds_share_no_case(name: str) -> None:
    """Other seeds, and other places in a suite, give other data."""
    family = registry.family(name)
    texts = []
    for seed in ("1", "2", "11"):
        for k in range(2 * len(family.traps)):
            files = family.generate(seed, family.knobs(), k).files
            texts.append(
                "".join(text for path, text in files.items() if not path.endswith((".py", "README.md")))
            )
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", FAMILIES)
def test_each_step_is_pure(name: str) -> None:
    """Generating, solving and explaining twice gives the same twice."""
    family = registry.family(name)
    for k in range(len(family.traps)):
        one, other = (family.generate("6", family.knobs(), k) for _ in range(2))
        assert dict(one.files) == dict(other.files)
        assert one.gold == other.gold
        assert family.solve(one.files) == family.solve(dict(other.files))
        assert family.explain(one, public=False) == family.explain(other, public=False)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_public_explanation_says_nothing_private(name: str) -> None:
    """What is shown of a case to the public can be made from its files alone."""
    family = registry.family(name)
    for k in range(len(family.traps)):
        case = family.generate("8", family.knobs(), k)
        shown = repr(family.explain(case, public=True))
        assert case.trap not in shown
        assert json.dumps(case.gold)[1:-1] not in shown


@pytest.mark.parametrize("name", FAMILIES)
def test_any_output_is_read_or_refused(name: str) -> None:
    """Text that is not an answer is refused with a reason, and doing nothing does not pass."""
    family = registry.family(name)
    case = build_case(family, "3", family.knobs(), 0).case
    for text in ("I could not do it.", "null", "{", "[[[", "ANSWER: none", "\x00", "7" * 5000):
        found = family.answers.extract(output_of(text))
        assert not isinstance(found, Answer), text
        assert found.message
    noop = family.answers.extract(output_of(family.answers.noop))
    assert not isinstance(noop, Answer) or family.answers.judge(case, noop).score == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_it_passes_the_check_for_authors(name: str) -> None:
    """`trapcli.testing.check_family`, which authors of families run, finds nothing wrong with ours."""
    family = registry.family(name)
    testing.check_family(family, seeds=len(family.traps), level=2)


def versions() -> list[str]:
    """Every Python from 3.11 on that is found here, this one first."""
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    places = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    for place, minor in product(places, range(11, 14)):
        program = Path(place) / f"python3.{minor}"
        if f"3.{minor}" not in found and os.access(program, os.X_OK):
            probe = subprocess.run(
                [program, "-c", "import sys; print(sys.version_info[1])"], capture_output=True, text=True
            )
            if probe.stdout.strip() == str(minor):
                found[f"3.{minor}"] = str(program)
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_tree_everywhere(name: str, tmp_path: Path) -> None:
    """Any Python, hash seed, locale, time zone and number of jobs gives a suite of the same digest."""
    import click

    libraries = os.pathsep.join([str(ROOT), str(Path(click.__file__).parent.parent)])
    surroundings: list[Mapping[str, str]] = [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Pago_Pago"},
    ]
    entry = "from trapcli.cli import main; import sys; sys.exit(main())"
    digests = {}
    for i, (python, jobs) in enumerate([(sys.executable, "2"), *((python, "1") for python in versions())]):
        command = [
            python,
            "-c",
            entry,
            "build",
            name,
            "--cases",
            "7",
            "--seed",
            "12345",
            "-j",
            jobs,
            "--json",
        ]
        done = subprocess.run(
            [*command, "--out", str(tmp_path / str(i))], capture_output=True, text=True,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": libraries, **surroundings[i % 2]},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        digests[f"{python} -j {jobs}"] = json.loads(done.stdout)["suites"][0]["digest"]
    assert len(set(digests.values())) == 1, digests


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_the_program_judges_what_it_built(name: str, run: Callable[..., Any], tmp_path: Path) -> None:
    """Built, solved from the public files and judged in a batch by the program, every case passes."""
    assert run("build", name, "--seed", "31").code == 0
    family = registry.family(name)
    lines = []
    for directory in sorted((tmp_path / "traps" / name / "inputs").iterdir()):
        paths = [path for path in sorted(directory.rglob("*")) if path.is_file()]
        files = {path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8") for path in paths}
        lines.append(json.dumps({"case": directory.name, "output": family.solve(files)}))
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    done = run("judge", "--suite", f"traps/{name}", "--answers", "answers.jsonl", "--json")
    assert done.code == 0, done.out + done.err
    assert [json.loads(line)["status"] for line in done.out.splitlines()] == ["passed"] * family.cases
