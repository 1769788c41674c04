"""One output, one verdict: statuses, mistakes, notes, and what a family may not do."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.contract import Answer, Case, KnownMistake, Problem, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import LIMIT, Output
from trapcli.judging.judge import (
    CUT,
    LONGEST_REASON,
    MOST_NOTES,
    judge_output,
    overrule,
    verdict_json,
)


def extract(output: Any) -> Any:
    word = output.text.strip()
    return Problem("no single word", "character 5") if " " in word else Answer(word, ("read as a word",))


def judge(case: Any, answer: Any) -> Any:
    if answer.value == case.gold:
        return Verdict("passed", "the right word", result="right", partial_credit=1.0)
    return Verdict(
        "failed", f"{answer.value} is not it", answer.value.lower(), 0.25, ("compared",), {"read": 1}
    )


def family_with(**changes: Any) -> Any:
    answers = {"extract": extract, "judge": judge, "noop": "", "reads_files": False, **changes}
    return SimpleNamespace(name="words", answers=SimpleNamespace(**answers))


FAMILY = family_with()
CASE = Case(
    "words",
    "spelling",
    {"README.md": "..."},
    "gold",
    ("plural", "rhyme", "echo"),
    known_mistakes=(
        KnownMistake("plural", "golds", "golds"),
        KnownMistake("rhyme", "cold", "cold"),
        KnownMistake("echo", "GOLDEN", "golden"),
    ),
    id="case_07",
)


def test_doing_nothing_is_named() -> None:
    """A wrong answer with the effect of doing nothing is called noop, unless it is a mistake of the case."""
    family = family_with(noop="still")
    case = replace(CASE)
    assert judge_output(family, case, printed("STILL")).mistake == "noop"
    assert judge_output(family, case, printed("other")).mistake == ""
    assert judge_output(family, replace(CASE), printed("golds")).mistake == "plural"
    being_built = replace(CASE, known_mistakes=())
    assert judge_output(family, being_built, printed("still")).mistake == ""


def printed(text: Any, cut: Any = False) -> Any:
    return Output(text, cut=cut, size=len(text))


def verdict_on(text: Any, family: Any = FAMILY, cut: Any = False, **ending: Any) -> Any:
    return judge_output(family, CASE, printed(text, cut), **ending)


def test_right_answer_passes_and_carries_the_case() -> None:
    """A right answer is passed with score 1.0, under the case's id, family and trap."""
    verdict = verdict_on("gold\n")
    assert (verdict.status, verdict.score, verdict.mistake) == ("passed", 1.0, "")
    assert (verdict.id, verdict.family, verdict.trap) == ("case_07", "words", "spelling")
    assert verdict.notes == ("read as a word",)


def test_wrong_answer_keeps_reason_partial_details_and_notes_in_order() -> None:
    """A wrong answer fails with the family's reason and details, the extractor's notes first."""
    verdict = verdict_on("silver")
    assert (verdict.status, verdict.score, verdict.reason) == ("failed", 0.0, "silver is not it")
    assert (verdict.partial_credit, verdict.details, verdict.mistake) == (0.25, {"read": 1}, "")
    assert verdict.notes == ("read as a word", "compared")


@pytest.mark.parametrize(
    ("text", "mistake"), [("golds", "plural"), ("Cold", "rhyme"), ("golden", "echo"), ("old", "")]
)
def test_a_wrong_answer_is_named_after_its_mistake(text: str, mistake: str) -> None:
    """A wrong answer is named after the mistake of the case that leads to the same result."""
    assert verdict_on(text).mistake == mistake


def test_an_empty_result_names_no_mistake() -> None:
    """A result that a family leaves empty equals nothing, not even a mistake's empty result."""
    case = replace(CASE, known_mistakes=(KnownMistake("plural", "", ""),))
    assert judge_output(FAMILY, case, printed("")).mistake == ""
    blank = family_with(judge=lambda case, answer: Verdict("failed", "wrong"))
    assert judge_output(blank, case, printed("x")).mistake == ""


@pytest.mark.parametrize("text", ["", "\n", " \t\n" * 1000])
def test_blank_output_is_empty(text: str) -> None:
    """An output without a visible character is empty, and no family is asked."""
    verdict = judge_output(family_with(extract=None, judge=None), CASE, printed(text))
    assert (verdict.status, verdict.score) == ("empty", 0.0)
    assert verdict.reason.startswith("nothing was printed")


def test_unreadable_says_where_reading_stopped() -> None:
    """A problem of the extractor makes the answer unreadable, with its place in the reason."""
    verdict = verdict_on("two words")
    assert (verdict.status, verdict.reason) == ("unreadable", "character 5: no single word")


def test_cut_output_is_unreadable_because_it_was_cut() -> None:
    """An unreadable answer in a cut output says first that the output was cut."""
    assert CUT == "the output was cut: only its last 10 MB are read"
    assert LIMIT == 10_000_000
    assert verdict_on("two words", cut=True).reason == f"{CUT}; character 5: no single word"
    assert verdict_on("   ", cut=True).status == "unreadable"


def test_cut_output_with_a_whole_answer_is_judged_with_a_note() -> None:
    """An answer that is complete within the tail is judged as any other; a note says that it was cut."""
    verdict = verdict_on("gold", cut=True)
    assert verdict.status == "passed"
    assert verdict.notes == (CUT, "read as a word")


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("gold", "the output alone would have passed"),
        ("silver", "the output alone would have failed: silver is not it"),
        ("two words", "the output alone is unreadable: character 5: no single word"),
        ("", "nothing was printed"),
    ],
)
def test_crashed_and_timed_out_score_zero_and_say_what_the_output_alone_would_get(
    text: str, alone: str
) -> None:
    """How the process ended decides the status; output_status says what the output alone deserves."""
    crashed = verdict_on(text, exit_code=3)
    assert (crashed.status, crashed.score, crashed.reason) == ("crashed", 0.0, f"exit code 3; {alone}")
    assert crashed.output_status == verdict_on(text).status
    late = verdict_on(text, exit_code=3, timed_out=True)
    assert (late.status, late.score, late.reason) == (
        "timed_out",
        0.0,
        f"the time limit was reached; {alone}",
    )


