"""The prompt that holds a whole case."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.prompt import prompt

NAMES = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6})?\.(csv|py|md)", fullmatch=True)
TEXTS = st.text(alphabet="ab`~# \n\x00é", max_size=40)


@pytest.mark.slow
@given(st.dictionaries(NAMES, TEXTS, max_size=5))
def test_every_file_can_be_extracted_from_a_prompt(files: Mapping[str, str]) -> None:
    """Whatever the files hold, a prompt has each whole, under its name and between its fences."""
    rest = prompt(files)
    for name in sorted(files, key=lambda name: (name != "ticket.md", name)):
        head, text = re.escape(name), files[name]
        match = re.match(rf"\n*## {head}\n\n(`{{3,}})[a-z]*\n(.*?)^\1\n", rest, re.DOTALL | re.MULTILINE)
        assert match is not None
        assert match[2] == text + ("" if text.endswith("\n") or not text else "\n")
        rest = rest[match.end() :]
    assert rest.strip("\n") == ""


def test_prompt_begins_with_readme_and_ticket() -> None:
    """README and ticket come first, whatever the order of the files; the others follow by name."""
    files = {"b.csv": "x\n", "a.py": "y\n", "ticket.md": "do\n", "README.md": "# Read\n"}
    assert prompt(files) == (
        "# Read\n\n## ticket.md\n\n```markdown\ndo\n```\n"
        "\n## a.py\n\n```python\ny\n```\n\n## b.csv\n\n```csv\nx\n```\n"
    )
    assert prompt(dict(reversed(files.items()))) == prompt(files)
