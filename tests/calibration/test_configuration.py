"""What a run's results depend on besides its cases: recorded without secrets, and compared."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.configuration import (
    HASH,
    Configuration,
    changed_environment,
    differences,
    environment_in_words,
    in_words,
    is_secret,
    labels_in_words,
)

names = st.from_regex(r"[A-Z_]{1,12}", fullmatch=True)
values = st.text(max_size=20)


def recorded(environ: Mapping[str, str], *named: str, salt: str = "salt") -> Configuration:
    return Configuration().with_variables(environ, named, salt)


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "client_secret",
        "DB_PASSWORD",
        "PGPASSWORD",
        "AWS_CREDENTIALS",
        "BASIC_AUTH",
    ],
)
def test_a_variable_with_the_name_of_a_secret_is_hashed(name: str) -> None:
    """Neither the configuration that is stored nor the one that is shown has its value."""
    found = recorded({name: "s3cr3t-value"}, name)
    assert found.variables[name].startswith(HASH)
    assert "s3cr3t" not in json.dumps(found.to_json()) + json.dumps(found.to_show())
    assert found.to_show()["variables"] == {name: None}


@pytest.mark.parametrize(
    "value",
    ["postgres://me:pw@host/db", "sk-ant-1", "ghp_abc", "xoxb-1", "AKIAABC", "eyJhbGci"],
)
def test_a_value_that_looks_like_a_secret_is_hashed(value: str) -> None:
    """An address with a password, and a well-known kind of key, whatever the variable is called."""
    assert recorded({"PLACE": value}, "PLACE").variables["PLACE"].startswith(HASH)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MODEL", "claude-3-5-sonnet-20241022"),
        ("BASE_URL", "https://host:80/v1"),
        ("EFFORT", ""),
        ("N", "risk-free"),
    ],
)
def test_other_named_variables_are_recorded(name: str, value: str) -> None:
    """A model, an address without a password and an empty value are stored and shown as they are."""
    assert not is_secret(name, value)
    assert recorded({name: value}, name).to_show()["variables"] == {name: value}


@given(st.dictionaries(names, values), st.text(max_size=8))
def test_no_value_of_another_variable_is_stored(environ: dict[str, str], salt: str) -> None:
    """Of variables that the user did not name only names and salted hashes are stored."""
    found = recorded(environ, salt=salt)
    assert all(
        value.startswith(HASH) and len(value) == len(HASH) + 16 for value in found.environment.values()
    )
    assert found.environment.keys() <= environ.keys() and not found.variables
    assert Configuration.from_json(json.loads(json.dumps(found.to_json()))) == found
    for name in found.environment:
        other = {**environ, name: environ[name] + "x"}
        assert changed_environment(found, recorded(other, salt=salt)) == ([name] if salt else [])


def test_the_salt_changes_the_hash() -> None:
    """The same secret in two stores has two hashes, so that one cannot be recognized in the other."""
    one, two = (recorded({"KEY": "a"}, "KEY", salt=salt).variables["KEY"] for salt in ("one", "two"))
    assert one != two


def test_variables_of_a_session_are_left_out() -> None:
    """Where and from which terminal a run was started does not matter; PATH and HOME do."""
    noise = (
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        "SSH_CLIENT",
        "TERM",
        "TERM_PROGRAM",
        "WINDOWID",
        "COLUMNS",
        "LINES",
    )
    assert [*recorded(dict.fromkeys([*noise, "PATH", "HOME"], "x")).environment] == ["HOME", "PATH"]


def test_other_variables_that_differ_are_named() -> None:
    """Changed, set and unset ones are, without their values; a named one is compared by its value instead."""
    then = recorded({"A": "1", "B": "2", "C": "3", "MODEL": "big"}, "MODEL")
    now = recorded({"A": "1", "B": "other", "D": "4", "MODEL": "small"}, "MODEL")
    assert changed_environment(then, now) == ["B", "C", "D"]
    assert environment_in_words(["B", "C"]) == "the variables B, C" and environment_in_words([]) == ""
    assert changed_environment(then, recorded({}, salt="another")) == []
    assert changed_environment(Configuration(), now) == []


def test_what_was_named_is_compared() -> None:
    """Label, tags, named variables and files that differ are each named, and nothing else is."""
    then = replace(
        recorded({"MODEL": "big", "KEY": "a", "SAME": "1"}, "MODEL", "KEY", "SAME"),
        label="one", tags={"effort": "low"}, files={"a.py": "1", "b.py": "2"},
    )  # fmt: skip
    now = replace(
        recorded({"MODEL": "small", "KEY": "b", "SAME": "1"}, "MODEL", "KEY", "SAME"),
        label="two", tags={"effort": "high", "new": "x"}, files={"a.py": "other", "c.py": "3"},
    )  # fmt: skip
    assert [in_words(one) for one in differences(then, now)] == [
        "the label was 'one', now 'two'",
        "the tag effort was 'low', now 'high'",
        "the tag new was 'not set', now 'x'",
        "the variable KEY was 'a secret', now 'another secret'",
        "the variable MODEL was 'big', now 'small'",
        "the file a.py has changed",
        "the file b.py is missing",
        "the file c.py is new",
    ]
    assert not [*differences(then, then)]


def test_secrets_of_two_stores_cannot_be_compared() -> None:
    """Their salts differ, so the difference of the hashes says nothing, and the report says that."""
    one, two = (recorded({"KEY": "a"}, "KEY", salt=salt) for salt in ("one", "two"))
    assert [*differences(one, two)] == [("variable KEY", "a secret", "a secret that cannot be compared")]


def test_files_beyond_the_limit_are_not_missing() -> None:
    """If a directory had too many files, one that is in only one record may just have been left out."""
    then = Configuration(files={"a": "1", "b": "2"}, files_left_out=1)
    assert [*differences(then, Configuration(files={"a": "1"}))] == []
    [(what, _, _)] = differences(then, Configuration(files={"a": "other"}))
    assert what == "file a"


def test_a_configuration_in_words() -> None:
    """Label, tags and variables have a line each; a secret is only named."""
    found = replace(
        recorded({"MODEL": "big", "KEY": "a"}, "MODEL", "KEY"), label="mine", tags={"a": "1", "b": "2"}
    )
    assert dict(labels_in_words(found)) == {
        "label": "mine",
        "tags": "a=1, b=2",
        "variables": "MODEL=big, KEY (a secret)",
    }
    assert not [*labels_in_words(recorded({"MODEL": "big"}))]
