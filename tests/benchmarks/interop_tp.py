"""Runs a built suite under the real trap-cli and compares its verdicts with ours.

    python tests/benchmarks/interop_tp.py --tp PATH/TO/tp
    python tests/benchmarks/interop_tp.py --tp tp --family billing --cases 6 --many 200

Needs trapcli installed beside the running interpreter, and trap-cli 0.0.14 (its `tp`) in an
environment of its own. Solutions of every kind, right, wrong, unreadable, crashing and slow
among them, are run over `--cases` cases; then wrong ones over `--many` cases, whose verdicts
must all fit into the grader's environment variable. Exits 1 if anything differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import Family, Verdict
from trapcli.core.output import read_output
from trapcli.judging.judge import judge_output, overruled, trap_cli
from trapcli.suites.reader import Suite, open_suite, read_case

TIME_LIMIT = 2
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# What a solution does after it has printed the text prepared for its case, the exit code
# that trap-cli must see, and the status that must come of it.
KINDS = {
    "right": ("", 0, "passed"),
    "wrong": ("", 0, "failed"),
    "unreadable": ("", 0, "unreadable"),
    "silent": ("", 0, "empty"),
    "long": ("", 0, "passed"),
    "crashing": ("sys.exit(3)", 3, "crashed"),
    "crashing wrong": ("sys.exit(1)", 1, "crashed"),
    "killed": ("os.kill(os.getpid(), 9)", -9, "crashed"),
    "exit 124": ("sys.exit(124)", 124, "timed_out"),
    "slow": ("time.sleep(60)", 124, "timed_out"),
}
SOLUTION = """\
import json, os, pathlib, sys, time
case = pathlib.Path(json.loads(os.environ["TRAP_MANIFEST"])["inputs_dir"]).name
print(pathlib.Path("outputs", case).read_text(encoding="utf-8"), end="", flush=True)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare trap-cli's verdicts on a suite with ours.")
    parser.add_argument("--tp", default="tp", help="the program tp of trap-cli 0.0.14")
    parser.add_argument("--family", default="billing")
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--many", type=int, default=trap_cli.MOST_CASES, help="0 leaves this part out")
    asked = parser.parse_args()
    family = registry.family(asked.family)
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        suite = build(Path(scratch, "few"), asked.family, asked.cases)
        head = "solution", "cases", "trap-cli says", "equal", "mean", "bytes a verdict"
        print("{:<16}{:>6}  {:<24}{:>6}{:>7}{:>17}".format(*head))
        for kind in KINDS:
            report = run(asked.tp, Path(scratch, kind.replace(" ", "-")), suite, family, kind)
            good &= show(kind, report, suite, family)
        if asked.many:
            many = build(Path(scratch, "many"), asked.family, asked.many)
            report = run(asked.tp, Path(scratch, "solution-of-many"), many, family, "wrong")
            good &= show("wrong", report, many, family)
            manifest = json.dumps(report["cases_results"])
            print(f"\nthe grader's variable with {asked.many} cases: {len(manifest)} of 131,071 bytes")
        print("\ngrader's report:", json.dumps(report["grader_metrics"]))
    print("all equal" if good else "NOT EQUAL")
    return 0 if good else 1


def build(out: Path, family: str, cases: int) -> Suite:
    command = [sys.executable, "-m", "trapcli", "build", family, "--cases", str(cases), "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return open_suite(out / family)


def run(program: str, directory: Path, suite: Suite, family: Family, kind: str) -> Any:
    """trap-cli's report on a solution of this kind, run in a directory of its own."""
    outputs = directory / "outputs"
    outputs.mkdir(parents=True)
    for case in suite.cases:
        (outputs / case).write_text(text(suite, family, case, kind), encoding="utf-8")
    (directory / "solution.py").write_text(f"{SOLUTION}{KINDS[kind][0]}\n")
    (directory / "trap.yaml").write_text(
        f"cmd: {sys.executable} solution.py\ntimeout: {TIME_LIMIT if kind == 'slow' else 60}\n"
        f"tasks:\n  suite:\n    source: {suite.directory.resolve()}\n"
    )
    quiet = ["--allow-unanchored", "--no-cost", "--no-environment", "--output", "json"]
    done = subprocess.run(
        [program, "run", *quiet],
        cwd=directory,
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(
            f"tp run on {kind!r} ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )
    return json.loads(done.stdout)


def text(suite: Suite, family: Family, case_id: str, kind: str) -> str:
    case = read_case(suite, case_id)
    if "wrong" in kind:
        return case.slips[0].text
    if kind == "long":
        return "I looked at one more row.\n" * 450_000 + family.solve(case.files)
    special = {"unreadable": 'The edits are [{"file": and so on\n', "silent": ""}
    return special[kind] if kind in special else family.solve(case.files)


def show(kind: str, report: Any, suite: Suite, family: Family) -> bool:
    """Print a line on one run; whether trap-cli's verdicts and grade are what ours are."""
    results = report["cases_results"]
    equal = 0
    for result in results:
        equal += result["metrics"] == json.loads(trap_cli.short(ours(result["case_id"], suite, family, kind)))
    grade = report["grader_metrics"]
    good = (
        equal == len(results) == len(suite.cases)
        and all(result["exit_code"] == KINDS[kind][1] for result in results)
        and report["grader_exit_code"] == 0
        and grade == trap_cli.grade(results)
        and grade["statuses"] == {KINDS[kind][2]: len(suite.cases)}
    )
    said = ", ".join(f"{count} {status}" for status, count in grade["statuses"].items())
    longest = max(len(json.dumps(result["metrics"])) for result in results)
    row = kind, len(results), said, equal, grade["mean_score"], longest
    print("{:<16}{:>6}  {:<24}{:>6}{:>7}{:>17}".format(*row), flush=True)
    return bool(good)


def ours(case_id: str, suite: Suite, family: Family, kind: str) -> Verdict:
    """Our verdict, made in this process, on what the solution printed and how it ended."""
    case, exit_code = read_case(suite, case_id), KINDS[kind][1]
    output = read_output(BytesIO(text(suite, family, case_id, kind).encode()))
    if exit_code == trap_cli.TIMEOUT:
        return overruled(judge_output(family, case, output), "timed_out", trap_cli.OUT_OF_TIME)
    return judge_output(family, case, output, exit_code=exit_code)


if __name__ == "__main__":
    sys.exit(main())
