"""Whatever a suite, trap.yaml, a manifest, a knob or the store holds, it is read or refused as TrapError."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import (
    CELLS,
    JSON,
    SETTINGS,
    YAML,
    apply_damage,
    damaged_bytes,
    file_damage,
    other_json,
)
from toy_family import TOY, build_toy, installed
from trial_place import Place

from trapcli.building.builder import make_recipe
from trapcli.calibration.solutions.trap_yaml import read_trap_yaml
from trapcli.cli import main
from trapcli.commands.build import Request
from trapcli.core.errors import BUG, TrapError
from trapcli.judging.trap_cli_protocol import grade, judge_manifest, manifest_halves, parse_manifest
from trapcli.suites.reader import open_public, open_suite, read_case
from trapcli.system.files import digest_of

pytestmark = pytest.mark.slow

common = settings(suppress_health_check=list(HealthCheck), max_examples=100)


@pytest.fixture(scope="module")
def patched() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        installed(patch)
        yield patch


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, patched: pytest.MonkeyPatch) -> Path:
    return build_toy(tmp_path_factory.mktemp("suites") / "toy", count=2).directory


def read_all(directory: Path) -> None:
    """Read everything of a suite; TrapError is allowed, each part for itself."""
    with suppress(TrapError):
        open_public(directory)
    with suppress(TrapError):
        opened = open_suite(directory)
        for case in opened.cases:
            with suppress(TrapError):
                read_case(opened, case)
        opened.halves.digest()


@common
@given(data=st.data())
def test_a_damaged_file_of_a_suite_is_refused_or_read(suite: Path, data: st.DataObject) -> None:
    """A flipped byte, a missing file, a directory in its place, another JSON type: TrapError or a suite."""
    path = data.draw(st.sampled_from(sorted(path for path in suite.rglob("*") if path.is_file())))
    copy = suite.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(suite, copy)
    apply_damage(copy / path.relative_to(suite), data.draw(file_damage(path)))
    read_all(copy)


@common
@given(data=st.data())
def test_a_record_that_is_committed_to_may_hold_anything(suite: Path, data: st.DataObject) -> None:
    """suite.json and answer.json with right digests but wrong contents: TrapError or a suite."""
    name = data.draw(st.sampled_from(["suite.json", "case_01/answer.json"]))
    copy = suite.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(suite, copy)
    record = copy / "expected" / name
    before = record.read_bytes()
    after = json.dumps(data.draw(other_json(json.loads(before)))).encode()
    record.write_bytes(after)
    commitment = copy / "expected.sha256"
    commitment.write_text(commitment.read_text().replace(digest_of(before), digest_of(after)))
    read_all(copy)


@common
@given(YAML, st.data())
@example({"cmd": "a", "timeout": 10**400}, None)
def test_trap_yaml_may_hold_anything(
    tmp_path_factory: pytest.TempPathFactory, mapping: Any, data: Any
) -> None:
    """Any mapping, and any bytes close to one, is a solution or TrapError."""
    path = tmp_path_factory.getbasetemp() / "trap.yaml"
    text = yaml.safe_dump(mapping, allow_unicode=True).encode("utf-8", "surrogatepass")
    for written in (text, data.draw(damaged_bytes(text)) if data else b""):
        path.write_bytes(written)
        with suppress(TrapError):
            read_trap_yaml(path, ".")


@common
@given(data=st.data())
def test_a_manifest_for_a_judge_may_hold_anything(suite: Path, data: st.DataObject) -> None:
    """A manifest and a meta file that differ from right ones in a place give a verdict or TrapError."""
    (suite.parent / "stdout").write_text("7")
    meta = suite.parent / "meta"
    manifest: Any = {
        "inputs_dir": str(suite / "inputs" / "case_01"),
        "expected_dir": str(suite / "expected" / "case_01"),
        "outputs_dir": str(suite.parent),
        "run": {"stdout": str(suite.parent / "stdout"), "stderr": "", "meta": str(meta)},
    }
    meta.write_text(json.dumps(data.draw(st.just({"exit_code": 0}) | other_json({"exit_code": 0}))))
    with suppress(TrapError):
        found = parse_manifest(json.dumps(data.draw(st.just(manifest) | other_json(manifest))))
        if isinstance(found, dict):
            manifest_halves(found)
            judge_manifest(found, open_suite(suite))


RESULT = {
    "case_id": "case_01",
    "exit_code": 0,
    "duration": 1.5,
    "metrics": {"score": 1.0, "status": "passed", "trap": "a", "mistake": None},
    "cost": {"cost_usd": 0.25},
    "judge_exit_code": 0,
}


@common
@given(st.lists(other_json(RESULT) | st.just(RESULT) | JSON, max_size=4))
@example([{**RESULT, "duration": 10**400}])
@example([{**RESULT, "cost": {"cost_usd": 1e308}}, {**RESULT, "cost": {"cost_usd": 1e308}}])
def test_the_grade_of_any_list_is_json(results: list[Any]) -> None:
    """Whatever trap-cli's list holds, its grade is data that every JSON parser reads."""
    found = grade(json.loads(json.dumps(results)))
    json.dumps(found, allow_nan=False)
    assert found["total"] == len(results) and found["judged"] <= found["total"]


