"""From the bytes that an agent printed to the text that a family reads.

The rules are the same for every family: what a terminal would not show is dropped, and so
is thinking between tags. Time and memory are bounded whatever the bytes are.
"""

import re
from dataclasses import dataclass
from typing import BinaryIO

LIMIT = 10_000_000  # bytes of an output that are read: its last ones
CHUNK = 1 << 20
ELLIPSIS = "..."  # stands where an output was cut
BLOCK = 1_000_000  # characters from which something is dropped at a time, to bound the pieces in memory

UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks

# ECMA-48 control sequences. A string sequence ends with BEL or ST, on the line it began on: one that
# is cut off must not swallow the lines below it.
ANSI = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b\n\r]*+(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC: titles, links
    r"|\x1b[ -/]*+[0-~]"  # any other
)
CUT = re.compile(r"[\n\r]|\x1b(?!\\)")  # no sequence goes on beyond these
# C0 controls but tab and line ends, DEL, zero-width characters and direction marks, byte-order mark.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
FULL_WIDTH = re.compile("[\uff01-\uff5e]")
TO_ASCII = 0xFF01 - 0x21
THINK = re.compile(r"<(/?)think>", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Output:
    """What an agent printed. text: cleaned. size: bytes printed; cut: only the last `LIMIT` were kept.

    A cut text begins with an ellipsis, where its head was.
    """

    text: str
    cut: bool
    size: int


def read_output(stream: BinaryIO) -> Output:
    """Read a stream of any length to its end, keeping its last `LIMIT` bytes (never more than twice that)."""
    kept = bytearray()
    size = 0
    mark = b""
    while chunk := stream.read(CHUNK):
        if size < 2:
            mark = (mark + chunk)[:2]
        size += len(chunk)
        kept += chunk
        if len(kept) > 2 * LIMIT - CHUNK:
            del kept[:-LIMIT]
    return _output(kept, size, mark)


def read_tail(stream: BinaryIO, size: int, head: bytes) -> Output:
    """The output of `size` bytes, of which the stream holds the last `LIMIT`, and `head` the first two.

    The same as `read_output` gives for the whole.
    """
    return _output(bytearray(stream.read(LIMIT)), size, head)


def _output(kept: bytearray, size: int, mark: bytes) -> Output:
    """The output of `size` bytes, of which the last are kept, and whose first two are `mark`."""
    cut = size > LIMIT
    if cut:
        del kept[:-LIMIT]
        if mark in UTF16:  # the mark is gone with the head, and the tail must begin on a whole unit
            del kept[: (size - len(kept)) % 2]
            kept[:0] = mark
    text = clean(kept)
    # What is left of the line at the cut must not pass for a line: it may have begun otherwise.
    return Output(ELLIPSIS + text if cut else text, cut, size)


def clean(raw: bytes | bytearray) -> str:
    """The text in `raw` as a reader sees it; anything is accepted, and cleaning twice changes nothing.

    UTF-8 (wrong bytes become U+FFFD), or UTF-16 after a byte-order mark. Lines end with "\\n"
    only. Dropped: control sequences and characters, invisible marks, thinking. Full-width
    ASCII becomes ASCII.
    """
    text = raw.decode("utf-16" if raw[:2] in UTF16 else "utf-8", "replace")
    text = _without_sequences(text)
    if UNSEEN.search(text):
        blocks = range(0, len(text), BLOCK)
        text = "".join([UNSEEN.sub("", text[at : at + BLOCK]) for at in blocks])
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_thinking(_narrowed(text))


def _without_sequences(text: str) -> str:
    if "\x1b" not in text:
        return text
    parts = []
    start = 0
    while start < len(text):
        cut = CUT.search(text, start + BLOCK)
        end = cut.start() if cut else len(text)
        parts.append(ANSI.sub("", text[start:end]))
        start = end
    return "".join(parts)


def _narrowed(text: str) -> str:
    """The text with full-width ASCII (U+FF01 to U+FF5E) as ASCII, and no other character changed."""
    if FULL_WIDTH.search(text):
        for wide in range(0xFF01, 0xFF5F):
            text = text.replace(chr(wide), chr(wide - TO_ASCII))
    return text


def _without_thinking(text: str) -> str:
    """The text outside <think> blocks, after the last lone </think>, before an unclosed <think>.

    A block ends at the closing tag that balances its opening one. If none does, an inner
    opening tag was only mentioned, and the block ends at the next closing tag.
    """
    if not THINK.search(text):
        return text
    balanced = _balanced(text)
    kept: list[str] = []
    start = depth = opened = 0
    for tag in THINK.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[start : tag.start()])
                depth = 1
                nests = balanced[opened]
            elif nests:
                depth += 1
            opened += 1
        elif depth == 0:
            kept.clear()
            start = tag.end()
        else:
            depth -= 1
            start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    seen = "".join(kept)
    # What stood on both sides of a block may look like a tag once it is gone.
    return "\n".join(kept) if THINK.search(seen) else seen


def _balanced(text: str) -> bytearray:
    """For each opening tag in turn whether a closing one balances it."""
    balanced = bytearray()
    opened: list[int] = []
    for tag in THINK.finditer(text):
        if not tag[1]:
            opened.append(len(balanced))
            balanced.append(0)
        elif opened:
            balanced[opened.pop()] = 1
    return balanced
