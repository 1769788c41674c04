"""What a solution reports about its tokens and costs, in `usage.json` in its output directory.

The file is a JSON object with any of "input_tokens" (or "prompt_tokens"), "output_tokens" (or
"completion_tokens") and "calls", which are whole numbers, and "cost_usd". The names in brackets
are those of trap-cli's report. Other keys are ignored.
"""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAME = "usage.json"
LARGEST = 1_000_000  # bytes
ALIASES = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
COUNTS = ("input_tokens", "output_tokens", "calls")
COST = "cost_usd"


def read_usage(outputs: Path) -> dict[str, Any] | None:
    """Return the figures in a directory's usage.json by name, or None if there is no such file.

    A file that cannot be used gives {"problem": why}: it is the solution's, so it is never our error.
    """
    try:
        # The flags keep a link from being followed and a FIFO from blocking us.
        opened = os.open(outputs / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        return {"problem": f"{NAME} cannot be read: {error.strerror}"}
    found = os.fstat(opened)
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        os.close(opened)
        return {"problem": f"{NAME} is not an ordinary file of at most {LARGEST // 1_000_000} MB"}
    with open(opened, "rb") as file:
        try:
            data = json.loads(file.read(LARGEST))
        except (ValueError, RecursionError, OSError):
            return {"problem": f"{NAME} is not JSON"}
    if not isinstance(data, dict):
        return {"problem": f"{NAME} is not a JSON object"}
    return _figures(data)


def _figures(data: Mapping[str, Any]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, value in data.items():
        name = ALIASES.get(name, name)
        if value is None or name not in (*COUNTS, COST):
            continue
        whole = name in COUNTS
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            return {"problem": f"{NAME}: {name} is not a {'whole ' if whole else ''}number"}
        if not 0 <= value < 2**53:  # not true of NaN either
            return {"problem": f"{NAME}: {name} is out of range"}
        figures[name] = value
    if not figures:
        return {"problem": f"{NAME} has none of {', '.join((*COUNTS, COST))}"}
    return figures
