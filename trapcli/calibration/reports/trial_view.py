"""The trials of one case of a run, one row each; and one trial with its verdict and its output."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from trapcli.calibration.records import JUDGE_ERROR, Run, RunSuite, Trial
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.provider_errors import TailReader
from trapcli.calibration.reports.tally import mistake_of
from trapcli.calibration.store.reader import StoreReader
from trapcli.calibration.store.trial_files import read_stored_files
from trapcli.calibration.stored_output import Stream
from trapcli.calibration.suite_names import inspect_command, suite_name
from trapcli.core import registry
from trapcli.core.contract import Section, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.family_calls import viewed
from trapcli.core.output import UTF16
from trapcli.core.shorten import ELLIPSIS
from trapcli.system.ordinary_files import open_ordinary
from trapcli.system.output_files import OutputFiles
from trapcli.views.kept_files import kept_files_json, kept_files_sections
from trapcli.views.view import View

LINES, BYTES = 200, 20_000  # at the end of a stream that are shown


def about_trials(run: Run, position: int, case: str, trials: Iterable[Trial]) -> View:
    """Return the trials of a case, one row each.

    position: of the suite that has the case.
    trials: of the run; those of other cases are skipped.
    """
    of_case = [trial for trial in trials if (trial.suite, trial.case) == (position, case)]
    document = {
        **_place_to_json(run, position, case),
        "planned": run.plan.trials,
        "trials": [trial_to_json(trial) for trial in of_case],
    }
    rows = tuple(
        (
            str(trial.number),
            trial.status.replace("_", " "),
            formatting.seconds(trial.seconds),
            _exit_of(trial),
            mistake_of(trial),
            str(trial.verdict.get("reason", "")),
        )
        for trial in of_case
    )
    columns = ("trial", "status", "seconds", "exit", "mistake", "reason")
    title = (
        f"Run {run.number}, {suite_name(run, position)} {case}: {len(of_case)} of {run.plan.trials} trials"
    )
    sections = [Section(title, columns, rows)]
    if of_case:
        command = inspect_command(run, position, case, of_case[0].number)
        sections.append(Section("", text=f"`{command}` shows one in full."))
    return View("trials/1", document, tuple(sections))


def about_trial(store: StoreReader, run: Run, trial: Trial) -> View:
    """Return one trial: its verdict as its family shows it, how its process ended, and its output."""
    streams = {"stdout": trial.stdout, "stderr": trial.stderr, "files": trial.files}
    paths = {name: store.output_path(run.number, one) if one.file else None for name, one in streams.items()}
    document = {**_place_to_json(run, trial.suite, trial.case), **trial_to_json(trial)}
    for name, path in paths.items():
        document[name] |= {"path": None if path is None else str(path)}
    left = _files_of(trial, paths["files"])
    document["files"] |= kept_files_json(left)
    read = tail_reader(store, run.number)
    title = f"Run {run.number}, {suite_name(run, trial.suite)} {trial.case}, trial {trial.number}"
    return View(
        "trial/1",
        document,
        (
            Section(title, rows=tuple(_facts(trial))),
            *_verdict_sections(run.plan.suites[trial.suite], trial),
            *(_stream_section(name, streams[name], paths[name], read) for name in ("stdout", "stderr")),
            *kept_files_sections(left, paths["files"]),
        ),
    )


def trial_to_json(trial: Trial) -> dict[str, Any]:
    """Return all that is stored of a trial as JSON data."""
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
        "files": _stream_to_json(trial.files),
        "stragglers": list(trial.stragglers),
        "usage": None if trial.usage is None else dict(trial.usage),
        "running": trial.running,
        "load": trial.load,
        "started": trial.started,
    }


def tail_reader(store: StoreReader, number: int) -> TailReader:
    """Return a reader of the stored streams of run `number`; a stream without a file reads as empty."""

    def read(stream: Stream, limit: int) -> bytes:
        try:
            with open_ordinary(store.output_path(number, stream)) as file:
                file.seek(max(0, stream.kept - limit))
                return file.read(limit)
        except OSError:
            return b""

    return read


def _place_to_json(run: Run, position: int, case: str) -> dict[str, Any]:
    suite = run.plan.suites[position]
    return {"run": run.number, "family": suite.family, "directory": str(suite.directory), "case": case}


def _stream_to_json(stream: Stream) -> dict[str, Any]:
    return {**stream.to_json(), "cut": stream.cut}


def _files_of(trial: Trial, path: Path | None) -> OutputFiles | None:
    """Return the files that a trial left; None if their archive is missing or was changed."""
    try:
        return OutputFiles() if path is None else read_stored_files(path, trial.files)
    except TrapError:
        return None


def _exit_of(trial: Trial) -> str:
    """Return how the trial's process ended: exit code, signal, or time limit."""
    if trial.timed_out:
        return "time limit"
    return f"signal {-trial.exit_code}" if trial.exit_code < 0 else str(trial.exit_code)


