"""What a run's results depend on besides its cases: labels, variables, and the files of the solution.

A variable that may be a secret, and every variable that the user did not name, is recorded as a
salted hash: enough to see that it changed, and nothing to read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any

from trapcli.core.shorten import listed, quoted

HASH = "sha256:"
HASH_DIGITS = 16  # of a salted hash: enough to tell two values apart
SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASS(WORD|WD|PHRASE)|CREDENTIAL|AUTH|COOKIE|PRIVATE|_DSN|SIGNATURE", re.I
)
# A password in an address, or the prefix of a well-known kind of key.
SECRET_VALUE = re.compile(
    r"://[^/\s:@]*:[^/\s@]+@|\b(?:sk|rk|pk)-\w|\bgh[pousr]_\w|\bxox\w-|\bAKIA[A-Z0-9]|\beyJ\w"
)
# Variables of a session, which say where we were started and not what the solution does.
SESSION = (
    "PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "WINDOWID", "DISPLAY", "WAYLAND_DISPLAY", "TERM*",
    "COLORTERM", "LS_COLORS", "PS[0-9]", "PROMPT*", "HIST*", "SSH_*", "TMUX*", "STY", "VTE_*", "ITERM_*",
    "KITTY_*", "WEZTERM_*", "ALACRITTY_*", "WT_*", "VSCODE_*", "XDG_SESSION_*", "XDG_VTNR", "XDG_SEAT*",
    "DBUS_*", "GPG_AGENT_INFO", "GPG_TTY", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_*",
    "SECURITYSESSIONID", "MAIL", "LOGNAME", "SUDO_*", "PYTEST_CURRENT_TEST",
)  # fmt: skip

FILE, THERE, MISSING = "file ", "there", "missing"  # in a difference
IN_WORDS = {(THERE, MISSING): "is missing", (MISSING, THERE): "is new"}

Difference = tuple[str, str, str]  # what differs, its value then, its value now


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run's results depend on besides its cases, as it was when the run began.

    label: the user's name for the configuration, or "".
    tags: name -> value, both the user's.
    variables: name -> value of the variables named with --env; of a secret one a salted hash.
    environment: name -> salted hash of the other variables that the solution gets.
    files: path -> SHA-256 of the solution's files.
    files_left_out: how many files of its directory are not in `files`, because there are too many.
    salt: of the hashes; "" if no variable was recorded.
    """

    label: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    files_left_out: int = 0
    salt: str = ""

    def with_variables(self, environ: Mapping[str, str], named: Iterable[str], salt: str) -> "Configuration":
        """Return the configuration with these variables, recorded or hashed.

        environ: all variables that the solution gets.
        named: those that the user named with --env.
        salt: random text, the same for all runs that are to be compared.
        """
        names = [name for name in named if name in environ]
        return replace(
            self,
            variables={name: _recorded(name, environ[name], salt) for name in names},
            environment={
                name: _hashed(value, salt)
                for name, value in sorted(environ.items())
                if name not in names and not any(fnmatchcase(name, pattern) for pattern in SESSION)
            },
            salt=salt,
        )

    def to_json(self) -> dict[str, Any]:
        """Return JSON data that `from_json` reads back."""
        return {name: _plain(getattr(self, name)) for name in Configuration.__slots__}

    def to_show(self) -> dict[str, Any]:
        """Return JSON data for a report that may be shared: without hashes of what the user did not name."""
        data = self.to_json()
        del data["environment"], data["salt"]
        data["variables"] = {name: shown(value) for name, value in self.variables.items()}
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Configuration":
        """Return the configuration that `to_json` turned into this data."""
        return cls(**data)


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable looks like a secret, by its name or its value."""
    return bool(SECRET_NAME.search(name) or SECRET_VALUE.search(value))


def shown(value: str) -> str | None:
    """Return a recorded value for a person; None if it is a hash."""
    return None if value.startswith(HASH) else value


def differences(then: Configuration, now: Configuration) -> Iterator[Difference]:
    """Yield what makes two configurations different: labels, tags, named variables, files.

    If files of a directory were left out, only those that both configurations recorded are compared.
    """
    if then.label != now.label:
        yield "label", then.label, now.label
    for name in _changed(then.tags, now.tags):
        yield f"tag {name}", then.tags.get(name, "not set"), now.tags.get(name, "not set")
    for name in _changed(then.variables, now.variables):
        was, is_now = _values(then, now, name)
        yield f"variable {name}", was, is_now
    partial = then.files_left_out or now.files_left_out
    for path in _changed(then.files, now.files):
        if path in then.files and path in now.files:
            yield f"file {path}", "one content", "another content"
        elif not partial:
            was, is_now = (THERE if path in one.files else MISSING for one in (then, now))
            yield f"file {path}", was, is_now


def changed_environment(then: Configuration, now: Configuration) -> list[str]:
    """Return the names of the other variables that differ; empty if they cannot be compared."""
    if not then.salt or then.salt != now.salt:
        return []
    named = {*then.variables, *now.variables}
    return [name for name in _changed(then.environment, now.environment) if name not in named]


def in_words(difference: Difference) -> str:
    """Return a difference as part of a sentence."""
    what, was, is_now = difference
    if what.startswith(FILE):
        return f"the {what} {IN_WORDS.get((was, is_now), 'has changed')}"
    return f"the {what} was {quoted(was)}, now {quoted(is_now)}"


def environment_in_words(names: list[str]) -> str:
    """Return the names of variables that differ as part of a sentence; "" if there are none."""
    if not names:
        return ""
    return f"the variable{'s' if len(names) > 1 else ''} {listed(names, len(names), limit=20)}"


def _values(then: Configuration, now: Configuration, name: str) -> tuple[str, str]:
    """Return the values of a named variable in words; of a secret only whether it is set."""
    was, is_now = (one.variables.get(name, "not set") for one in (then, now))
    if was.startswith(HASH) and is_now.startswith(HASH):
        if then.salt != now.salt:
            return "a secret", "a secret that cannot be compared"
        return "a secret", "another secret"
    return (shown(was) or "a secret"), (shown(is_now) or "a secret")


def _changed(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*then, *now} if then.get(name) != now.get(name))


def _recorded(name: str, value: str, salt: str) -> str:
    hidden = is_secret(name, value) or value.startswith(HASH)
    return _hashed(value, salt) if hidden else value


def _hashed(value: str, salt: str) -> str:
    data = f"{salt}\0{value}".encode("utf-8", "surrogateescape")
    return HASH + sha256(data).hexdigest()[:HASH_DIGITS]


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def labels_in_words(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield what the user recorded: label, tags and variables, each with its name; no secret."""
    if configuration.label:
        yield "label", configuration.label
    if configuration.tags:
        yield "tags", ", ".join(f"{name}={value}" for name, value in configuration.tags.items())
    if configuration.variables:
        shown_values = ((name, shown(value)) for name, value in configuration.variables.items())
        yield (
            "variables",
            ", ".join(f"{name} (a secret)" if one is None else f"{name}={one}" for name, one in shown_values),
        )
