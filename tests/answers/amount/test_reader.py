"""The ANSWER: line: which line counts, what may be below or beside it, and which amounts are equal."""

import re
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.answers.amount import AmountAnswers
from trapcli.answers.amount.answers import EXAMPLE, canonical, equal
from trapcli.answers.amount.reader import read_answer
from trapcli.core.contract import Answer, Problem
from trapcli.core.output import output_of

AMOUNT = Decimal("870.25")
MEGABYTES = 10_000_000


def value(text: str) -> Decimal:
    """Return the amount read from a text after cleaning."""
    answer = read_answer(output_of(text))
    assert isinstance(answer, Answer), answer
    assert isinstance(answer.value, Decimal)
    return answer.value


def notes(text: str) -> tuple[str, ...]:
    answer = read_answer(output_of(text))
    assert isinstance(answer, Answer), answer
    return answer.notes


def problem(text: str) -> Problem:
    answer = read_answer(output_of(text))
    assert isinstance(answer, Problem), answer
    return answer


@pytest.mark.parametrize(
    "line",
    [
        "ANSWER: 870.25", "ANSWER:870.25", "  ANSWER:\t870.25  ", "ANSWER : 870.25", "- ANSWER: 870.25",
        "* ANSWER: 870.25", "• ANSWER: 870.25", "2. ANSWER: 870.25", "2) ANSWER: 870.25", "> ANSWER: 870.25",
        "> > **ANSWER: 870.25**", "### ANSWER: 870.25", "## ANSWER: 870.25 ##", "**ANSWER:** 870.25",
        "**ANSWER**: 870.25", "*ANSWER: 870.25*", "__ANSWER: 870.25__", "`ANSWER: 870.25`",
        "`ANSWER:` 870.25",
        '"ANSWER: 870.25"', "'ANSWER: 870.25'", "“ANSWER: 870.25”", "| ANSWER: 870.25 |", "|ANSWER:|870.25|",
        "| **ANSWER:** | **870.25** |", "\u00a0ANSWER:\u00a0870.25\u00a0", "ANSWER\uff1a870\uff0e2\uff15",
        "```\nANSWER: 870.25\n```", "Sums done.\r\nANSWER: 870.25\r\n", "1 of 2\r2 of 2\rANSWER: 870.25",
        "\x1b[32mANSWER: 87\x1b[1m0.25\x1b[0m", "\x1b]0;done\x07ANSWER: 870.25", "\ufeffANSWER:\u200b 870.25",
        "ANSWER: 870.25\f", "ANSWER: 870.25\0", "<think>\nANSWER: 1\n</think>\nANSWER: 870.25",
        "ANSWER: 870.25\nmemo\u0085ANSWER: 1\nmemo\u2028ANSWER: 1", "ANSWER: 870.25\n<think>ANSWER: 1",
    ],
)  # fmt: skip
def test_decoration_around_the_line_is_ignored(line: str) -> None:
    """A line that starts with ANSWER: after any decoration is read."""
    assert value(line) == AMOUNT


@pytest.mark.parametrize(
    "text",
    [
        "", " \n\t\n", "The balance is 870.25.", "ANSWER 870.25", "ANSWER = 870.25", "ANSWERS: 870.25",
        "THE ANSWER: 870.25", "My ANSWER: 870.25", "Print `ANSWER: 870.25` when done.",
        "<p>ANSWER: 870.25</p>",
        "(ANSWER: 870.25)", '{"answer": 870.25}', '{\n  "answer": 870.25\n}', '{"ANSWER": 870.25}',
        '["ANSWER: 870.25"]', "b'ANSWER: 870.25'", "'Sums done.\\nANSWER: 870.25'", "~~ANSWER: 870.25~~",
        "| ANSWER | 870.25 |", "AN\u017fWER: 870.25", "memo\u2028ANSWER: 870.25", "1.ANSWER: 870.25",
        "1234567890. ANSWER: 870.25", "ANS\nWER: 870.25",
    ],
)  # fmt: skip
def test_other_mentions_do_not_count(text: str) -> None:
    """Without a line that starts with ANSWER: nothing is read, and the reason says so."""
    assert problem(text).message.startswith("there is no ANSWER: line")


