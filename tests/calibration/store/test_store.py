"""Runs and trials are kept whole, once, and by one process at a time."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import tracemalloc
from dataclasses import replace

import pytest
from checkout import MODULES
from factories import results, run_of, stored, suite_of, trial

from trapcli.calibration.records import Stream
from trapcli.calibration.store.store import open_store
from trapcli.core.errors import TrapError


@pytest.fixture
def place(tmp_path):
    return tmp_path / ".trapcli"


@pytest.fixture
def store(place):
    with open_store(place, create=True) as store:
        yield store


def begin(store, run=None, **changes):
    """A new run in the store, planned as `run` is."""
    run = run or run_of(3, 10)
    values = {"token": f"token {len(store.runs())}", "jobs": 1, "tool": "0.4.0", "python": "3.11.9"}
    values |= {"host": {"cpus": 2}, "scratch": "/tmp/trapcli-x", "instrument": None, **changes}
    return store.begin(run.plan, **values)


def rows(place, query):
    """What a process of its own would find in the database now."""
    database = sqlite3.connect(place / "runs.db")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def process(code, *words, **options):
    """A process that runs the code with the tests and the project on its path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, MODULES))}
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, words)]
    return subprocess.Popen(command, env=environment, text=True, **options)


def test_a_run_comes_back_as_it_was_begun(store):
    """Number, token, plan, and all that a run was begun with are read back; it has not ended."""
    planned = run_of(suite_of(2), 5, plan={"env": ("KEY",), "files": {"agent.py": "ab"}}).plan
    host = {"system": "Linux", "cpus": 4}
    begun = store.begin(
        planned, token="t", jobs=3, tool="1.2", python="3.13.0", host=host, scratch="/tmp/trapcli-1",
        instrument={"cases": 2, "slips": 8, "wrong": []},
    )  # fmt: skip
    assert begun == store.run(1) == store.runs()[0]
    assert (begun.number, begun.token, begun.plan, begun.jobs) == (1, "t", planned, 3)
    assert (begun.tool, begun.python, begun.host, begun.scratch) == ("1.2", "3.13.0", host, "/tmp/trapcli-1")
    assert (begun.instrument["slips"], begun.ended, begun.incidents) == (8, "", ())
    assert begun.started.endswith("+00:00")
    assert store.outputs(1).is_dir()


def test_all_fields_of_a_trial_are_reloaded(store):
    """Tokens, costs, cut outputs, stragglers and load of stored trials are there after a resume."""
    run = begin(store)
    whole = trial(
        output=Stream("out", size=11_000_000, kept=10_000_000, head=b"\xff\xfe", digest="ab"),
        errors="warning\n",
        usage={"input_tokens": 10, "cost_usd": 0.25},
        stragglers=("sleep 60",),
        running=4,
        load=1.5,
        exit_code=-11,
    )
    store.keep(run.number, [whole])
    with open_store(store.directory, create=False) as again:
        assert [*again.trials(run.number)] == [whole] == [again.trial(run.number, 0, "case_01", 1)]


def test_a_trial_that_is_stored_twice_is_counted_once_and_the_first_stays(store):
    """Of two trials with the same suite, case and number the first that was stored is kept."""
    run = begin(store)
    first = trial(status="failed")
    assert store.keep(run.number, [first]) == 1
    assert store.keep(run.number, [replace(first, status="passed"), trial(number=2)]) == 1
    assert [one.status for one in store.trials(run.number)] == ["failed", "passed"]
    assert store.counts(run.number) == {"failed": 1, "passed": 1}


def test_storing_again_all_that_was_stored_adds_nothing(store):
    """Whoever reads the stored trials and stores them with the new ones counts each once."""
    run = begin(store)
    store.keep(run.number, results([(2, 5), (3, 5), (0, 5)]))
    again = [*store.trials(run.number), trial("case_03", 6)]
    assert store.keep(run.number, again) == 1
    assert len(store.done(run.number)) == sum(store.counts(run.number).values()) == 16


def test_a_trial_that_cannot_be_stored_is_an_error_and_none_of_its_batch_is_stored(store):
    """What is stored together is stored whole or not at all, and nothing is left out silently."""
    run = begin(store)
    store.keep(run.number, [trial(number=1)])
    broken = trial(number=3, seconds=float("nan"))  # SQLite takes it for NULL
    with pytest.raises(TrapError, match=r"runs\.db"):
        store.keep(run.number, [trial(number=2), broken, trial(number=4)])
    assert store.done(run.number) == {(0, "case_01", 1)}
    assert store.keep(run.number, [trial(number=2)]) == 1


def test_a_database_that_was_taken_away_is_told(store):
    """Nothing is stored into a file that was removed or replaced, and it does not look as if it were."""
    run = begin(store)
    store.keep(run.number, [trial(number=1)])
    os.rename(store.path, store.path.with_name("gone"))
    for _ in range(2):
        with pytest.raises(TrapError, match="was removed or replaced while it was in use"):
            store.keep(run.number, [trial(number=2)])
        store.path.touch()


