"""Records of a run as JSON data and as rows of the store, and back."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trapcli.calibration.records import Plan, RunSuite, Solution, Stream, Trial


class Told(Mapping[str, Any]):
    """A verdict as a judge sent it, JSON text, which is parsed only if more than its status is asked for."""

    __slots__ = ("_data", "status", "text")

    def __init__(self, status: str, text: str) -> None:
        self.status, self.text = status, text
        self._data: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        if self._data is None:
            self._data = json.loads(self.text)
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self.status if key == "status" else self.data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


def verdict_text(verdict: Mapping[str, Any]) -> str:
    """A verdict as JSON text."""
    return verdict.text if isinstance(verdict, Told) else json.dumps(dict(verdict))


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The plan as JSON data; `plan_from_json` gives it back."""
    found: dict[str, Any] = _plain(asdict(plan))
    for suite in found["suites"]:
        del suite["changed"]  # not planned: it has a place of its own
    return found


def plan_to_show(plan: Plan) -> dict[str, Any]:
    """The plan as JSON data for a report that may be handed on: no seed that keeps a suite secret."""
    found = plan_to_json(plan)
    for data, suite in zip(found["suites"], plan.suites, strict=True):
        if not suite.practice:
            del data["seed"]
    return found


def plan_from_json(data: Mapping[str, Any], changed: Collection[int] = ()) -> Plan:
    """The plan in JSON data; `changed`: the positions of suites that are marked so."""
    solution = {**data["solution"], "argv": tuple(data["solution"]["argv"])}
    solution["cwd"] = Path(solution["cwd"])
    suites = tuple(
        RunSuite(
            **{
                **suite,
                "directory": Path(suite["directory"]),
                "expected": Path(suite["expected"]),
                "cases": tuple(suite["cases"]),
                "changed": position in changed,
            }
        )
        for position, suite in enumerate(data["suites"])
    )
    rest = {**data, "solution": Solution(**solution), "suites": suites, "env": tuple(data["env"])}
    return Plan(**rest)


def trial_to_row(trial: Trial) -> tuple[Any, ...]:
    """The trial in the order of the store's columns."""
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
    )


def trial_from_row(row: Sequence[Any]) -> Trial:
    """The trial in a row of the store."""
    (suite, case, number, status, verdict, exit_code, timed_out, limit, seconds,
     stdout, stderr, stragglers, usage, running, load, started) = row  # fmt: skip
    return Trial(
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
    )


def _plain(value: Any) -> Any:
    """JSON data with paths as text and tuples as lists."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value
