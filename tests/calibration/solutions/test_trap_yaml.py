"""Reading trap.yaml: trap-cli's keys are read and mean the same; what cannot be used is named."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.solutions.trap_yaml import LARGEST, read_trap_yaml
from trapcli.core.errors import TrapError

WHOLE = """\
name: my agent
profile: {model: small, framework: [one, two], other: 3}
setup_cmd: "uv sync"
stdin: ./data/ticket.md
cmd: python 'my agent.py' --fast
manifest_envvar: AGENT_MANIFEST
timeout: 30
extra: {note: anything}
tasks: {billing: {source: ../traps/billing}}
somebody_elses: 1
"""


@pytest.fixture
def file(tmp_path: Path) -> Any:
    """Writes text or bytes as trap.yaml and returns its path."""

    def write(content: Any) -> Any:
        path = tmp_path / "trap.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refusal(path: Any) -> Any:
    """Return the error for this file; it must be one paragraph that names the file."""
    with pytest.raises(TrapError) as caught:
        read_trap_yaml(path, "here")
    text = str(caught.value)
    assert str(path) in text and "\n" not in text and len(text) < 400 + len(str(path))
    return text


def test_every_key(file: Any, tmp_path: Path) -> None:
    """Each of trap-cli's keys sets its field; keys that are for others are ignored."""
    found = read_trap_yaml(file(WHOLE), "here")
    assert found.command == ("python", "my agent.py", "--fast")
    assert (found.given, found.cwd, found.timeout) == ("here", tmp_path.resolve(), 30.0)
    assert (found.stdin, found.setup_cmd) == ("data/ticket.md", "uv sync")
    assert (found.name, found.manifest_envvar) == ("my agent", "AGENT_MANIFEST")
    assert found.profile == {"model": ["small"], "framework": ["one", "two"]}


def test_defaults(file: Any) -> None:
    """Only cmd is needed; a key with an empty value has its default."""
    for more in ("", "timeout:\nprofile:\n", "stdin: ''\nsetup_cmd: ' '\nname: ''\nprofile: {model: }\n"):
        found = read_trap_yaml(file(f"cmd: ./run\n{more}"), "here")
        assert (found.timeout, found.stdin, found.setup_cmd) == (600.0, None, None)
        assert (found.name, found.manifest_envvar, found.profile) == (None, "TRAP_MANIFEST", {})


@pytest.mark.parametrize(
    ("text", "seconds"), [("0.5", 0.5), ("90", 90.0), ("'90'", 90.0), ("1.0e+3", 1000.0)]
)
def test_timeouts(file: Any, text: str, seconds: float) -> None:
    """A limit is any positive number, also one in quotes, as in trap-cli."""
    assert read_trap_yaml(file(f"cmd: run\ntimeout: {text}\n"), "").timeout == seconds


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cmd", "''"),
        ("cmd", "\"'' x\""),
        ("cmd", "python 'agent.py"),
        ("cmd", "[python, agent.py]"),
        ("cmd", "5"),
        ("cmd", '"a\\0b"'),
        ("timeout", "0"),
        ("timeout", "-1"),
        ("timeout", ".nan"),
        ("timeout", ".inf"),
        ("timeout", "true"),
        ("timeout", "ten"),
        ("timeout", "'1e3'"),
        ("timeout", "1000001"),
        ("timeout", "0x" + "f" * 400),
        ("stdin", "../expected/answer.json"),
        ("stdin", "/etc/passwd"),
        ("stdin", "a/../../b"),
        ("stdin", "."),
        ("stdin", "3"),
        ("setup_cmd", "[uv, sync]"),
        ("name", "7"),
        ("profile", "small"),
        ("profile", "{model: 4}"),
        ("profile", "{framework: [one, 2]}"),
        ("manifest_envvar", "A-B"),
        ("manifest_envvar", "''"),
    ],
)
def test_unusable_values(file: Any, key: str, value: str) -> None:
    """An unusable value is refused, naming its key."""
    text = f"{key}: {value}\n" if key == "cmd" else f"cmd: run\n{key}: {value}\n"
    assert f": {key}: " in refusal(file(text))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("timout", "timeout"),
        ("Timeout", "timeout"),
        ("timeout_s", "timeout"),
        ("setup", "setup_cmd"),
        ("CMD", "cmd"),
        ("std_in", "stdin"),
        ("profiles", "profile"),
        ("manifest_env", "manifest_envvar"),
        ("extras", "extra"),
        ("task", "tasks"),
    ],
)
def test_near_misses_of_keys(file: Any, wrong: str, right: str) -> None:
    """A misspelt key is refused, because it would have no effect; the right one is named."""
    assert f"{wrong!r}: did you mean {right}?" in refusal(file(f"cmd: run\n{wrong}: 5\n"))


