"""The page about ledgers says what the families are."""

import re

from checkout import ROOT

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.checks.rival_orders import FIXED
from families.ledger.close import FAMILY as CLOSE
from families.ledger.obstacles.library import KINDS

PAGE = (ROOT / "docs" / "ledgers.md").read_text(encoding="utf-8")


def test_the_page_lists_every_obstacle() -> None:
    """The table of obstacles has each kind once, under the name of its mistake."""
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) and sorted(
        re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    ) == sorted(kind.name for kind in KINDS)


def test_the_page_describes_every_level() -> None:
    """The table of levels has a line for each, and names the numbers of mails."""
    lines = dict(re.findall(r"^\| (\d+) \| (.+) \|$", PAGE, re.MULTILINE))
    assert list(lines) == [str(number) for number in range(1, len(CLOSE.levels) + 1)]
    words = {40: "forty mails", 150: "hundred and fifty mails", 400: "four hundred mails",
             800: "eight hundred mails", 1_200: "twelve hundred mails"}  # fmt: skip
    for number, level in enumerate(CLOSE.levels, 1):
        if "mails" in level:
            assert words[level["mails"]] in lines[str(number)].lower()
    assert "has seven levels" in PAGE and len(AUDIT.levels) == 7
    assert "seventeen orders" in PAGE and len(FIXED) == 17
