"""Run a built suite under the real trap-cli and compare its verdicts with ours.

    python tests/benchmarks/interop_tp.py --tp PATH/TO/tp
    python tests/benchmarks/interop_tp.py --tp tp --family billing --cases 6 --many 200

Needs trapcli installed in the running interpreter's environment, and trap-cli 0.0.14 (its `tp`) in an
environment of its own. Solutions of every type (right, wrong, unreadable, crashing, slow, ...) are run
over `--cases` cases, then wrong ones over `--many` cases, whose verdicts must all fit into the
grader's environment variable. Exits with 1 if anything differs.
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
from trapcli.judging import trap_cli_protocol
from trapcli.judging.judge import judge_output, overrule
from trapcli.suites.reader import Suite, open_suite, read_case
from trapcli.suites.traptask import MOST_CASES

TIME_LIMIT = 2
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# Type of solution -> what it does after it has printed the text prepared for its case, the exit code
# that trap-cli must see, and the status that must follow.
SOLUTIONS = {
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
    parser.add_argument("--many", type=int, default=MOST_CASES, help="0 leaves this part out")
    asked = parser.parse_args()
    family = registry.family(asked.family)
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        suite = build(Path(scratch, "few"), asked.family, asked.cases)
        head = "solution", "cases", "trap-cli says", "equal", "mean", "bytes a verdict"
        print("{:<16}{:>6}  {:<24}{:>6}{:>7}{:>17}".format(*head))
        for behaviour in SOLUTIONS:
            report = run(asked.tp, Path(scratch, behaviour.replace(" ", "-")), suite, family, behaviour)
            good &= show(behaviour, report, suite, family)
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


def run(program: str, directory: Path, suite: Suite, family: Family, behaviour: str) -> Any:
    """Return trap-cli's report on a solution of this type, run in a directory of its own."""
    outputs = directory / "outputs"
    outputs.mkdir(parents=True)
    for case in suite.cases:
        (outputs / case).write_text(text(suite, family, case, behaviour), encoding="utf-8")
    (directory / "solution.py").write_text(f"{SOLUTION}{SOLUTIONS[behaviour][0]}\n")
    (directory / "trap.yaml").write_text(
        f"cmd: {sys.executable} solution.py\ntimeout: {TIME_LIMIT if behaviour == 'slow' else 60}\n"
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
        printed = f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        sys.exit(f"tp run on {behaviour!r} ended with {done.returncode}:\n{printed}")
    return json.loads(done.stdout)


def text(suite: Suite, family: Family, case_id: str, behaviour: str) -> str:
    case = read_case(suite, case_id)
    if "wrong" in behaviour:
        return case.known_mistakes[0].text
    if behaviour == "long":
        return "I looked at one more row.\n" * 450_000 + family.solve(case.files)
    special = {"unreadable": 'The edits are [{"file": and so on\n', "silent": ""}
    return special[behaviour] if behaviour in special else family.solve(case.files)


def show(behaviour: str, report: Any, suite: Suite, family: Family) -> bool:
    """Print a line on one run; return whether trap-cli's verdicts and grade are the same as ours."""
    results = report["cases_results"]
    equal = 0
    for result in results:
        equal += result["metrics"] == json.loads(
            trap_cli_protocol.short_verdict(ours(result["case_id"], suite, family, behaviour))
        )
    grade = report["grader_metrics"]
    good = (
        equal == len(results) == len(suite.cases)
        and all(result["exit_code"] == SOLUTIONS[behaviour][1] for result in results)
        and report["grader_exit_code"] == 0
        and grade == trap_cli_protocol.grade(results)
        and grade["statuses"] == {SOLUTIONS[behaviour][2]: len(suite.cases)}
    )
    said = ", ".join(f"{count} {status}" for status, count in grade["statuses"].items())
    longest = max(len(json.dumps(result["metrics"])) for result in results)
    row = behaviour, len(results), said, equal, grade["mean_score"], longest
    print("{:<16}{:>6}  {:<24}{:>6}{:>7}{:>17}".format(*row), flush=True)
    return bool(good)


def ours(case_id: str, suite: Suite, family: Family, behaviour: str) -> Verdict:
    """Return our verdict, made in this process, on what the solution printed and how it ended."""
    case, exit_code = read_case(suite, case_id), SOLUTIONS[behaviour][1]
    output = read_output(BytesIO(text(suite, family, case_id, behaviour).encode()))
    if exit_code == trap_cli_protocol.TIMEOUT:
        return overrule(judge_output(family, case, output), "timed_out", trap_cli_protocol.OUT_OF_TIME)
    return judge_output(family, case, output, exit_code=exit_code)


if __name__ == "__main__":
    sys.exit(main())