def test_a_signal_is_named() -> None:
    """A negative exit code is the signal that killed the process."""
    assert verdict_on("gold", exit_code=-9).reason.startswith("exit code -9 (killed by signal 9); ")


def test_a_mistake_is_named_even_if_the_process_crashed() -> None:
    """The mistake behind a crashed run's output is still named: it says why the agent failed."""
    assert verdict_on("golds", exit_code=1).mistake == "plural"


def test_overrule_gives_its_own_cause() -> None:
    """A cause other than an exit code can overrule a verdict."""
    verdict = overrule(verdict_on("gold"), "timed_out", "exit 124")
    assert (verdict.status, verdict.reason) == ("timed_out", "exit 124; the output alone would have passed")


@pytest.mark.parametrize(
    "changes",
    [
        {"extract": lambda output: 1 / 0},
        {"extract": lambda output: output},
        {"judge": lambda case, answer: 1 / 0},
        {"judge": lambda case, answer: [][0]},
        {"judge": lambda case, answer: None},
        {"judge": lambda case, answer: Verdict("crashed", "not a family's to say")},
        {"judge": lambda case, answer: Verdict("great", "no status")},
        {"judge": lambda case, answer: Verdict("failed", None)},  # type: ignore[arg-type]
        {"judge": lambda case, answer: Verdict("failed", "", partial_credit=float("nan"))},
        {"judge": lambda case, answer: Verdict("failed", "", partial_credit=1.5)},
        {"judge": lambda case, answer: Verdict("failed", "", partial_credit=True)},
        {"judge": lambda case, answer: Verdict("failed", "", partial_credit="0.5")},  # type: ignore[arg-type]
    ],
)
def test_a_family_that_fails_is_our_error_and_never_a_score(changes: Any) -> None:
    """A family that raises, or does not return a verdict, is an error that names family and case."""
    with pytest.raises(TrapError, match=r"case_07.*'words'.*bug in the family"):
        verdict_on("silver", family_with(**changes))


def test_a_broken_case_is_reported_as_the_family_says() -> None:
    """A family's own TrapError reaches the user as it is."""

    def broken(case: Any, answer: Any) -> Any:
        raise TrapError("gold of case_07 prints nothing")

    with pytest.raises(TrapError, match=r"^gold of case_07 prints nothing$"):
        verdict_on("silver", family_with(judge=broken))


def test_notes_are_bounded_in_number_and_length() -> None:
    """At most 50 notes are kept, each one line, and the last one says how many there were."""
    many = family_with(
        extract=lambda output: Answer(output.text, tuple(f"note {n}\n" + "x" * 999 for n in range(120)))
    )
    notes = verdict_on("silver", many).notes
    assert len(notes) == MOST_NOTES + 1
    assert notes[0].startswith("note 0\\n") and len(notes[0]) == LONGEST_REASON
    assert notes[-1] == "and 71 more notes"


def test_reason_is_one_bounded_line_that_cannot_garble_a_terminal() -> None:
    """Control characters of an answer are escaped in the reason, and a long reason is cut."""
    reason = verdict_on("\x1b[31m\u202egold\nPASSED" + "!" * 10_000).reason
    assert reason.startswith("\\x1b[31m\\u202egold\\nPASSED!!!")
    assert len(reason) == LONGEST_REASON and reason.endswith("...")


def test_verdict_json_is_one_ascii_line() -> None:
    """The JSON form is one line of ASCII with the contract's keys, the details nested, and added keys."""
    line = verdict_json(verdict_on("s\u00eflver\u2028"), line=3)
    assert line.isascii() and "\n" not in line
    data = json.loads(line)
    assert list(data) == [
        "schema", "id", "family", "trap", "score", "status", "reason", "mistake", "partial_credit",
        "output_status", "notes", "details", "line",
    ]  # fmt: skip
    assert (data["score"], data["mistake"], data["details"], data["line"]) == (0.0, None, {"read": 1}, 3)


@given(st.text(max_size=5), st.floats(0, 1), st.sampled_from(["", "plural", "a + b"]))
def test_a_verdict_survives_json(reason: Any, credit: Any, mistake: Any) -> None:
    """A verdict read back from its JSON is the same but for its result."""
    verdict = Verdict(
        "failed", reason, "x", credit, ("n",), {"a": [1]}, mistake, "failed", "case_01", "f", "t"
    )
    assert Verdict.from_json(json.loads(verdict_json(verdict))) == replace(verdict, result="")


@pytest.mark.parametrize("detail", [object(), float("nan"), {1, 2}])
def test_details_that_are_not_json_are_the_familys_fault(detail: Any) -> None:
    """Details that JSON cannot hold are an error that names the family, not a traceback."""
    odd = family_with(judge=lambda case, answer: Verdict("failed", "wrong", details={"seen": detail}))
    with pytest.raises(TrapError, match="words"):
        verdict_json(verdict_on("silver", odd))


def test_any_output_gets_a_verdict_of_a_known_status() -> None:
    """A hostile output of the full length is judged without being copied many times."""
    for text in ("[" * LIMIT, "\x00" * LIMIT, "x" * LIMIT, "a b" * (LIMIT // 3)):
        verdict = verdict_on(text, cut=True)
        assert verdict.status in ("failed", "unreadable") and len(verdict.reason) <= LONGEST_REASON
