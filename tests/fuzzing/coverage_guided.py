"""Fuzz a reader for a while, guided by coverage; run by hand, with atheris installed beside trapcli.

    python tests/fuzzing/coverage_guided.py amount|edits|suite CORPUS [MINUTES]

amount, edits: any bytes give an answer within its bounds, or a short reason; the same bytes again
give the same; what is read does not depend on prose above it.
suite: a practice suite with damaged files is opened, or refused with a TrapError, and nothing else;
every second time the digests are not compared, so that what lies behind them is reached.

CORPUS: a directory of inputs that reached new code; it is created, and a later run goes on from it.
An input that breaks a promise is written to the current directory as `crash-...` by atheris. Each
one that was found is kept as a test.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["trapcli"]):
    from trapcli.answers.amount.answers import canonical, equal
    from trapcli.answers.amount.reader import read_answer
    from trapcli.answers.edits.parsing.reader import MAX_EDITS, read_edits
    from trapcli.core.contract import Answer, Problem
    from trapcli.core.errors import TrapError
    from trapcli.core.output import Output, read_output
    from trapcli.suites import reader as suite_reader

LONGEST_MESSAGE = 2_000  # characters


def amount(data: bytes) -> None:
    """Check what the reader of amounts makes of an output."""
    for printed in (data, b"ANSWER: " + data):
        output = read_output(BytesIO(printed))
        found = read_answer(output)
        assert found == read_answer(output)
        if isinstance(found, Answer):
            assert found.value.is_finite() and abs(found.value) < 10**46
            assert equal(found.value, type(found.value)(canonical(found.value)))
        else:
            check_problem(found)


def edits(data: bytes) -> None:
    """Check what the reader of edits makes of an output."""
    output = read_output(BytesIO(data))
    found = read_edits(output)
    assert found == read_edits(output)
    if isinstance(found, Problem):
        check_problem(found)
        return
    assert isinstance(found.value, tuple) and len(found.value) <= MAX_EDITS
    again = read_edits(Output(json.dumps(found.value, default=str)))
    assert isinstance(again, Answer) and len(again.value) == len(found.value)


def check_problem(found: Answer | Problem) -> None:
    """Check that a problem has a message of one bounded text that can be printed."""
    assert isinstance(found, Problem)
    assert 0 < len(found.message) < LONGEST_MESSAGE
    str(found).encode("utf-8")


class AnyDigest(str):
    """A digest that equals every other."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def suite_target() -> Callable[[bytes], None]:
    """Return a target that damages one file of a suite: the input says which, where and how."""
    import trapcli

    root = Path(tempfile.mkdtemp()) / "billing"
    trapcli.build("billing", root, cases=1)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    good = {path: path.read_bytes() for path in files}
    digests = (suite_reader.digest_of, lambda raw: AnyDigest())

    def suite(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        suite_reader.digest_of = digests[provider.ConsumeIntInRange(0, 1)]
        path = files[provider.ConsumeIntInRange(0, len(files) - 1)]
        text = bytearray(good[path])
        at = provider.ConsumeIntInRange(0, len(text))
        length = provider.ConsumeIntInRange(0, 40)
        text[at : at + length] = provider.ConsumeBytes(sys.maxsize)
        path.write_bytes(text)
        try:
            opened = suite_reader.open_suite(root)
            for case in opened.cases:
                suite_reader.read_case(opened, case)
        except TrapError as error:
            assert str(error)
        finally:
            path.write_bytes(good[path])

    return suite


def plant_seeds(name: str, corpus: Path) -> None:
    """Put the frozen outputs that a reader is tested with into the corpus."""
    corpus.mkdir(parents=True, exist_ok=True)
    frozen = {"amount": "amount", "edits": "edits/parsing"}.get(name)
    if frozen:
        rows = Path(__file__).parents[1].joinpath("answers", frozen, "frozen.jsonl").read_text().splitlines()
        for number, row in enumerate(rows):
            (corpus / f"frozen-{number}").write_bytes(json.loads(row)["text"].encode("utf-8", "replace"))


def main() -> None:
    """Fuzz the target that the command line names."""
    name, corpus = sys.argv[1:3]
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 20
    target = suite_target() if name == "suite" else {"amount": amount, "edits": edits}[name]
    plant_seeds(name, Path(corpus))
    arguments = [sys.argv[0], corpus, f"-max_total_time={int(60 * minutes)}", "-max_len=4000", "-timeout=20"]
    atheris.Setup(arguments, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
