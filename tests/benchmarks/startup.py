"""Measure how long the program takes to start, against `python -c "import click"` in the same run.

    python tests/benchmarks/startup.py [ROUNDS]

Installs the checkout in an environment of its own, as pip does (compiled), beside the packages of
the interpreter that runs this. Prints medians and ratios; exits with 1 if a ratio is over its limit.
`earlier.py` compares these times with those of an earlier commit.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from installation import build_wheel, install

ROUNDS = 21


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as scratch:
        source, out, home, work = (Path(scratch, name) for name in ("source", "out", "home", "work"))
        for directory in (source, out, work):
            directory.mkdir()
        trapcli = install(build_wheel(source, out), home)
        return report(measure(commands(str(trapcli), work), work, rounds), rounds)


def commands(trapcli: str, work: Path) -> dict[str, tuple[list[str], float | None]]:
    """Build a suite to judge; return label -> (command, most it may take in units of `import click`)."""
    python = str(Path(trapcli).parent / "python")
    subprocess.run([trapcli, "build", "billing"], cwd=work, check=True, capture_output=True)
    answer = json.loads((work / "traps/billing/expected/case_01/answer.json").read_text())
    (work / "edits.json").write_text(json.dumps(answer["gold"]))
    judge = [trapcli, "judge", "--suite", "traps/billing", "--case", "case_01", "--json", "edits.json"]
    return {
        "python -c pass": ([python, "-c", "pass"], None),
        "python -c 'import click'": ([python, "-c", "import click"], None),
        "python -c 'import trapcli'": ([python, "-c", "import trapcli"], 1.0),
        "trapcli --version": ([trapcli, "--version"], 2.0),
        "trapcli --help": ([trapcli, "--help"], 2.0),
        "trapcli shell-init bash": ([trapcli, "shell-init", "bash"], None),
        "trapcli judge --json": (judge, 2.5),
    }


def measure(
    table: dict[str, tuple[list[str], float | None]], work: Path, rounds: int
) -> dict[str, tuple[float, float | None]]:
    """Return label -> (median seconds, limit). Commands take turns, so that all meet the same load."""
    seconds: dict[str, list[float]] = {label: [] for label in table}
    for number in range(rounds + 1):
        for label, (command, _) in table.items():
            started = time.perf_counter()
            subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
            if number:  # the first round fills the caches
                seconds[label].append(time.perf_counter() - started)
    return {label: (statistics.median(seconds[label]), limit) for label, (_, limit) in table.items()}


def report(measured: dict[str, tuple[float, float | None]], rounds: int) -> int:
    unit = measured["python -c 'import click'"][0]
    print(f"median of {rounds} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    print(f"{'command':28}{'ms':>8}{'ratio':>8}{'limit':>8}")
    over = 0
    for label, (seconds, limit) in measured.items():
        ratio = seconds / unit
        over += limit is not None and ratio > limit
        print(f"{label:28}{seconds * 1000:8.1f}{ratio:8.2f}{limit or '':>8}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
