"""Judging and grading for trap-cli's `tp`, which hands over its manifest in TRAPTASK_MANIFEST.

From the source of trap-cli 0.0.14 (runner/judge.py, grader.py, proc.py, models/results.py).
The variable holds JSON itself, not a path:
- to judge one case, an object {"inputs_dir", "expected_dir" (null if there is none),
  "outputs_dir", "run": {"stdout", "stderr", "meta"}}, all absolute paths; meta is a file
  that holds {"exit_code", "duration" (seconds)}. A solution killed at the time limit has
  exit code 124, a solution killed by signal N has -N.
- to grade a run, a list of {"case_id", "exit_code", "duration", "metrics" (what the judge
  printed; null if it failed), "cost" (null if no priced call was seen, else an object whose
  "cost_usd" is null if unknown), "judge_exit_code" (null if no judge ran)}.
Whatever exits other than 0 counts there as "no score"; the grader's object is shown as
one line of JSON in the report, so what matters most comes first.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import STATUSES, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import read_output
from trapcli.judging.judge import judge_output, overruled
from trapcli.suites.reader import Suite, read_case

VARIABLE = "TRAPTASK_MANIFEST"
UNSET = "trap-cli sets it for its judges; unset it to judge by hand."
TIMEOUT = 124
OUT_OF_TIME = "exit 124 (trap-cli's time limit, or the solution's own)"

# All verdicts of a run, with what trap-cli adds to each (110 to 125 bytes, 260 more for the
# cost of one priced model), travel to the grader in one environment variable, of which
# Linux takes 131,071 bytes. So 200 cases fit, costs included.
LONGEST = 240  # ASCII bytes of a verdict
MOST_CASES = 200
LONGEST_NAME = 40


def parse(text: str) -> dict[str, Any] | list[Any]:
    """The manifest in the variable: a dict asks for a verdict, a list for a grade; else TrapError."""
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TrapError(f"{VARIABLE} is set but holds no JSON: {error}. {UNSET}") from error
    if not isinstance(manifest, dict | list):
        raise TrapError(f"{VARIABLE} is set but holds neither an object nor a list. {UNSET}")
    return manifest


def halves(manifest: Mapping[str, Any]) -> tuple[Path, Path | None]:
    """The directory of the suite that the manifest is about, and of its private half if one is named."""
    directory = Path(_text(manifest, "inputs_dir")).parent.parent
    if manifest.get("expected_dir") is None:
        return directory, None
    return directory, Path(_text(manifest, "expected_dir")).parent


def judge_run(manifest: Mapping[str, Any], suite: Suite) -> Verdict:
    """The full verdict on the run of one case that the manifest describes.

    Raises TrapError if a part of the manifest, or a file that it names, is missing or damaged.
    """
    run = manifest.get("run")
    if not isinstance(run, dict):
        raise TrapError(f'{VARIABLE}: "run" is missing. {UNSET}')
    stdout, exit_code = Path(_text(run, "stdout")), _exit_code(Path(_text(run, "meta")))
    family = registry.family(suite.family)
    case = read_case(suite, Path(_text(manifest, "inputs_dir")).name)
    try:
        with stdout.open("rb") as stream:
            output = read_output(stream)
    except OSError as error:
        raise TrapError(f"the solution's output {stdout} cannot be read: {error.strerror}.") from error
    if exit_code == TIMEOUT:
        verdict = judge_output(family, case, output)
        return overruled(verdict, "timed_out", OUT_OF_TIME)
    return judge_output(family, case, output, exit_code=exit_code)


def short(verdict: Verdict) -> str:
    """The verdict as JSON of at most `LONGEST` ASCII bytes, for which the reason is cut first."""
    slips = [_cut(slip, LONGEST_NAME) for slip in verdict.slip[:2]]
    brief: dict[str, Any] = {
        "score": verdict.score,
        "status": verdict.status,
        "category": _cut(verdict.category, LONGEST_NAME),
        "slip": None if not slips else slips[0] if len(slips) == 1 else slips,
        "partial": round(verdict.partial, 4),
        "reason": "",
    }
    brief["reason"] = _cut(verdict.reason, LONGEST - len(json.dumps(brief)))
    return json.dumps(brief)


def grade(results: Sequence[Any]) -> dict[str, Any]:
    """What a run adds up to. Cases without a verdict are named, and counted nowhere else.

    mean_score is over the judged cases, null if there are none. latency_s: seconds of all
    cases, median and 95th percentile (nearest rank). cost_usd: the sum over the cases
    whose cost is known to trap-cli; null if there are none, or if any part is unknown.
    """
    cases = [result if isinstance(result, dict) else {} for result in results]
    judged = [metrics for case in cases if (metrics := _metrics(case)) is not None]
    categories: dict[str, list[float]] = {}
    for metrics in judged:
        categories.setdefault(str(metrics.get("category", "")), []).append(float(metrics["score"]))
    costs = [case["cost"].get("cost_usd") for case in cases if isinstance(case.get("cost"), dict)]
    return {
        "mean_score": _mean([float(metrics["score"]) for metrics in judged]),
        "passed": sum(metrics["status"] == "passed" for metrics in judged),
        "judged": len(judged),
        "total": len(cases),
        "statuses": {
            status: count
            for status in STATUSES
            if (count := sum(metrics["status"] == status for metrics in judged))
        },
        "categories": {
            name: {"n": len(scores), "passed": scores.count(1.0), "mean": _mean(scores)}
            for name, scores in sorted(categories.items())
        },
        "latency_s": _latency([float(case["duration"]) for case in cases if _number(case.get("duration"))]),
        "cost_usd": round(sum(costs), 6) if costs and all(map(_number, costs)) else None,
        "judge_errors": [str(case.get("case_id", "?")) for case in cases if _metrics(case) is None],
    }


def _text(part: Mapping[str, Any], key: str) -> str:
    value = part.get(key)
    if not isinstance(value, str) or not value or "\0" in value:
        raise TrapError(f'{VARIABLE}: "{key}" is missing, or is no path. {UNSET}')
    return value


def _exit_code(meta: Path) -> int:
    try:
        found = json.loads(meta.read_bytes())
    except OSError as error:
        raise TrapError(f"the solution's exit code, in {meta}, cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise TrapError(f"the solution's exit code cannot be read: {meta} is not JSON: {error}.") from error
    code = found.get("exit_code") if isinstance(found, dict) else None
    if type(code) is not int:
        raise TrapError(f'{meta} gives no "exit_code", so that nobody knows how the solution ended.')
    return code


def _metrics(case: Mapping[str, Any]) -> dict[str, Any] | None:
    """The verdict of our judge on a case; None if the judge failed, or if it was not ours."""
    metrics = case.get("metrics")
    if case.get("judge_exit_code") or not isinstance(metrics, dict):
        return None
    if metrics.get("status") not in STATUSES or metrics.get("score") not in (0.0, 1.0):
        return None
    return metrics


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
    """The text, shortened until its JSON form takes at most `room` bytes between the quotes."""
    if len(json.dumps(text)) - 2 <= room:
        return text
    kept = text[: max(0, room - 3)]
    while kept and len(json.dumps(kept)) - 2 > room - 3:
        kept = kept[:-1]
    return kept + "..."
