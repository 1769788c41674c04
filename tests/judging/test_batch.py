"""Many answers: what a line or a directory may hold, in which order, and in how much memory."""

import json
import os
import re
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
from trapcli.judging import batch, batch_reader
from trapcli.judging.batch import Tally, judge_all
from trapcli.judging.batch_reader import Unjudged, answer_files, read_answer_files, read_lines

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


def read_directory(directory: Path, note: Any = print) -> Any:
    return list(read_answer_files(answer_files(directory, note), CASES))


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
    assert [s.ignored for s in found] == [(), ("model", "trial"), ()]


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
def test_a_bad_line_is_named_and_the_answers_around_it_are_read(bad: bytes, says: str) -> None:
    """A line that is not an answer is given as such, with file, line and reason, between the others."""
    first, found, last = read(
        lines({"case": "case_01", "output": "a"}, bad, {"case": "case_02", "output": ""})
    )
    assert (first.case, last.case, last.source) == ("case_01", "case_02", {"line": 3})
    assert isinstance(found, Unjudged) and found.source == {"line": 2}
    assert re.match(rf"answers\.jsonl, line 2: .*{says}", str(found))
    assert "cut off" not in str(found)


def test_a_last_line_without_an_end_may_have_been_cut_off() -> None:
    """Of a broken last line without a newline the message says so; a whole one without it is read."""
    whole = b'{"case": "case_01", "output": "a"}'
    (found,) = read(whole)
    assert found.case == "case_01"
    (found,) = read(whole[:-3])
    assert "it is not JSON" in found.why and "The line has no end: was the file cut off?" in found.why