@common
@example(["lines=6-7"], None, None)
@given(st.lists(SETTINGS, max_size=3), st.none() | st.integers(), st.none() | st.text(max_size=8))
def test_knobs_and_seeds_are_read_or_refused(words: list[str], level: int | None, seed: str | None) -> None:
    """Any `--set`, level and seed give a recipe or an error for the user; its knobs are in range."""
    request = Request("toy", False, seed, None, level, words, Path(), None, None, False, False)
    try:
        recipe = make_recipe(TOY, seed=seed, level=level, knobs=request.knobs())
    except (TrapError, click.UsageError):
        return
    for name, low, high in (("lines", 4, 10_000), ("largest", 10, 1_000_000)):
        bounds = [int(bound) for bound in str(recipe.knobs[name]).split("-")]
        assert low <= bounds[0] <= bounds[-1] <= high


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with two runs, the second one not complete."""
    place = Place(tmp_path_factory.mktemp("stored"), cases=2)
    for _ in range(2):
        run = place.calibrate("--suite", "traps/toy", "--solution", place.agent("right"), "--trials", 2)
        assert run.finish()[0] == 0
    with place.store() as store:
        store._db.execute("UPDATE run SET ended = '' WHERE number = 2")
    return place.root


COLUMNS = {
    "run": ["plan", "jobs", "tool", "host", "scratch", "started", "ended", "resumes", "self_check"],
    "trial": [
        *("suite", "case_id", "number", "status", "verdict", "exit_code", "timed_out", "limit_s", "seconds"),
        *("stdout", "stderr", "stragglers", "usage", "running", "load", "started", "files"),
    ],
    "suite": ["position", "digest", "changed"],
}
READS = [
    ["inspect", "run"],
    ["inspect", "run", "1"],
    ["inspect", "run", "1", "--json"],
    ["inspect", "run", "1", "case_01"],
    ["inspect", "run", "1", "case_01", "--trial", "1"],
    ["calibrate", "--compare", "1", "2", "--json"],
    ["judge", "--run", "1"],
    ["calibrate", "--resume", "1"],
]


@settings(common, max_examples=25)
@given(data=st.data())
def test_a_damaged_row_of_the_store_is_named_or_shown(
    stored: Path, patched: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    """Another value in a column, or other JSON in it: every command ends well or says what is damaged."""
    table = data.draw(st.sampled_from(sorted(COLUMNS)))
    column = data.draw(st.sampled_from(COLUMNS[table]))
    shutil.rmtree(stored / "copy", ignore_errors=True)
    shutil.copytree(stored / ".trapcli", stored / "copy" / ".trapcli")
    with closing(sqlite3.connect(stored / "copy" / ".trapcli" / "runs.db")) as db:
        [(value,)] = db.execute(f"SELECT {column} FROM {table} WHERE rowid = 1").fetchall()
        try:
            changed = other_json(json.loads(value)).map(json.dumps) | CELLS
        except (TypeError, ValueError):
            changed = CELLS
        with suppress(sqlite3.IntegrityError):
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = 1", (data.draw(changed),))
        db.commit()
    patched.chdir(stored / "copy")
    for words in READS:
        capsys.readouterr()
        assert main(words) != BUG, (words, table, column, capsys.readouterr().err)
