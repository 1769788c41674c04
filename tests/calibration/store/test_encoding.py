"""Plans and trials are decoded as they were encoded."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from factories import run_of, suite_of, trial
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.records import TRIAL_STATUSES, Plan, RunSuite, Trial
from trapcli.calibration.solutions.builtin import Builtin
from trapcli.calibration.solutions.command import Command
from trapcli.calibration.store.encoding import (
    plan_from_json,
    plan_to_json,
    plan_to_show,
    trial_from_row,
    trial_to_row,
    verdict_text,
)
from trapcli.calibration.stored_output import KeptFiles, RawVerdict, Stream
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import Halves

SECRET = str(2**100 + 7)  # a seed that cannot be guessed

texts = st.text(max_size=12)
names = st.text("abcdefghij_-. é\n\"'\\", min_size=1, max_size=12)
seconds = st.floats(0, 1e9)
counts = st.integers(0, 2**62)
json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(texts, part, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, json_data, max_size=4)
paths = st.lists(names.filter(lambda name: "/" not in name), max_size=3).map(lambda parts: Path("/", *parts))

streams = st.builds(
    Stream,
    file=names,
    size=counts,
    kept=counts,
    head=st.binary(max_size=2),
    digest=st.text("0123456789abcdef"),
)
kept_files = st.builds(
    KeptFiles,
    file=names,
    size=counts,
    kept=counts,
    head=st.binary(max_size=2),
    digest=st.text("0123456789abcdef"),
    over_limit=counts,
    judged=st.booleans(),
)
trials = st.builds(
    Trial,
    suite=st.integers(0, 9),
    case=st.from_regex("case_[0-9]{2,4}", fullmatch=True),
    number=st.integers(1, 10_000),
    status=st.sampled_from(TRIAL_STATUSES),
    verdict=objects,
    exit_code=st.integers(-64, 255),
    timed_out=st.booleans(),
    limit=seconds,
    seconds=seconds,
    stdout=streams,
    stderr=streams,
    stragglers=st.lists(texts, max_size=3).map(tuple),
    usage=st.none() | objects,
    running=st.integers(1, 1000),
    load=seconds,
    started=names,
    files=st.just(KeptFiles()) | kept_files,
)
commands = st.builds(
    Command,
    given=texts,
    command=st.lists(texts, max_size=4).map(tuple),
    cwd=paths,
    timeout=seconds,
    stdin=st.none() | names,
    setup_cmd=st.none() | texts,
    manifest_envvar=names,
    name=st.none() | texts,
    profile=st.dictionaries(st.sampled_from(("model", "framework")), st.lists(texts, max_size=2)),
)
builtins = st.builds(
    Builtin, given=texts, cwd=paths, mistake=texts, chance=st.none() | st.floats(0, 1), seed=texts
)
suites = st.builds(
    RunSuite,
    halves=st.builds(Halves, public=paths, private=paths),
    recipe=st.builds(
        Recipe,
        family=names,
        version=names,
        seed=st.integers(0, 2**512).map(str),
        knobs=objects,
        count=st.integers(1, 100),
    ),
    digest=texts,
    cases=st.lists(names, max_size=3).map(tuple),
    changed=st.booleans(),
    true_rate=st.none() | st.floats(0, 1),
)
plans = st.builds(
    Plan,
    solution=commands | builtins,
    suites=st.lists(suites, max_size=3).map(tuple),
    trials=st.integers(1, 10_000),
    limit=seconds,
    isolate=st.booleans(),
    no_network=st.booleans(),
    fresh_home=st.booleans(),
    env=st.lists(names, max_size=3).map(tuple),
    configuration=st.builds(
        Configuration,
        label=texts,
        tags=st.dictionaries(texts, texts, max_size=3),
        variables=st.dictionaries(names, texts, max_size=3),
        environment=st.dictionaries(names, texts, max_size=3),
        files=st.dictionaries(texts, texts, max_size=3),
        files_left_out=counts,
        salt=texts,
    ),
)


@pytest.mark.slow
@given(plans)
def test_a_plan_is_decoded_from_its_json(plan: Plan) -> None:
    """All of a plan is read back from its text, with the positions of changed suites beside it."""
    changed = [position for position, suite in enumerate(plan.suites) if suite.changed]
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan))), changed) == plan


@pytest.mark.slow
@given(trials)
def test_a_trial_is_decoded_from_its_row(trial: Trial) -> None:
    """All of a trial is read back from a table: verdict, process, streams, usage, files."""
    row = trial_to_row(trial)
    with sqlite3.connect(":memory:") as database:
        columns = ", ".join(f"c{n}" for n in range(len(row)))
        database.execute(f"CREATE TABLE stored ({columns})")
        database.execute(f"INSERT INTO stored VALUES ({', '.join('?' * len(row))})", row)
        [found] = database.execute("SELECT * FROM stored")
    database.close()
    assert trial_from_row(found) == trial


def test_paths_and_commands_that_are_not_utf_8() -> None:
    """File names and words of a command that are not valid text are read back as they were."""
    odd = "sm\udcf8rrebr\udcf8d"
    plan = run_of(suite_of(directory=Path("/", odd)), given=f"python {odd}").plan
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite(number: float) -> None:
    """Even a trial that reports NaN or an infinity is stored, and read back with it."""
    stored = trial_from_row(trial_to_row(trial(usage={"cost": number})))
    assert repr(stored.usage) == repr({"cost": number})


def test_a_plan_that_is_shown_has_no_secrets() -> None:
    """A report has what is stored of a plan, without secret seeds, and without hashes of variables."""
    secret, practice = suite_of(seed=SECRET), suite_of(seed="1")
    environ = {"MODEL": "big", "API_KEY": "sk-1", "EDITOR": "vi"}
    found = Configuration("mine").with_variables(environ, ("MODEL", "API_KEY"), "salt")
    plan = run_of([secret, practice], plan={"configuration": found}).plan
    stored, shown = plan_to_json(plan), plan_to_show(plan)
    assert shown["configuration"]["variables"] == {"MODEL": "big", "API_KEY": None}
    assert not any(word in json.dumps(shown) for word in ("sha256", "EDITOR", "salt"))
    stored["configuration"] = shown["configuration"]
    assert SECRET not in json.dumps(shown)
    assert shown["suites"][1]["recipe"]["seed"] == "1"
    del stored["suites"][0]["recipe"]["seed"]
    assert shown == stored


def test_a_raw_verdict_is_its_json() -> None:
    """It equals the data in its text, which is stored as it is; its status is known without parsing."""
    data = {"id": "case_01", "status": "failed", "notes": ["a"], "mistake": None}
    raw = RawVerdict("failed", json.dumps(data))
    assert raw == data and dict(raw) == data and len(raw) == 4 and raw.get("notes") == ["a"]
    assert verdict_text(raw) is raw.text and json.loads(verdict_text(data)) == data
    assert RawVerdict("failed", "no JSON")["status"] == "failed"
    assert trial_from_row(trial_to_row(replace(trial(), verdict=raw))).verdict == data


def test_a_plan_of_an_earlier_version_had_a_network() -> None:
    """A plan that was stored before the network could be taken away is read as it was meant."""
    data = plan_to_json(Plan(Command("run", ("run",), Path("/")), (), 1, 60.0, isolate=True))
    del data["no_network"]
    assert plan_from_json(data).no_network is False
