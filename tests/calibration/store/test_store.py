"""The store: runs and trials are stored whole, once, and by one process at a time."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from factories import results, run_of, stored, suite_of, trial

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.records import INTERRUPTED, Change, Run
from trapcli.calibration.store.journal import Journal
from trapcli.calibration.store.store import Store, open_store
from trapcli.calibration.stored_output import KeptFiles, Stream
from trapcli.core.errors import TrapError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The directory of a store."""
    return tmp_path / ".trapcli"


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    """An empty store, open for writing."""
    with open_store(place, create=True) as store:
        yield store


def begin(store: Store, run: Run | None = None, **changes: Any) -> Run:
    """Begin a run with the plan of `run`."""
    run = run or run_of(3, 10)
    values: dict[str, Any] = {
        "token": f"token {len(store.runs())}",
        "jobs": 1,
        "tool": "0.4.0",
        "python": "3.11.9",
    }
    values |= {"host": {"cpus": 2}, "scratch": "/tmp/trapcli-x", "self_check": None, **changes}
    return store.begin(run.plan, **values)


def rows(place: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what another process would read from the database now."""
    database = sqlite3.connect(place / "runs.db")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def process(code: str, *words: object, **options: Any) -> "subprocess.Popen[str]":
    """Start a process that runs the code and can import the tests and the project."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, MODULES))}
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, words)]
    return subprocess.Popen(command, env=environment, text=True, **options)


CONFIGURATION = Configuration(
    label="mine", tags={"model": "big"}, variables={"KEY": "sha256:ab"}, files={"agent.py": "ab"}, salt="t"
)


def test_a_run_is_read_back_as_it_was_stored(store: Store) -> None:
    """Number, token, plan and everything else that a run begins with are read back; it is not complete."""
    planned = run_of(suite_of(2), 5, plan={"env": ("KEY",), "configuration": CONFIGURATION}).plan
    host = {"system": "Linux", "cpus": 4}
    begun = store.begin(
        planned, token="t", jobs=3, tool="1.2", python="3.13.0", host=host, scratch="/tmp/trapcli-1",
        self_check={"cases": 2, "outputs": 8, "wrong": []},
    )  # fmt: skip
    assert begun == store.run(1) == store.runs()[0]
    assert (begun.number, begun.token, begun.plan, begun.jobs) == (1, "t", planned, 3)
    assert (begun.tool, begun.python, begun.host, begun.scratch) == ("1.2", "3.13.0", host, "/tmp/trapcli-1")
    assert (begun.self_check["outputs"], begun.ended, begun.incidents) == (8, "", ())
    assert (begun.plan.configuration, begun.changes) == (CONFIGURATION, ())
    assert begun.started.endswith("+00:00")
    assert store.outputs_directory(1).is_dir()


def test_what_was_different_at_each_resume_is_kept(store: Store) -> None:
    """Changes are added to those of earlier resumes; a resume without a difference adds none."""
    run = begin(store)
    first, second = Change(1, ("the label was 'a', now 'b'",)), Change(3, (), ("the variable MODEL",))
    for change in (first, Change(2), second):
        store.resume(run.number, jobs=1, scratch="", change=change)
    store.resume(run.number, jobs=1, scratch="")
    assert store.run(run.number).changes == (first, second) and store.run(run.number).resumes == 4


def test_a_store_has_one_salt(store: Store) -> None:
    """It is that of the last run that has one, so that the hashes of its runs can be compared."""
    assert store.salt() == ""
    for salt in ("one", "", "two", ""):
        begin(store, run_of(1, 1, plan={"configuration": Configuration(salt=salt)}))
        assert not salt or store.salt() == salt
    assert store.salt() == "two"


def test_trials_that_were_running_at_a_stop_are_incidents(store: Store) -> None:
    """A trial that began and is not stored was running; one that never ran or is finished was not."""
    run = begin(store)
    journal = Journal(store.outputs_directory(run.number))
    for key in ((0, "case_01", 1), (0, "case_01", 2), (0, "case_02", 1)):
        journal.begin(key)
    journal.take_back((0, "case_01", 2))
    journal.close()
    store.add_trials(run.number, [trial("case_01", 1)])
    store.note_interrupted(run.number)
    assert store.run(run.number).incidents == ((0, "case_02", 1, INTERRUPTED),)
    store.sweep(run.number)
    store.note_interrupted(run.number)
    assert len(store.run(run.number).incidents) == 1


