"""The prompt that holds a whole case, and cases read from their public files alone."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.errors import TrapError
from trapcli.suites.reader import PublicSuite
from trapcli.views.inspection import prompt, read_public

NAMES = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6})?\.(csv|py|md)", fullmatch=True)
TEXTS = st.text(alphabet="ab`~# \n\x00é", max_size=40).map(lambda text: text.replace("\r", ""))


def suite_at(directory: Path) -> PublicSuite:
    return PublicSuite(directory, "words", "1", ("case_01",))


@given(st.dictionaries(NAMES, TEXTS, max_size=5))
def test_every_file_can_be_taken_out_of_a_prompt(files):
    """Whatever the files hold, a prompt has each whole, under its name and between its fences."""
    rest = prompt(files)
    for name in sorted(files, key=lambda name: (name != "ticket.md", name)):
        head, text = re.escape(name), files[name]
        match = re.match(rf"\n*## {head}\n\n(`{{3,}})[a-z]*\n(.*?)^\1\n", rest, re.DOTALL | re.MULTILINE)
        assert match is not None
        assert match[2] == text + ("" if text.endswith("\n") or not text else "\n")
        rest = rest[match.end() :]
    assert rest.strip("\n") == ""


def test_prompt_begins_with_readme_and_ticket():
    """README and ticket come first, whatever the order of the files; the others follow by name."""
    files = {"b.csv": "x\n", "a.py": "y\n", "ticket.md": "do\n", "README.md": "# Read\n"}
    assert prompt(files) == (
        "# Read\n\n## ticket.md\n\n```markdown\ndo\n```\n"
        "\n## a.py\n\n```python\ny\n```\n\n## b.csv\n\n```csv\nx\n```\n"
    )
    assert prompt(dict(reversed(files.items()))) == prompt(files)


def test_public_case_knows_nothing_private(tmp_path):
    """A case read from its public files has these files, sorted, and neither gold nor category."""
    home = tmp_path / "inputs" / "case_01"
    (home / "data").mkdir(parents=True)
    (home / "task.md").write_bytes(b"a\r\nb")
    (home / "data" / "x.csv").write_text("x\n")
    (home / ".hidden").write_text("no")
    case = read_public(suite_at(tmp_path), "case_01")
    assert list(case.files.items()) == [("data/x.csv", "x\n"), ("task.md", "a\r\nb")]
    assert (case.id, case.family, case.category, case.gold) == ("case_01", "words", "", None)
    assert (case.mechanisms, case.slips, case.facts) == ((), (), {})


@pytest.mark.parametrize(
    ("content", "said"),
    [({"a.csv": b"\xff"}, "a.csv is no UTF-8 text (byte 0)"), ({}, "is empty"), ({".x": b""}, "is empty")],
)
def test_public_case_that_cannot_be_read(tmp_path, content, said):
    """Files that are no text, and a directory without files, are refused by name."""
    home = tmp_path / "inputs" / "case_01"
    home.mkdir(parents=True)
    for name, data in content.items():
        (home / name).write_bytes(data)
    with pytest.raises(TrapError) as refused:
        read_public(suite_at(tmp_path), "case_01")
    assert said in str(refused.value)


def test_case_that_a_suite_does_not_have(tmp_path):
    """An unknown case is refused with the cases that there are; its name is never looked up on disk."""
    with pytest.raises(TrapError, match=r"has no case '\.\./\.\.'; it has case_01 to case_01"):
        read_public(suite_at(tmp_path), "../..")
