"""What a run stored is compared with what it remembers of it: each change is found, nothing else."""

from pathlib import Path

import pytest
from factories import run_of, trial
from toy_family import build_toy, installed

from trapcli.calibration.plan import plan_suite
from trapcli.calibration.records import Run
from trapcli.calibration.store.integrity import CHANGED_ROW, CHANGED_RUN, REMOVED_ROW, StoreWatch
from trapcli.calibration.store.store import Store, open_store

FIRST, SECOND = (0, "case_01", 1), (0, "case_02", 1)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    installed(monkeypatch)
    return open_store(tmp_path / ".trapcli", create=True)


@pytest.fixture
def run(store: Store, tmp_path: Path) -> Run:
    plan = run_of(plan_suite(build_toy(tmp_path / "toy")), 2).plan
    return store.begin(plan, token="t", jobs=1, tool="1", python="3", host={}, scratch="s", self_check=None)


def finished(store: Store, run: Run) -> StoreWatch:
    """Return what watched the run while the first trial was stored; the second was stored before."""
    store.add_trials(run.number, [trial("case_02", output="", seconds=2)])
    watch = StoreWatch(store, run)
    trials = [trial("case_01", output="", seconds=1.25, usage={"calls": 1})]
    store.add_trials(run.number, trials)
    watch.add(trials)
    return watch


def test_a_store_that_nobody_changed(store: Store, run: Run) -> None:
    """Rows read back are what was stored; another run, an incident and a mark on a suite change nothing."""
    watch = finished(store, run)
    store.begin(run.plan, token="u", jobs=1, tool="1", python="3", host={}, scratch="s", self_check=None)
    store.add_trials(2, [trial("case_01", output="")])
    store.add_incidents(run.number, [(0, "case_03", 1, "lost")])
    store.mark_changed(run.number, 0)
    assert watch.changes() == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE trial SET status = 'failed' WHERE run = 1 AND case_id = 'case_01'", [(*FIRST, CHANGED_ROW)]),
        ("UPDATE trial SET verdict = '{}' WHERE run = 1 AND case_id = 'case_02'", [(*SECOND, CHANGED_ROW)]),
        ("UPDATE trial SET usage = NULL WHERE run = 1 AND case_id = 'case_01'", [(*FIRST, CHANGED_ROW)]),
        ("DELETE FROM trial WHERE case_id = 'case_02'", [(*SECOND, REMOVED_ROW)]),
        ("UPDATE run SET plan = replace(plan, '\"trials\": 2', '\"trials\": 1')", [(*FIRST, CHANGED_RUN)]),
        ("UPDATE suite SET digest = '0'", [(*FIRST, CHANGED_RUN)]),
    ],
)
def test_each_change_is_found(
    store: Store, run: Run, statement: str, found: list[tuple[int, str, int, str]]
) -> None:
    """A forged or removed row, of this session or of an earlier one, is named; so is a changed plan."""
    watch = finished(store, run)
    store._db.execute(statement)
    assert watch.changes() == found


def test_a_row_that_was_there_before_ours(store: Store, run: Run) -> None:
    """A row that a solution stored first keeps ours out, and is noticed."""
    watch = StoreWatch(store, run)
    store.add_trials(run.number, [trial("case_01", output="")])
    ours = [trial("case_01", status="failed", output="")]
    assert store.add_trials(run.number, ours) == 0
    watch.add(ours)
    assert watch.changes() == [(*FIRST, CHANGED_ROW)]
