"""The trials of one case of a run, one a row; and one trial with its verdict explained and its outputs."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trapcli.building.invariants import called
from trapcli.calibration.records import JUDGE_ERROR, Run, RunSuite, Stream, Trial
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.provider_errors import Reader
from trapcli.calibration.reports.run_warnings import inspecting, label
from trapcli.calibration.reports.tally import slip_of
from trapcli.calibration.store.store import Store
from trapcli.core import registry
from trapcli.core.contract import Section, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import ELLIPSIS, UTF16
from trapcli.views.inspection import View

LINES, BYTES = 200, 20_000  # of a stream that are shown: its last ones
OWN = {*Verdict("failed", "").to_json()}  # keys of a verdict; all others are its family's details


def find_case(run: Run, case: str, suite: str | None) -> int:
    """The position of the suite that has the case: the one of this family or directory, or the only one.

    Raises TrapError, with the commands to choose from, if none or several fit.
    """
    having = [position for position, one in enumerate(run.plan.suites) if case in one.cases]
    if suite is not None:
        having = [position for position in having if position in suites_called(run, suite)]
    if len(having) == 1:
        return having[0]
    if not having:
        whose = f"run {run.number}" if suite is None else f"{suite} in run {run.number}"
        spans = "; ".join(
            f"{label(run, position)} has {one.cases[0]} to {one.cases[-1]}"
            for position, one in enumerate(run.plan.suites)
            if one.cases
        )
        raise TrapError(f"{whose} has no case {case!r}: {spans}.")
    commands = "\n".join(f"  {inspecting(run, position, case)}" for position in having)
    raise TrapError(f"run {run.number} has {case} in several suites; say which one you mean:\n{commands}")


def suites_called(run: Run, name: str) -> list[int]:
    """The positions of the suites of this family, or in this directory; TrapError if there is none."""
    suites = run.plan.suites
    place = Path(os.path.abspath(name))
    found = [
        at for at, one in enumerate(suites) if one.family == name or one.directory in (place, Path(name))
    ]
    if not found:
        known = ", ".join(dict.fromkeys(label(run, at) for at in range(len(suites))))
        raise TrapError(f"run {run.number} is on no suite called {name!r}; it is on {known}.")
    return found


def about_trials(run: Run, position: int, case: str, trials: Iterable[Trial]) -> View:
    """The trials of a case, one a row; those of `trials` that are of other cases are passed over."""
    shown = [trial for trial in trials if (trial.suite, trial.case) == (position, case)]
    suite = run.plan.suites[position]
    document = {
        **_place(run, suite, case),
        "planned": run.plan.trials,
        "trials": [trial_to_json(trial) for trial in shown],
    }
    rows = tuple(
        (
            str(trial.number),
            trial.status.replace("_", " "),
            formatting.seconds(trial.seconds),
            exit_of(trial),
            slip_of(trial),
            str(trial.verdict.get("reason", "")),
        )
        for trial in shown
    )
    columns = ("trial", "status", "seconds", "exit", "slip", "reason")
    title = f"Run {run.number}, {label(run, position)} {case}: {len(shown)} of {run.plan.trials} trials"
    more = f"`{inspecting(run, position, case, shown[0].number)}` shows one whole." if shown else ""
    return View(document, (Section(title, columns, rows), *([Section("", text=more)] if more else [])))


def about_trial(store: Store, run: Run, trial: Trial) -> View:
    """One trial: its verdict as the family explains it, how its process ended, and what it printed."""
    suite = run.plan.suites[trial.suite]
    streams = {"stdout": trial.stdout, "stderr": trial.stderr}
    paths = {name: store.output(run.number, one) if one.file else None for name, one in streams.items()}
    document = {**_place(run, suite, trial.case), **trial_to_json(trial)}
    for name, path in paths.items():
        document[name] |= {"path": None if path is None else str(path)}
    read = reader(store, run.number)
    title = f"Run {run.number}, {label(run, trial.suite)} {trial.case}, trial {trial.number}"
    return View(
        document,
        (
            Section(title, rows=tuple(_facts(trial))),
            *_explained(suite, trial),
            *(_stream(name, one, paths[name], read) for name, one in streams.items()),
        ),
    )


def trial_to_json(trial: Trial) -> dict[str, Any]:
    """All that is stored of a trial, as JSON data."""
    return {
        "trial": trial.number,
        "status": trial.status,
        "verdict": dict(trial.verdict),
        "exit_code": trial.exit_code,
        "timed_out": trial.timed_out,
        "limit": trial.limit,
        "seconds": trial.seconds,
        "stdout": _stream_to_json(trial.stdout),
        "stderr": _stream_to_json(trial.stderr),
        "stragglers": list(trial.stragglers),
        "usage": None if trial.usage is None else dict(trial.usage),
        "running": trial.running,
        "load": trial.load,
        "started": trial.started,
    }


def verdict_from_json(data: Mapping[str, Any]) -> Verdict:
    """The verdict that `Verdict.to_json` gave this; its `result` is not in there."""
    slip = data.get("slip") or ()
    return Verdict(
        status=str(data.get("status", "")),
        reason=str(data.get("reason", "")),
        partial=float(data.get("partial") or 0.0),
        notes=tuple(map(str, data.get("notes") or ())),
        details={key: value for key, value in data.items() if key not in OWN},
        slip=(slip,) if isinstance(slip, str) else tuple(map(str, slip)),
        id=str(data.get("id", "")),
        family=str(data.get("family", "")),
        category=str(data.get("category", "")),
    )


def reader(store: Store, number: int) -> Reader:
    """What gives the last bytes of a run's stored streams; none of one whose file is gone."""

    def read(stream: Stream, limit: int) -> bytes:
        try:
            with open(store.output(number, stream), "rb") as file:
                file.seek(max(0, stream.kept - limit))
                return file.read(limit)
        except OSError:
            return b""

    return read