def test_the_last_line_counts_in_both_directions() -> None:
    """The last ANSWER: line is the answer, right or wrong; a note mentions the earlier ones."""
    assert value("ANSWER: 1\nANSWER: 2\nOne more.\nANSWER: 870.25\n\n7 files, 3 credits.") == AMOUNT
    assert value("ANSWER: 870.25\nNo, wait.\n**ANSWER: 1.00**") == 1
    assert [note[:6] for note in notes("ANSWER: 1\n\nANSWER: 2\nANSWER: 3")] == ["line 3"]
    assert notes("an ANSWER: 1\nANSWER: 3") == ()


def test_a_later_mention_is_noted() -> None:
    """A later line that holds ANSWER: without starting with it does not count, and a note says so."""
    drafted = "ANSWER: 870.25\nrechecked\n✅ ANSWER: 1.00"
    assert value(drafted) == AMOUNT
    assert [note[:6] for note in notes(drafted)] == ["line 3"]
    assert notes("ANSWER: 870.25\nmy answer is done") == ()


@pytest.mark.parametrize("last", ["ANSWER:", "ANSWER: unknown", "ANSWER: \\boxed{870.25", "ANSWER: 8 or 9"])
def test_an_earlier_line_never_counts(last: str) -> None:
    """A last line that cannot be read replaces the ones before it, and the problem gives its place."""
    assert problem(f"ANSWER: 870.25\n{last}").where == "line 2"


def test_capitals_outrank_other_spellings() -> None:
    """Other letters count only if no line has capitals; then the last such line counts."""
    for above in ("", "Answer: 3\n", "an ANSWER: 3\n", "**answer:** none\n"):
        text = f"{above}**Answer:** 870.25"
        assert value(text) == AMOUNT
    assert value("answer: 4\nANSWER: 870.25\nanswer: 3 of 12 are empty\nAnswer: none") == AMOUNT
    assert problem("ANSWER: none\nanswer: 6").where == "line 1"
    later = "ANSWER: 5\n\nanswer: 6"
    assert [note[:6] for note in notes(later)] == ["line 3"]
    assert notes(later + "\n" * 200_000) == notes(later)


def test_a_second_sentinel_on_the_line_leaves_one_number() -> None:
    """ANSWER: in it again does no harm if the line still has one number, and nothing behind it."""
    for rest in ("1.00 ANSWER: 870.25", "870.25 ANSWER:", "870.25\u2028ANSWER: 1.00"):
        assert problem(f"ANSWER: {rest}")
    for rest in ("ANSWER: 870.25", "my answer: 870.25", "870.25 (my ANSWER)"):
        assert value(f"ANSWER: {rest}") == AMOUNT


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    ["870.25", "**$870.25**", "`870.25`", "870.25 USD.", "US$ 870.25", "|870.25|", "* 870.25", "+870.25"],
)
def test_a_number_alone_may_be_below(line: str) -> None:
    """With nothing after the colon the next line that is not blank counts, if it is only a number."""
    assert value(f"**ANSWER:**\n\n \t\n{line}\n900 more lines") == AMOUNT
    assert value(f"| ANSWER: |\n{line}") == AMOUNT


@pytest.mark.parametrize(
    "line",
    ["it is 870.25", "870.25 net", "- 870.25", "x = 870.25", "= 870.25", "(870.25)", "870.25 1", "```", "so"],
)
def test_more_than_a_number_does_not_count_below(line: str) -> None:
    """A next line with anything but a number is not read, nor is any line after it."""
    assert "and the next line, " in problem(f"ANSWER:\n{line}\n870.25").message


def test_nothing_below() -> None:
    """An ANSWER: at the end of the text, or above another one, gives no answer of its own."""
    assert problem("ANSWER: **\n \n").message == "nothing follows ANSWER:"
    assert value("ANSWER:\nANSWER: 870.25") == AMOUNT


def test_a_problem_gives_the_place_and_quotes_the_text() -> None:
    """A problem quotes the text after the colon, shortened, and gives its line."""
    found = problem("Sums done.\n\nANSWER: 77.05 CR\nBye.")
    assert str(found).startswith("line 3: '77.05 CR' is not an amount: ")
    assert len(problem("ANSWER: " + "word " * 150).message) < 200
    assert problem("x\nthe ANSWER is 4").where == "line 2"


