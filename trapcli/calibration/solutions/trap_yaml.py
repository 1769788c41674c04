"""Reading trap.yaml, in which the author of a solution says how it is run.

The keys are those of trap-cli 0.0.14 (models/trap_yaml.py), and they mean the same: cmd (split
as a shell would, run without one), timeout, stdin, setup_cmd, name, profile, manifest_envvar;
extra and tasks are for others. Keys that nobody knows are let through as there, but one that is
nearly a key of ours is refused: a misspelt limit would measure something else.
"""

import math
import os
import re
import shlex
import stat
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any

from trapcli.calibration.records import Solution
from trapcli.core.errors import TrapError

FILE = "trap.yaml"
LARGEST = 65_536  # bytes of the file
DEEPEST = 50  # nested collections
MOST_ALIASES = 10  # merge keys multiply what they name, so that a short file could fill the memory
LONGEST_LIMIT = 1_000_000  # seconds; from about two million on, waiting for a process overflows
ALIKE = 0.7  # as difflib has it: "timout", "Timeout" and "setup" are near misses, "tags" is none
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Unusable(ValueError):
    """What is wrong with the value of a key; the file and the key are named by whoever reads it."""


def read_trap_yaml(path: Path, given: str) -> Solution:
    """The solution that the file describes; `given` is how the user named it.

    It runs in the file's directory, which is where the file really is if it is a symbolic link.
    Raises TrapError, naming the file and the key, for whatever cannot be used.
    """
    data = _mapping(_text(path), path)
    _refuse_near_misses(data, path)
    if data.get("cmd") is None:
        has = _cut(", ".join(map(_shown, data))) or "none"
        raise TrapError(f"{path} has no cmd, the command that runs the solution; its keys: {has}.")
    fields: dict[str, Any] = {}
    for key, (name, read) in READERS.items():
        if data.get(key) is not None:
            try:
                fields[name] = read(data[key])
            except Unusable as error:
                raise TrapError(f"{path}: {key}: {error}.") from error
    return Solution(given=given, cwd=Path(os.path.realpath(path)).parent, **fields)


def split_command(text: str) -> tuple[str, ...]:
    """The words of a command, as a shell would split it; Unusable if that gives no command."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise Unusable(f"{_shown(text)} cannot be split into words: {str(error).lower()}") from error
    if not words or not words[0]:
        raise Unusable(f"{_shown(text)} names no program")
    if "\0" in text:
        raise Unusable(f"{_shown(text)} has a NUL in it, which no program can be given")
    return words


def _text(path: Path) -> str:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise TrapError(f"{path} is a directory, where the solution's {FILE} belongs.")
        if not stat.S_ISREG(found.st_mode):
            raise TrapError(f"{path} is no ordinary file.")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise TrapError(
            f"{path} is missing. A directory is a solution if it has a {FILE}; "
            "a command needs none: --solution 'python agent.py'."
        ) from error
    except OSError as error:
        raise TrapError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > LARGEST:
        raise TrapError(f"{path} is larger than {LARGEST // 1024} KB, so it is no {FILE}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TrapError(f"{path} is no UTF-8 text (byte {error.start}). Save it as UTF-8.") from error


def _mapping(text: str, path: Path) -> Mapping[Any, Any]:
    """The mapping in the YAML text; TrapError, naming the path, if there is none."""
    import yaml

    try:
        _refuse_bombs(text, path)
        data = yaml.safe_load(text)
    except TrapError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise TrapError(f"{path}{place}: no valid YAML: {error.problem or error.context}.") from error
    except Exception as error:  # PyYAML lets out whatever int(), float() and the like raise on a value
        said = " ".join(str(error).split())
        raise TrapError(f"{path}: no valid YAML: {_cut(said) or type(error).__name__}.") from error
    if data is None:
        raise TrapError(f"{path} is empty; it needs at least cmd, the command that runs the solution.")
    if not isinstance(data, dict):
        raise TrapError(f"{path} holds {_kind(data)}, not keys with values such as `cmd: python agent.py`.")
    return data


def _refuse_bombs(text: str, path: Path) -> None:
    """Refuse what is small as a file but not as data, or too deep to be read."""
    import yaml

    depth = aliases = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > DEEPEST or aliases > MOST_ALIASES:
            raise TrapError(
                f"{path} is nested more than {DEEPEST} deep, or has more than {MOST_ALIASES} aliases "
                f"(*name): no {FILE} needs that."
            )


def _refuse_near_misses(data: Mapping[Any, Any], path: Path) -> None:
    for key in data:
        if not isinstance(key, str) or key in KEYS:
            continue
        near = get_close_matches(key.lower(), KEYS, 1, ALIKE)
        if near:
            raise TrapError(
                f"{path}: there is no key {_shown(key)}: did you mean {near[0]}? "
                "What is not for us stands below `extra`."
            )


def _words(value: Any) -> tuple[str, ...]:
    return split_command(_line(value))


def _line(value: Any) -> str:
    if not isinstance(value, str):
        raise Unusable(f"{_shown(value)} is {_kind(value)}, not a text")
    return value


def _optional(value: Any) -> str | None:
    """A text; an empty one is none, as trap-cli has it."""
    return _line(value) or None


def _seconds(value: Any) -> float:
    wrong = Unusable(f"{_shown(value)} is no number of seconds above 0 and up to {LONGEST_LIMIT}")
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)  # trap-cli takes a number in quotes
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong
    if not 0 < value <= LONGEST_LIMIT or math.isnan(value):
        raise wrong
    return float(value)


def _input(value: Any) -> str | None:
    """The path of a file within a case's inputs."""
    if not _line(value):
        return None
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in value:
        raise Unusable(f"{_shown(value)} is not the name of a file in a case's inputs, such as README.md")
    return str(path)


def _setup(value: Any) -> str | None:
    if "\0" in _line(value):
        raise Unusable(f"{_shown(value)} has a NUL in it, which no shell can be given")
    return value.strip() or None


def _variable(value: Any) -> str:
    if not VARIABLE.fullmatch(_line(value)):
        raise Unusable(f"{_shown(value)} is no name of an environment variable")
    return str(value)


def _profile(value: Any) -> dict[str, list[str]]:
    """model and framework, each as a list; what else is there is left out, as trap-cli does."""
    if not isinstance(value, dict):
        raise Unusable(f"{_shown(value)} is {_kind(value)}, not keys with values such as `model: NAME`")
    profile = {}
    for key in ("model", "framework"):
        found = value.get(key)
        texts = [] if found is None else [found] if isinstance(found, str) else found
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Unusable(f"{key}: {_shown(found)} is neither a text nor a list of texts")
        if texts:
            profile[key] = texts
    return profile


# By key: the field of `Solution` that it gives, and how its value is read.
READERS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "cmd": ("argv", _words),
    "timeout": ("timeout", _seconds),
    "stdin": ("stdin", _input),
    "setup_cmd": ("setup_cmd", _setup),
    "name": ("name", _optional),
    "profile": ("profile", _profile),
    "manifest_envvar": ("manifest_envvar", _variable),
}
KEYS = (*READERS, "extra", "tasks")


def _kind(value: Any) -> str:
    kinds = {dict: "keys with values", list: "a list", str: "a text", bool: "true or false"}
    return kinds.get(type(value), "a number" if isinstance(value, int | float) else "no text")


def _shown(value: Any) -> str:
    """A value for an error: on one line, and short."""
    try:
        return _cut(repr(value))
    except ValueError:  # an integer of thousands of digits
        return "a number"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