def test_every_field_of_a_trial_is_read_back(store: Store) -> None:
    """A store that is opened again has usage, cut outputs, stragglers, load and files of a stored trial."""
    run = begin(store)
    whole = trial(
        output=Stream("out", size=11_000_000, kept=10_000_000, head=b"\xff\xfe", digest="ab"),
        errors="warning\n",
        usage={"input_tokens": 10, "cost_usd": 0.25},
        stragglers=("sleep 60",),
        running=4,
        load=1.5,
        exit_code=-11,
        files=KeptFiles("case_01-1.files.zip", 200, 200, b"PK", "cd", over_limit=2, judged=False),
    )
    store.add_trials(run.number, [whole])
    with open_store(store.directory, create=False) as again:
        assert [*again.trials(run.number)] == [whole] == [again.trial(run.number, 0, "case_01", 1)]


def test_a_trial_is_stored_once(store: Store) -> None:
    """Of two trials with the same suite, case and number, the first that was stored is kept."""
    run = begin(store)
    first = trial(status="failed")
    assert store.add_trials(run.number, [first]) == 1
    assert store.add_trials(run.number, [replace(first, status="passed"), trial(number=2)]) == 1
    assert [one.status for one in store.trials(run.number)] == ["failed", "passed"]
    assert store.count_by_status(run.number) == {"failed": 1, "passed": 1}


def test_adding_stored_trials_again_adds_only_the_new_ones(store: Store) -> None:
    """Stored trials that are added again together with a new one count once each."""
    run = begin(store)
    store.add_trials(run.number, results([(2, 5), (3, 5), (0, 5)]))
    again = [*store.trials(run.number), trial("case_03", 6)]
    assert store.add_trials(run.number, again) == 1
    assert len(store.trial_keys(run.number)) == sum(store.count_by_status(run.number).values()) == 16


def test_trials_are_stored_all_or_none(store: Store) -> None:
    """If one of several trials cannot be stored, that is an error, and none of them is stored."""
    run = begin(store)
    store.add_trials(run.number, [trial(number=1)])
    broken = trial(number=3, seconds=float("nan"))  # SQLite takes it for NULL
    with pytest.raises(TrapError, match=r"runs\.db"):
        store.add_trials(run.number, [trial(number=2), broken, trial(number=4)])
    assert store.trial_keys(run.number) == {(0, "case_01", 1)}
    assert store.add_trials(run.number, [trial(number=2)]) == 1


def test_a_database_that_was_replaced_is_an_error(store: Store) -> None:
    """Nothing is stored in a file that was removed or replaced since it was opened."""
    run = begin(store)
    store.add_trials(run.number, [trial(number=1)])
    os.rename(store.path, store.path.with_name("gone"))
    for _ in range(2):
        with pytest.raises(TrapError, match="was removed or replaced while it was in use"):
            store.add_trials(run.number, [trial(number=2)])
        store.path.touch()


def test_a_run_number_is_never_reused(place: Path, store: Store) -> None:
    """A new run gets a number above all earlier ones, including those of which only outputs are left."""
    assert begin(store).number == 1
    (store.directory / "outputs" / "run_7").mkdir()
    (store.directory / "outputs" / "run_x").mkdir()
    assert begin(store).number == 8
    store._db.execute("DELETE FROM run WHERE number = 8")
    shutil.rmtree(store.directory / "outputs")
    assert begin(store).number == 9


def test_a_run_without_a_directory_is_not_stored(store: Store) -> None:
    """If the directory of outputs cannot be created, the error names it, and no run is stored."""
    (store.directory / "outputs").write_text("in the way")
    with pytest.raises(TrapError, match=r"outputs/run_1.*Everything stored so far is safe"):
        begin(store)
    assert store.runs() == []


def test_a_trial_is_committed_and_synced(place: Path, store: Store) -> None:
    """Other processes see a trial at once, and the mode of the database keeps it in a power failure."""
    run = begin(store)
    store.add_trials(run.number, [trial()])
    assert rows(place, "SELECT case_id, number, status FROM trial") == [("case_01", 1, "passed")]
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_a_full_disk_damages_nothing(place: Path, store: Store) -> None:
    """On a full disk the error says so; earlier trials and the database stay whole."""
    run = begin(store)
    store.add_trials(run.number, [trial(number=1)])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(TrapError, match=r"The disk is full.*calibrate --resume"):
        store.add_trials(run.number, [trial(number=n, reason="x" * 5000) for n in range(2, 20)])
    assert store.trial_keys(run.number) == {(0, "case_01", 1)}
    assert not store.run(run.number).ended
    assert rows(place, "PRAGMA integrity_check") == [("ok",)]


