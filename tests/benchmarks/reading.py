"""Measure how long it takes to clean and read hostile outputs, each in a process of its own.

    python tests/benchmarks/reading.py                 # all of them, as a table
    python tests/benchmarks/reading.py nested esc      # those with one of these words in their names

Every output has at least 10 MB, which is as much as is read, and reaches the process through a pipe.
`decode` and `edits` are seconds of processor time, `MB` is the peak memory of the process. The exit
code is 1 if an output takes more than 3 s or 300 MB, or is not read as `OUTPUTS` says.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator

SECONDS, MEGABYTES = 3.0, 300
SIZE = 10_000_000
GOOD = '[{"file": "t.csv", "op": "update", "match": {"id": "A-1"}, "set": {"n": 5}}]'
EDIT = '{"file":"t.csv","op":"update","match":{"id":"A-1"},"set":{"n":5}},'

# name -> head, repeated unit, tail, and the number of edits that are read (None: it is unreadable).
OUTPUTS: dict[str, tuple[str, str, str, int | None]] = {
    "prose, then an answer": ("", "checked one row, fine\n", GOOD, 1),
    "100 MB of prose, then an answer": ("", "checked one row, fine\n", GOOD, 1),
    "white space, then an answer": ("", " \n\t ", GOOD, 1),
    "Cyrillic, then an answer": ("", "строка ", GOOD, 1),
    "Chinese, then an answer": ("", "审查完毕。", GOOD, 1),
    "emoji and ASCII, then an answer": ("\N{PARTY POPPER}", "fine ", GOOD, 1),
    "zero bytes, then an answer": ("", "a\0b\0\0", GOOD, 1),
    "full-width, then an answer": ("", "\uff21\uff22\uff0c", GOOD, 1),
    "escape sequences, then an answer": ("", "\x1b[1mab\x1b[0m", GOOD, 1),
    "ESC [": ("", "\x1b[", "", None),
    "ESC": ("", "\x1b", "", None),
    "ESC \\": ("", "\x1b\\", "", None),
    "ESC ] unterminated": ("", "\x1b]", "", None),
    "<think>": ("", "<think>", GOOD, None),
    "</think>": ("", "</think>", GOOD, 1),
    "<think></think>": ("", "a<think>b</think>", GOOD, 1),
    "emoji, <think></think>": ("\N{PARTY POPPER}", "a<think></think>", GOOD, 1),
    "[": ("", "[", "", None),
    "[ blank, then an answer": ("", "[ ", "x " + GOOD, None),
    "{": ("", "{", GOOD, 1),
    "[{": ("", "[{", GOOD, None),
    '["': ("", '["', "", None),
    '{"': ("", '{"', "", None),
    '"': ("", '"', "", None),
    "backslashes": ("", "\\", "", None),
    'escaped quotes [\\"': ("", '[\\"', "\n" + GOOD, 1),
    "emoji, escaped quotes": ("\N{PARTY POPPER}", '\\"', "\n" + GOOD, 1),
    '{"a":': ("", '{"a":', "", None),
    '[{"a":x': ("", '[{"a":x', "", None),
    "[] often, then an answer": ("", "[] ", GOOD, None),
    "[1] often, then an answer": ("", "[1] ", GOOD, 1),
    "[x] often, then an answer": ("", "[x] ", GOOD, 1),
    "[1,x often, then an answer": ("", "[1,x", GOOD, 1),
    "[[x often, then an answer": ("", "[[x", GOOD, None),
    "[{}] often, then an answer": ("", "[{}] ", GOOD, None),
    "flat arrays of objects, then an answer": ("", '[{"a":1}] ', GOOD, None),
    "broken at a quote, then an answer": ("", "[{'", "\n" + GOOD, None),
    "broken at the end, again and again": ("", '[{"', "\n" + GOOD, None),
    "nested and complete": ("", "[[]] ", GOOD, None),
    "nested and broken": ("", "[[]x", GOOD, None),
    "nested in objects": ("", '{"a":[[]]} ', GOOD, None),
    "nested arrays after numbers": ("", "[1,1,1,1,1,1,1,1,", "", None),
    "nested arrays and objects": ("", '[{"a":[{"a":', "", None),
    "answers often": ("", GOOD + "\n", "", 1),
    "JSON Lines, then an answer": ("", '{"level": "info", "ctx": {"case": [1, 2], "x": "ok"}}\n', GOOD, 1),
    "JSON Lines of edits": ("", EDIT[:-1] + "\n", "", None),
    "fences": ("", "```\n", GOOD, 1),
    "comments": ("", "[//", "", None),
    "10^6 edits": ("[", '{"a":1},', "{}]", None),
    "10^6 empty edits": ("[", "{},", "{}]", None),
    "10^6 edits of other keys": ("[", '{"%d":1},', "{}]", None),
    "numbers and lists among edits": ("[" + "{}," * 40, "[],", "{}]", None),
    "strings among edits": ("[" + "{}," * 40, '"ab",', "{}]", None),
    "emoji, strings among edits": ("\N{PARTY POPPER}[" + "{}," * 40, '"ab",', "{}]", None),
    "edits of the usual size": ("[", EDIT, "{}]", None),
    "edits without an end": ("[", EDIT, "", None),
    "edits and then nonsense": ("[", EDIT, "!]", None),
    "edits in an object": ('{"edits": [', EDIT, "{}]}", None),
    "edits after prose, prose after": ("Edits: [", EDIT, "{}] done [1].", None),
    "one edit of many keys": ("[{", '"%d":1,', '"":1}]', None),
    "one edit of one key, repeated": ("[{", '"a":1,', '"a":1}]', None),
    "an object of many keys": ("{", '"%d":1,', '"edits":[{"a":1}]}', None),
    "a nested array of empty arrays": ('[{"a":[', "[],", "[]]}]", None),
    "a nested array of decimals": ('[{"a":[', "1.5,", "1.5]}]", None),
    "a nested array of strings": ('[{"a":[', '"ab",', '"ab"]}]', None),
    "a nested array of nested arrays": ('[{"a":[', "[[]],", "[]]}]", None),
    "an integer of 10^7 digits": ('[{"a":', "9", "}]", None),
    "a fraction of 10^7 digits": ('[{"a":1.', "9", "}]", None),
    "a string of 10^7 characters": ('[{"a":"', "x", '"}]', None),
    "a string of escapes": ('[{"a":"', '\\"', '"}]', None),
    "a string of half characters": ('[{"a":"', "\\ud800", '"}]', None),
    "strings of Chinese": ("[", '{"名":"审查完毕。"},', "{}]", None),
}


def output_parts(name: str) -> Iterator[bytes]:
    """Yield an output in the parts that are written to the pipe."""
    head, unit, tail, _ = OUTPUTS[name]
    yield head.encode()
    size = (SIZE if not name.startswith("100 MB") else 10 * SIZE) - len(head.encode()) - len(tail.encode())
    if "%d" in unit:
        yield from (unit.replace("%d", str(k)).encode() for k in range(size // len(unit) // 2))
    else:
        raw = unit.encode()
        block = raw * (1 + 65_536 // len(raw))
        blocks, rest = divmod(size, len(block))
        yield from (block for _ in range(blocks))
        yield raw * (rest // len(raw))
    yield tail.encode()


def child() -> None:
    """Read the output on standard input; print what was read, the time and the memory."""
    import resource

    from trapcli.answers.edits.parsing.reader import read_edits
    from trapcli.core.contract import Answer
    from trapcli.core.output import read_output

    clocks = [time.process_time()]
    output = read_output(sys.stdin.buffer)
    clocks.append(time.process_time())
    answer = read_edits(output)
    clocks.append(time.process_time())
    count = len(answer.value) if isinstance(answer, Answer) else None
    message = ", ".join(answer.notes) if isinstance(answer, Answer) else str(answer)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([clocks[1] - clocks[0], clocks[2] - clocks[1], peak, count, message]))


def main() -> int:
    if sys.argv[1:] == ["--child"]:
        child()
        return 0
    words = sys.argv[1:]
    failed = 0
    print(f"Python {sys.version.split()[0]}")
    print(f"{'output':40} {'clean':>6} {'edits':>6} {'MB':>5}  read as")
    for name in [name for name in OUTPUTS if not words or any(word in name for word in words)]:
        process = subprocess.Popen(
            [sys.executable, __file__, "--child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin and process.stdout
        for part in output_parts(name):
            process.stdin.write(part)
        process.stdin.close()
        clean, edits, peak, count, message = json.loads(process.stdout.read())
        process.wait()
        good = clean + edits <= SECONDS and peak <= MEGABYTES and count == OUTPUTS[name][3]
        failed += not good
        read = "unreadable" if count is None else f"{count} edits"
        took = f"{clean:6.2f} {edits:6.2f} {peak:5.0f}"
        print(f"{name:40} {took}  {read:10} {message[:90]}{'' if good else '  <-- BAD'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
