"""One output, one verdict: statuses, slips, notes, and what a family may not do."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.contract import Answer, Case, Problem, Slip, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import LIMIT, Output
from trapcli.judging.judge import CUT, NOTES, REASON, dumped, judge_output, one_line, overruled


def extract(text):
    word = text.strip()
    return Problem("no single word", "character 5") if " " in word else Answer(word, ("read as a word",))


def judge(case, answer):
    if answer.value == case.gold:
        return Verdict("passed", "the right word", result="right", partial=1.0)
    return Verdict(
        "failed", f"{answer.value} is not it", answer.value.lower(), 0.25, ("compared",), {"read": 1}
    )


FAMILY = SimpleNamespace(name="words", extract=extract, judge=judge, noop="")
CASE = Case(
    "words",
    "spelling",
    {"README.md": "..."},
    "gold",
    ("plural", "rhyme", "echo"),
    slips=(Slip("plural", "golds", "golds"), Slip("rhyme", "cold", "cold"), Slip("echo", "COLD", "cold")),
    id="case_07",
)


def test_doing_nothing_is_named():
    """A wrong answer with the effect of doing nothing is called noop, unless it is a mistake of the case."""
    family = SimpleNamespace(name="words", extract=extract, judge=judge, noop="still")
    case = replace(CASE)
    assert judge_output(family, case, printed("STILL")).slip == ("noop",)
    assert judge_output(family, case, printed("other")).slip == ()
    assert judge_output(family, replace(CASE), printed("golds")).slip == ("plural",)
    in_the_making = replace(CASE, slips=())
    assert judge_output(family, in_the_making, printed("still")).slip == ()


def printed(text, cut=False):
    return Output(text, cut, len(text))


def verdict_on(text, family=FAMILY, cut=False, **ending):
    return judge_output(family, CASE, printed(text, cut), **ending)


def family_with(**changes):
    return SimpleNamespace(**{**vars(FAMILY), **changes})


def test_right_answer_passes_and_carries_the_case():
    """A right answer is passed with score 1.0, under the case's id, family and category."""
    verdict = verdict_on("gold\n")
    assert (verdict.status, verdict.score, verdict.slip) == ("passed", 1.0, ())
    assert (verdict.id, verdict.family, verdict.category) == ("case_07", "words", "spelling")
    assert verdict.notes == ("read as a word",)


def test_wrong_answer_keeps_reason_partial_details_and_notes_in_order():
    """A wrong answer fails with the family's reason and details, the extractor's notes first."""
    verdict = verdict_on("silver")
    assert (verdict.status, verdict.score, verdict.reason) == ("failed", 0.0, "silver is not it")
    assert (verdict.partial, verdict.details, verdict.slip) == (0.25, {"read": 1}, ())
    assert verdict.notes == ("read as a word", "compared")


@pytest.mark.parametrize(("text", "slip"), [("golds", ("plural",)), ("Cold", ("rhyme", "echo")), ("old", ())])
def test_slip_is_every_mechanism_with_the_same_result(text, slip):
    """A wrong answer is named after all mistakes of the case that lead to its result."""
    assert verdict_on(text).slip == slip


def test_an_empty_result_names_no_slip():
    """A result that a family leaves empty equals nothing, not even a slip's empty result."""
    case = replace(CASE, slips=(Slip("plural", "", ""),))
    assert judge_output(FAMILY, case, printed("")).slip == ()
    blank = family_with(judge=lambda case, answer: Verdict("failed", "wrong"))
    assert judge_output(blank, case, printed("x")).slip == ()


@pytest.mark.parametrize("text", ["", "\n", " \t\n" * 1000])
def test_blank_output_is_empty(text):
    """An output without a visible character is empty, and no family is asked."""
    verdict = judge_output(SimpleNamespace(name="words"), CASE, printed(text))
    assert (verdict.status, verdict.score) == ("empty", 0.0)
    assert verdict.reason.startswith("nothing was printed")


def test_unreadable_says_where_reading_stopped():
    """A problem of the extractor makes the answer unreadable, with its place in the reason."""
    verdict = verdict_on("two words")
    assert (verdict.status, verdict.reason) == ("unreadable", "character 5: no single word")


def test_cut_output_is_unreadable_because_it_was_cut():
    """An unreadable answer in a cut output says first that the output was cut."""
    assert CUT == "the output was cut: only its last 10 MB are read"
    assert LIMIT == 10_000_000
    assert verdict_on("two words", cut=True).reason == f"{CUT}; character 5: no single word"
    assert verdict_on("   ", cut=True).status == "unreadable"


def test_cut_output_with_a_whole_answer_is_judged_with_a_note():
    """An answer that lies whole within the tail is judged as any other; a note tells of the cut."""
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
def test_crashed_and_timed_out_score_zero_and_say_what_the_output_alone_would_get(text, alone):
    """How the process ended decides the status; the reason also tells what the output was worth."""
    crashed = verdict_on(text, exit_code=3)
    assert (crashed.status, crashed.score, crashed.reason) == ("crashed", 0.0, f"exit code 3; {alone}")
    late = verdict_on(text, exit_code=3, timed_out=True)
    assert (late.status, late.score, late.reason) == (
        "timed_out",
        0.0,
        f"the time limit was reached; {alone}",
    )