def test_a_disk_that_fails_in_the_middle_costs_only_what_it_does_not_give() -> None:
    """An error while a line is read is given for that line, and ends the reading."""

    class Failing(BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().readline(size)

    _, bad = read_lines(Failing(lines({"case": "case_01", "output": "a"}) * 3), "answers.jsonl", CASES)
    assert str(bad) == "answers.jsonl, line 2: it cannot be read: Input/output error."


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


def test_a_line_past_the_bound_is_named_without_reading_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line longer than the bound is not an answer, is never held whole, and the next line is read."""
    monkeypatch.setattr(batch_reader, "LONGEST_LINE", 1000)
    good = {"case": "case_01", "output": "a" * 900}
    longest = 0

    class Measured(BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            nonlocal longest
            raw = super().readline(size)
            longest = max(longest, len(raw))
            return raw

    raw = lines(good, {"case": "case_01", "output": "a" * 50_000}, good)
    found = list(read_lines(Measured(raw), "answers.jsonl", CASES))
    assert [one.source["line"] for one in found] == [1, 2, 3]
    assert isinstance(found[1], Unjudged) and found[1].why.startswith("it is longer than")
    assert not isinstance(found[2], Unjudged) and longest == 1001


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
def test_any_bytes_give_answers_or_a_reason_for_the_user(raw: Any) -> None:
    """Whatever the bytes of a file are, each line is an answer or has a reason why not."""
    for found in read(raw):
        if isinstance(found, Unjudged):
            assert found.why and found.place.startswith("answers.jsonl, line ")
        else:
            assert found.case in CASES


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
    found = read_directory(tmp_path, notes.append)
    assert [(s.case, s.source["file"]) for s in found] == [
        ("case_01", "case_01.json"),
        ("case_01", "case_01.txt"),
        ("case_02", "case_02.txt"),
        ("case_03", "case_03"),
    ]
    assert found[0].output.text == "case_01.json"
    assert [(note.split()[4], note.partition(": ")[2]) for note in notes] == [
        ("they", ".hidden"),
        ("they", "case_02.d"),
        ("they", "mycase_01.json, notes.txt"),
    ]


@pytest.mark.parametrize(
    ("name", "is_answer"),
    [
        ("case_01.json", True),
        ("case_01", True),
        ("case_01.try.2.json", True),
        ("case_01.stdout", True),
        ("case_01.logic.txt", True),
        ("case_01.json~", False),
        ("case_01.json.bak", False),
        ("case_01.json.BAK", False),
        ("case_01.orig", False),
        ("case_01.json.swp", False),
        (".case_01.json.swp", False),
        ("#case_01.json#", False),
        ("case_01.stderr", False),
        ("case_01.log", False),
        (".case_01.json", False),
    ],
)
def test_backups_and_logs_are_not_answers(name: str, is_answer: bool, tmp_path: Path) -> None:
    """What editors and programs leave beside an answer is ignored with a note that names it."""
    (tmp_path / name).write_text("a")
    notes: list[str] = []
    assert [path.name for path in answer_files(tmp_path, notes.append)] == [name] * is_answer
    assert [name in note and "backups or logs" in note for note in notes] == [True] * (not is_answer)


def test_links_lead_to_answers_or_nowhere(tmp_path: Path) -> None:
    """A link to a file is an answer; one that leads nowhere is an answer that cannot be read."""
    (tmp_path / "text").write_text("a")
    (tmp_path / "case_01.json").symlink_to("text")
    (tmp_path / "case_02.json").symlink_to("gone")
    (tmp_path / "case_03.json").symlink_to(tmp_path)
    good, bad = read_directory(tmp_path)
    assert (good.case, good.output.text) == ("case_01", "a")
    assert bad.source == {"file": "case_02.json"} and "cannot be read: No such file" in bad.why


def test_a_file_for_no_case_is_named_and_does_not_stop_the_others(tmp_path: Path) -> None:
    """A file called after a case that the suite does not have has no verdict, as a line has none."""
    (tmp_path / "case_01.json").write_text("a")
    (tmp_path / "case_00.json").write_text("a")
    bad, good = read_directory(tmp_path)
    assert "the suite has no case 'case_00'; it has case_01, case_02, case_03." in bad.why
    assert good.case == "case_01"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    """A file without read permission has no verdict, and is named; a directory without it is an error."""
    path = tmp_path / "case_01.json"
    path.write_text("a")
    path.chmod(0)
    (found,) = read_directory(tmp_path)
    assert "cannot be read" in found.why and found.place.endswith("case_01.json")


def test_a_pipe_in_a_directory_is_ignored(tmp_path: Path) -> None:
    """A named pipe that nobody writes to does not stop the batch."""
    os.mkfifo(tmp_path / "case_01.json")
    notes: list[str] = []
    assert read_directory(tmp_path, notes.append) == []
    assert "they are not files: case_01.json" in notes[0]


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
    verdicts: Any = judge_all(FAMILY, case, read_lines(stream, "answers.jsonl", CASES))
    assert [v.status for _, v, _ in verdicts] == ["passed", "failed", "crashed", "timed_out", "empty"]


def test_a_case_is_read_once_while_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are kept while they fit, the least recently used is dropped first, one always stays."""
    monkeypatch.setattr(batch, "CASES_KEPT", 25)
    reads = []

    def read_case(case_id: Any) -> Any:
        reads.append(case_id)
        return case(case_id)

    order = ["case_01", "case_02", "case_01", "case_03", "case_01", "case_02"]
    raw = lines(*({"case": c, "output": "a"} for c in order))
    verdicts: Any = list(judge_all(FAMILY, read_case, read_lines(BytesIO(raw), "a", CASES)))
    assert [v.id for _, v, _ in verdicts] == order
    assert reads == ["case_01", "case_02", "case_03", "case_02"]
    monkeypatch.setattr(batch, "CASES_KEPT", 1)
    assert len(list(judge_all(FAMILY, case, read_lines(BytesIO(raw), "a", CASES)))) == len(order)


def test_an_answer_on_which_the_family_fails_is_named_and_the_others_are_judged() -> None:
    """When no verdict can be given or shown, the answer is named, and the next one is judged."""
    broken = family(
        extract=lambda output: Answer(1 / len(output.text.strip("x"))), judge=FAMILY.answers.judge
    )
    raw = lines({"case": "case_01", "output": "x"}, {"case": "case_01", "output": "a"})
    bad, good = judge_all(broken, case, read_lines(BytesIO(raw), "answers.jsonl", CASES))
    assert str(bad).startswith("answers.jsonl, line 1: no verdict on case_01: family 'words' failed: extract")
    assert not isinstance(good, Unjudged) and good[1].status == "failed"

    def render(submission: Any, verdict: Verdict) -> str:
        raise TrapError("it cannot be shown")

    bad, _ = judge_all(FAMILY, case, read_lines(BytesIO(raw), "answers.jsonl", CASES), render)
    assert str(bad) == "answers.jsonl, line 1: it cannot be shown"


def test_a_damaged_case_costs_only_its_own_answers() -> None:
    """An answer whose case cannot be read is named, and the answers to other cases are judged."""

    def read_case(case_id: str) -> Any:
        if case_id == "case_01":
            raise TrapError("answer.json was changed")
        return case(case_id)

    raw = lines({"case": "case_01", "output": "a"}, {"case": "case_02", "output": "a"})
    bad, good = judge_all(FAMILY, read_case, read_lines(BytesIO(raw), "answers.jsonl", CASES))
    assert str(bad) == "answers.jsonl, line 1: answer.json was changed"
    assert not isinstance(good, Unjudged) and good[1].id == "case_02"


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
            judged: Any = judge_all(FAMILY, case, read_lines(stream, "a", CASES))
            for _, verdict, _ in judged:
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
        "no judged answer: 1 of 3 cases: case_03",
    ]
    assert (tally.total(), tally.total("passed")) == (3, 1)
    assert not tally.all_passed(CASES)
    assert tally.to_json(CASES)["missing_cases"] == ["case_03"]


def test_the_tally_names_what_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers without a verdict and keys that nobody reads are counted, and the first of them named."""
    monkeypatch.setattr(batch, "MOST_NAMED", 2)
    tally = Tally()
    for case_id in CASES:
        tally.add(
            Verdict("passed", "", id=case_id, trap="odd"), ["model", "exitcode"][: 1 + (case_id == "case_01")]
        )
    assert tally.all_passed(CASES) and tally.complete(CASES)
    assert tally.lines(CASES)[-1] == "keys that were ignored: model (in 3), exitcode (in 1)"
    for number in range(4, 8):
        tally.add_unjudged(Unjudged({"line": number}, f"a, line {number}", "it is not JSON"))
    assert not tally.all_passed(CASES) and not tally.complete(CASES)
    assert tally.lines(CASES)[-1] == "not judged, see the errors: line 4, line 5 and 2 more"
    assert tally.to_json(CASES) == {
        "schema": "batch/1",
        "judged": 3,
        "passed": 3,
        "statuses": {"passed": 3},
        "traps": {"odd": {"passed": 3}},
        "missing_cases": [],
        "unjudged": 4,
        "problems": [{"line": 4, "what": "it is not JSON"}, {"line": 5, "what": "it is not JSON"}],
        "ignored_keys": {"model": 3, "exitcode": 1},
    }
