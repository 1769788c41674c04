"""What must hold for every edits family: form does not matter, effect does, scripts are what is judged."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import pytest
from rewritings import REWRITINGS, Edits

from trapcli.answers.edits.family import EditsFamily
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.judging.report_comparison import name_of, reader, run
from trapcli.answers.edits.tables import write_rows, write_table
from trapcli.building.builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Answer, Case, Verdict

FAMILIES = [name for name in registry.names() if isinstance(registry.family(name), EditsFamily)]


@lru_cache
def cases(name: str) -> tuple[EditsFamily, tuple[Case, ...]]:
    """One built case of each kind."""
    family = registry.family(name)
    assert isinstance(family, EditsFamily)
    return family, tuple(build_case(family, "5", family.knobs(), k).case for k in range(len(family.kinds)))


EACH_CASE = [
    pytest.param(name, k, id=f"{name}-{kind}")
    for name in FAMILIES
    for k, kind in enumerate(registry.family(name).kinds)
]


def verdict(family: EditsFamily, case: Case, text: str) -> Verdict:
    answer = family.extract(text)
    assert isinstance(answer, Answer), answer
    return family.judge(case, answer)


@pytest.mark.parametrize("rewrite", REWRITINGS, ids=lambda rewrite: rewrite.__name__)
@pytest.mark.parametrize(("name", "k"), EACH_CASE)
def test_equal_in_form_is_equal_in_verdict(
    name: str, k: int, rewrite: Callable[[EditsFamily, Case, Edits], str]
) -> None:
    """The gold edits pass and every slip fails with its own result, however they are written."""
    family, made = cases(name)
    case = made[k]
    assert verdict(family, case, rewrite(family, case, list(case.gold))).score == 1.0
    for slip in case.slips:
        found = verdict(family, case, rewrite(family, case, json.loads(slip.text)))
        assert found.score == 0.0, slip.mechanism
        assert found.result == slip.result, slip.mechanism


BREAKING = ("", "twelve", "true", "1e9999", "NaN", "\u0661\u0662")


def breaking_edits(family: EditsFamily, case: Case) -> Iterator[Edits]:
    """Edits that put what is no number, or nothing, in each numeric column of some row."""
    tables = family.read_tables(case.files)
    for i, (name, table) in enumerate(family.schema.items()):
        for j, (column, kind) in enumerate(table.columns.items()):
            if kind in ("money", "number", "integer") and tables[name]:
                row = tables[name][(i + j) % len(tables[name])]
                value = BREAKING[(i + j) % len(BREAKING)]
                yield [
                    {
                        "file": name,
                        "op": "update",
                        "match": table.match(row),
                        "set": {column: value},
                    }
                ]


@pytest.mark.parametrize(("name", "k"), EACH_CASE)
def test_a_script_prints_what_the_judge_reads(name: str, k: int, tmp_path: Path) -> None:
    """On disk as a script and in the judge's process a report gives the same bytes, or fails in both."""
    family, made = cases(name)
    case = made[k]
    tables = family.read_tables(case.files)
    states: list[Edits] = [[], list(case.gold), *(json.loads(slip.text) for slip in case.slips)]
    states += list(breaking_edits(family, case))[k :: len(made)]

    def agree(numbered: tuple[int, Edits]) -> None:
        place = tmp_path / str(numbered[0])
        place.mkdir()
        applied = apply_edits(family.schema, tables, numbered[1])
        for file, text in case.files.items():
            (place / file).write_text(text, encoding="utf-8", newline="")
        for file, table in family.schema.items():
            (place / file).write_text(write_table(table, applied.tables[file]), encoding="utf-8", newline="")
        for report in family.reports:
            if numbered[0] and set(family.prepared(case).reads[name_of(report)]).isdisjoint(applied.changed):
                continue
            printed = run(report, reader(applied.tables, applied.broken))
            script = subprocess.run([sys.executable, f"{name_of(report)}.py"], cwd=place, capture_output=True)
            if printed.error:
                assert script.returncode != 0
                assert printed.error.split(":")[0].encode() in script.stderr
            else:
                assert script.stdout == write_rows(printed.rows).encode()
                assert script.stderr == b""

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(agree, enumerate(states)))


@pytest.mark.parametrize(("name", "k"), EACH_CASE)
def test_a_broken_report_is_a_mismatch(name: str, k: int) -> None:
    """Right edits beside one that breaks a report fail, and the reason says what the report raised."""
    family, made = cases(name)
    case = made[k]
    broken = 0
    for extra in breaking_edits(family, case):
        found = verdict(family, case, json.dumps([*case.gold, *extra]))
        errors = [text for text in found.details["reports"].values() if text not in ("matches", "differs")]
        if errors:
            broken += 1
            assert found.score == 0.0
            assert errors[0] in found.reason
    assert broken


@pytest.mark.parametrize("name", FAMILIES)
def test_judging_leaves_nothing_behind(name: str) -> None:
    """Verdicts do not depend on what was judged before, nor on the order."""
    family, made = cases(name)
    texts = [
        (case, text) for case in made for text in [json.dumps(case.gold), "[]", *(s.text for s in case.slips)]
    ]
    first = [verdict(family, case, text) for case, text in texts]
    again = [verdict(family, case, text) for case, text in reversed(texts)][::-1]
    assert [v.to_json() for v in first] == [v.to_json() for v in again]


@pytest.mark.parametrize("name", FAMILIES)
def test_partial_counts_cells_put_right(name: str) -> None:
    """No edits give 0.0, all give 1.0, and all but one something between."""
    family, made = cases(name)
    for case in made:
        assert verdict(family, case, "[]").partial == 0.0
        assert verdict(family, case, json.dumps(case.gold)).partial == 1.0
        if len(case.gold) > 1:
            assert 0.0 <= verdict(family, case, json.dumps(case.gold[:-1])).partial < 1.0


@pytest.mark.parametrize("name", FAMILIES)
def test_changes_that_no_report_shows_are_noted(name: str) -> None:
    """An edit of cells that no report looks at does no harm, and a note says that it is unseen."""
    family, made = cases(name)
    case = made[0]
    with_noise = next(rewrite for rewrite in REWRITINGS if rewrite.__name__ == "with_noise")
    found = verdict(family, case, with_noise(family, case, list(case.gold)))
    assert found.score == 1.0
    assert [note for note in found.notes if note.startswith(f"edit {len(case.gold) + 1}: unseen")]