def test_trials_are_sorted(store: Store) -> None:
    """Trials are read by suite, case and number, in whatever order they were stored."""
    run = begin(store, run_of([suite_of(2), suite_of(2, family="other")]))
    mixed = [trial("case_02", 1), trial("case_01", 10), trial("case_01", 2), trial("case_01", 1, suite=1)]
    store.add_trials(run.number, mixed)
    order = [(one.suite, one.case, one.number) for one in store.trials(run.number)]
    assert order == [(0, "case_01", 2), (0, "case_01", 10), (0, "case_02", 1), (1, "case_01", 1)]


@pytest.mark.parametrize("key", [(2, 0, "case_01", 1), (1, 1, "case_01", 1), (1, 0, "case_09", 1)])
def test_a_trial_that_is_not_stored_is_an_error(store: Store, key: tuple[int, int, str, int]) -> None:
    """Asking for a trial that is not stored is an error that names it."""
    run = begin(store)
    store.add_trials(run.number, [trial()])
    with pytest.raises(TrapError, match=f"run {key[0]} has no finished trial 1 of {key[2]}"):
        store.trial(*key)


def test_a_missing_run_is_an_error_that_lists_the_runs(store: Store) -> None:
    """The error about a missing run says which runs exist."""
    for known in ("none", "1", "1 to 2"):
        with pytest.raises(TrapError, match=rf"has no run 7; it has {known}\. `trapcli inspect run`"):
            store.run(7)
        begin(store)


def test_earlier_runs_on_the_same_suites_are_counted(store: Store) -> None:
    """Runs before this one that share a suite with it are counted, whatever their number of trials."""
    same, other = suite_of(3), suite_of(3, digest="another")
    begun = [begin(store, run_of(suites)) for suites in (same, other, same, [other, same], same)]
    assert [store.count_earlier_runs(run) for run in begun] == [0, 0, 1, 3, 3]


def test_a_finished_run_can_be_resumed(store: Store) -> None:
    """Unfinished runs are listed; a resume is counted and makes the run unfinished again."""
    runs = [begin(store) for _ in range(3)]
    assert store.unfinished_runs() == store.run_numbers() == [1, 2, 3]
    store.finish(2)
    assert (store.unfinished_runs(), bool(store.run(2).ended)) == ([1, 3], True)
    store.resume(2, jobs=8, scratch="/tmp/trapcli-new")
    found = store.run(2)
    assert found == replace(runs[1], jobs=8, scratch="/tmp/trapcli-new", resumes=1)
    assert store.unfinished_runs() == [1, 2, 3]


def test_incidents_and_changed_suites_are_stored(store: Store) -> None:
    """Incidents are stored in order, also repeated ones, and so is which suite has changed."""
    run = begin(store, run_of([suite_of(2), suite_of(2, family="other")]))
    store.add_incidents(run.number, [(0, "case_01", 1, "no memory"), (1, "case_02", 3, "no memory")])
    store.add_incidents(run.number, [(0, "case_01", 1, "no disk")])
    store.mark_changed(run.number, 1)
    found = store.run(run.number)
    assert [what for *_, what in found.incidents] == ["no memory", "no memory", "no disk"]
    assert [suite.changed for suite in found.plan.suites] == [False, True]


def test_a_replaced_verdict_is_kept(place: Path, store: Store) -> None:
    """A new verdict replaces the old one, which is kept with the version that replaced it."""
    run = begin(store)
    before = trial(status="failed", reason="wrong", seconds=7.0)
    store.add_trials(run.number, [before, trial(number=2)])
    after = trial(status="passed", reason="right", seconds=7.0)
    store.replace_verdict(run.number, after, "0.5.0")
    assert store.trial(run.number, 0, "case_01", 1) == after
    assert store.trial(run.number, 0, "case_01", 2).status == "passed"
    query = "SELECT run, suite, case_id, number, tool, json_extract(verdict, '$.reason') FROM earlier_verdict"
    assert rows(place, query) == [(1, 0, "case_01", 1, "0.5.0", "wrong")]


def test_sweeping_removes_only_files_that_no_trial_names(store: Store) -> None:
    """Outputs of finished trials and of other runs stay; what an unfinished trial left is removed."""
    runs = [begin(store), begin(store)]
    names = [f"case_01-1-0123abcd.{end}" for end in ("files.zip", "stderr", "stdout")]
    left = [name.replace("case_01", "case_02") for name in names]
    for run in runs:
        for name in (*names, *left):
            (store.outputs_directory(run.number) / name).write_text("x")
    files = KeptFiles(names[0], 1, 1)
    errors, output = (Stream(name, 1, 1) for name in names[1:])
    store.add_trials(1, [trial(output=output, errors=errors, files=files)])
    with store.claim(1):
        store.sweep(1)
        assert sorted(os.listdir(store.outputs_directory(1))) == [".lock", *names]
    assert len(os.listdir(store.outputs_directory(2))) == 6


