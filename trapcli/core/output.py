"""An agent's output: from the bytes that it printed to the text that a family reads.

The rules are the same for every family: what a terminal would not show is dropped, and so are
thinking between tags and the control tokens of chat templates. Time and memory are bounded whatever
the bytes are.
"""

import json
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
# C0 controls except tab and line ends, DEL, and what has the property Default_Ignorable_Code_Point
# (Unicode 16, DerivedCoreProperties.txt): soft hyphen, zero-width characters, direction marks, fillers,
# variation selectors, tags, byte-order mark.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
FULL_WIDTH = re.compile("[\uff01-\uff5e]")
TO_ASCII = 0xFF01 - 0x21
THINKING = "think|thinking|thought|reasoning"
TAG = re.compile(rf"<(/?)(?:{THINKING})>", re.IGNORECASE)
TOKEN = re.compile(  # of a chat template, such as <|im_end|>, <|channel|> or </s>
    r"<\|[\w\u2581]{1,40}\|>|</s>|\A<s>|<eos>|<(?:end|start)_of_turn>", re.IGNORECASE
)
FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Output:
    """What an agent left: what it printed, and the files in its output directory.

    text: the printed text, cleaned (see `clean`). If the output was cut, it begins with an ellipsis.
    raw: the printed bytes, at most the last `LIMIT`.
    cut: whether more than `LIMIT` bytes were printed.
    size: how many bytes were printed.
    dropped: a sentence about text that was dropped and may hold an answer, or "".
    files: relative POSIX path -> bytes; empty unless the family's answer kind reads files.
    """

    text: str
    raw: bytes = b""
    cut: bool = False
    size: int = 0
    dropped: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


def output_of(text: str, files: Mapping[str, bytes] | None = None) -> Output:
    """Return the output of an agent that printed this text and left these files.

    A lone surrogate in the text, which is not a character, reads as U+FFFD.
    """
    # No more than a judge reads is ever copied.
    raw = text[-LIMIT - 1 :].encode("utf-8", "surrogatepass")
    output = read_output(BytesIO(raw))
    return replace(output, files=files) if files else output


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
    text = decode(mark + raw[(size - len(raw)) % 2 :] if cut and mark in UTF16 else raw)
    text, dropped = without_thinking(text)
    # The rest of the line at the cut must not be read as a line: it may have begun otherwise.
    return Output(ELLIPSIS + text if cut else text, raw, cut, size, dropped)


def decode(raw: bytes | bytearray) -> str:
    """Return the text that a terminal would show. Any bytes are accepted; decoding twice changes nothing.

    The encoding is UTF-8 (wrong bytes become U+FFFD), or UTF-16 after a byte-order mark. Lines end
    with "\\n" only. Control sequences and characters and invisible marks are dropped. Full-width ASCII
    becomes ASCII.
    """
    text = raw.decode("utf-16" if raw[:2] in UTF16 else "utf-8", "replace")
    text = _without_sequences(text)
    if UNSEEN.search(text):
        blocks = range(0, len(text), BLOCK)
        text = "".join([UNSEEN.sub("", text[at : at + BLOCK]) for at in blocks])
    return _narrowed(text.replace("\r\n", "\n").replace("\r", "\n"))


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


def without_thinking(text: str) -> tuple[str, str]:
    """Return the text without thinking and control tokens, and a sentence about what that may have cost.

    The tags are <think>, <thinking>, <thought> and <reasoning>; any closing tag ends any block. Dropped
    are: blocks; everything before a closing tag that no opening one precedes, because chat templates
    swallow the opening tag; everything after an opening tag at the start of a line that is never closed.
    A control token becomes the end of a line. Nothing is dropped from a text that is JSON as a whole.
    """
    if "<" not in text:
        return text, ""
    tagged, tokens = TAG.search(text), TOKEN.search(text)
    if not (tagged or tokens) or _is_json(text):
        return text, ""
    if tokens:
        text = TOKEN.sub("\n", text)
    kept: list[str] = []
    dropped = ""
    start, opened = 0, -1  # where the text to keep begins, and where the open block does
    for tag in TAG.finditer(text) if tagged else ():
        if not tag[1]:
            opened = tag.start() if opened < 0 else opened
            continue
        if opened < 0:
            kept.clear()
            dropped = f"everything before {tag[0]} was dropped as thinking"
        else:
            kept.append(text[start:opened])
        start, opened = tag.end(), -1
    if opened >= 0 and not text[start:opened].rpartition("\n")[2].strip():
        kept.append(text[start:opened])
        dropped = "everything after the last <think> was dropped as thinking, because nothing closes it"
    else:
        kept.append(text[start:])
    return "\n".join(kept), dropped


def unfenced(text: str) -> str:
    """Return the text without outer white space and without a code fence around all of it."""
    body = text.strip()
    if body[:3] in FENCES and body.endswith(body[:3]) and "\n" in body:
        return body.partition("\n")[2].rstrip(body[0]).strip()
    return body


def _is_json(text: str) -> bool:
    body = unfenced(text)
    if body[:1] not in ("[", "{", '"'):
        return False
    try:
        json.loads(body, object_pairs_hook=len, parse_int=len, parse_float=len)  # keeps only sizes
    except (ValueError, RecursionError):
        return False
    return True
