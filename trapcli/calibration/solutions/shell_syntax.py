"""Words of a command that only a shell would understand."""

import re
from collections.abc import Sequence

from trapcli.core.shorten import quoted

SYNTAX = re.compile(
    r"""
    \|\|? | &&? | ;              # a word that joins commands
    | \S*; $                     # "cd agent;"
    | [0-9]*(?:<|>>?)\S*         # a redirection, also "2>&1" and ">out.txt"
    | \S*\$(?:[A-Za-z_({])\S*    # a variable, or the output of a command
    | ~(?:/\S*)?                 # the user's HOME
    """,
    re.VERBOSE | re.ASCII,
)


def shell_hint(command: Sequence[str]) -> str:
    """Return a hint if a word of a command looks like shell syntax, which no shell will read; else ""."""
    for before, word in zip(("", *command), command, strict=False):
        if before != "-c" and SYNTAX.fullmatch(word):
            return (
                f"the command runs without a shell, so {quoted(word)} is passed on as it is. If a shell is "
                "meant to read it, write \"sh -c '...'\"."
            )
    return ""
