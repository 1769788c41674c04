"""`trapcli judge` as a user runs it: one answer, many answers, files, and for trap-cli."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from toy_family import TOY, Toy, ToyAnswers, declare, installed

from trapcli.core.contract import Problem
from trapcli.core.output import output_of
from trapcli.suites.reader import open_suite, read_case

CASES = ["case_01", "case_02", "case_03", "case_04"]


@pytest.fixture
def toy(run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A suite of the toy family in traps/toy, opened."""
    installed(monkeypatch)
    assert run("build", "toy").code == 0
    return open_suite(tmp_path / "traps" / "toy")


def right(suite: Any, case: Any = "case_01") -> Any:
    return TOY.solve(read_case(suite, case).files)


def mistake(suite: Any, case: Any = "case_01") -> Any:
    return read_case(suite, case).known_mistakes[0].text


def assert_error(result: Any, *parts: Any) -> None:
    """Exit 2, nothing on stdout, and one paragraph on stderr that holds all parts."""
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err
    for part in parts:
        assert part in result.err


@pytest.mark.parametrize("option", ["--case", "--family", "--suite", "--expected"])
def test_empty_values_are_refused(run: Callable[..., Any], toy: Any, option: str) -> None:
    """An option without a text, as from a variable that is not set, is an error that names it."""
    assert_error(run("judge", option, "", "-", input=right(toy)), f"'{option}': it is empty;")


