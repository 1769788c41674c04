"""Measure what judging and building cost, as ratios taken in one run; run by hand.

    python tests/benchmarks/judging.py [FAMILY ...]

The baseline judges in the plainest way: the agent's edits and the gold edits are put on two copies of
the case on disk, and every report runs on both copies as a process.
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

from trapcli.answers.edits import EditsFamily
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.judging.report_comparison import report_name
from trapcli.answers.edits.tables import Tables, write_table
from trapcli.building.case_builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Case
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import Output
from trapcli.judging.judge import judge_output

# Run the program, then print its peak memory in KiB (getrusage would include that of its parent).
PEAK = """
import sys
from trapcli.cli import main
main()
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(line.split()[1], file=sys.stderr)
"""


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of `work`."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def judge_on_disk(family: EditsFamily, case: Case, edits: Sequence[Any]) -> bool:
    """Return the verdict of the baseline: reports run on the tables as they are, and next month's."""
    answers, outputs = family.answers, []
    for some in (edits, case.gold):
        before = answers.read_tables(case)
        now = apply_edits(answers.schema, before, some).tables
        later = answers.next_month(before, now) if answers.next_month else {}
        outputs.append([_printed(family, case, now), _printed(family, case, {**now, **later})])
    return outputs[0] == outputs[1]


def _printed(family: EditsFamily, case: Case, tables: Tables) -> list[bytes]:
    """Return what each report prints, run as a process in a directory with these tables."""
    answers = family.answers
    with tempfile.TemporaryDirectory() as directory:
        files = dict(case.files)
        files |= {file: write_table(table, tables[file]) for file, table in answers.schema.items()}
        for file, text in files.items():
            Path(directory, file).write_text(text, encoding="utf-8")
        scripts = [f"{report_name(report)}.py" for report in answers.reports]
        return [
            subprocess.run([sys.executable, script], cwd=directory, capture_output=True).stdout
            for script in scripts
        ]


def judge_all(family: EditsFamily, cases: Sequence[Case]) -> int:
    """Judge the gold edits and every mistake of every case from text, as a batch does; return how many."""
    count = 0
    for case in cases:
        for text in [json.dumps(case.gold), *(known.text for known in case.known_mistakes)]:
            judge_output(family, case, Output(text))
            count += 1
    return count


def measure_verdicts(family: EditsFamily, level: int | None) -> None:
    """Print the time of a verdict and of the baseline, at a level (None: at the default knobs)."""
    knobs = parse_knobs(family, family.levels[level] if level is not None else {})
    start = time.perf_counter()
    cases = [build_case(family, "1", knobs, k).case for k in range(len(family.traps))]
    build = (time.perf_counter() - start) / len(cases)
    count = judge_all(family, cases)  # prepares the cases
    verdict = seconds(lambda: judge_all(family, cases), 3) / count
    baseline = statistics.median(
        seconds(lambda case=case: judge_on_disk(family, case, case.gold), 3)  # type: ignore[misc]
        for case in cases
    )
    name = "defaults" if level is None else f"level {level + 1}"
    print(
        f"{family.name:10} {name:9} verdict {verdict * 1e3:8.2f} ms   baseline {baseline * 1e3:8.1f} ms   "
        f"ratio {baseline / verdict:7.1f}   build of a case {build / verdict:6.1f} verdicts"
    )


def measure_suites(name: str) -> None:
    """Print how the time of a build grows with its cases, and the peak memory of a batch of answers."""
    with tempfile.TemporaryDirectory() as directory:

        def build(count: int) -> Callable[[], object]:
            options = ["--cases", str(count), "--out", directory, "--force"]
            command = [sys.executable, "-m", "trapcli", "build", name, *options]
            return lambda: subprocess.run(command, check=True, capture_output=True)

        hundred, thousand = seconds(build(100), 1), seconds(build(1000), 1)
        print(f"{name:10} 1,000 cases take {thousand / hundred:.2f} times what 100 take ({hundred:.1f} s)")
        suite = Path(directory) / name
        answers = Path(directory) / "answers.jsonl"
        gold = json.loads((suite / "expected/case_0001/answer.json").read_text())["gold"]
        for count in (1_000, 10_000):
            lines = (
                json.dumps({"case": f"case_{i % 200 + 1:04}", "output": json.dumps(gold)})
                for i in range(count)
            )
            answers.write_text("\n".join(lines))
            command = [sys.executable, "-c", PEAK, "judge", "--suite", str(suite)]
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
        measure_verdicts(family, None)
        measure_verdicts(family, len(family.levels) - 1)
        measure_suites(name)


if __name__ == "__main__":
    main()
