"""Encode the records of a run as JSON data and as rows of the store, and decode them."""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.records import Change, Plan, RunSuite, Trial
from trapcli.calibration.solutions.solution import solution_from_json
from trapcli.calibration.store.types_check import require_types
from trapcli.calibration.stored_output import KeptFiles, RawVerdict, Stream
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import Halves

# The columns of a trial, in the order of `trial_to_row` and `trial_from_row`.
TRIAL_COLUMNS = (
    "suite, case_id, number, status, verdict, exit_code, timed_out, limit_s, seconds, "
    "stdout, stderr, stragglers, usage, running, load, started, files"
)


def verdict_text(verdict: Mapping[str, Any]) -> str:
    """Return a verdict as JSON text."""
    return verdict.text if isinstance(verdict, RawVerdict) else json.dumps(dict(verdict))


def storable(text: str) -> str | bytes:
    """Return a text that may hold a path as SQLite can store it; `os.fsdecode` reads both back.

    A path need not be UTF-8: then it is stored as its bytes.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(text)
    return text


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Return the plan as JSON data that `plan_from_json` reads back."""
    return {
        "solution": plan.solution.to_json(),
        "suites": [_suite_to_json(suite) for suite in plan.suites],
        "trials": plan.trials,
        "limit": plan.limit,
        "isolate": plan.isolate,
        "no_network": plan.no_network,
        "fresh_home": plan.fresh_home,
        "env": list(plan.env),
        "configuration": plan.configuration.to_json(),
    }


def plan_to_show(plan: Plan) -> dict[str, Any]:
    """Return the plan as JSON data for a report that may be shared: without secrets.

    Left out are the seeds of secret suites, and the values and hashes of variables that may be secret.
    """
    found = {**plan_to_json(plan), "configuration": plan.configuration.to_show()}
    for data, suite in zip(found["suites"], plan.suites, strict=True):
        if not suite.practice:
            del data["recipe"]["seed"]
    return found


def plan_from_json(data: Mapping[str, Any], changed: Collection[int] = ()) -> Plan:
    """Return the plan in JSON data; TypeError, ValueError or KeyError if it is not one.

    changed: positions of the suites that are marked as changed.
    """
    suites = tuple(
        _suite_from_json(suite, position in changed) for position, suite in enumerate(data["suites"])
    )
    return Plan(
        **{
            **data,
            "solution": solution_from_json(data["solution"]),
            "suites": suites,
            "env": tuple(data["env"]),
            "configuration": Configuration.from_json(data["configuration"]),
        }
    )


def change_from_json(data: Mapping[str, Any]) -> Change:
    """Return the change that `dataclasses.asdict` turned into this data."""
    return Change(data["resume"], tuple(data["mixed"]), tuple(data["noted"]))


def _suite_to_json(suite: RunSuite) -> dict[str, Any]:
    """Return a suite as JSON data, without `changed`, which is stored in a column of its own."""
    return {
        "halves": {"public": str(suite.halves.public), "private": str(suite.halves.private)},
        "recipe": asdict(suite.recipe),
        "digest": suite.digest,
        "cases": list(suite.cases),
        "true_rate": suite.true_rate,
    }


def _suite_from_json(data: Mapping[str, Any], changed: bool) -> RunSuite:
    return RunSuite(
        halves=Halves(Path(data["halves"]["public"]), Path(data["halves"]["private"])),
        recipe=Recipe(**data["recipe"]),
        digest=data["digest"],
        cases=tuple(data["cases"]),
        changed=changed,
        true_rate=data["true_rate"],
    )


def trial_to_row(trial: Trial) -> tuple[Any, ...]:
    """Return a trial as a row of the store."""
    return (
        trial.suite,
        trial.case,
        trial.number,
        trial.status,
        verdict_text(trial.verdict),
        trial.exit_code,
        int(trial.timed_out),
        trial.limit,
        trial.seconds,
        json.dumps(trial.stdout.to_json()),
        json.dumps(trial.stderr.to_json()),
        json.dumps(trial.stragglers),
        None if trial.usage is None else json.dumps(trial.usage),
        trial.running,
        trial.load,
        trial.started,
        json.dumps(trial.files.to_json()) if trial.files.file else None,
    )


def trial_from_row(row: Sequence[Any]) -> Trial:
    """Return the trial in a row of the store; TypeError, ValueError or KeyError if it is not one."""
    (suite, case, number, status, verdict, exit_code, timed_out, limit, seconds,
     stdout, stderr, stragglers, usage, running, load, started, files) = row  # fmt: skip
    trial = Trial(
        suite=suite,
        case=case,
        number=number,
        status=status,
        verdict=json.loads(verdict),
        exit_code=exit_code,
        timed_out=bool(timed_out),
        limit=limit,
        seconds=seconds,
        stdout=Stream.from_json(json.loads(stdout)),
        stderr=Stream.from_json(json.loads(stderr)),
        stragglers=tuple(json.loads(stragglers)),
        usage=None if usage is None else json.loads(usage),
        running=running,
        load=load,
        started=started,
        files=KeptFiles() if files is None else KeptFiles.from_json(json.loads(files)),
    )
    require_types(trial)
    return trial