def test_right_answer_exits_0_and_says_passed(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A right answer in a file exits 0, and the first line says so."""
    (tmp_path / "sum.txt").write_text(right(toy))
    result = run("judge", "--case", "case_01", "sum.txt")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("PASSED case_01: the sum is right\n")


def test_wrong_answer_exits_1_with_reason_mistake_and_view(run: Callable[..., Any], toy: Any) -> None:
    """A wrong answer on standard input exits 1; reason, mistake and the answer kind's view are shown."""
    result = run("judge", "--case", "case_01", "-", input=mistake(toy))
    assert result.code == 1
    head = result.out.splitlines()[0]
    assert head.startswith("FAILED case_01: ") and head.endswith("is not the sum")
    assert "void_counted" in result.out and "Answer read" in result.out


@pytest.mark.parametrize(("answer", "code", "score"), [(right, 0, 1.0), (mistake, 1, 0.0)])
def test_json_is_one_document_on_stdout_and_nothing_else(
    run: Callable[..., Any], toy: Any, answer: Any, code: int, score: float
) -> None:
    """With --json stdout holds one JSON document with the verdict, whatever the verdict is."""
    result = run("judge", "--case", "case_01", "--json", "-", input=answer(toy))
    verdict = json.loads(result.out)
    assert (result.code, result.err, result.out.count("\n")) == (code, "", 1)
    assert (verdict["id"], verdict["family"], verdict["score"]) == ("case_01", "toy", score)
    assert verdict["mistake"] == (None if score else "void_counted")


@pytest.mark.parametrize("name", ["case_02.json", "case_02.txt", "case_02", "case_02.try.2.json"])
def test_a_file_named_after_a_case_is_judged_for_it_with_a_note(
    run: Callable[..., Any], toy: Any, tmp_path: Path, name: str
) -> None:
    """Without --case the file's name says which case it is for, and stderr mentions it."""
    (tmp_path / name).write_text(right(toy, "case_02"))
    result = run("judge", "--json", name)
    assert (result.code, json.loads(result.out)["id"]) == (0, "case_02")
    assert result.err == "judged as case_02, taken from the file's name\n"


def test_the_case_given_wins_over_the_files_name(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """With --case the file's name is ignored."""
    (tmp_path / "case_02.json").write_text(right(toy, "case_01"))
    result = run("judge", "--json", "--case", "case_01", "case_02.json")
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("name", ["sum.txt", "case_02x.json", "mycase_02.json", "-"])
def test_without_a_case_nothing_is_guessed(
    run: Callable[..., Any], toy: Any, tmp_path: Path, name: str
) -> None:
    """A file of any other name, or standard input, needs --case; the error lists the ids."""
    (tmp_path / name).write_text("1")
    assert_error(run("judge", name), "--case", "case_01 to case_04")


def test_what_is_missing_is_named(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """No answer, a missing answer, a directory, an unknown case: exit 2, and what to do."""
    (tmp_path / "answers").mkdir()
    assert_error(run("judge", "--case", "case_01"), "Which answer?", "'-'")
    assert_error(run("judge", "--case", "case_01", "gone.txt"), "no file gone.txt")
    assert_error(run("judge", "--case", "case_01", "answers"), "answers is a directory", "--answers")
    assert_error(run("judge", "--case", "case_01", "toy.txt/x"), "toy.txt/x")
    assert_error(run("judge", "--suite", "traps/toy", "--case", "case_09", "-"), "case_09", "case_04")
    assert_error(run("judge", "--suite", "nowhere", "--case", "case_01", "-"), "nowhere")
    assert_error(run("judge", "--family", "billling", "--case", "case_01", "-"), "billling")
    assert_error(run("judge", "--case", "case_01", "a", "b"), "b")


def test_options_that_exclude_each_other(run: Callable[..., Any], toy: Any) -> None:
    """An answer and --answers, or --case and --answers, are refused with the reason."""
    assert_error(run("judge", "a.txt", "--answers", "b.jsonl"), "not both")
    assert_error(run("judge", "--case", "case_01", "--answers", "b.jsonl"), "--case is only for one answer")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """An answer that may not be read is an error that names the file."""
    (tmp_path / "a.txt").touch(0o000)
    assert_error(run("judge", "--case", "case_01", "a.txt"), "a.txt cannot be read")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that opens but cannot be read")
def test_a_file_that_fails_while_it_is_read_is_named(run: Callable[..., Any], toy: Any) -> None:
    """An error of the disk while an answer is read is an error that names the file."""
    assert_error(run("judge", "--case", "case_01", "/proc/self/mem"), "/proc/self/mem cannot be read")
    assert "/proc/self/mem, line 1: it cannot be read" in run("judge", "--answers", "/proc/self/mem").err


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"", "empty"),
        (b" \r\n\t\n", "empty"),
        (b"\x00\x00\x00", "empty"),
        (b"no number at all", "unreadable"),
        (b"\xff\xfe\xfd\x80", "unreadable"),
        (bytes(range(128, 256)) * 10, "unreadable"),
        (bytes(range(256)) * 10, "failed"),
        (b"\x1b[31mno\x1b[0m \x07", "unreadable"),
        (b"[" * 100_000, "unreadable"),
        (b"9" * 100_000, "failed"),
        (b"{right}", "passed"),
        (b"\xef\xbb\xbf{right}", "passed"),
        (b"\xff caf\xe9 {right}", "passed"),
        (b"\x1b[32m{right}\x1b[0m\r\n", "passed"),
    ],
)
def test_any_bytes_get_a_verdict(
    run: Callable[..., Any], toy: Any, tmp_path: Path, raw: Any, status: str
) -> None:
    """Binary, other encodings, control characters: each gets a verdict, and exit 1 unless it passes."""
    gold = str(read_case(toy, "case_01").gold).encode()
    (tmp_path / "a.bin").write_bytes(raw.replace(b"{right}", gold))
    result = run("judge", "--case", "case_01", "--json", "a.bin")
    verdict = json.loads(result.out)
    assert (verdict["status"], result.code) == (status, int(status != "passed"))
    shown = run("judge", "--case", "case_01", "a.bin")
    assert (shown.code, shown.err) == (result.code, "")
    assert all(line.isprintable() for line in shown.out.splitlines())