def exit_of(trial: Trial) -> str:
    """How its process ended: an exit code, a signal, or our limit."""
    if trial.timed_out:
        return "by the limit"
    return f"signal {-trial.exit_code}" if trial.exit_code < 0 else str(trial.exit_code)


def _place(run: Run, suite: RunSuite, case: str) -> dict[str, Any]:
    return {"run": run.number, "family": suite.family, "directory": str(suite.directory), "case": case}


def _stream_to_json(stream: Stream) -> dict[str, Any]:
    return {**stream.to_json(), "cut": stream.cut}


def _facts(trial: Trial) -> list[tuple[str, str]]:
    """What the runner knows of a trial."""
    counted = "" if trial.counted else ": no verdict, so it is not counted"
    facts = [
        ("status", trial.status.replace("_", " ") + counted),
        ("reason", str(trial.verdict.get("reason", ""))),
        ("trap kind", str(trial.verdict.get("category") or formatting.UNKNOWN)),
    ]
    if slip := slip_of(trial):
        facts.append(("equals the mistake", slip))
    limit = f"the limit of {trial.limit:g} s"
    if trial.timed_out:
        ended = f"{limit} was reached; it was over after {trial.seconds:.2f} s"
    else:
        ended = f"after {trial.seconds:.2f} s, by itself; {limit} was not reached"
    facts += [
        ("started", trial.started or formatting.UNKNOWN),
        ("ended", ended),
        (
            "exit code",
            f"{trial.exit_code}" + (f" (signal {-trial.exit_code})" if trial.exit_code < 0 else ""),
        ),
        (
            "machine",
            f"load {trial.load:.2f} when it ended; {formatting.several(trial.running, 'trial')} running "
            "when it began",
        ),
    ]
    if trial.stragglers:
        facts.append(("left behind, killed", ", ".join(trial.stragglers)))
    if trial.usage is not None:
        reported = ", ".join(f"{name} {value}" for name, value in trial.usage.items())
        facts.append(("reported usage", reported))
    return facts


def _explained(suite: RunSuite, trial: Trial) -> Sequence[Section]:
    """The verdict as its family shows it, and its notes; why not, if the family cannot."""
    if trial.status == JUDGE_ERROR:
        return ()
    verdict = verdict_from_json(trial.verdict)
    try:
        family = registry.family(suite.family)
        shown = list(called(family, "view", family.view, verdict))
    except TrapError as error:
        shown = [Section("Verdict", text=f"The family cannot show it: {error}")]
    if verdict.notes:
        shown.append(Section("Notes", text="\n".join(f"- {note}" for note in verdict.notes)))
    return shown


def _stream(name: str, stream: Stream, path: Path | None, read: Reader) -> Section:
    """The end of what a stream held, and where the rest is."""
    if path is None:
        return Section(name, text="(nothing was printed)" if name == "stdout" else "(nothing)")
    size = f"{stream.size:,} bytes" + (f", of which the last {stream.kept:,} were kept" if stream.cut else "")
    if not path.is_file():
        return Section(f"{name}: {size}", text=f"({path} is missing)")
    raw = read(stream, BYTES)
    lines = _decoded(raw, stream).removesuffix("\n").split("\n")
    if len(raw) < stream.size:
        lines[0] = ELLIPSIS + lines[0]  # it may have begun otherwise
    whole = len(raw) == stream.size and len(lines) <= LINES
    title = f"{name}: {size}, in {path}" if whole else f"{name}: the end of {size}; more is in {path}"
    return Section(title, text="\n".join(lines[-LINES:]) or "(an empty line)")


def _decoded(raw: bytes, stream: Stream) -> str:
    """The bytes as text, whatever they are; UTF-16 if the stream began with its mark."""
    if stream.head in UTF16:
        start = stream.size - len(raw)
        raw = stream.head + raw[start % 2 :] if start else raw
        text = raw.decode("utf-16", "replace")
    else:
        text = raw.decode("utf-8", "replace")
    return text.replace("\r\n", "\n")
