"""Read trap.yaml, in which the author of a solution says how it is run.

The keys are those of trap-cli 0.0.14 (models/trap_yaml.py) and mean the same. Unknown keys are
ignored, as they are there, except near misses: a misspelt limit would measure something else.
"""

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any

from trapcli.calibration.solutions.command import Command, Unusable, split_command
from trapcli.calibration.solutions.environment import VARIABLE
from trapcli.core.errors import TrapError
from trapcli.core.shorten import listed, one_line, quoted

FILE = "trap.yaml"
LARGEST = 65_536  # bytes of the file
LONGEST_LIMIT = 1_000_000  # seconds; above about two million, waiting for a process overflows
SIMILARITY = 0.7  # difflib's ratio: "timout", "Timeout" and "setup" are near misses, "tags" is not


def read_trap_yaml(path: Path, given: str) -> Command:
    """Return the solution that the file describes.

    path: the file. The solution runs in its directory, after following symbolic links.
    given: how the user named the solution.

    Raises TrapError, naming the file and the key, if anything cannot be used.
    """
    data = _read_mapping(path)
    _refuse_near_misses(data, path)
    if data.get("cmd") is None:
        keys = listed(map(quoted, data), len(data)) or "none"
        raise TrapError(f"{path} has no cmd, the command that runs the solution; its keys: {keys}.")
    values: dict[str, Any] = {}
    for key, (name, read) in READERS.items():
        if data.get(key) is not None:
            try:
                values[name] = read(data[key])
            except Unusable as error:
                raise TrapError(f"{path}: {key}: {error}.") from error
    return Command(given=given, cwd=Path(os.path.realpath(path)).parent, has_directory=True, **values)


def _read_mapping(path: Path) -> Mapping[Any, Any]:
    import yaml

    text = _read_text(path)
    try:
        data = yaml.safe_load(text)
    except Exception as error:  # PyYAML also raises what int(), float() and the like raise on a value
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error) or type(error).__name__
        raise TrapError(f"{path}{place}: not valid YAML: {one_line(problem, 80)}.") from error
    if not isinstance(data, dict):
        what = "is empty" if data is None else f"contains {_type_name(data)}"
        raise TrapError(f"{path} {what}; it needs at least cmd, such as `cmd: python agent.py`.")
    return data


def _read_text(path: Path) -> str:
    if path.is_dir():
        raise TrapError(f"{path} is a directory; it must be the solution's {FILE}.")
    if path.exists() and not path.is_file():
        raise TrapError(f"{path} is not an ordinary file.")
    try:
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
        raise TrapError(f"{path} is larger than {LARGEST // 1024} KB, so it is not a {FILE}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TrapError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error


def _refuse_near_misses(data: Mapping[Any, Any], path: Path) -> None:
    for key in data:
        if not isinstance(key, str) or key in KEYS:
            continue
        near = get_close_matches(key.lower(), KEYS, 1, SIMILARITY)
        if near:
            raise TrapError(
                f"{path}: there is no key {quoted(key)}: did you mean {near[0]}? "
                "Put keys of your own under `extra`."
            )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Unusable(f"{quoted(value)} is {_type_name(value)}, not a text")
    if "\0" in value:
        raise Unusable(f"{quoted(value)} contains a NUL character")
    return value


def _text_or_none(value: Any) -> str | None:
    return _text(value).strip() or None


def _command(value: Any) -> tuple[str, ...]:
    return split_command(_text(value))


def _seconds(value: Any) -> float:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)  # trap-cli accepts a number in quotes
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= LONGEST_LIMIT:  # not true of NaN either
        raise Unusable(f"{quoted(value)} is not a number of seconds above 0 and up to {LONGEST_LIMIT}")
    return float(value)


def _input_file(value: Any) -> str | None:
    path = PurePosixPath(_text(value))
    if not value:
        return None
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise Unusable(f"{quoted(value)} is not the name of a file in a case's inputs, such as README.md")
    return str(path)


def _variable(value: Any) -> str:
    if not VARIABLE.fullmatch(_text(value)):
        raise Unusable(f"{quoted(value)} is not the name of an environment variable")
    return str(value)


def _profile(value: Any) -> dict[str, list[str]]:
    """Return model and framework, each as a list; other keys are left out, as in trap-cli."""
    if not isinstance(value, dict):
        raise Unusable(f"{quoted(value)} is {_type_name(value)}, not keys with values such as `model: NAME`")
    profile = {}
    for key in ("model", "framework"):
        found = value.get(key)
        texts = [] if found is None else [found] if isinstance(found, str) else found
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Unusable(f"{key}: {quoted(found)} is neither a text nor a list of texts")
        if texts:
            profile[key] = texts
    return profile


# Key -> the field of `Command` that it sets, and how its value is read.
READERS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "cmd": ("command", _command),
    "timeout": ("timeout", _seconds),
    "stdin": ("stdin", _input_file),
    "setup_cmd": ("setup_cmd", _text_or_none),
    "name": ("name", _text_or_none),
    "profile": ("profile", _profile),
    "manifest_envvar": ("manifest_envvar", _variable),
}
KEYS = (*READERS, "extra", "tasks")


def _type_name(value: Any) -> str:
    names = {dict: "keys with values", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "not a text")
