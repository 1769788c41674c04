"""Reading trap.yaml: what trap-cli takes is taken and means the same; what cannot be used is named."""

import os
import re
from pathlib import Path

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
def file(tmp_path):
    """Writes text or bytes as trap.yaml and gives its path."""

    def write(content):
        path = tmp_path / "trap.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refused(path):
    """The error for this file; it is one paragraph that names the file."""
    with pytest.raises(TrapError) as caught:
        read_trap_yaml(path, "here")
    text = str(caught.value)
    assert str(path) in text and "\n" not in text and len(text) < 400 + len(str(path))
    return text


def test_every_key(file, tmp_path):
    """Each key of trap-cli's ends up in the solution; what is for others is left out."""
    found = read_trap_yaml(file(WHOLE), "here")
    assert found.argv == ("python", "my agent.py", "--fast")
    assert (found.given, found.cwd, found.timeout) == ("here", tmp_path.resolve(), 30.0)
    assert (found.stdin, found.setup_cmd) == ("data/ticket.md", "uv sync")
    assert (found.name, found.manifest_envvar) == ("my agent", "AGENT_MANIFEST")
    assert found.profile == {"model": ["small"], "framework": ["one", "two"]}


def test_defaults(file):
    """Only cmd is needed; keys without a value, and an empty stdin, are as if they were not there."""
    for more in ("", "timeout:\nprofile:\n", "stdin: ''\nsetup_cmd: ' '\nname: ''\nprofile: {model: }\n"):
        found = read_trap_yaml(file(f"cmd: ./run\n{more}"), "here")
        assert (found.timeout, found.stdin, found.setup_cmd) == (600.0, None, None)
        assert (found.name, found.manifest_envvar, found.profile) == (None, "TRAP_MANIFEST", {})


@pytest.mark.parametrize(
    ("text", "seconds"), [("0.5", 0.5), ("90", 90.0), ("'90'", 90.0), ("1.0e+3", 1000.0)]
)
def test_timeouts(file, text, seconds):
    """A limit is any positive number, also one in quotes, as trap-cli takes it."""
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
def test_unusable_values(file, key, value):
    """A value that cannot be used is refused, with its key."""
    text = f"{key}: {value}\n" if key == "cmd" else f"cmd: run\n{key}: {value}\n"
    assert f": {key}: " in refused(file(text))


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
def test_near_misses_of_keys(file, wrong, right):
    """A misspelt key is refused, since it would be without effect; the right one is named."""
    assert f"{wrong!r}: did you mean {right}?" in refused(file(f"cmd: run\n{wrong}: 5\n"))


@pytest.mark.parametrize(
    "key", ["version", "author", "tags", "description", "env", "models", "5", "~", "2001-01-01"]
)
def test_other_keys_are_let_through(file, key):
    """A key that is like none of ours is ignored, as trap-cli does."""
    assert read_trap_yaml(file(f"cmd: run\n{key}: 5\n"), "").argv == ("run",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("- cmd: run\n", "holds a list"),
        ("run\n", "holds a text"),
        ("7\n", "holds a number"),
        ("command: run\n", "has no cmd.*'command'"),
        ("cmd:\n", "has no cmd"),
        ("".join(f"k{n}: v\n" for n in range(5000)), "has no cmd"),
        ("cmd: [run\n", "line 2, column 1: no valid YAML"),
        ("cmd: a\n cmd: b\n", "line 2.*no valid YAML"),
        ("cmd: run\ntimeout: 2001-99-99\n", "no valid YAML"),
        (f"cmd: run\ntimeout: {'9' * 5000}\n", "no valid YAML"),
        ("cmd: !!python/object/apply:os.system [id]\n", "no valid YAML"),
        ("? {a: b}\n: c\n", "no valid YAML"),
        ("cmd: !!bool x\n", "no valid YAML"),
        ("cmd: \x01\n", "no valid YAML"),
        ("cmd: a\n---\ncmd: b\n", "no valid YAML"),
        (b"cmd: caf\xe9\n", "no UTF-8 text .byte 8."),
        ("cmd: run\n".encode("utf-16"), "no UTF-8 text"),
        (b"# " + b"x" * LARGEST, "larger than 64 KB"),
        ("a: " + "[" * 60_000, "nested more than"),
        ("a: &a {b: c}\nd: [" + "*a, " * 10_000 + "]\n", "aliases"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_ugly_files(file, content, said):
    """Whatever the file holds, the error says what is wrong with it, and soon."""
    path = file(content)
    assert re.search(said, refused(path))


def test_merge_bomb(file):
    """A short file that would unfold to billions of keys is refused before it does."""
    levels = ["a0: &a0 {k: v, l: w}"]
    levels += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], k{n}: v}}" for n in range(1, 12)]
    assert "aliases" in refused(file("\n".join(["cmd: run", *levels])))


def test_few_aliases_are_fine(file):
    """Anchors and merge keys as people write them are read."""
    text = "extra: &e {cmd: run, timeout: 5}\n<<: *e\nname: x\n"
    found = read_trap_yaml(file(text), "")
    assert (found.argv, found.timeout, found.name) == (("run",), 5.0, "x")


def test_byte_order_mark(file):
    """A byte-order mark before the first key does no harm."""
    assert read_trap_yaml(file(b"\xef\xbb\xbfcmd: run\r\n"), "").argv == ("run",)


def test_what_is_no_file(tmp_path):
    """A directory, a pipe, nothing, and a file that may not be read are told apart."""
    assert "is missing" in refused(tmp_path / "trap.yaml")
    (tmp_path / "d.yaml").mkdir()
    assert "is a directory" in refused(tmp_path / "d.yaml")
    os.mkfifo(tmp_path / "p.yaml")
    assert "no ordinary file" in refused(tmp_path / "p.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert "cannot be read" in refused(tmp_path / "loop.yaml")


def test_it_runs_where_the_file_really_is(tmp_path):
    """Behind a symbolic link the solution's directory is that of the file, as trap-cli has it."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/trap.yaml").write_text("cmd: run\n")
    (tmp_path / "link.yaml").symlink_to("agent/trap.yaml")
    assert read_trap_yaml(tmp_path / "link.yaml", "").cwd == (tmp_path / "agent").resolve()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary()
VALUES = st.recursive(SCALARS, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=6)
KEYS = st.sampled_from(
    ["cmd", "timeout", "stdin", "setup_cmd", "name", "profile", "manifest_envvar", "extra"]
)


@given(st.dictionaries(KEYS | st.text(), VALUES), st.booleans())
def test_any_mapping_is_read_or_refused(tmp_path_factory, data, with_command):
    """Values of any type under any keys give a solution or a TrapError that names the file."""
    path = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    path.write_text(yaml.safe_dump({**data, **({"cmd": "run"} if with_command else {})}), encoding="utf-8")
    try:
        read_trap_yaml(path, "")
    except TrapError as error:
        assert str(path) in str(error)


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    """Whatever the bytes of the file, nothing but TrapError is raised."""
    path = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    path.write_bytes(data)
    try:
        read_trap_yaml(path, "")
    except TrapError as error:
        assert str(path) in str(error)