def test_a_signal_is_named():
    """A negative exit code is the signal that killed the process."""
    assert verdict_on("gold", exit_code=-9).reason.startswith("exit code -9 (killed by signal 9); ")


def test_a_slip_is_named_even_if_the_process_crashed():
    """The mistake behind a crashed run's output is still named: it says why the agent failed."""
    assert verdict_on("golds", exit_code=1).slip == ("plural",)


def test_overruled_gives_its_own_cause():
    """Another cause than an exit code can be put over a verdict."""
    verdict = overruled(verdict_on("gold"), "timed_out", "exit 124")
    assert (verdict.status, verdict.reason) == ("timed_out", "exit 124; the output alone would have passed")


@pytest.mark.parametrize(
    "changes",
    [
        {"extract": lambda text: 1 / 0},
        {"extract": lambda text: text},
        {"judge": lambda case, answer: 1 / 0},
        {"judge": lambda case, answer: [][0]},
        {"judge": lambda case, answer: None},
        {"judge": lambda case, answer: Verdict("crashed", "not a family's to say")},
        {"judge": lambda case, answer: Verdict("great", "no status")},
        {"judge": lambda case, answer: Verdict("failed", None)},
        {"judge": lambda case, answer: Verdict("failed", "", partial=float("nan"))},
        {"judge": lambda case, answer: Verdict("failed", "", partial=1.5)},
        {"judge": lambda case, answer: Verdict("failed", "", partial="0.5")},
        {"judge": lambda case, answer: Verdict("failed", "", details={"score": 1.0})},
        {"judge": lambda case, answer: Verdict("failed", "", details={"line": 1})},
    ],
)
def test_a_family_that_fails_is_our_error_and_never_a_score(changes):
    """What a family raises, or gives that is no verdict, is an error that names family and case."""
    with pytest.raises(TrapError, match=r"case_07.*'words'.*not of the answer"):
        verdict_on("silver", family_with(**changes))


def test_a_broken_case_is_reported_as_the_family_says():
    """A family's own TrapError reaches the user as it is."""

    def broken(case, answer):
        raise TrapError("gold of case_07 prints nothing")

    with pytest.raises(TrapError, match=r"^gold of case_07 prints nothing$"):
        verdict_on("silver", family_with(judge=broken))


def test_notes_are_bounded_in_number_and_length():
    """At most 50 notes are kept, each one line, and the last one tells how many there were."""
    many = family_with(
        extract=lambda text: Answer(text, tuple(f"note {n}\n" + "x" * 999 for n in range(120)))
    )
    notes = verdict_on("silver", many).notes
    assert len(notes) == NOTES + 1
    assert notes[0].startswith("note 0\\n") and len(notes[0]) == REASON
    assert notes[-1] == "and 71 more notes"


def test_reason_is_one_bounded_line_that_cannot_garble_a_terminal():
    """Control characters of an answer are escaped in the reason, and a long reason is cut."""
    reason = verdict_on("\x1b[31m\u202egold\nPASSED" + "!" * 10_000).reason
    assert reason.startswith("\\x1b[31m\\u202egold\\nPASSED!!!")
    assert len(reason) == REASON and reason.endswith("...")


@given(st.text(max_size=700), st.integers(10, 400))
def test_one_line_is_printable_and_within_its_limit(text, limit):
    """Whatever the text, one_line gives visible characters only, and no more than asked for."""
    shown = one_line(text, limit)
    assert shown.isprintable() and len(shown) <= limit
    assert shown == text if text.isprintable() and len(text) <= limit else True


def test_dumped_is_one_ascii_line_of_json():
    """The JSON form is one line of ASCII that holds the contract's keys, the details and what is added."""
    line = dumped(verdict_on("s\u00eflver\u2028"), line=3)
    assert line.isascii() and "\n" not in line
    verdict = json.loads(line)
    keys = ["id", "family", "category", "score", "status", "reason", "slip", "partial", "notes"]
    assert list(verdict)[:9] == keys
    assert (verdict["score"], verdict["slip"], verdict["read"], verdict["line"]) == (0.0, None, 1, 3)


@pytest.mark.parametrize("detail", [object(), float("nan"), {1, 2}])
def test_details_that_are_no_json_are_the_familys_fault(detail):
    """Details that JSON cannot hold are an error that names the family, not a traceback."""
    odd = family_with(judge=lambda case, answer: Verdict("failed", "wrong", details={"seen": detail}))
    with pytest.raises(TrapError, match="words"):
        dumped(verdict_on("silver", odd))


def test_any_output_gets_a_verdict_of_a_known_status():
    """A hostile output of the full length is judged without being copied many times."""
    for text in ("[" * LIMIT, "\x00" * LIMIT, "x" * LIMIT, "a b" * (LIMIT // 3)):
        verdict = verdict_on(text, cut=True)
        assert verdict.status in ("failed", "unreadable") and len(verdict.reason) <= REASON
