"""What must hold for every edits family: form does not matter, effect does, scripts are what is judged."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import cast

import pytest
from rewritings import REWRITINGS, Edits, Rewriting, with_noise

from trapcli.answers.edits import EditsAnswers, EditsFamily
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.judging.report_comparison import report_name, run_report, table_reader
from trapcli.answers.edits.tables import write_rows, write_table
from trapcli.building.case_builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Answer, Case, Verdict
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import output_of

FAMILIES = [name for name in registry.names() if isinstance(registry.family(name), EditsFamily)]


@lru_cache
def cases(name: str) -> tuple[EditsAnswers, tuple[Case, ...]]:
    """Return the family's answer kind, and one built case of each trap."""
    family = registry.family(name)
    assert isinstance(family, EditsFamily)
    numbers = range(len(family.traps))
    return family.answers, tuple(build_case(family, "5", family.knobs(), k).case for k in numbers)


EACH_CASE = [
    pytest.param(name, k, id=f"{name}-{trap}")
    for name in FAMILIES
    for k, trap in enumerate(registry.family(name).traps)
]


def verdict(answers: EditsAnswers, case: Case, text: str) -> Verdict:
    answer = answers.extract(output_of(text))
    assert isinstance(answer, Answer), answer
    return answers.judge(case, answer)


@pytest.mark.slow
@pytest.mark.parametrize("rewrite", REWRITINGS, ids=lambda rewrite: rewrite.__name__)
@pytest.mark.parametrize(("name", "k"), EACH_CASE)
def test_equal_in_form_is_equal_in_verdict(name: str, k: int, rewrite: Rewriting) -> None:
    """The gold edits pass and every mistake fails with its own result, however they are written."""
    answers, built = cases(name)
    case = built[k]
    assert verdict(answers, case, rewrite(answers, case, list(case.gold))).score == 1.0
    for known in case.known_mistakes:
        found = verdict(answers, case, rewrite(answers, case, json.loads(known.text)))
        assert found.score == 0.0, known.name
        assert found.result == known.result, known.name


ROWS_EMPTIED = 2  # with the gold edits, fewer than the edits that count


def breaking_edits(answers: EditsAnswers, case: Case) -> Iterator[Edits]:
    """Yield edits that leave each numeric column empty in its first rows."""
    tables = answers.read_tables(case)
    for name, table in answers.schema.items():
        for column, column_type in table.columns.items():
            if column_type in ("money", "number", "integer") and tables[name]:
                rows = tables[name][:ROWS_EMPTIED]
                yield [
                    {"file": name, "op": "update", "match": table.match(row), "set": {column: ""}}
                    for row in rows
                ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), EACH_CASE)
def test_a_script_prints_what_the_judge_reads(name: str, k: int, tmp_path: Path) -> None:
    """A report gives the same bytes as a script on disk and in the judge's process, or fails in both."""
    answers, built = cases(name)
    case = built[k]
    tables, reads = answers.read_tables(case), answers.prepared(case).reads
    states: list[Edits] = [[], list(case.gold), *(json.loads(known.text) for known in case.known_mistakes)]
    states += list(breaking_edits(answers, case))[k :: len(built)]

    def compare(numbered: tuple[int, Edits]) -> None:
        number, edits = numbered
        directory = tmp_path / str(number)
        directory.mkdir()
        applied = apply_edits(answers.schema, tables, edits)
        files = dict(case.files)
        files |= {file: write_table(table, applied.tables[file]) for file, table in answers.schema.items()}
        for file, text in files.items():
            (directory / file).write_text(text, encoding="utf-8", newline="")
        for report in answers.reports:
            script = f"{report_name(report)}.py"
            if number and reads[report_name(report)].isdisjoint(applied.changed):
                continue
            output = run_report(report, table_reader(applied.tables, applied.broken))
            done = subprocess.run([sys.executable, script], cwd=directory, capture_output=True)
            if output.error:
                assert done.returncode != 0
                assert output.error.split(":")[0].encode() in done.stderr
            else:
                assert done.stdout == write_rows(output.rows).encode()
                assert done.stderr == b""

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compare, enumerate(states)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), EACH_CASE)
def test_a_broken_report_is_a_mismatch(name: str, k: int) -> None:
    """Right edits beside some that break a report fail, and the reason says what the report raised."""
    answers, built = cases(name)
    case = built[k]
    broken = 0
    for extra in breaking_edits(answers, case):
        found = verdict(answers, case, json.dumps([*case.gold, *extra]))
        errors = [text for text in found.details["reports"].values() if text not in ("matches", "differs")]
        if errors:
            broken += 1
            assert found.score == 0.0
            assert errors[0] in found.reason
    assert broken


@pytest.mark.parametrize("name", FAMILIES)
def test_verdicts_do_not_depend_on_earlier_ones(name: str) -> None:
    """Outputs that are judged again, in another order, get the same verdicts."""
    answers, built = cases(name)
    texts = [
        (case, text)
        for case in built
        for text in [json.dumps(case.gold), "[]", *(known.text for known in case.known_mistakes)]
    ]
    first = [verdict(answers, case, text) for case, text in texts]
    again = [verdict(answers, case, text) for case, text in reversed(texts)][::-1]
    assert [v.to_json() for v in first] == [v.to_json() for v in again]


@pytest.mark.parametrize("name", FAMILIES)
def test_partial_credit_counts_cells_put_right(name: str) -> None:
    """No edits give 0.0, all give 1.0, and all except one something in between."""
    answers, built = cases(name)
    for case in built:
        assert verdict(answers, case, "[]").partial_credit == 0.0
        assert verdict(answers, case, json.dumps(case.gold)).partial_credit == 1.0
        if len(case.gold) > 1:
            assert 0.0 <= verdict(answers, case, json.dumps(case.gold[:-1])).partial_credit < 1.0


@pytest.mark.parametrize("name", FAMILIES)
def test_changes_that_no_report_shows_are_noted(name: str) -> None:
    """An edit of cells that no report reads does no harm, and a note says that it is unseen."""
    answers, built = cases(name)
    case = built[0]
    found = verdict(answers, case, with_noise(answers, case, list(case.gold)))
    assert found.score == 1.0
    assert [note for note in found.notes if note.startswith(f"edit {len(case.gold) + 1}: unseen")]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_seed_has_other_cases_at_another_level(name: str) -> None:
    """The cases of one seed at two levels share no row of a customer or vendor."""
    family, file = registry.family(name), {"billing": "customers.csv", "payout": "suppliers.csv"}[name]
    one, other = (
        cast(EditsAnswers, family.answers).read_tables(
            family.generate("5", parse_knobs(family, family.levels[level]), 0)
        )[file]
        for level in (0, 1)
    )
    assert not {tuple(row.values()) for row in one} & {tuple(row.values()) for row in other}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_number_of_right_edits_is_not_public(name: str) -> None:
    """The knobs that say how many rows a ticket covers are marked as private."""
    knobs = {knob.name: knob.metadata.get("private") for knob in fields(registry.family(name).knobs)}
    assert knobs["affected"] and knobs.get("requests", True)
