"""Compare speed with an earlier commit: start-up, import, verdicts a second, the cost of a trial.

    git worktree add ../earlier 0830941
    python tests/benchmarks/earlier.py ../earlier [--python PYTHON] [--rounds 7]

Both checkouts are built as wheels and installed, each in an environment of its own, beside the
packages of the interpreter that runs this. With --python the earlier one runs on that interpreter
instead, in which it must be installed. Each works on a suite of billing that it builds from the same seed.
Each figure is a median over rounds in which the two take turns, so that both meet the same load;
what start-up costs is left out of verdicts and trials, by the slope between few and many. Exits
with 1 if a ratio is over 1.25 or `import trapcli` takes longer than 50 ms.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from checkout import ROOT
from installation import build_wheel, install

MOST_RATIO = 1.25
MOST_IMPORT = 0.050  # seconds, without the start of Python
VERDICTS = (20, 1020)  # answers in a batch
TRIALS = (2, 12)  # of each of 10 cases

Measure = Callable[["Program"], float]


class Program:
    """An installed commit, with a directory to work in that holds a suite and answers."""

    def __init__(self, python: Path, home: Path) -> None:
        self.python = str(python)
        self.home = home
        home.mkdir(parents=True)
        self.trapcli("build", "billing", "--cases", "10", "--seed", "5")
        answers = [(case, json.dumps(self.gold(case))) for case in (f"case_{n:02}" for n in range(1, 11))]
        (home / "edits.json").write_text(answers[0][1])
        for count in VERDICTS:
            lines = [{"case": case, "output": text} for case, text in (answers * count)[:count]]
            (home / f"{count}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def gold(self, case: str) -> object:
        """Return the right edits of a case of billing."""
        return json.loads((self.home / "traps/billing/expected" / case / "answer.json").read_text())["gold"]

    def trapcli(self, *words: str) -> None:
        self.run("-m", "trapcli", *words)

    def run(self, *words: str) -> None:
        done = subprocess.run([self.python, *words], cwd=self.home, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


def seconds(work: Callable[[], None]) -> float:
    """Return how long one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def start_of_help(program: Program) -> float:
    return seconds(partial(program.trapcli, "--help"))


def start_of_judge(program: Program) -> float:
    words = ["judge", "--suite", "traps/billing", "--case", "case_01", "--json", "edits.json"]
    return seconds(partial(program.trapcli, *words))


def import_of_package(program: Program) -> float:
    bare = seconds(partial(program.run, "-c", "pass"))
    return max(1e-4, seconds(partial(program.run, "-c", "import trapcli")) - bare)


def verdict(program: Program) -> float:
    words = ["judge", "--suite", "traps/billing", "--json", "--answers"]
    few, many = (seconds(partial(program.trapcli, *words, f"{n}.jsonl")) for n in VERDICTS)
    return (many - few) / (VERDICTS[1] - VERDICTS[0])


def trial(program: Program) -> float:
    words = ["calibrate", "billing", "--solution", "echo []", "--trials"]
    few, many = (seconds(partial(program.trapcli, *words, str(n))) for n in TRIALS)
    return (many - few) / (10 * (TRIALS[1] - TRIALS[0]))


MEASURES: dict[str, Measure] = {
    "trapcli --help": start_of_help,
    "trapcli judge --json": start_of_judge,
    "import trapcli": import_of_package,
    "a verdict": verdict,
    "a trial": trial,
}


def installed(root: Path, scratch: Path) -> Path:
    """Install a checkout in an environment of its own and return its Python."""
    for name in ("source", "dist"):
        (scratch / name).mkdir(parents=True)
    return (
        install(build_wheel(scratch / "source", scratch / "dist", root), scratch / "home").parent / "python"
    )


def compare(now: Program, earlier: Program, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return measure -> seconds of both in each round; the first round fills the caches and is left out."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURES}
    for number in range(rounds + 1):
        for name, measure in MEASURES.items():
            pair = (measure(now), measure(earlier))
            if number:
                found[name].append(pair)
    return found


def report(figures: dict[str, list[tuple[float, float]]]) -> int:
    """Print medians and the median ratio of a round; return 1 if a figure is over its limit."""
    print(f"{'':24}{'now':>12}{'earlier':>12}{'ratio':>8}")
    over = False
    for name, pairs in figures.items():
        now, earlier = map(statistics.median, zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        over |= now > MOST_IMPORT if name == "import trapcli" else ratio > MOST_RATIO
        print(f"{name:24}{1000 * now:9.2f} ms{1000 * earlier:9.2f} ms{ratio:8.2f}")
        if name == "a verdict":
            print(f"{'verdicts a second':24}{1 / now:12.0f}{1 / earlier:12.0f}")
    return int(over)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path, help="a checkout of the earlier commit")
    parser.add_argument("--python", type=Path, help="an interpreter in which the earlier commit is installed")
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        now = Program(installed(ROOT, Path(scratch, "now")), Path(scratch, "work", "now"))
        python = asked.python or installed(asked.checkout, Path(scratch, "earlier"))
        earlier = Program(python, Path(scratch, "work", "earlier"))
        return report(compare(now, earlier, asked.rounds))


if __name__ == "__main__":
    sys.exit(main())
