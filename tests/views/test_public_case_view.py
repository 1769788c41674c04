"""Cases read from their public files alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from trapcli.core.contract import Case, Family
from trapcli.core.errors import TrapError
from trapcli.suites.reader import PublicSuite
from trapcli.views.public_case_view import about_public_case, read_public_case


def suite_at(directory: Path) -> PublicSuite:
    return PublicSuite(directory, "words", "1", ("case_01",))


def test_a_public_case_has_nothing_private(tmp_path: Path) -> None:
    """A case read from its public files has these files, sorted, and neither gold nor trap."""
    home = tmp_path / "inputs" / "case_01"
    (home / "data").mkdir(parents=True)
    (home / "task.md").write_bytes(b"a\r\nb")
    (home / "data" / "x.csv").write_text("x\n")
    (home / ".hidden").write_text("no")
    case = read_public_case(suite_at(tmp_path), "case_01")
    assert list(case.files.items()) == [("data/x.csv", "x\n"), ("task.md", "a\r\nb")]
    assert (case.id, case.family, case.trap, case.gold) == ("case_01", "words", "", None)
    assert (case.mistakes, case.known_mistakes, case.facts) == ((), (), {})


@pytest.mark.parametrize(
    ("content", "message"),
    [({"a.csv": b"\xff"}, "a.csv is not UTF-8 text (byte 0)"), ({}, "is empty"), ({".x": b""}, "is empty")],
)
def test_a_public_case_that_cannot_be_read_is_refused(
    tmp_path: Path, content: dict[str, bytes], message: str
) -> None:
    """Files that are not text, and a directory without files, are refused by name."""
    home = tmp_path / "inputs" / "case_01"
    home.mkdir(parents=True)
    for name, data in content.items():
        (home / name).write_bytes(data)
    with pytest.raises(TrapError) as refused:
        read_public_case(suite_at(tmp_path), "case_01")
    assert message in str(refused.value)


def test_a_file_that_the_family_needs_and_that_is_missing_is_named(tmp_path: Path) -> None:
    """If a family cannot explain a case because a file is missing, the error names the file alone."""

    def explain(case: Case, public: bool) -> object:
        return case.files["task.md"]

    case = Case("words", "", {"a.md": "x"}, None, (), id="case_01")
    family = SimpleNamespace(name="words", title="", explain=explain)
    with pytest.raises(TrapError, match=r"/inputs/case_01/task\.md is missing\. Restore it"):
        about_public_case(cast(Family, family), suite_at(tmp_path), case)


def test_a_case_that_the_suite_does_not_have_is_refused(tmp_path: Path) -> None:
    """An unknown case is refused with the range of its cases; its name is never looked up on disk."""
    with pytest.raises(TrapError, match=r"has no case '\.\./\.\.'; it has case_01 to case_01"):
        read_public_case(suite_at(tmp_path), "../..")
