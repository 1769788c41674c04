"""Many answers: what a line or a directory may hold, in which order, and in how much memory."""

import json
import os
import tracemalloc
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.contract import Answer, Case, Verdict
from trapcli.core.errors import TrapError
from trapcli.judging import batch
from trapcli.judging.batch import Tally, judge_all, read_directory, read_lines

CASES = ("case_01", "case_02", "case_03")


def family(extract: Any, judge: Any) -> Any:
    answers = SimpleNamespace(extract=extract, judge=judge, noop="", reads_files=False)
    return SimpleNamespace(name="words", answers=answers)


FAMILY = family(
    extract=lambda output: Answer(output.text.strip()),
    judge=lambda case, answer: (
        Verdict("passed", "right")
        if answer.value == case.gold
        else Verdict("failed", f"{answer.value} is wrong")
    ),
)


def case(case_id: Any, size: Any = 10) -> Any:
    trap = "odd" if case_id.endswith(("1", "3")) else "even"
    return Case("words", trap, {"README.md": "x" * size}, f"gold {case_id}", (), id=case_id)


def lines(*records: Any) -> Any:
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


def read(raw: Any, cases: Any = CASES) -> Any:
    return list(read_lines(BytesIO(raw), "answers.jsonl", cases))


def test_each_line_is_an_answer_in_the_order_given() -> None:
    """Every line gives one answer with its line number, also several for one case."""
    found = read(
        lines(
            {"case": "case_02", "output": "b"},
            {"case": "case_01", "output": "a", "exit_code": 3, "model": "m", "trial": [1]},
            {"case": "case_02", "output": "", "timed_out": True, "exit_code": None},
        )
    )
    assert [(s.case, s.output.text, s.source["line"]) for s in found] == [
        ("case_02", "b", 1),
        ("case_01", "a", 2),
        ("case_02", "", 3),
    ]
    assert [(s.exit_code, s.timed_out) for s in found] == [(0, False), (3, False), (0, True)]
    assert found[1].place == "answers.jsonl, line 2"


def test_blank_lines_bom_crlf_and_a_missing_last_newline_are_no_matter() -> None:
    """What editors and other systems do to a text file does not change its answers."""
    raw = (
        b'\xef\xbb\xbf{"case": "case_01", "output": "a\\r\\nb"}\r\n\r\n  \n{"case": "case_02", "output": "c"}'
    )
    assert [(s.case, s.source["line"]) for s in read(raw)] == [("case_01", 1), ("case_02", 4)]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"not json", "not JSON"),
        (b'{"case": "case_01", "output": "a"', "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'{"output": "a"}', '"case" is missing'),
        (b'{"case": "case_01"}', '"output" is missing'),
        (b'{"case": 1, "output": "a"}', '"case" is 1'),
        (b'{"case": "case_01", "output": null}', '"output" is null'),
        (b'{"case": "case_01", "output": [{"file": "a"}]}', '"output" is \\['),
        (b'{"case": "case_04", "output": "a"}', "no case 'case_04'; it has case_01, case_02, case_03"),
        (b'{"case": "../case_01", "output": "a"}', "no case"),
        (b'{"case": "case_01", "output": "a", "exit_code": "0x"}', "exit_code"),
        (b'{"case": "case_01", "output": "a", "exit_code": true}', "exit_code"),
        (b'{"case": "case_01", "output": "a", "timed_out": 1}', "timed_out"),
        (b'{"case": "case_01", "output": "a", "output": "b"}', "'output' occurs twice"),
        (b'{"case": "case_01", "output": "\xff"}', "not UTF-8: byte 32 of the line is 0xff"),
        (
            b'{"case": "case_01", "output": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "nested too deeply",
        ),
        (b'{"case": "case_01", "output": "a", "x": ' + b"9" * 100_000 + b"}", "a number has too many digits"),
        (b'{"case": "case_01" "output": ""}', "not JSON: Expecting ',' delimiter at column 20."),
        (b'{"case": "case_01", "output": "a", "exit_code": 256}', '"exit_code" is 256, which is not'),
        (b'{"case": "case_01", "output": "a", "exit_code": -65}', "is -65, which is not an exit code"),
        (b'\x00{"case": "case_01", "output": "a"}', "not JSON"),
    ],
)
def test_a_bad_line_is_an_error_that_names_file_and_line_after_the_answers_before_it(
    bad: bytes, says: str
) -> None:
    """Answers before a bad line are given, then an error says which line is wrong and why."""
    answers = read_lines(BytesIO(lines({"case": "case_01", "output": "a"}, bad)), "answers.jsonl", CASES)
    assert next(answers).case == "case_01"
    with pytest.raises(TrapError, match=rf"^answers\.jsonl, line 2: .*{says}"):
        next(answers)