def test_a_number_is_never_used_again(place, store):
    """A new run's number is above all that there were, also of those of which only outputs are left."""
    assert begin(store).number == 1
    (store.directory / "outputs" / "run_7").mkdir()
    (store.directory / "outputs" / "run_x").mkdir()
    assert begin(store).number == 8
    store._db.execute("DELETE FROM run WHERE number = 8")
    shutil.rmtree(store.directory / "outputs")
    assert begin(store).number == 9


def test_a_run_that_cannot_get_its_directory_is_none(store):
    """Where the directory of outputs cannot be made there is an error that names it, and no run."""
    (store.directory / "outputs").write_text("in the way")
    with pytest.raises(TrapError, match=r"outputs/run_1.*What was stored in it is whole"):
        begin(store)
    assert store.runs() == []


def test_a_finished_trial_is_seen_by_others_at_once_and_is_synced(place, store):
    """What `keep` stored is committed, in a mode in which a commit outlives a power failure."""
    run = begin(store)
    store.keep(run.number, [trial()])
    assert rows(place, "SELECT case_id, number, status FROM trial") == [("case_01", 1, "passed")]
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_a_full_disk_is_told_and_what_was_stored_stays_whole(place, store):
    """Storing on a full disk is an error that says so; earlier trials and the database are whole."""
    run = begin(store)
    store.keep(run.number, [trial(number=1)])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(TrapError, match=r"The disk is full.*calibrate --resume"):
        store.keep(run.number, [trial(number=n, reason="x" * 5000) for n in range(2, 20)])
    assert store.done(run.number) == {(0, "case_01", 1)}
    assert not store.run(run.number).ended
    assert rows(place, "PRAGMA integrity_check") == [("ok",)]


def test_trials_come_by_suite_case_and_number(store):
    """Whatever the order in which trials ended, they are read by suite, case and number."""
    run = begin(store, run_of([suite_of(2), suite_of(2, family="other")]))
    mixed = [trial("case_02", 1), trial("case_01", 10), trial("case_01", 2), trial("case_01", 1, suite=1)]
    store.keep(run.number, mixed)
    order = [(one.suite, one.case, one.number) for one in store.trials(run.number)]
    assert order == [(0, "case_01", 2), (0, "case_01", 10), (0, "case_02", 1), (1, "case_01", 1)]


@pytest.mark.parametrize("key", [(2, 0, "case_01", 1), (1, 1, "case_01", 1), (1, 0, "case_09", 1)])
def test_a_trial_that_never_ended_is_not_found(store, key):
    """Asking for a trial that is not stored is an error that names it."""
    run = begin(store)
    store.keep(run.number, [trial()])
    with pytest.raises(TrapError, match=f"run {key[0]} has no finished trial 1 of {key[2]}"):
        store.trial(*key)


def test_a_run_that_is_not_there_is_an_error_that_says_which_are(store):
    """The error about a missing run names the runs that there are."""
    for known in ("none", "1", "1 to 2"):
        with pytest.raises(TrapError, match=rf"has no run 7; it has {known}\. `trapcli inspect run`"):
            store.run(7)
        begin(store)


def test_earlier_runs_are_those_on_the_same_suite(store):
    """A run knows how many before it were on one of its suites, whatever their number of trials."""
    same, other = suite_of(3), suite_of(3, digest="another")
    begun = [begin(store, run_of(suites)) for suites in (same, other, same, [other, same], same)]
    assert [store.earlier(run) for run in begun] == [0, 0, 1, 3, 3]


def test_a_run_ends_goes_on_and_ends_again(store):
    """The runs that have not ended are listed; that a run goes on is counted, and it has not ended."""
    runs = [begin(store) for _ in range(3)]
    assert store.unfinished() == store.numbers() == [1, 2, 3]
    store.end(2)
    assert (store.unfinished(), bool(store.run(2).ended)) == ([1, 3], True)
    store.resumed(2, jobs=8, scratch="/tmp/trapcli-new")
    found = store.run(2)
    assert found == replace(runs[1], jobs=8, scratch="/tmp/trapcli-new", resumes=1)
    assert store.unfinished() == [1, 2, 3]


def test_incidents_and_changed_suites_are_marked(store):
    """Trials that never ran are noted in order, again if it happens again; so is a suite that changed."""
    run = begin(store, run_of([suite_of(2), suite_of(2, family="other")]))
    store.note(run.number, [(0, "case_01", 1, "no memory"), (1, "case_02", 3, "no memory")])
    store.note(run.number, [(0, "case_01", 1, "no disk")])
    store.mark_changed(run.number, 1)
    found = store.run(run.number)
    assert [what for *_, what in found.incidents] == ["no memory", "no memory", "no disk"]
    assert [suite.changed for suite in found.plan.suites] == [False, True]