@pytest.mark.parametrize(
    "key", ["version", "author", "tags", "description", "env", "models", "5", "~", "2001-01-01"]
)
def test_other_keys_are_ignored(file: Any, key: str) -> None:
    """A key that resembles none of ours is ignored, as in trap-cli."""
    assert read_trap_yaml(file(f"cmd: run\n{key}: 5\n"), "").command == ("run",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("- cmd: run\n", "contains a list"),
        ("run\n", "contains a text"),
        ("7\n", "contains a number"),
        ("command: run\n", "has no cmd.*'command'"),
        ("cmd:\n", "has no cmd"),
        ("".join(f"k{n}: v\n" for n in range(5000)), "has no cmd"),
        ("cmd: [run\n", "line 2, column 1: not valid YAML"),
        ("cmd: a\n cmd: b\n", "line 2.*not valid YAML"),
        ("cmd: run\ntimeout: 2001-99-99\n", "not valid YAML"),
        (f"cmd: run\ntimeout: {'9' * 5000}\n", "not valid YAML"),
        ("cmd: !!python/object/apply:os.system [id]\n", "not valid YAML"),
        ("? {a: b}\n: c\n", "not valid YAML"),
        ("cmd: !!bool x\n", "not valid YAML"),
        ("cmd: \x01\n", "not valid YAML"),
        ("cmd: a\n---\ncmd: b\n", "not valid YAML"),
        (b"cmd: caf\xe9\n", "not UTF-8 text .byte 8."),
        ("cmd: run\n".encode("utf-16"), "not UTF-8 text"),
        (b"# " + b"x" * LARGEST, "larger than 64 KB"),
        ("a: " + "[" * 60_000, "not valid YAML"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_malformed_files(file: Any, content: Any, message: str) -> None:
    """Whatever the file contains, the error says what is wrong with it."""
    assert re.search(message, refusal(file(content)))


def test_anchors_and_merge_keys(file: Any) -> None:
    """Anchors and merge keys are read as YAML defines them."""
    text = "extra: &e {cmd: run, timeout: 5}\n<<: *e\nname: x\n"
    found = read_trap_yaml(file(text), "")
    assert (found.command, found.timeout, found.name) == (("run",), 5.0, "x")


def test_byte_order_mark(file: Any) -> None:
    """A byte-order mark before the first key is ignored."""
    assert read_trap_yaml(file(b"\xef\xbb\xbfcmd: run\r\n"), "").command == ("run",)


def test_paths_that_are_not_a_file(tmp_path: Path) -> None:
    """A missing file, a directory, a pipe and a circular link each get their own message."""
    assert "is missing" in refusal(tmp_path / "trap.yaml")
    (tmp_path / "d.yaml").mkdir()
    assert "is a directory" in refusal(tmp_path / "d.yaml")
    os.mkfifo(tmp_path / "p.yaml")
    assert "not an ordinary file" in refusal(tmp_path / "p.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert "cannot be read" in refusal(tmp_path / "loop.yaml")


def test_it_runs_where_the_file_really_is(tmp_path: Path) -> None:
    """If the file is a symbolic link, the solution runs where its target is, as in trap-cli."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/trap.yaml").write_text("cmd: run\n")
    (tmp_path / "link.yaml").symlink_to("agent/trap.yaml")
    assert read_trap_yaml(tmp_path / "link.yaml", "").cwd == (tmp_path / "agent").resolve()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary()
VALUES = st.recursive(SCALARS, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=6)
KEYS = st.sampled_from(
    ["cmd", "timeout", "stdin", "setup_cmd", "name", "profile", "manifest_envvar", "extra"]
)


@pytest.mark.slow
@given(st.dictionaries(KEYS | st.text(), VALUES), st.booleans())
def test_any_mapping_is_read_or_refusal(
    tmp_path_factory: pytest.TempPathFactory, data: Any, with_command: Any
) -> None:
    """Values of any type under any keys give a solution, or a TrapError that names the file."""
    path = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    path.write_text(yaml.safe_dump({**data, **({"cmd": "run"} if with_command else {})}), encoding="utf-8")
    try:
        read_trap_yaml(path, "")
    except TrapError as error:
        assert str(path) in str(error)


@pytest.mark.slow
@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_read_or_refusal(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """Whatever the bytes of the file, nothing but TrapError is raised."""
    path = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    path.write_bytes(data)
    try:
        read_trap_yaml(path, "")
    except TrapError as error:
        assert str(path) in str(error)