@pytest.mark.parametrize(
    "line",
    [
        {"case": "case_01", "output": "a", "usage": {"x": 1, "y": 2}},
        {"case": "case_01", "output": "a", "exit_code": 0, "timed_out": False},
        b'{"case": "case_01", "output": "a", "tags": {"a": 1, "a": 2}}',
        b'{"case": "case_01", "output": "a", "exit_code": null, "timed_out": null}',
    ],
)
def test_near_misses_of_bad_lines_are_read(line: Any) -> None:
    """Other keys, whatever they hold, and an unknown end of the process do no harm."""
    (found,) = read(lines(line))
    assert (found.output.text, found.exit_code, found.timed_out) == ("a", 0, False)


def test_a_line_past_the_bound_is_refused_without_reading_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line longer than the bound is an error, and no more than the bound of it is read."""
    monkeypatch.setattr(batch, "LONGEST_LINE", 1000)
    fits = lines({"case": "case_01", "output": "a" * 900})
    assert len(read(fits)) == 1
    stream = BytesIO(lines({"case": "case_01", "output": "a" * 5_000_000}))
    with pytest.raises(TrapError, match="line 1: it is longer than"):
        next(read_lines(stream, "answers.jsonl", CASES))
    assert stream.tell() == 1001


def test_a_lone_surrogate_in_an_output_is_no_text_and_no_error() -> None:
    """An escape that stands for half a character is read as replacement characters."""
    (found,) = read(b'{"case": "case_01", "output": "a\\udcffb"}\n')
    assert found.output.text.startswith("a\ufffd") and found.output.text.endswith("b")


@pytest.mark.slow
@pytest.mark.parametrize(("length", "cut"), [(10_000_000, False), (10_000_001, True), (12_000_000, True)])
def test_only_the_tail_of_a_long_output_is_read(length: int, cut: bool) -> None:
    """An output in a line is cut to the same last 10 MB as one in a file, and says so."""
    (found,) = read(lines({"case": "case_01", "output": "x" * (length - 1) + "!"}))
    assert found.output.cut is cut
    assert len(found.output.text) == min(length, 10_000_000) + 3 * cut and found.output.text.endswith("x!")


@given(st.binary(max_size=300))
def test_any_bytes_give_answers_or_an_error_for_the_user(raw: Any) -> None:
    """No file, whatever its bytes, leads to anything but answers or a TrapError."""
    try:
        assert all(found.case in CASES for found in read(raw))
    except TrapError as error:
        assert str(error).startswith("answers.jsonl, line ")


def test_a_directory_gives_the_files_named_after_cases_by_name(tmp_path: Path) -> None:
    """Files called after a case are answers, in the order of their names, several for one case too."""
    for name in (
        "case_02.txt",
        "case_01.txt",
        "case_01.json",
        "case_03",
        "notes.txt",
        ".hidden",
        "mycase_01.json",
    ):
        (tmp_path / name).write_text(name)
    (tmp_path / "case_02.d").mkdir()
    notes: list[str] = []
    found = list(read_directory(tmp_path, CASES, notes.append))
    assert [(s.case, s.source["file"]) for s in found] == [
        ("case_01", "case_01.json"),
        ("case_01", "case_01.txt"),
        ("case_02", "case_02.txt"),
        ("case_03", "case_03"),
    ]
    assert found[0].output.text == "case_01.json"
    (note,) = notes
    assert note.endswith(": .hidden, case_02.d, mycase_01.json, notes.txt")


def test_a_directory_with_an_answer_for_no_case_is_refused_before_any_is_judged(tmp_path: Path) -> None:
    """A file called after a case that the suite does not have is an error, not a silent gap."""
    (tmp_path / "case_01.json").write_text("a")
    (tmp_path / "case_99.json").write_text("a")
    with pytest.raises(TrapError, match=r"case_99\.json: the suite has no case 'case_99'"):
        next(read_directory(tmp_path, CASES, print))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    """A file without read permission is an error that names it."""
    path = tmp_path / "case_01.json"
    path.write_text("a")
    path.chmod(0)
    with pytest.raises(TrapError, match=r"case_01\.json cannot be read"):
        list(read_directory(tmp_path, CASES, print))


def test_a_pipe_in_a_directory_is_ignored(tmp_path: Path) -> None:
    """A named pipe that nobody writes to does not stop the batch."""
    os.mkfifo(tmp_path / "case_01.json")
    notes: list[str] = []
    assert list(read_directory(tmp_path, CASES, notes.append)) == []
    assert "case_01.json" in notes[0]


def test_verdicts_come_one_by_one_with_how_the_process_ended() -> None:
    """Each answer gets its verdict as soon as it is read, and exit codes and time limits count."""
    given_lines = [
        {"case": "case_01", "output": "gold case_01"},
        {"case": "case_02", "output": "gold case_01"},
        {"case": "case_01", "output": "gold case_01", "exit_code": 2},
        {"case": "case_01", "output": "gold case_01", "timed_out": True},
        {"case": "case_01", "output": ""},
    ]
    stream = BytesIO(lines(*given_lines))
    verdicts = judge_all(FAMILY, case, read_lines(stream, "answers.jsonl", CASES))
    assert [v.status for _, v in verdicts] == ["passed", "failed", "crashed", "timed_out", "empty"]


def test_a_case_is_read_once_while_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are kept while they fit, the least recently used is dropped first, one always stays."""
    monkeypatch.setattr(batch, "CASES_KEPT", 25)
    reads = []

    def read_case(case_id: Any) -> Any:
        reads.append(case_id)
        return case(case_id)

    order = ["case_01", "case_02", "case_01", "case_03", "case_01", "case_02"]
    raw = lines(*({"case": c, "output": "a"} for c in order))
    verdicts = list(judge_all(FAMILY, read_case, read_lines(BytesIO(raw), "a", CASES)))
    assert [v.id for _, v in verdicts] == order
    assert reads == ["case_01", "case_02", "case_03", "case_02"]
    monkeypatch.setattr(batch, "CASES_KEPT", 1)
    assert len(list(judge_all(FAMILY, case, read_lines(BytesIO(raw), "a", CASES)))) == len(order)


