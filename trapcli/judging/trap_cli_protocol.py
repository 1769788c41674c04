"""Act as judge and grader for trap-cli's `tp`, which passes its manifest in TRAPTASK_MANIFEST.

The protocol was read from the source of trap-cli 0.0.14 (runner/judge.py, grader.py, proc.py,
models/results.py). The variable contains JSON itself, not a path:
- to judge one case, an object {"inputs_dir", "expected_dir" (null if there is none),
  "outputs_dir", "run": {"stdout", "stderr", "meta"}}, all absolute paths; meta is a file with
  {"exit_code", "duration" (seconds)}. A solution killed at the time limit has exit code 124, a
  solution killed by signal N has -N.
- to grade a run, a list of {"case_id", "exit_code", "duration", "metrics" (what the judge
  printed; null if it failed), "cost" (null if no priced call was seen, else an object whose
  "cost_usd" is null if unknown), "judge_exit_code" (null if no judge ran)}.
Any exit code other than 0 counts there as "no score"; the grader's object is shown as one line of
JSON in the report, so the most important keys come first.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import STATUSES, Family, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import Output, read_output
from trapcli.judging.judge import judge_output, overrule
from trapcli.suites.halves import Halves
from trapcli.suites.reader import Suite, read_case
from trapcli.suites.traptask import LONGEST_VERDICT
from trapcli.system.output_files import read_files

VARIABLE = "TRAPTASK_MANIFEST"
UNSET = "trap-cli sets it for its judges; unset it to judge by hand."
TIMEOUT = 124
OUT_OF_TIME = "exit 124 (trap-cli's time limit, or the solution's own)"
PASS_MARK = 0.5  # the mean score at which a run passes, as in the tasks that these families follow
LARGEST = 1e15  # seconds or dollars; what is larger, or not a number, is not one that anybody measured
LONGEST_NAME = 40  # characters of a trap's or a mistake's name


def parse_manifest(text: str) -> dict[str, Any] | list[Any]:
    """Return the manifest in the variable: a dict asks for a verdict, a list for a grade.

    Raises TrapError if it is neither.
    """
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TrapError(f"{VARIABLE} is set, but is not JSON: {error}. {UNSET}") from error
    if not isinstance(manifest, dict | list):
        raise TrapError(f"{VARIABLE} is set, but is neither an object nor a list. {UNSET}")
    return manifest


def manifest_halves(manifest: Mapping[str, Any]) -> Halves:
    """Return the halves of the suite that a manifest for a judge is about."""
    directory = Path(_text(manifest, "inputs_dir")).parent.parent
    expected = manifest.get("expected_dir")
    return Halves.of(directory, None if expected is None else Path(_text(manifest, "expected_dir")).parent)


def judge_manifest(manifest: Mapping[str, Any], suite: Suite) -> Verdict:
    """Return the full verdict on the run of one case that a manifest describes.

    Raises TrapError if a part of the manifest, or a file that it names, is missing or damaged.
    """
    run = manifest.get("run")
    if not isinstance(run, dict):
        raise TrapError(f'{VARIABLE}: "run" is missing. {UNSET}')
    stdout, exit_code = Path(_text(run, "stdout")), _exit_code(Path(_text(run, "meta")))
    family = registry.family(suite.family)
    case = read_case(suite, Path(_text(manifest, "inputs_dir")).name)
    output = _output(family, manifest, stdout)
    if exit_code == TIMEOUT:
        return overrule(judge_output(family, case, output), "timed_out", OUT_OF_TIME)
    return judge_output(family, case, output, exit_code=exit_code)


def _output(family: Family, manifest: Mapping[str, Any], stdout: Path) -> Output:
    try:
        with stdout.open("rb") as stream:
            output = read_output(stream)
    except OSError as error:
        raise TrapError(f"the solution's output {stdout} cannot be read: {error.strerror}.") from error
    if not family.answers.reads_files:
        return output
    return replace(output, files=read_files(Path(_text(manifest, "outputs_dir"))))


def short_verdict(verdict: Verdict) -> str:
    """Return the verdict as JSON of at most `LONGEST_VERDICT` ASCII bytes; the reason is cut first."""
    brief: dict[str, Any] = {
        "score": verdict.score,
        "status": verdict.status,
        "trap": _cut(verdict.trap, LONGEST_NAME),
        "mistake": _cut(verdict.mistake, 2 * LONGEST_NAME) or None,
        "partial_credit": round(verdict.partial_credit, 4),
        "reason": "",
    }
    brief["reason"] = _cut(verdict.reason, LONGEST_VERDICT - len(json.dumps(brief)))
    return json.dumps(brief)


def grade(results: Sequence[Any]) -> dict[str, Any]:
    """Return what a run adds up to. Cases without a verdict are listed, and counted nowhere else.

    run_passes: whether the mean score is `PASS_MARK` or more; null if the cases without a verdict
        could decide it either way, and if there are no cases.
    mean_score: over the judged cases, null if there are none.
    latency_s: seconds of all cases, median and 95th percentile (nearest rank).
    cost_usd: the sum over the cases whose cost is known to trap-cli; null if there are none, or if
        any part is unknown.
    """
    cases = [result if isinstance(result, dict) else {} for result in results]
    judged = [metrics for case in cases if (metrics := _metrics(case)) is not None]
    traps: dict[str, list[float]] = {}
    for metrics in judged:
        traps.setdefault(str(metrics.get("trap", "")), []).append(float(metrics["score"]))
    costs = [case["cost"].get("cost_usd") for case in cases if isinstance(case.get("cost"), dict)]
    return {
        "run_passes": _run_passes(
            sum(float(metrics["score"]) for metrics in judged), len(judged), len(cases)
        ),
        "mean_score": _mean([float(metrics["score"]) for metrics in judged]),
        "passed": sum(metrics["status"] == "passed" for metrics in judged),
        "judged": len(judged),
        "total": len(cases),
        "statuses": {
            status: count
            for status in STATUSES
            if (count := sum(metrics["status"] == status for metrics in judged))
        },
        "traps": {
            name: {"n": len(scores), "passed": scores.count(1.0), "mean": _mean(scores)}
            for name, scores in sorted(traps.items())
        },
        "latency_s": _latency([float(case["duration"]) for case in cases if _number(case.get("duration"))]),
        "cost_usd": round(sum(costs), 6) if costs and all(map(_number, costs)) else None,
        "judge_errors": [str(case.get("case_id", "?")) for case in cases if _metrics(case) is None],
    }


def _text(part: Mapping[str, Any], key: str) -> str:
    value = part.get(key)
    if not isinstance(value, str) or not value or "\0" in value:
        raise TrapError(f'{VARIABLE}: "{key}" is missing, or is not a path. {UNSET}')
    return value


def _exit_code(meta: Path) -> int:
    try:
        data = json.loads(meta.read_bytes())
    except OSError as error:
        raise TrapError(f"the solution's exit code, in {meta}, cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise TrapError(f"the solution's exit code cannot be read: {meta} is not JSON: {error}.") from error
    code = data.get("exit_code") if isinstance(data, dict) else None
    if type(code) is not int:
        raise TrapError(f'{meta} has no "exit_code", so nobody knows how the solution ended.')
    return code


def _metrics(case: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return our judge's verdict on a case; None if the judge failed, or if it was not ours."""
    metrics = case.get("metrics")
    if case.get("judge_exit_code") or not isinstance(metrics, dict):
        return None
    if metrics.get("status") not in STATUSES or metrics.get("score") not in (0.0, 1.0):
        return None
    return metrics


def _number(value: Any) -> bool:
    """Return whether a value is a number of seconds or dollars that can be added up."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _run_passes(score: float, judged: int, total: int) -> bool | None:
    """Return whether the mean over all cases reaches the mark, whatever the cases without a verdict score."""
    if total and score >= PASS_MARK * total:
        return True
    if total and score + total - judged < PASS_MARK * total:
        return False
    return None


def _mean(scores: Sequence[float]) -> float | None:
    return round(sum(scores) / len(scores), 6) if scores else None


def _latency(seconds: list[float]) -> dict[str, float] | None:
    if not seconds:
        return None
    seconds.sort()
    n = len(seconds)
    median = (seconds[(n - 1) // 2] + seconds[n // 2]) / 2
    return {"median": round(median, 3), "p95": round(seconds[-(-95 * n // 100) - 1], 3)}


def _cut(text: str, room: int) -> str:
    """Return the text, cut until its JSON form takes at most `room` bytes between the quotes."""
    if len(json.dumps(text)) - 2 <= room:
        return text
    kept = text[: max(0, room - 3)]
    while kept and len(json.dumps(kept)) - 2 > room - 3:
        kept = kept[:-1]
    return kept + "..."
