"""Measure what judging an answer line costs, as ratios within one run; run by hand.

    python tests/benchmarks/answers.py [ROUNDS]

Ours is what a judge does with one output: clean the bytes, read the amount, compare it with gold
and name its result. The baseline is json.loads of the batch line with the output, and a regular
expression that picks the number. A short output must take 1/20,000 of a second or at most 3
baselines; ten megabytes of anything at most a second of processor time. Exits 1 if one takes longer.
"""

import json
import re
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from decimal import Decimal
from io import BytesIO

from trapcli.answers.amount.answers import canonical, equal
from trapcli.answers.amount.reader import read_answer
from trapcli.core.contract import Answer
from trapcli.core.output import Output, read_output

ROUNDS = 15
CALLS = 1000
A_SECOND, RATIO, LONG = 20_000, 3.0, 1.0
GOLD = Decimal("12345.67")
PATTERN = re.compile(r"^[*>#|`\s-]*ANSWER:[*`\s]*([-$0-9.,]+)", re.MULTILINE)
PROSE = "I applied the receipts of the month to the oldest open invoices of each customer.\n"
SHORT = {
    "plain": "ANSWER: 12345.67\n",
    "dollars and commas": "ANSWER: $12,345.67\n",
    "European": "ANSWER: 12.345,67\n",
    "boxed": "ANSWER: $\\boxed{\\$12{,}345.67}$\n",
    "after an =": "ANSWER: 12000.00 + 345.67 = 12345.67\n",
    "a sentence": "ANSWER: The closing balance is $12,345.67 (rounded).\n",
    "on the next line": "**ANSWER:**\n\n12345.67\n",
    "another case": "Answer: 12345.67\n",
    "no line": PROSE * 3,
    "two numbers": "ANSWER: 12345.67 or 11900.00\n",
    "parentheses": "ANSWER: (12345.67)\n",
    "in 1 KB of prose": PROSE * 8 + "**ANSWER: 12,345.67**\n" + PROSE * 4,
    "in 5 KB of prose": PROSE * 40 + "ANSWER: 12345.67\n" + PROSE * 20,
}
SIZE = 10_000_000
HOSTILE = {
    "ANSWER: lines": ("", "ANSWER: 1\n", ""),
    "ANSWER: on one line": ("", "ANSWER: ", ""),
    "lines with ANSWER inside": ("", "xANSWER\n", ""),
    "lines in small letters": ("", "answer:\n", ""),
    "digits": ("ANSWER: ", "9", ""),
    "blanks": ("ANSWER:", " ", ""),
    "empty lines": ("ANSWER:", "\n", ""),
    "empty lines after a word": ("answer", "\n", ""),
    "empty lines, then a word": ("ANSWER: 1", "\n", "answer"),
    "pipes": ("", "|", "ANSWER: 1"),
    "pipes after the colon": ("ANSWER:", "|", ""),
    "list items": ("", "1. \n", "aNSWER"),
    "boxes": ("ANSWER: ", "\\boxed{", ""),
    "no ASCII": ("", "é\u00a0", "\nANSWER: 1"),
}


def judge(raw: bytes) -> str:
    """Judge one output: from its bytes to its result."""
    answer = read_answer(read_output(BytesIO(raw)))
    if isinstance(answer, Answer):
        return "passed" if equal(answer.value, GOLD) else canonical(answer.value)
    return str(answer)


def microseconds(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the processor time of a call of each, the best of the rounds, which are taken in turn."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for at, work in enumerate(works):
            started = time.process_time()
            for _ in range(CALLS):
                work()
            best[at] = min(best[at], time.process_time() - started)
    return [seconds / CALLS * 1e6 for seconds in best]


def measure_short(name: str, text: str, rounds: int) -> bool:
    """Print a line on one short output; return whether it is fast enough."""
    raw, line = text.encode(), json.dumps({"case": "case_01", "output": text})
    works = (lambda: judge(raw), lambda: PATTERN.findall(json.loads(line)["output"]))
    ours, baseline = microseconds(works, rounds)
    print(
        f"{name:28}{ours:8.1f}{baseline:10.1f}{ours / baseline:8.2f}{1e6 / ours:12,.0f}   {judge(raw)[:60]}"
    )
    return 1e6 / ours >= A_SECOND or ours / baseline <= RATIO


def measure_long(name: str, text: str) -> bool:
    """Print a line on one output of ten megabytes, cleaned; return whether reading it is fast enough."""
    times = []
    for _ in range(3):
        started = time.process_time()
        read_answer(Output(text))
        times.append(time.process_time() - started)
    tracemalloc.start()
    answer = read_answer(Output(text))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{name:28}{min(times):8.3f}{peak / 1e6:10.1f}   {str(answer)[:60]}")
    return min(times) <= LONG


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print(f"{'a short output':28}{'us':>8}{'baseline':>10}{'ratio':>8}{'a second':>12}   read as")
    good = [measure_short(name, text, rounds) for name, text in SHORT.items()]
    print(f"\n{'ten megabytes of':28}{'s':>8}{'MB more':>10}   read as")
    for name, (head, filling, tail) in HOSTILE.items():
        good.append(measure_long(name, head + filling * (SIZE // len(filling)) + tail))
    print("fast enough" if all(good) else "TOO SLOW")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
