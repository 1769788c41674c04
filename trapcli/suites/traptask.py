"""traptask.yaml: what makes a suite's directory a task for trap-cli's `tp`.

All verdicts of a run, with what trap-cli adds to each (110 to 125 bytes, 260 more for the cost of
one priced model), travel to its grader in one environment variable, of which Linux takes 131,071
bytes. So 200 cases fit, costs included.
"""

import json
from collections.abc import Sequence

from trapcli.core.contract import Family
from trapcli.suites.halves import EXPECTED
from trapcli.suites.layout import INPUTS

LONGEST_VERDICT = 240  # ASCII bytes
MOST_CASES = 200
SECONDS = 120  # the time limit that trap-cli gives our judge, and our grader


def task_text(family: Family, cases: Sequence[str]) -> str:
    """Return the text of traptask.yaml, with the field names of trap-cli 0.0.14 (models/traptask_yaml.py)."""
    # Description and tag are the same for every case: neither may distinguish cases.
    about, tag = (json.dumps(text, ensure_ascii=False) for text in (family.title, family.name))
    lines = [
        f"# trapcli suite: family {family.name}, version {family.version}",
        f"name: {about}",
        "dirs:",
        f"  inputs: {INPUTS}/",
        f"  expected: {EXPECTED}/",
        "declared_outputs: [stdout]",
        "cases:",
    ]
    for case in cases:
        lines += [f"  - id: {case}", f"    description: {about}", f"    tags: [{tag}]"]
    for part in ("judge", "grader"):
        lines += [f"{part}:", "  cmd: trapcli judge", f"  timeout: {SECONDS}"]
    return "\n".join(lines) + "\n"
