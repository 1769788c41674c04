"""What is left of an output once it is cleaned, and how much of it is kept."""

import io
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trapcli.core.output import LIMIT, decode, output_of, read_output, without_thinking

# Pieces that mean something to the cleaning, to be put together in any order.
PIECES = [
    *(b"<think>", b"</think>", b"<THINK>", b"<thi", b"nk>", b"</", b"\xef\xbc\x9c"),
    *(b"\x1b[", b"\x1b]", b"\x1b", b"0;", b"m", b"\x07", b"\\", b"\x9b"),
    *(b"\r", b"\n", b"\x0c", b"\0", b"\xff", b"\xfe", b"\xef\xbb\xbf", b"\xe2\x80\x8b", b"a ", b"7"),
]


@pytest.mark.parametrize(
    "raw, text",
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\ufeffmark", "mark"),
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("form\x0cfeed, \x0btab, \x00zero, \x07bell, \x7fdelete", "formfeed, tab, zero, bell, delete"),
        ("zero\u200bwidth\u200d\u2060, \u200eleft\u202eright\u2066\u061c", "zerowidth, leftright"),
        ("soft\u00adhyphen\u034f\u115f\u3164\ufe0f\uffa0\U000e0041", "softhyphen"),
        ("\u2028line\u2029paragraph\x85next\u00a0space", "\u2028line\u2029paragraph\x85next\u00a0space"),
        ("\uff21\uff2e\uff33\uff1a\uff11\uff0e\uff15\uff5e", "ANS:1.5~"),
        ("\u3000\u00bd\u2460\ufb01\uffe5", "\u3000\u00bd\u2460\ufb01\uffe5"),
        ("caf\u00e9 \u5e73 \U0001f389", "caf\u00e9 \u5e73 \U0001f389"),
    ],
)
def test_unseen_characters_go_and_the_others_stay(raw: str, text: str) -> None:
    """Controls and invisible marks are dropped, full-width ASCII is narrowed, nothing else changes."""
    assert decode(raw.encode()) == text