def _facts(trial: Trial) -> list[tuple[str, str]]:
    """Return what is known about a trial, as names and values."""
    counted = "" if trial.counted else ": no verdict, so it does not count"
    facts = [
        ("status", trial.status.replace("_", " ") + counted),
        ("reason", str(trial.verdict.get("reason", ""))),
        ("trap", str(trial.verdict.get("trap") or formatting.UNKNOWN)),
    ]
    if mistake := mistake_of(trial):
        facts.append(("matches the mistake", mistake))
    limit = f"the limit of {trial.limit:g} s"
    if trial.timed_out:
        ended = f"killed after {trial.seconds:.2f} s: {limit} was reached"
    else:
        ended = f"after {trial.seconds:.2f} s, by itself; {limit} was not reached"
    signal = f" (signal {-trial.exit_code})" if trial.exit_code < 0 else ""
    running = formatting.plural(trial.running, "trial")
    facts += [
        ("started", trial.started or formatting.UNKNOWN),
        ("ended", ended),
        ("exit code", f"{trial.exit_code}{signal}"),
        ("machine", f"load {trial.load:.2f} when it ended; {running} running when it started"),
    ]
    if trial.stragglers:
        facts.append(("left behind, killed", ", ".join(trial.stragglers)))
    if trial.usage is not None:
        reported = ", ".join(f"{name} {value}" for name, value in trial.usage.items())
        facts.append(("reported usage", reported))
    return facts


def _verdict_sections(suite: RunSuite, trial: Trial) -> Sequence[Section]:
    """Return the verdict as its family shows it, and its notes; if the family cannot, why not."""
    if trial.status == JUDGE_ERROR:
        return ()
    verdict = Verdict.from_json(trial.verdict)
    try:
        family = registry.family(suite.family)
        sections = list(viewed(family, verdict))
    except TrapError as error:
        sections = [Section("Verdict", text=f"The family cannot show it: {error}")]
    if verdict.notes:
        sections.append(Section("Notes", text="\n".join(f"- {note}" for note in verdict.notes)))
    return sections


def _stream_section(name: str, stream: Stream, path: Path | None, read: TailReader) -> Section:
    """Return the end of a stream, and where the rest is."""
    if path is None:
        return Section(name, text="(nothing was printed)" if name == "stdout" else "(nothing)")
    size = f"{stream.size:,} bytes" + (f", of which the last {stream.kept:,} were kept" if stream.cut else "")
    if not path.is_file():
        return Section(f"{name}: {size}", text=f"({path} is missing)")
    raw = read(stream, BYTES)
    lines = _decode(raw, stream).removesuffix("\n").split("\n")
    if len(raw) < stream.size:
        lines[0] = ELLIPSIS + lines[0]  # its beginning may be missing
    whole = len(raw) == stream.size and len(lines) <= LINES
    title = f"{name}: {size}, in {path}" if whole else f"{name}: the end of {size}; more is in {path}"
    return Section(title, text="\n".join(lines[-LINES:]) or "(an empty line)")


def _decode(raw: bytes, stream: Stream) -> str:
    """Return the last bytes of a stream as text: UTF-16 if the stream began with its mark, else UTF-8."""
    if stream.head in UTF16:
        start = stream.size - len(raw)
        raw = stream.head + raw[start % 2 :] if start else raw
        text = raw.decode("utf-16", "replace")
    else:
        text = raw.decode("utf-8", "replace")
    return text.replace("\r\n", "\n")
