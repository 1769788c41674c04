"""What is stored of plans and trials comes back as it was."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from factories import run_of, suite_of, trial
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.records import TRIAL_STATUSES, Plan, RunSuite, Solution, Stream, Trial
from trapcli.calibration.store.encoding import (
    Told,
    plan_from_json,
    plan_to_json,
    plan_to_show,
    trial_from_row,
    trial_to_row,
    verdict_text,
)

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
)
solutions = st.builds(
    Solution,
    given=texts,
    argv=st.lists(texts, max_size=4).map(tuple),
    cwd=paths,
    timeout=seconds,
    stdin=st.none() | names,
    setup_cmd=st.none() | texts,
    manifest_envvar=names,
    name=st.none() | texts,
    profile=st.dictionaries(st.sampled_from(("model", "framework")), st.lists(texts, max_size=2)),
    builtin=texts,
)
suites = st.builds(
    RunSuite,
    directory=paths,
    expected=paths,
    family=names,
    version=names,
    seed=st.integers(0, 2**512).map(str),
    knobs=objects,
    practice=st.booleans(),
    digest=texts,
    cases=st.lists(names, max_size=3).map(tuple),
    changed=st.booleans(),
)
plans = st.builds(
    Plan,
    solution=solutions,
    suites=st.lists(suites, max_size=3).map(tuple),
    trials=st.integers(1, 10_000),
    limit=seconds,
    isolate=st.booleans(),
    fresh_home=st.booleans(),
    env=st.lists(names, max_size=3).map(tuple),
    files=st.dictionaries(texts, texts, max_size=3),
)


@given(plans)
def test_a_plan_survives_the_way_through_json(plan):
    """All of a plan comes back from the text that is stored, which suites were changed given beside it."""
    changed = [position for position, suite in enumerate(plan.suites) if suite.changed]
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan))), changed) == plan


@given(trials)
def test_a_trial_survives_the_way_through_a_row(trial):
    """All of a trial comes back from the row of a table: verdict, process, streams, usage."""
    row = trial_to_row(trial)
    with sqlite3.connect(":memory:") as database:
        columns = ", ".join(f"c{n}" for n in range(len(row)))
        database.execute(f"CREATE TABLE stored ({columns})")
        database.execute(f"INSERT INTO stored VALUES ({', '.join('?' * len(row))})", row)
        [found] = database.execute("SELECT * FROM stored")
    database.close()
    assert trial_from_row(found) == trial


def test_paths_and_commands_that_are_no_utf_8_survive():
    """File names and words of a command that are no valid text are stored as the bytes they are."""
    odd = "sm\udcf8rrebr\udcf8d"
    plan = run_of(suite_of(directory=Path("/", odd)), given=f"python {odd}").plan
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_no_reason_to_lose_a_verdict(number):
    """Even a verdict that holds NaN or an infinity is stored, and comes back with it."""
    stored = trial_from_row(trial_to_row(trial(usage={"cost": number})))
    assert repr(stored.usage) == repr({"cost": number})


def test_a_plan_that_is_shown_keeps_the_seeds_that_must_stay_secret():
    """What is shown of a plan is all that is stored, but the seed only of suites that anyone can rebuild."""
    secret, practice = suite_of(seed="987654321", practice=False), suite_of(seed="1", practice=True)
    plan = run_of([secret, practice]).plan
    stored, shown = plan_to_json(plan), plan_to_show(plan)
    assert "987654321" not in json.dumps(shown)
    assert shown["suites"][1]["seed"] == "1"
    del stored["suites"][0]["seed"]
    assert shown == stored


def test_a_verdict_that_was_told_is_its_json_and_is_parsed_when_asked_for():
    """It equals the data that its text holds, as a mapping does; its status is known without reading it."""
    data = {"id": "case_01", "status": "failed", "notes": ["a"], "slip": None}
    told = Told("failed", json.dumps(data))
    assert told == data and dict(told) == data and len(told) == 4 and told.get("notes") == ["a"]
    assert verdict_text(told) is told.text and json.loads(verdict_text(data)) == data
    assert Told("failed", "no JSON")["status"] == "failed"
    assert trial_from_row(trial_to_row(replace(trial(), verdict=told))).verdict == data