@pytest.mark.parametrize(
    "raw, text",
    [
        ("\x1b[1;32mgreen\x1b[0m", "green"),
        ("12\x1b[2m.50\x1b[m", "12.50"),
        ("\x1b[?25l\x1b[2K\x1b[10;4Hhome", "home"),
        ("\x1b[38:2::255:0:0mred", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(B\x1b7\x1b=text\x1bM", "text"),
        ("\x1bPq#0;2\x1b\\picture", "picture"),
        ("\x1b", ""),
        ("text\x1b[", "text"),
        ("text\x1b[12", "text12"),
        ("\x1b]0;cut off\nANSWER: 5\x07", "0;cut off\nANSWER: 5"),
        ("\x1b\x1b[1mtwice", "twice"),
        ("a [1m without an escape", "a [1m without an escape"),
    ],
)
def test_terminal_sequences_vanish(raw: str, text: str) -> None:
    """A terminal's sequences are dropped whole, and one that is cut off swallows no further line."""
    assert decode(raw.encode()) == text


@pytest.mark.parametrize(
    "raw, text",
    [
        (b"caf\xe9 5\n", "caf\ufffd 5\n"),
        (b"\xff\xfeA\x005\x00", "A5"),
        (b"\xfe\xff\x00A\x005", "A5"),
        (b"\xff\xfeA\x005", "A\ufffd"),
        (b"\xef\xbb\xbf\xef\xbb\xbfA5", "A5"),
        (b"", ""),
        (b"\xff", "\ufffd"),
    ],
)
def test_any_bytes_are_read(raw: bytes, text: str) -> None:
    """UTF-8 is read with replacements, UTF-16 if it begins with its mark."""
    assert decode(raw) == text


@pytest.mark.parametrize(
    "raw, text, dropped",
    [
        ("<think>no</think>yes", "\nyes", ""),
        ("before <think>no</think>after", "before \nafter", ""),
        ("yes\n<think>no", "yes\n", "everything after"),
        ("<think>no", "", "everything after"),
        ("I used no <think> tag.\nyes", "I used no <think> tag.\nyes", ""),
        ("no</think>yes", "yes", "everything before </think>"),
        ("no</think>no</think>yes", "yes", "everything before"),
        ("<think>no</think>no</think>yes", "yes", "everything before"),
        ("<think>a</think>one<think>b</think>two", "\none\ntwo", ""),
        ("kept <think>I close <think> now</think>yes", "kept \nyes", ""),
        ("<THINK>no</Think>yes", "\nyes", ""),
        ("<th\u200bink>no</think>yes", "\nyes", ""),
        ("\uff1cthink\uff1eno</think>yes", "\nyes", ""),
        ("<thinking>no</thinking>yes", "\nyes", ""),
        ("<reasoning>no</reasoning>yes", "\nyes", ""),
        ("<thought>no</thought>yes", "\nyes", ""),
        ("<thinks>shown</thinks>", "<thinks>shown</thinks>", ""),
        ("< think>shown", "< think>shown", ""),
        ("yes<|im_end|>", "yes\n", ""),
        ("yes</s>", "yes\n", ""),
        ("<s>yes", "\nyes", ""),
        ("a <s>b", "a <s>b", ""),
        ("<|channel|>final<|message|>yes<|return|>", "\nfinal\nyes\n", ""),
        ("yes<\uff5cend\u2581of\u2581sentence\uff5c>", "yes\n", ""),
        ("a <| b |> c", "a <| b |> c", ""),
        ('{"a": "<think>"}', '{"a": "<think>"}', ""),
        ('```json\n["</think>", "<|x|>"]\n```\n', '```json\n["</think>", "<|x|>"]\n```\n', ""),
        ('["</think>"] or so', '"] or so', "everything before"),
        ('["</think>",]', '",]', "everything before"),
    ],
)
def test_thinking_and_control_tokens_are_dropped(raw: str, text: str, dropped: str) -> None:
    """Blocks and tokens go, and a sentence says what was dropped because a tag stood alone."""
    output = output_of(raw)
    assert output.text == text
    assert output.dropped.startswith(dropped) and bool(output.dropped) == bool(dropped)


@given(st.lists(st.sampled_from(["<think>", "</think>", "\n", "a ", "<|x|>", "</s>", "</reasoning>", "[1]"])))
def test_dropping_leaves_no_closing_tag(parts: list[str]) -> None:
    """No closing tag and no control token is left of a text that is not JSON."""
    text, _ = without_thinking("x" + "".join(parts))
    assert not any(mark in text for mark in ("</think>", "</reasoning>", "<|x|>", "</s>"))


@given(st.binary() | st.lists(st.sampled_from(PIECES)).map(b"".join))
@example(b"\xff\xfe\x00\xd8")
@example(b"\x1b]a\x1b]b\x07\x1b\\")
def test_decoding_twice_changes_nothing(raw: bytes) -> None:
    """Decoded text, printed and decoded again, is the same, whatever the bytes were."""
    once = decode(raw)
    assert decode(once.encode()) == once
    assert not set(once) & {"\r", "\x1b", "\0", "\x0c", "\x7f", "\ufeff", "\u200b"}


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["\x1b[1m\u5e73\x00\u200b", "\x1b]0;x\x1b\\ab\uff21", "\x1b\\", "a\r\n"])
def test_long_output_is_cleaned_as_short_output_is(unit: str) -> None:
    """Where a long text is divided for cleaning makes no difference."""
    times = 2_500_000 // len(unit)
    assert decode((unit * times).encode()) == decode(unit.encode()) * times


def test_an_output_within_the_limit_is_whole() -> None:
    """As many bytes as the limit are all kept."""
    output = read_output(io.BytesIO(b"x" * (LIMIT - 6) + b"\n 5\r\n\n"))
    assert (output.cut, output.size, output.text[:2]) == (False, LIMIT, "xx")
    assert output.text.endswith("x\n 5\n\n")


def test_of_a_longer_output_the_end_is_kept() -> None:
    """One byte too many, and the first goes; the output says that it was cut and how long it was."""
    output = read_output(io.BytesIO(b"y" + b"x" * LIMIT))
    assert (output.cut, output.size, output.text) == (True, LIMIT + 1, "..." + "x" * LIMIT)


@pytest.mark.slow
def test_what_is_left_of_a_line_is_no_line() -> None:
    """A line that the cut falls into is marked, so that its rest does not pass for a line of its own."""
    output = read_output(io.BytesIO(b"Never write ANSWER: 1" + b"\nx" * (LIMIT // 2 - 5)))
    assert output.text.startswith("...")
    assert not any(line.strip().startswith("ANSWER") for line in output.text.split("\n"))


def test_a_character_may_be_cut() -> None:
    """A tail that begins inside a character is readable behind it."""
    output = read_output(io.BytesIO("\u5e73".encode() * (LIMIT // 3) + b"ANSWER: 5"))
    assert output.cut
    assert output.text.removeprefix("...").lstrip("\ufffd").startswith("\u5e73")
    assert output.text.endswith("\u5e73ANSWER: 5")


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("odd", [b"", b"\0"])
def test_long_utf16_is_cut_between_units(order: str, odd: bytes) -> None:
    """The tail of UTF-16 is decoded as such, though the mark that told so is gone."""
    raw = ("\ufeff" + "fine " * 1_100_000 + "ANSWER: 5").encode(f"utf-16-{order}")
    output = read_output(io.BytesIO(raw + odd))
    assert output.cut
    assert output.text.rstrip("\ufffd").endswith("fine ANSWER: 5")


class Endless(io.RawIOBase):
    """A stream of `left` bytes that hands out as many as it likes at a time."""

    def __init__(self, left: int) -> None:
        self.left = left

    def read(self, size: int = -1) -> bytes:
        given = min(size, self.left, 300_001)
        self.left -= given
        return b"z" * given


@pytest.mark.slow
def test_a_stream_of_any_length_fits_in_memory() -> None:
    """Reading 200 MB holds no more than a few times what is kept."""
    tracemalloc.start()
    try:
        output = read_output(Endless(200_000_000))  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (output.cut, output.size, len(output.text)) == (True, 200_000_000, LIMIT + 3)
    assert peak < 5 * LIMIT
