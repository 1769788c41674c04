"""Write a suite's public and private half."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trapcli.core.contract import Case, Family
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import EXPECTED, Halves
from trapcli.suites.layout import ANSWER, COMMITMENT, FORMAT, INPUTS, README, RECORD, TASK
from trapcli.suites.suite_readme import suite_readme
from trapcli.suites.traptask import task_text
from trapcli.system.files import digest_of, json_text, listing, seal, write_file

NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class WrittenCase:
    """A case on disk.

    answer: digest of its answer.json.
    inputs: digest of its public directory.
    readme: digest of its README.
    paths: digest of its paths; numbers in them, and how many differ in nothing else, may differ between
        cases.
    attempts: how many cases were drawn until this one held every invariant.
    """

    answer: str
    inputs: str
    readme: str
    paths: str
    attempts: int


def write_case(
    stages: Halves, recipe: Recipe, case: Case, *, index: int, attempts: int, knobs: Mapping[str, Any]
) -> WrittenCase:
    """Write both directories of a case, named after its id.

    stages: the suite's halves while it is built.
    index, attempts, knobs: see `trapcli.building.case_builder.BuiltCase`.

    Raises TypeError or ValueError if gold or facts are not JSON data.
    """
    home = stages.public / INPUTS / case.id
    home.mkdir()
    for name in case.files:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
    digests = {name: write_file(home / name, text) for name, text in sorted(case.files.items())}
    for folder, _, _ in os.walk(home, topdown=False):
        seal(Path(folder))
    record = {
        "case": case.id,
        "family": recipe.family,
        "version": recipe.version,
        "seed": recipe.seed,
        "knobs": dict(knobs),
        "index": index,
        "attempt": attempts,
        "trap": case.trap,
        "gold": case.gold,
        "mistakes": list(case.mistakes),
        "known_mistakes": [
            {"name": known.name, "text": known.text, "result": known.result}
            | ({"files": dict(known.files)} if known.files else {})
            for known in case.known_mistakes
        ],
        "facts": case.facts,
        "files": digests,
    }
    secret = stages.private / case.id
    secret.mkdir()
    answer = write_file(secret / ANSWER, json_text(record))
    seal(secret)
    return WrittenCase(
        answer=answer,
        inputs=digest_of(listing(digests).encode()),
        readme=digests[README],
        paths=digest_of("\n".join(sorted({NUMBER.sub("0", path) for path in digests})).encode()),
        attempts=attempts,
    )


def write_suite(
    stages: Halves, family: Family, recipe: Recipe, cases: Mapping[str, WrittenCase], canary: str
) -> None:
    """Write the files of a suite beside its cases.

    cases: case id -> the case, already written, in order.
    canary: the line by which leaked data can be recognised.
    """
    record = {
        "format": FORMAT,
        "family": recipe.family,
        "version": recipe.version,
        "seed": recipe.seed,
        "knobs": dict(recipe.knobs),
        "count": len(cases),
        "redraws": sum(case.attempts - 1 for case in cases.values()),
        "inputs": {name: case.inputs for name, case in cases.items()},
    }
    committed = {f"{EXPECTED}/{name}/{ANSWER}": case.answer for name, case in cases.items()}
    # From this one file a suite can be built again, so it has to survive a power failure.
    committed[f"{EXPECTED}/{RECORD}"] = write_file(stages.private / RECORD, json_text(record), durable=True)
    write_file(stages.public / COMMITMENT, listing(committed), durable=True)
    write_file(stages.public / TASK, task_text(family, list(cases)))
    write_file(stages.public / README, suite_readme(family, recipe, list(cases), canary))
    for folder in (stages.public / INPUTS, stages.private, stages.public):
        seal(folder)