def test_judging_again_keeps_the_earlier_verdict(place, store):
    """A new verdict takes the place of the old one, which stays, with the version that replaced it."""
    run = begin(store)
    before = trial(status="failed", reason="wrong", seconds=7.0)
    store.keep(run.number, [before, trial(number=2)])
    after = trial(status="passed", reason="right", seconds=7.0)
    store.judge_again(run.number, after, "0.5.0")
    assert store.trial(run.number, 0, "case_01", 1) == after
    assert store.trial(run.number, 0, "case_01", 2).status == "passed"
    query = "SELECT run, suite, case_id, number, tool, json_extract(verdict, '$.reason') FROM earlier_verdict"
    assert rows(place, query) == [(1, 0, "case_01", 1, "0.5.0", "wrong")]


def test_sweeping_removes_only_files_that_no_trial_names(store):
    """Stored outputs of finished trials and other runs stay; the leavings of an unfinished trial go."""
    runs = [begin(store), begin(store)]
    for run in runs:
        for name in ("case_01-1.stdout", "case_01-1.stderr", "case_02-1.stdout"):
            (store.outputs(run.number) / name).write_text("x")
    store.keep(1, [trial(output=Stream("case_01-1.stdout", 1, 1), errors=Stream("case_01-1.stderr", 1, 1))])
    with store.claimed(1):
        store.sweep(1)
        assert sorted(os.listdir(store.outputs(1))) == [".lock", "case_01-1.stderr", "case_01-1.stdout"]
    assert len(os.listdir(store.outputs(2))) == 3


def test_a_claimed_run_is_claimed_by_nobody_else_until_it_is_free(place, store):
    """While one process works on a run another is refused it, not other runs; afterwards it is free."""
    begin(store), begin(store)
    with open_store(place, create=True) as other:
        with store.claimed(1):
            with pytest.raises(TrapError, match="run 1 is at work in another process"), other.claimed(1):
                raise AssertionError
            with other.claimed(2):
                pass
        with other.claimed(1):
            pass


def test_a_run_claimed_by_a_process_that_was_killed_is_free(place, store):
    """Nothing that was killed with SIGKILL keeps a run from going on."""
    begin(store)
    code = """
        import sys, time
        from pathlib import Path
        from trapcli.calibration.store.store import open_store
        with open_store(Path(sys.argv[1]), create=True) as store, store.claimed(1):
            print("claimed", flush=True)
            time.sleep(60)
    """
    with process(code, place, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == "claimed\n"
        with pytest.raises(TrapError, match="at work"), store.claimed(1):
            raise AssertionError
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with store.claimed(1):
            pass


def test_claiming_a_run_that_is_not_there_leaves_nothing_behind(store):
    """No directory is made for a run that was never begun."""
    with pytest.raises(TrapError, match="has no run 9"), store.claimed(9):
        raise AssertionError
    assert not store.outputs(9).exists()


def test_two_processes_that_write_at_once_lose_nothing(place):
    """Each of two processes begins a run and stores its trials; numbers differ, and all is there."""
    code = """
        import sys
        from pathlib import Path
        from factories import run_of, trial
        from trapcli.calibration.store.store import open_store
        with open_store(Path(sys.argv[1]), create=True) as store:
            run = store.begin(
                run_of(1, 40).plan, token=sys.argv[2], jobs=1, tool="1", python="3", host={}, scratch="",
                instrument=None,
            )
            for number in range(1, 41):
                assert store.keep(run.number, [trial(number=number)]) == 1
            store.end(run.number)
    """
    both = [process(code, place, token) for token in ("one", "two")]
    assert [one.wait(60) for one in both] == [0, 0]
    with open_store(place, create=False) as store:
        assert {run.token for run in store.runs()} == {"one", "two"}
        assert store.numbers() == [1, 2]
        for number in (1, 2):
            assert store.done(number) == {(0, "case_01", n) for n in range(1, 41)}
    assert rows(place, "PRAGMA integrity_check") == [("ok",)]


def test_memory_does_not_grow_with_the_number_of_trials(store):
    """Going through 20,000 stored trials takes no more memory than going through 500."""
    run = begin(store, run_of(1, 20_000))

    def peak():
        tracemalloc.start()
        try:
            count = sum(1 for _ in store.trials(run.number))
            return count, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    one = trial()
    store.keep(run.number, [replace(one, number=n) for n in range(1, 501)])
    few, least = peak()
    store.keep(run.number, [replace(one, number=n) for n in range(501, 20_001)])
    many, most = peak()
    assert (few, many) == (500, 20_000)
    assert most < 3 * least


def test_a_stored_run_is_found_by_the_next_who_opens_the_store(tmp_path):
    """Runs and their trials outlive the process that stored them."""
    run = stored(tmp_path, run_of(1, 2), [(trial(), b"one", b""), (trial(number=2), b"", b"two")])
    with open_store(tmp_path / ".trapcli", create=False) as store:
        first, second = store.trials(run.number)
        assert store.output(run.number, first.stdout).read_bytes() == b"one"
        assert store.output(run.number, second.stderr).read_bytes() == b"two"
        assert store.run(run.number) == run and run.ended