@pytest.mark.slow
def test_of_a_huge_answer_the_tail_is_judged_with_a_note(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """A right answer at the end of 25 MB passes; 25 MB after it make it unreadable, and both say why."""
    with (tmp_path / "a.txt").open("w") as out:
        out.write("one more row.\n" * 1_800_000 + right(toy))
    late = json.loads(run("judge", "--case", "case_01", "--json", "a.txt").out)
    assert (late["status"], late["notes"]) == (
        "passed",
        ["the output was cut: only its last 10 MB are read"],
    )
    with (tmp_path / "a.txt").open("w") as out:
        out.write(right(toy) + "one more row.\n" * 1_800_000)
    early = json.loads(run("judge", "--case", "case_01", "--json", "a.txt").out)
    assert early["status"] == "unreadable"
    assert early["reason"].startswith("the output was cut: only its last 10 MB are read; ")


def test_a_named_pipe_is_read_as_a_file(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """An answer may come through a pipe with a name, as from a process substitution."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(right(toy),))
    writer.start()
    assert run("judge", "--case", "case_01", "pipe").code == 0
    writer.join()


def test_which_suite_is_chosen(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """--suite, --family and the current directory choose the suite; if several fit, they are listed."""
    (tmp_path / "sum.txt").write_text(right(toy))
    answer = tmp_path / "sum.txt"
    assert run("judge", "--suite", "traps/toy", "--case", "case_01", answer).code == 0
    assert run("judge", "--family", "toy", "--case", "case_01", answer).code == 0
    (tmp_path / "traps" / "toy").rename(tmp_path / "traps" / "one")
    assert run("build", "toy", "--seed", "2").code == 0
    result = run("judge", "--case", "case_01", answer)
    assert_error(result, "--suite traps/one", "--suite traps/toy", f"--case case_01 {answer}")
    os.chdir(tmp_path / "traps" / "one" / "inputs")
    assert run("judge", "--case", "case_01", answer).code == 0


def test_the_private_half_may_be_elsewhere(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """--expected names the private half; without it the error says that it is needed."""
    answer = right(toy)
    (tmp_path / "traps" / "toy" / "expected").rename(tmp_path / "secret")
    assert_error(run("judge", "--case", "case_01", "-", input=answer), "--expected")
    assert run("judge", "--case", "case_01", "--expected", "secret", "-", input=answer).code == 0


def test_damage_is_refused_and_never_judged(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A changed answer.json or input file is an error that names it, not a verdict."""
    answer = tmp_path / "traps" / "toy" / "expected" / "case_01" / "answer.json"
    whole = answer.read_text()
    answer.write_text(whole.replace('"gold": ', '"gold": 1'))
    assert_error(run("judge", "--case", "case_01", "--json", "-", input="1"), "answer.json")
    answer.write_text(whole)
    (tmp_path / "traps" / "toy" / "inputs" / "case_01" / "task.md").write_text("The last day is 16.\n")
    assert_error(run("judge", "--case", "case_01", "-", input="1"), "task.md")


def test_a_family_with_a_bug_is_an_error_and_gives_no_score(
    run: Callable[..., Any], toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the judge itself fails the exit code is 2, and no verdict is printed."""

    def fail(self: Any, case: Any, answer: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(ToyAnswers, "judge", fail)
    assert_error(
        run("judge", "--case", "case_01", "--json", "-", input="1"),
        "no verdict on case_01",
        "'toy'",
        "KeyError",
    )


class FileAnswers(ToyAnswers):
    """Answers that are files: the sum is in sum.txt, and what is printed does not matter."""

    reads_files = True

    def extract(self, output: Any) -> Any:
        if "sum.txt" not in output.files:
            return Problem(f"there is no sum.txt among {sorted(output.files)}")
        return super().extract(output_of(output.files["sum.txt"].decode()))


class FileToy(Toy):
    """A toy that is answered in files."""

    name = "filetoy"
    answers = FileAnswers()

    def solve(self, files: Any, mistake: Any = None) -> Any:
        return output_of("", {"sum.txt": super().solve(files, mistake).encode()})


FILE_TOY = FileToy()


@pytest.fixture
def file_toy(run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A suite of the toy that is answered in files, opened."""
    installed(monkeypatch, filetoy=f"{__name__}:FILE_TOY")
    assert run("build", "filetoy").code == 0
    return open_suite(tmp_path / "traps" / "filetoy")


def left(directory: Any, output: Any) -> None:
    """Write the files of an output into a directory, as an agent would."""
    directory.mkdir(parents=True)
    for name, data in output.files.items():
        (directory / name).write_bytes(data)


def test_an_answer_may_be_files(run: Callable[..., Any], file_toy: Any, tmp_path: Path) -> None:
    """--outputs names the directory with the agent's files; what it printed may be given too, or not."""
    files = read_case(file_toy, "case_01").files
    left(tmp_path / "right", FILE_TOY.solve(files))
    left(tmp_path / "wrong", FILE_TOY.solve(files, "void_counted"))
    (tmp_path / "printed.txt").write_text("I wrote sum.txt.")
    for words in (["--outputs", "right"], ["--outputs", "right", "printed.txt"]):
        done = run("judge", "--case", "case_01", *words)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("PASSED case_01: the sum is right\n")
    done = run("judge", "--case", "case_01", "--outputs", "wrong", "--json")
    assert (done.code, json.loads(done.out)["mistake"]) == (1, "void_counted")
    done = run("judge", "--case", "case_01", "printed.txt", "--json")
    assert (done.code, json.loads(done.out)["status"]) == (1, "unreadable")


def test_an_output_directory_named_after_a_case_is_judged_for_it(
    run: Callable[..., Any], file_toy: Any, tmp_path: Path
) -> None:
    """Without --case the directory's name says which case it is for, as a file's name does."""
    left(tmp_path / "trials" / "case_02", FILE_TOY.solve(read_case(file_toy, "case_02").files))
    done = run("judge", "--outputs", "trials/case_02", "--json")
    assert (done.code, json.loads(done.out)["id"]) == (0, "case_02")
    assert done.err == "judged as case_02, taken from the directory's name\n"


def test_an_empty_output_directory_is_an_empty_answer(
    run: Callable[..., Any], file_toy: Any, tmp_path: Path
) -> None:
    """An agent that left no files, and printed nothing, gets a verdict and not an error."""
    (tmp_path / "nothing").mkdir()
    done = run("judge", "--case", "case_01", "--outputs", "nothing", "--json")
    assert (done.code, json.loads(done.out)["status"]) == (1, "empty")


def test_an_output_directory_may_be_a_link_but_not_its_files(
    run: Callable[..., Any], file_toy: Any, tmp_path: Path
) -> None:
    """The directory that the user names may be a link; a link that the agent left in it is not followed."""
    left(tmp_path / "elsewhere", FILE_TOY.solve(read_case(file_toy, "case_01").files))
    (tmp_path / "outputs").symlink_to("elsewhere")
    assert run("judge", "--case", "case_01", "--outputs", "outputs").code == 0
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "sum.txt").symlink_to(tmp_path / "elsewhere" / "sum.txt")
    assert run("judge", "--case", "case_01", "--outputs", "links").code == 1


def test_outputs_that_make_no_sense_are_refused(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """--outputs is refused by a family with printed answers; a missing directory is named."""
    (tmp_path / "outputs").mkdir()
    (tmp_path / "a.txt").write_text("1")
    assert_error(
        run("judge", "--case", "case_01", "--outputs", "outputs"),
        "the answers of toy are printed, not files; leave --outputs out.",
    )
    assert_error(run("judge", "--case", "case_01", "--outputs", "gone"), "'gone' does not exist")
    assert_error(run("judge", "--case", "case_01", "--outputs", "a.txt"), "'a.txt' is a file")
    assert_error(run("judge", "--outputs", "outputs", "--answers", "a.jsonl"), "not both")
    assert_error(run("judge", "--outputs", "outputs", "--run", "1"), "leave --outputs out")


def jsonl(*records: Any) -> Any:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_batch_gives_json_lines_in_order_and_a_summary_on_stderr(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """Each line gets its verdict with its number, also several for one case; the summary is separate."""
    (tmp_path / "answers.jsonl").write_text(
        jsonl(
            {"case": "case_02", "output": right(toy, "case_02"), "model": "m"},
            {"case": "case_01", "output": mistake(toy)},
            {"case": "case_02", "output": right(toy, "case_02"), "exit_code": 1},
            {"case": "case_02", "output": "", "timed_out": True},
        )
    )
    result = run("judge", "--answers", "answers.jsonl", "--json", "--family", "toy")
    *verdicts, summary = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 1
    assert (summary["schema"], summary["judged"], summary["passed"]) == ("batch/1", 4, 1)
    assert summary["missing_cases"] == ["case_03", "case_04"]
    assert [(v["line"], v["id"], v["status"]) for v in verdicts] == [
        (1, "case_02", "passed"),
        (2, "case_01", "failed"),
        (3, "case_02", "crashed"),
        (4, "case_02", "timed_out"),
    ]
    assert result.err.splitlines() == [
        "trap         answers  passed  failed  timed_out  crashed",
        "late_amount        3       1       0          1        1",
        "void_amount        1       0       1          0        0",
        "all                4       1       1          1        1",
        "no judged answer: 2 of 4 cases: case_03, case_04",
        "keys that were ignored: model (in 1)",
    ]


def test_a_batch_that_leaves_cases_out_is_not_all_passed(run: Callable[..., Any], toy: Any) -> None:
    """Where every answer passes but a case has none, the exit code is 1, and the JSON lists the case."""
    answers = [{"case": case, "output": right(toy, case)} for case in CASES]
    result = run("judge", "--answers", "-", "--json", input=jsonl(*answers[:-1]))
    assert (result.code, json.loads(result.out.splitlines()[-1])["missing_cases"]) == (1, ["case_04"])
    result = run("judge", "--answers", "-", "--json", input=jsonl(*answers))
    assert result.code == 0
    assert [json.loads(line)["status"] for line in result.out.splitlines()] == ["passed"] * len(CASES)


def test_a_batch_is_shown_as_a_line_for_each_answer_and_a_table(run: Callable[..., Any], toy: Any) -> None:
    """Without --json each answer is a line with its status and reason, then comes the table."""
    answers = jsonl(*({"case": case, "output": right(toy, case)} for case in CASES))
    result = run("judge", "--answers", "-", input=answers)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "    1  case_01  PASSED      the sum is right"
    assert lines[4:] == [
        "",
        "trap         answers  passed  failed",
        "late_amount        2       2       0",
        "void_amount        2       2       0",
        "all                4       4       0",
    ]


def test_a_directory_of_answers(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """The files of a directory are judged by name, each verdict with its file; others are mentioned."""
    (tmp_path / "out").mkdir()
    for case in CASES:
        (tmp_path / "out" / f"{case}.json").write_text(right(toy, case))
    (tmp_path / "out" / "log.txt").write_text("1")
    result = run("judge", "--answers", "out", "--json")
    assert result.code == 0
    assert [json.loads(line)["file"] for line in result.out.splitlines()] == [
        f"{case}.json" for case in CASES
    ]
    assert result.err.splitlines()[0].endswith("not named after a case: log.txt")
    (tmp_path / "out" / "case_02.long.json").write_text(right(toy, "case_02"))
    lines = run("judge", "--answers", "out").out.splitlines()
    assert lines[0] == "case_01.json       PASSED      the sum is right"
    assert lines[2] == "case_02.long.json  PASSED      the sum is right"


def test_bad_lines_are_named_and_do_not_stop_a_batch(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """Every readable line is judged; the others are named with their reason, and the exit code is 2."""
    answers = [{"case": case, "output": right(toy, case)} for case in CASES]
    bad = [{"case": "case_01", "output": None}, {"case": "case_77", "output": "1"}]
    (tmp_path / "a.jsonl").write_text(jsonl(bad[0], *answers, bad[1]) + '{"case": "case_0')
    result = run("judge", "--answers", "a.jsonl")
    assert result.code == 2
    assert result.out.count("PASSED") == 4
    assert result.out.splitlines()[-1] == "not judged, see the errors: line 1, line 6, line 7"
    starts = [line[:60] for line in result.err.splitlines()]
    assert starts[0].startswith('Error: a.jsonl, line 1: "output" is null;')
    assert starts[1].startswith("Error: a.jsonl, line 6: the suite has no case")
    assert starts[2].startswith("Error: a.jsonl, line 7: it is not JSON")
    result = run("judge", "--answers", "a.jsonl", "--json")
    *verdicts, summary = [json.loads(line) for line in result.out.splitlines()]
    assert (result.code, len(verdicts), summary["unjudged"], summary["missing_cases"]) == (2, 4, 3, [])
    assert [problem["line"] for problem in summary["problems"]] == [1, 6, 7]


def test_a_batch_of_bad_lines_alone_still_has_its_summary(run: Callable[..., Any], toy: Any) -> None:
    """Where no line can be judged the exit code is 2, and stdout has the summary alone."""
    result = run("judge", "--answers", "-", "--json", input="null\n")
    assert result.code == 2
    summary = json.loads(result.out)
    assert (summary["judged"], summary["missing_cases"]) == (0, CASES)
    assert summary["problems"][0]["what"].startswith("it is not a JSON object.")


def test_a_directory_and_lines_treat_an_unknown_case_alike(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """An answer to a case that the suite does not have is named, the others are judged, exit code 2."""
    (tmp_path / "out").mkdir()
    for case in (*CASES, "case_77"):
        (tmp_path / "out" / f"{case}.json").write_text(right(toy))
    (tmp_path / "out" / "case_01.json~").write_text("an older one")
    lines = jsonl(*({"case": case, "output": right(toy)} for case in (*CASES, "case_77")))
    for result in (
        run("judge", "--answers", "out", "--json"),
        run("judge", "--answers", "-", "--json", input=lines),
    ):
        summary = json.loads(result.out.splitlines()[-1])
        assert (result.code, summary["judged"], summary["unjudged"]) == (2, 4, 1)
        assert "the suite has no case 'case_77'" in result.err
    assert "case_01.json~" in run("judge", "--answers", "out").err


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_no_answers_is_an_error_and_not_all_passed(
    run: Callable[..., Any], toy: Any, tmp_path: Path, content: str
) -> None:
    """A file or a directory without an answer exits 2: nothing was judged."""
    (tmp_path / "a.jsonl").write_text(content)
    (tmp_path / "out").mkdir()
    assert_error(run("judge", "--answers", "a.jsonl", "--json"), "no answers in a.jsonl")
    assert_error(run("judge", "--answers", "-", input=content), "there are no answers in standard input.")
    assert_error(run("judge", "--answers", "out", "--json"), "no answers in out")
    assert_error(run("judge", "--answers", "gone", "--json"), "no file gone")


def manifest(suite: Any, directory: Any, case: Any = "case_01", exit_code: Any = 0, **changes: Any) -> Any:
    """Return what trap-cli 0.0.14 gives to a judge; its files are in the directory."""
    (directory / "meta.json").write_text(json.dumps({"exit_code": exit_code, "duration": 1.5}))
    whole = {
        "inputs_dir": str(suite.directory / "inputs" / case),
        "expected_dir": str(suite.directory / "expected" / case),
        "outputs_dir": str(directory / "outputs"),
        "run": {name: str(directory / name) for name in ("stdout", "stderr")}
        | {"meta": str(directory / "meta.json")},
    }
    return {"TRAPTASK_MANIFEST": json.dumps({**whole, **changes})}


@pytest.mark.parametrize(
    ("output", "exit_code", "status", "reason"),
    [
        (right, 0, "passed", "the sum is right"),
        (mistake, 0, "failed", "is not the sum"),
        (lambda suite: "none", 0, "unreadable", "no whole number"),
        (lambda suite: "", 0, "empty", "nothing was printed"),
        (right, 3, "crashed", "exit code 3; the output alone would have passed"),
        (mistake, -9, "crashed", "exit code -9 (killed by signal 9); the output alone would have failed"),
        (
            right,
            124,
            "timed_out",
            "exit 124 (trap-cli's time limit, or the solution's own); the output alone",
        ),
    ],
)
def test_for_trap_cli_a_short_verdict_is_printed_and_the_exit_code_is_0(
    run: Callable[..., Any], toy: Any, tmp_path: Path, output: Any, exit_code: int, status: str, reason: str
) -> None:
    """Under TRAPTASK_MANIFEST every verdict exits 0, is short, and the full one goes to stderr."""
    (tmp_path / "stdout").write_text(output(toy))
    result = run("judge", env=manifest(toy, tmp_path, exit_code=exit_code))
    brief, full = json.loads(result.out), json.loads(result.err)
    assert result.code == 0 and len(result.out.strip()) <= 400 and result.out.isascii()
    assert (brief["status"], brief["score"]) == (status, float(status == "passed"))
    assert reason in brief["reason"] or brief["reason"][:-3] in full["reason"]
    assert (full["id"], full["status"], full["mistake"]) == ("case_01", status, brief["mistake"])


def test_for_trap_cli_the_private_half_may_be_given(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """Where trap-cli finds no expected/ directory, --expected on the judge's command names it."""
    (tmp_path / "stdout").write_text("1")
    (tmp_path / "traps" / "toy" / "expected").rename(tmp_path / "secret")
    env = manifest(toy, tmp_path, expected_dir=None)
    assert_error(run("judge", env=env), "--expected")
    assert run("judge", "--expected", tmp_path / "secret", env=env).code == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs_dir": None}, "inputs_dir"),
        ({"inputs_dir": "/gone/inputs/case_01"}, "/gone"),
        ({"run": None}, '"run" is missing'),
        ({"run": {"stdout": "/gone/stdout", "meta": "/gone/meta"}}, "/gone/meta"),
    ],
)
def test_for_trap_cli_a_damaged_manifest_gives_no_verdict(
    run: Callable[..., Any], toy: Any, tmp_path: Path, changes: Any, message: str
) -> None:
    """A manifest that lacks a part, or names a missing file, exits 2: no score for the solution."""
    (tmp_path / "stdout").write_text("1")
    assert_error(run("judge", env=manifest(toy, tmp_path, **changes)), message)


@pytest.mark.parametrize("meta", ["", "[]", "{}", '{"exit_code": null}', '{"exit_code": "0"}'])
def test_for_trap_cli_an_unknown_exit_code_gives_no_verdict(
    run: Callable[..., Any], toy: Any, tmp_path: Path, meta: str
) -> None:
    """Without the solution's exit code nobody knows whether it crashed: exit 2."""
    (tmp_path / "stdout").write_text("1")
    env = manifest(toy, tmp_path)
    (tmp_path / "meta.json").write_text(meta)
    assert_error(run("judge", env=env), "meta.json")


def test_for_trap_cli_a_list_is_graded(run: Callable[..., Any], toy: Any) -> None:
    """Where the manifest is a list, the grade is printed as JSON, and the exit code is 0."""
    verdict = {"score": 0.0, "status": "failed", "trap": "void_amount"}
    case = {"case_id": "case_01", "exit_code": 0, "duration": 2.0, "metrics": verdict, "judge_exit_code": 0}
    result = run("judge", env={"TRAPTASK_MANIFEST": json.dumps([case])})
    grade = json.loads(result.out)
    assert (result.code, grade["mean_score"], grade["judged"]) == (0, 0.0, 1)


def test_an_answer_on_the_command_line_wins_over_the_variable(
    run: Callable[..., Any], toy: Any, tmp_path: Path
) -> None:
    """A stray TRAPTASK_MANIFEST does not keep a person from judging an answer by hand."""
    env = {"TRAPTASK_MANIFEST": "stray"}
    assert run("judge", "--case", "case_01", "-", input=right(toy), env=env).code == 0
    assert_error(run("judge", env=env), "TRAPTASK_MANIFEST is set, but is not JSON")
    assert_error(run("judge", env={"TRAPTASK_MANIFEST": ""}), "Which answer?")


def test_help_has_examples_and_completion_knows_families_and_cases(run: Callable[..., Any], toy: Any) -> None:
    """--help shows commands to copy; --family and --case complete installed families and cases."""
    help_text = run("judge", "--help").out
    assert "Examples:" in help_text and "trapcli judge --case case_03 edits.json" in help_text

    def completed(*words: Any) -> Any:
        line = " ".join(["trapcli", "judge", *words])
        env = {"_TRAPCLI_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) + 1)}
        return [item.split(",")[1] for item in run(env=env).out.split()]

    assert completed("--family", "to") == ["toy"]
    assert completed("--case", "case_0") == CASES
    assert completed("--suite", "gone", "--case", "case_0") == []


@pytest.mark.usefixtures("unmeasured")
def test_judging_for_a_program_imports_neither_rich_nor_yaml(toy: Any, tmp_path: Path) -> None:
    """`judge --json` starts fast: what only the terminal view or a build needs is not imported."""
    path = os.pathsep.join(map(str, (*MODULES, declare(tmp_path / "meta"))))
    code = (
        "import sys; from trapcli.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "judge", "--case", "case_01", "--json", "-"],
        input="1",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert json.loads(done.stdout)["status"] == "failed"
    loaded = set(done.stderr.split())
    assert "trapcli.judging.judge" in loaded
    for name in (
        "rich",
        "yaml",
        "trapcli.building.builder",
        "trapcli.views.terminal",
        "families.billing",
        "multiprocessing",
    ):
        assert name not in loaded


@pytest.mark.slow
def test_a_batch_answers_each_line_as_it_comes(toy: Any, tmp_path: Path) -> None:
    """A program may write an answer, read its verdict, and only then write the next one."""
    path = os.pathsep.join(map(str, (*MODULES, declare(tmp_path / "meta"))))
    with subprocess.Popen(
        [sys.executable, "-m", "trapcli", "judge", "--answers", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as judge:
        for number, output in enumerate([right(toy), mistake(toy), right(toy)], 1):
            judge.stdin.write(jsonl({"case": "case_01", "output": output}))
            judge.stdin.flush()
            assert json.loads(judge.stdout.readline())["line"] == number
        judge.stdin.close()
        assert judge.wait(timeout=30) == 1
