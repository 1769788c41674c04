"""An agent's output: from the bytes that it printed to the text that a family reads.

The rules are the same for every family: what a terminal would not show is dropped, and so is
thinking between tags. Time and memory are bounded whatever the bytes are.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import BinaryIO

from trapcli.core.shorten import ELLIPSIS

LIMIT = 10_000_000  # bytes: only the last ones of an output are read
CHUNK = 1 << 20
BLOCK = 1_000_000  # characters that are searched at a time, which bounds the pieces in memory

UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks

# ECMA-48 control sequences. A string sequence must end with BEL or ST on the line where it began:
# one that is cut off must not swallow the lines below it.
ANSI = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b\n\r]*+(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC: titles, links
    r"|\x1b[ -/]*+[0-~]"  # any other
)
CUT = re.compile(r"[\n\r]|\x1b(?!\\)")  # no sequence continues beyond these
# C0 controls except tab and line ends, DEL, zero-width characters, direction marks, byte-order mark.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
FULL_WIDTH = re.compile("[\uff01-\uff5e]")
TO_ASCII = 0xFF01 - 0x21
THINK = re.compile(r"<(/?)think>", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Output:
    """What an agent left: what it printed, and the files in its output directory.

    text: the printed text, cleaned (see `clean`). If the output was cut, it begins with an ellipsis.
    raw: the printed bytes, at most the last `LIMIT`.
    cut: whether more than `LIMIT` bytes were printed.
    size: how many bytes were printed.
    files: relative POSIX path -> bytes; empty unless the family's answer kind reads files.
    """

    text: str
    raw: bytes = b""
    cut: bool = False
    size: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)


def output_of(text: str, files: Mapping[str, bytes] | None = None) -> Output:
    """Return the output of an agent that printed this text and left these files.

    A lone surrogate in the text, which is not a character, reads as U+FFFD.
    """
    # No more than a judge reads is ever copied.
    raw = text[-LIMIT - 1 :].encode("utf-8", "surrogatepass")
    return replace(read_output(BytesIO(raw)), files=files or {})


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
    raw = bytes(kept[-LIMIT:])
    kept.clear()  # one copy in memory is enough
    return _output(raw, size, mark)


def read_tail(stream: BinaryIO, size: int, head: bytes) -> Output:
    """Return the output whose last bytes are in a stream: the same as `read_output` returns for all of it.

    stream: the last `LIMIT` bytes.
    size: how many bytes were printed.
    head: the first two of them.
    """
    return _output(stream.read(LIMIT), size, head)


def _output(raw: bytes, size: int, mark: bytes) -> Output:
    """Return the output of `size` bytes that began with `mark` and ended with `raw`."""
    cut = size > LIMIT
    # The UTF-16 mark went with the head; the tail must have it, and begin on a whole unit.
    text = clean(mark + raw[(size - len(raw)) % 2 :] if cut and mark in UTF16 else raw)
    # The rest of the line at the cut must not be read as a line: it may have begun otherwise.
    return Output(ELLIPSIS + text if cut else text, raw, cut, size)


def clean(raw: bytes | bytearray) -> str:
    """Return the text in `raw` as a reader sees it. Any bytes are accepted; cleaning twice changes nothing.

    The encoding is UTF-8 (wrong bytes become U+FFFD), or UTF-16 after a byte-order mark. Lines end
    with "\\n" only. Control sequences and characters, invisible marks and thinking are dropped.
    Full-width ASCII becomes ASCII.
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
    """Return the text with full-width ASCII (U+FF01 to U+FF5E) as ASCII; no other character changes."""
    if FULL_WIDTH.search(text):
        for wide in range(0xFF01, 0xFF5F):
            text = text.replace(chr(wide), chr(wide - TO_ASCII))
    return text


def _without_thinking(text: str) -> str:
    """Return the text outside <think> blocks, after the last lone </think>, before an unclosed <think>.

    A block ends at the closing tag that balances its opening one. If none does, an inner opening tag
    was only mentioned, and the block ends at the next closing tag.
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
    # The text on both sides of a block may look like a tag once the block is gone.
    return "\n".join(kept) if THINK.search(seen) else seen


def _balanced(text: str) -> bytearray:
    """Return, for each opening tag in turn, whether a closing one balances it."""
    balanced = bytearray()
    opened: list[int] = []
    for tag in THINK.finditer(text):
        if not tag[1]:
            opened.append(len(balanced))
            balanced.append(0)
        elif opened:
            balanced[opened.pop()] = 1
    return balanced
