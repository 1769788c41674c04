"""Measure how far sentences learnt from tickets reach; run by hand.

    python tests/benchmarks/tickets/memory.py [--level N] [--tickets N] [--seed SEED]

The agent has read some tickets and knows each of their sentences as it is meant, with names, days, months,
amounts and shares masked, but no other sentence: it does not generalize. Of as many new tickets it can
solve at most those in which it knows every sentence.
"""

import argparse
import re
from collections.abc import Iterable
from typing import Any

from trapcli.building.case_builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Case
from trapcli.core.knobs import parse_knobs

MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
VALUE = re.compile(
    rf"\d{{4}}-\d\d(?:-\d\d)?|\d{{1,2}} {MONTH} \d{{4}}|{MONTH} \d{{1,2}}, \d{{4}}|{MONTH} \d{{4}}"
    r"|\$[\d.]+|[\d.]+ (?:USD|dollars|percent)|\d+%"
)
SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-Z0-9$#])")
NAMED = {
    "customers.csv": "customer_name", "plans.csv": "plan_name", "addons.csv": "addon_name",
    "regions.csv": "region_name", "discount_codes.csv": "code",
}  # fmt: skip


def skeletons(case: Case, tables: Any) -> Iterable[str]:
    """Yield the sentences of a case's messages, masked."""
    names = sorted(
        (row[column] for file, column in NAMED.items() for row in tables[file]), key=len, reverse=True
    )
    known = re.compile("|".join(map(re.escape, names)))
    for line in case.files["ticket.md"].split("\n"):
        if line and not line.startswith(("#", "Taking part:")):
            masked = VALUE.sub("#", known.sub("#", line))
            yield from SENTENCE.split(masked)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", type=int, default=6)
    parser.add_argument("--tickets", type=int, default=100)
    parser.add_argument("--seed", default="4242")
    options = parser.parse_args()
    family: Any = registry.family("billing")
    knobs = parse_knobs(family, family.levels[options.level - 1])
    tickets = []
    for k in range(2 * options.tickets):
        case = build_case(family, options.seed, knobs, k).case
        tickets.append(set(skeletons(case, family.answers.read_tables(case))))
    old, new = tickets[: options.tickets], tickets[options.tickets :]
    known = set[str]().union(*old)
    read = sum(ticket <= known for ticket in new)
    fresh = sum(len(ticket - known) for ticket in new)
    print(
        f"level {options.level}: {len(known)} sentences known from {len(old)} tickets; every sentence of "
        f"{read} of {len(new)} new ones is known; {fresh} of {sum(map(len, new))} sentences are new"
    )


if __name__ == "__main__":
    main()
