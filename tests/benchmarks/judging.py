"""What judging and building cost, as ratios taken in one run; run by hand.

    python tests/benchmarks/judging.py [FAMILY]

The baseline judges as the task's description has it: the agent's edits and the gold edits
are applied to two copies of the case on disk, and every report runs on both as a process.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from trapcli.answers.edits.family import EditsFamily
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.judging.report_comparison import name_of
from trapcli.answers.edits.tables import write_table
from trapcli.building.builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Case, parse_knobs
from trapcli.core.output import Output
from trapcli.judging.judge import judge_output

# Runs the program and ends with the most memory it held, in KiB (getrusage counts the parent's too).
PEAK = """
import sys
from trapcli.cli import main
main()
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(line.split()[1], file=sys.stderr)
"""


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The median time of `work` over so many rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def baseline(family: EditsFamily, case: Case, edits: Sequence[Any]) -> bool:
    """The verdict from two copies on disk and two processes a report."""
    printed = []
    for some in (edits, case.gold):
        with tempfile.TemporaryDirectory() as place:
            applied = apply_edits(family.schema, family.read_tables(case.files), some)
            for file, text in case.files.items():
                (Path(place) / file).write_text(text, encoding="utf-8")
            for file, table in family.schema.items():
                (Path(place) / file).write_text(write_table(table, applied.tables[file]), encoding="utf-8")
            printed.append(
                [
                    subprocess.run(
                        [sys.executable, f"{name_of(report)}.py"], cwd=place, capture_output=True
                    ).stdout
                    for report in family.reports
                ]
            )
    return printed[0] == printed[1]


def verdicts(family: EditsFamily, cases: Sequence[Case]) -> int:
    """Judge the gold edits and every slip of every case from text, as a batch does."""
    count = 0
    for case in cases:
        for text in [json.dumps(case.gold), *(slip.text for slip in case.slips)]:
            judge_output(family, case, Output(text, False, len(text)))
            count += 1
    return count


def judging(family: EditsFamily, rung: int | None) -> None:
    preset = family.ladder[rung] if rung is not None else {}
    knobs = parse_knobs(family, preset)
    kinds = range(len(family.kinds))
    start = time.perf_counter()
    cases = [build_case(family, "1", knobs, k).case for k in kinds]
    building = (time.perf_counter() - start) / len(cases)
    count = verdicts(family, cases)  # fills what is remembered of a case
    one = seconds(lambda: verdicts(family, cases), 3) / count
    literal = statistics.median(
        seconds(lambda case=case: baseline(family, case, case.gold), 3)
        for case in cases  # type: ignore[misc]
    )
    name = "defaults" if rung is None else f"rung {rung}"
    print(
        f"{family.name:10} {name:9} verdict {one * 1e3:8.2f} ms   baseline {literal * 1e3:8.1f} ms   "
        f"ratio {literal / one:7.1f}   build of a case {building / one:6.1f} verdicts"
    )


def suites(name: str) -> None:
    """A suite ten times as long takes how many times as long; judging one answer from a shell."""
    with tempfile.TemporaryDirectory() as place:

        def build(count: int) -> Callable[[], object]:
            command = [
                sys.executable,
                "-m",
                "trapcli",
                "build",
                name,
                "--cases",
                str(count),
                "--out",
                place,
                "--force",
            ]
            return lambda: subprocess.run(command, check=True, capture_output=True)

        hundred, thousand = seconds(build(100), 1), seconds(build(1000), 1)
        print(f"{name:10} 1,000 cases take {thousand / hundred:.2f} times what 100 take ({hundred:.1f} s)")
        answers = Path(place) / "answers.jsonl"
        gold = json.loads((Path(place) / name / "expected/case_0001/answer.json").read_text())["gold"]
        for count in (1_000, 10_000):
            lines = (
                json.dumps({"case": f"case_{i % 200 + 1:04}", "output": json.dumps(gold)})
                for i in range(count)
            )
            answers.write_text("\n".join(lines))
            command = [sys.executable, "-c", PEAK, "judge", "--suite", f"{place}/{name}"]
            done = subprocess.run(
                [*command, "--answers", str(answers), "--json"], capture_output=True, text=True
            )
            peak = int(done.stderr.split()[-1])
            print(f"{name:10} a batch of {count:6} answers peaks at {peak / 1024:.1f} MiB")


def main() -> None:
    names = sys.argv[1:] or [n for n in registry.names() if isinstance(registry.family(n), EditsFamily)]
    for name in names:
        family = registry.family(name)
        assert isinstance(family, EditsFamily)
        judging(family, None)
        judging(family, len(family.ladder) - 1)
        suites(name)


if __name__ == "__main__":
    main()