def test_sweeping_removes_nothing_that_is_not_ours(store: Store, place: Path) -> None:
    """A file that trials do not write stays, and through a link in place of the directory nothing goes."""
    begin(store)
    outputs, names = store.outputs_directory(1), ["case_01-1-0123abcd.stdout.gz", "notes.txt"]
    for name in (*names, "case_01-1-0123abcd.stdout"):
        (outputs / name).touch()
    store.sweep(1)
    assert sorted(os.listdir(outputs)) == names
    (outputs / "case_01-1-0123abcd.stdout").touch()
    outputs.rename(place / "elsewhere")
    outputs.symlink_to(place / "elsewhere")
    with pytest.raises(TrapError, match="run_1"):
        store.sweep(1)
    with pytest.raises(TrapError, match="run_1 is a link"), store.claim(1):
        raise AssertionError
    assert len(os.listdir(place / "elsewhere")) == 3


def test_a_claimed_run_is_refused_to_others(place: Path, store: Store) -> None:
    """While one process works on a run, others see that and cannot claim it, but can claim other runs."""
    begin(store), begin(store)
    with open_store(place, create=True) as other:
        assert not other.is_claimed(1)
        with store.claim(1):
            assert other.is_claimed(1) and not other.is_claimed(2)
            with pytest.raises(TrapError, match="another process is working on run 1"), other.claim(1):
                raise AssertionError
            with other.claim(2):
                pass
        with other.claim(1):
            pass


def test_a_killed_process_frees_its_run(place: Path, store: Store) -> None:
    """A run can be claimed as soon as the process that had it is killed with SIGKILL."""
    begin(store)
    code = """
        import sys, time
        from pathlib import Path
        from trapcli.calibration.store.store import open_store
        with open_store(Path(sys.argv[1]), create=True) as store, store.claim(1):
            print("claimed", flush=True)
            time.sleep(60)
    """
    with process(code, place, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == "claimed\n"
        with pytest.raises(TrapError, match="another process is working on run 1"), store.claim(1):
            raise AssertionError
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with store.claim(1):
            pass


def test_claiming_a_missing_run_creates_nothing(store: Store) -> None:
    """No directory is created for a run that does not exist."""
    with pytest.raises(TrapError, match="has no run 9"), store.claim(9):
        raise AssertionError
    assert not store.outputs_directory(9).exists()


@pytest.mark.slow
def test_two_processes_can_write_at_once(place: Path) -> None:
    """Two processes begin a run each and store its trials; the numbers differ, and nothing is lost."""
    code = """
        import sys
        from pathlib import Path
        from factories import run_of, trial
        from trapcli.calibration.store.store import open_store
        with open_store(Path(sys.argv[1]), create=True) as store:
            run = store.begin(
                run_of(1, 40).plan, token=sys.argv[2], jobs=1, tool="1", python="3", host={}, scratch="",
                self_check=None,
            )
            for number in range(1, 41):
                assert store.add_trials(run.number, [trial(number=number)]) == 1
            store.finish(run.number)
    """
    both = [process(code, place, token) for token in ("one", "two")]
    assert [one.wait(60) for one in both] == [0, 0]
    with open_store(place, create=False) as store:
        assert {run.token for run in store.runs()} == {"one", "two"}
        assert store.run_numbers() == [1, 2]
        for number in (1, 2):
            assert store.trial_keys(number) == {(0, "case_01", n) for n in range(1, 41)}
    assert rows(place, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_trials(store: Store) -> None:
    """Reading 20,000 stored trials takes no more memory than reading 500."""
    run = begin(store, run_of(1, 20_000))

    def peak() -> Any:
        tracemalloc.start()
        try:
            count = sum(1 for _ in store.trials(run.number))
            return count, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    one = trial()
    store.add_trials(run.number, [replace(one, number=n) for n in range(1, 501)])
    few, least = peak()
    store.add_trials(run.number, [replace(one, number=n) for n in range(501, 20_001)])
    many, most = peak()
    assert (few, many) == (500, 20_000)
    assert most < 3 * least


def test_runs_and_trials_survive_their_process(tmp_path: Path) -> None:
    """A store that is opened again has the runs, trials and outputs that were stored before."""
    run = stored(tmp_path, run_of(1, 2), [(trial(), b"one", b""), (trial(number=2), b"", b"two")])
    with open_store(tmp_path / ".trapcli", create=False) as store:
        first, second = store.trials(run.number)
        assert store.output_path(run.number, first.stdout).read_bytes() == b"one"
        assert store.output_path(run.number, second.stderr).read_bytes() == b"two"
        assert store.run(run.number) == run and run.ended