def test_equal_allows_for_binary_noise_and_nothing_else() -> None:
    """Amounts are equal up to a difference of a millionth, and no further."""
    assert equal(AMOUNT, Decimal("870.250001")) and equal(Decimal("870.249999"), AMOUNT)
    assert not equal(AMOUNT, Decimal("870.2500010000000000000000000000000001"))
    for other in ("870.254", "870.3", "870.99", "-870.25", "1870.25", "8702.5", "87025", "87.025", "870"):
        assert not equal(AMOUNT, Decimal(other))
    assert equal(Decimal("46"), Decimal("46.00")) and equal(Decimal("-0.00"), Decimal(0))
    assert not equal(Decimal(2**54), Decimal(2**54 + 1))  # the same as floats
    assert not equal(Decimal("9" * 30), Decimal("9" * 29 + "8"))


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("4012.9", "4012.90"), ("4012.900000001", "4012.90"), ("4012.8999995", "4012.90"), ("40129e-1",
        "4012.90"),
        ("1e4", "10000.00"), ("-0.00", "0.00"), ("-1e-9", "0.00"), ("4012.9040", "4012.904"), ("1e-5",
        "0.00001"),
        ("-77.05", "-77.05"), ("9" * 30, "9" * 30 + ".00"), ("1e15", "1" + "0" * 15 + ".00"),
    ],
)  # fmt: skip
def test_canonical_text(amount: str, text: str) -> None:
    """Noise is dropped from whole cents; any other amount keeps its digits, without an exponent."""
    assert canonical(Decimal(amount)) == text


WHOLE_CENTS = st.integers(-(10**20), 10**20).map(lambda number: Decimal(number).scaleb(-2))
CHANGES = st.builds(Decimal.scaleb, st.integers(-2000, 2000).map(Decimal), st.integers(-12, 3))


@pytest.mark.slow
@given(WHOLE_CENTS, CHANGES)
def test_canonical_agrees_with_equal(gold: Decimal, change: Decimal) -> None:
    """Against whole cents, two amounts are equal exactly if their canonical texts are."""
    assert equal(gold, gold + change) == (canonical(gold) == canonical(gold + change))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "filling", "tail"),
    [
        ("", "ANSWER: 4\n", ""), ("", "ANSWER: ", ""), ("", "ANSWER:\n", ""), ("ANSWER: ", "9", ""),
        ("ANSWER:", " ", ""),
        ("ANSWER:", "\n", ""), ("", "|", ""), ("", "|", "ANSWER: 4"), ("ANSWER: ", "|", ""), ("ANSWER:\n",
        "*", ""),
        ("", "so ANSWER: 4\n", ""), ("", "answer: 4\n", ""), ("answer", "\n", ""), ("ANSWER: 4\n", "> ",
        "answer"),
        ("", "so ANSWER\n", "answer: 4"), ("", "1. \n", "aNSWER"), ("ANSWER: ", "\\boxed{", ""), ("", "é ",
        "ANSWER: 4"),
    ],
)  # fmt: skip
def test_ten_megabytes_take_a_moment(head: str, filling: str, tail: str) -> None:
    """Reading is linear: ten megabytes of anything take a moment."""
    text = head + filling * (MEGABYTES // len(filling)) + tail
    started = time.process_time()
    read_answer(output_of(text))
    assert time.process_time() - started < 5  # the slowest takes 0.8 s where nothing else runs


def test_a_line_far_above_is_found() -> None:
    """Thousands of later lines that only mention the word do not hide the ANSWER: line."""
    assert value("ANSWER: 870.25\n" + "an ANSWER\n" * 5000 + "answer: 4") == AMOUNT


def test_the_instructions_and_the_rules_hold() -> None:
    """The example in the instructions is read, and so is every spelling of it in the rules."""
    kind = AmountAnswers()
    line = re.search("^    (ANSWER: .*)$", kind.instructions(), re.MULTILINE)
    assert line and value(line[1]) == EXAMPLE
    assert len(kind.instructions().splitlines()) <= 8
    rules = kind.rules()
    same = re.findall(
        r"12[\d',._]+\d|1\.\d+e4", rules[rules.index("So 12,345.67,") : rules.index("are one number")]
    )
    assert len(same) == 7
    assert {value(f"ANSWER: {number}") for number in same} == {EXAMPLE}
    assert value("ANSWER: 12,34,567.89") == Decimal("1234567.89") and "12,34,567.89" in rules
