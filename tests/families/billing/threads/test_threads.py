"""Threads: what they ask for is decided by their text alone, and all that can be missed matters."""

import json
import re
from itertools import permutations
from pathlib import Path

import pytest
from checkout import ROOT

from families.billing import FAMILY
from families.billing.company.world import tables_of
from families.billing.company.world_builder import WorldBuilder
from families.billing.knobs import LEVELS, Knobs
from families.billing.threads.drafting import Drafter
from families.billing.threads.phrases import sections
from families.billing.threads.requests import KINDS, carry_out
from families.billing.threads.scripts import SHAPES
from families.billing.threads.stage import set_stage
from trapcli.answers.edits.limits import MOST_EDITS_READ, edits_read
from trapcli.building.builder import build_suite, make_recipe
from trapcli.building.case_builder import build_case
from trapcli.core.contract import Answer, Case
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.suites.halves import Halves
from trapcli.wording.grammar import skeletons, slots_of

TRAPS = list(FAMILY.traps)
THREADS = [level for level, knobs in enumerate(LEVELS) if knobs.get("requests", 1) > 1]


def case_of(level: int, k: int, seed: str = "11") -> Case:
    """Return a case as it is built: one that breaks an invariant of the core is drawn again."""
    return build_case(FAMILY, seed, Knobs(**LEVELS[level]), k).case


def judged(case: Case, text: str) -> tuple[bool, str]:
    verdict = FAMILY.answers.judge(case, Answer(tuple(json.loads(text))))
    return verdict.passed, verdict.mistake


@pytest.mark.slow
@pytest.mark.parametrize("level", THREADS[:5])
def test_the_text_decides_the_answer(level: int) -> None:
    """The reference solver reads threads as they are meant, and each gold edit is needed."""
    for k in range(len(TRAPS) if level < 6 else 1):
        case = case_of(level, k)
        assert [str(problem) for problem in FAMILY.check(case)] == []
        assert judged(case, FAMILY.solve(case.files)) == (True, "")


@pytest.mark.parametrize("level", THREADS[:3])
def test_each_mistake_and_each_thing_missed_changes_the_answer(level: int) -> None:
    """Every mistake of a thread fails with a result of its own, and so does every single thing missed."""
    for k in range(3):
        case = case_of(level, k)
        right = FAMILY.answers.prepared(case).result
        texts = [FAMILY.solve(case.files, mistake) for mistake in case.mistakes]
        results = [FAMILY.answers.outcome(case, json.loads(text))[0] for text in texts]
        assert right not in results and len(set(results)) == len(results)
        missed = case.facts["missed"]
        assert {one["request"] for one in missed} == {one["request"] for one in case.facts["requests"]}
        assert all(one["result"] != right and one["wrong cells"] for one in missed)


def test_a_wrong_answer_is_named_by_what_was_missed() -> None:
    """The verdict on the edits of somebody who overlooks one message names that message."""
    case = case_of(THREADS[1], 0)
    named = set()
    for mistake in case.mistakes:
        passed, name = judged(case, FAMILY.solve(case.files, mistake))
        assert not passed
        named.add(name)
    assert any(name.startswith("missed: ") and "message" in name for name in named)


def test_the_order_of_requests_makes_no_difference() -> None:
    """Requests are about points of their own, so that any order of carrying them out gives one world."""
    for seed in range(6):
        builder = WorldBuilder(Draw(f"order/{seed}"), Knobs(requests=4, customers=6, periods=7))
        stage = set_stage(builder, 4)
        builder.fill()
        world = builder.world()
        requests = Drafter(Draw(f"requests/{seed}"), builder, stage).draft(TRAPS[seed], 4)
        assert len({json.dumps(tables_of(carry_out(world, some))) for some in permutations(requests)}) == 1
        assert {request.kind for request in requests} <= set(KINDS)


def test_all_kinds_and_shapes_occur() -> None:
    """In forty threads of five requests every kind of request and every fate of one occurs."""
    kinds, shapes = set(), set()
    for k in range(40):
        case = FAMILY.generate("shapes", Knobs(**LEVELS[5]), k)
        kinds |= {one["kind"] for one in case.facts["requests"]}
        shapes |= {one["what became of it"] for one in case.facts["requests"]}
    assert kinds == set(KINDS)
    assert shapes == {shape for shape, _ in SHAPES}


def test_no_section_says_less_than_its_request() -> None:
    """Every pattern of a section has the same slots, so that a request can be put in any of its words."""
    for name, section in sections().items():
        if section.book == "orders" and not name.startswith(("from ", "open ")):
            slots = {frozenset(slots_of(pattern)) for pattern in section.patterns}
            named = {frozenset(slot.removeprefix("from ") for slot in one) for one in slots}
            assert len(named) == 1, name
            assert sum(skeletons(pattern) for pattern in section.patterns) >= 12, name


def test_the_readme_says_how_many_edits_are_read() -> None:
    """A thread's README names the number of edits that count, the same in every case of a suite."""
    readmes = {case_of(THREADS[2], k).files["README.md"].split("trapcli canary")[0] for k in range(6)}
    (readme,) = readmes
    assert f"The first {MOST_EDITS_READ} edits of an answer count." in " ".join(readme.split())
    assert edits_read(case_of(THREADS[2], 0).facts) == MOST_EDITS_READ


def test_guidance_is_a_knob() -> None:
    """With guidance the README says what each report reads; without, it leaves that to the scripts."""
    guided = FAMILY.generate("3", Knobs(requests=2, customers=6, guidance=1), 0).files["README.md"]
    silent = FAMILY.generate("3", Knobs(requests=2, customers=6, guidance=0), 0).files["README.md"]
    table = "| `finance_ledger.py` | invoice |"
    assert table in guided and table not in silent
    assert "<!--" not in guided + silent


def test_the_docs_have_every_level() -> None:
    """docs/tickets.md has a line for each level of billing, and says how many requests its threads have."""
    text = (ROOT / "docs" / "tickets.md").read_text(encoding="utf-8")
    table = text.partition("## Levels of billing")[2]
    lines = dict(re.findall(r"^\| (\d+) \| (.+) \|$", table, re.MULTILINE))
    assert list(lines) == [str(level) for level in range(1, len(LEVELS) + 1)]
    words = {
        1: "one",
        2: "two",
        3: "three",
        5: "five",
        8: "eight",
        14: "fourteen",
        24: "twenty-four",
        40: "forty",
    }
    for level, knobs in enumerate(LEVELS, 1):
        assert words[knobs.get("requests", 1)] in lines[str(level)].lower()


def test_the_docs_name_every_kind_of_request() -> None:
    """docs/tickets.md says of each kind of request what changes."""
    text = (ROOT / "docs" / "tickets.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(KINDS)


def test_a_range_from_tickets_to_threads_is_refused(tmp_path: Path) -> None:
    """A suite holds tickets or threads: their READMEs differ, and the error names the knob, not a bug."""
    recipe = make_recipe(FAMILY, knobs={"requests": "1-3"}, cases=6)
    with pytest.raises(TrapError, match=r"values drawn for requests .* smaller range"):
        build_suite(FAMILY, recipe, Halves.of(tmp_path / "billing"))