def test_a_family_that_fails_names_the_line() -> None:
    """When no verdict can be given, the error tells which answer it was."""
    broken = family(extract=lambda output: 1 / 0, judge=None)
    raw = lines({"case": "case_01", "output": "a"})
    with pytest.raises(
        TrapError, match=r"^answers\.jsonl, line 1: no verdict on case_01: family 'words' failed"
    ):
        list(judge_all(broken, case, read_lines(BytesIO(raw), "answers.jsonl", CASES)))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_answers(tmp_path: Path) -> None:
    """Ten times as many answers take no more memory at the peak."""

    def peak(count: Any) -> Any:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as out:
            for n in range(count):
                out.write(json.dumps({"case": CASES[n % 3], "output": f"{n} " + "x" * 2000}) + "\n")
        tally = Tally()
        tracemalloc.start()
        with path.open("rb") as stream:
            for _, verdict in judge_all(FAMILY, case, read_lines(stream, "a", CASES)):
                tally.add(verdict)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert tally.total("failed") == count
        return most

    assert peak(2000) < 1.2 * peak(200) + 50_000


def test_the_tally_counts_by_trap_and_status_and_names_cases_without_an_answer() -> None:
    """The closing table has a line a trap, a line for all, and the cases that had no answer."""
    tally = Tally()
    for case_id, status in [("case_01", "passed"), ("case_01", "empty"), ("case_02", "failed")]:
        tally.add(Verdict(status, "", id=case_id, trap="odd" if case_id == "case_01" else "even"))
    assert tally.lines(CASES) == [
        "trap  answers  passed  failed  empty",
        "even        1       0       1      0",
        "odd         2       1       0      1",
        "all         3       1       1      1",
        "no answer, so not judged: 1 of 3 cases: case_03",
    ]
    assert (tally.total(), tally.total("passed")) == (3, 1)
