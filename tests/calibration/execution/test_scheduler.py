"""A run: each trial runs once and is stored when it ends, whatever happens to others or to our processes."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import hostile_families
import pytest
from process_table import children, command, has_ended, wait_for
from toy_family import installed
from trial_place import Place

from trapcli.calibration.execution import judge_pool, supervisor_pool, trial_workers
from trapcli.calibration.execution.processes import end_marked
from trapcli.calibration.execution.scheduler import Progress, carry_out, trial_order
from trapcli.calibration.execution.workdirs import clear_scratch, new_scratch
from trapcli.calibration.false_start import FalseStart
from trapcli.calibration.records import Run, Trial
from trapcli.calibration.rejudging import rejudge
from trapcli.calibration.store.store import Store
from trapcli.calibration.store.trial_files import read_stored_files
from trapcli.calibration.stored_output import KeptFiles
from trapcli.core.errors import TrapError

pytestmark = pytest.mark.slow

LOGS = 'echo started >> "$log"; '
FAILING = "toy = hostile_families:FAILING"
WAITS = LOGS + 'while [ ! -e "$root/go" ]; do sleep 0.02; done; right'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path).activate(monkeypatch)


def our_processes(module: str) -> list[int]:
    """Return the children of this process that run this module."""
    return [
        pid
        for pid in children(os.getpid())
        if f"trapcli.calibration.execution.{module}".encode() in command(pid)
    ]


def ignore(progress: Progress) -> None:
    """Watch a run and do nothing."""


class ActOnce:
    """Watches a run and does something once, when a number of trials are done."""

    def __init__(self, done: int, act: Callable[[], object]) -> None:
        self.done, self.act = done, act

    def __call__(self, progress: Progress) -> None:
        if progress.done >= self.done and self.done >= 0:
            self.done = -1
            self.act()


def in_thread(act: Callable[[], object]) -> ActOnce:
    """Return a watch that does something in a thread from the beginning of a run."""
    return ActOnce(0, threading.Thread(target=act).start)


def without_times(trials: list[Trial]) -> list[Trial]:
    """Return the trials without what may differ between runs: times, load, names of files."""
    return [
        replace(
            trial, seconds=0.0, started="", running=0, load=0.0,
            stdout=replace(trial.stdout, file=""), stderr=replace(trial.stderr, file=""),
            files=replace(trial.files, file=""),
        )
        for trial in trials
    ]  # fmt: skip


def resume(place: Place, store: Store, run: Run, watch: Callable[[Progress], None] = ignore) -> Run:
    """Carry on a run as `--resume` does; return the run afterwards."""
    clear_scratch(run.scratch)
    store.resume(run.number, jobs=run.jobs, scratch=new_scratch())
    carry_out(store, store.run(run.number), [place.suite], watch)
    return store.run(run.number)


def test_the_first_trial_of_each_case_comes_first(place: Place) -> None:
    """Every case has its first trial before any case has its second, so half a run has all cases."""
    with place.store() as store:
        run = place.begin(store, place.agent("right"), trials=3)
        found = list(trial_order(run))
    assert found[:4] == [(0, case, 1) for case in place.suite.cases]
    assert len(found) == len(set(found)) == run.plan.total == 12


def test_every_trial_is_stored_once_and_reported(place: Place) -> None:
    """All trials are stored with their verdicts, the run is marked as ended, and the progress that is
    reported grows to the total."""
    seen: list[Progress] = []
    scripts = [LOGS + "right", LOGS + "echo 7", LOGS + "exit 0", LOGS + "right; exit 5"]
    trials = place.run_trials(place.agents(scripts), seen.append, trials=3, jobs=2)
    assert [(trial.case, trial.number) for trial in trials] == [
        (case, number) for case in place.suite.cases for number in (1, 2, 3)
    ]
    by_case = {trial.case: trial.status for trial in trials}
    assert list(by_case.values()) == ["passed", "failed", "empty", "crashed"]
    assert place.starts() == 12
    with place.store() as store:
        assert store.run(1).ended
    assert (seen[0].done, seen[0].total, seen[-1].done) == (0, 12, 12)
    assert (seen[-1].passed, seen[-1].failed, seen[-1].running) == (3, 9, 0)
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert all(progress.running <= 2 for progress in seen)
    assert place.is_clean()


def test_a_failed_trial_is_never_repeated(place: Place) -> None:
    """As many agents are started as there are trials, even if all fail; a resume starts none."""
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "echo 7; exit 3"), trials=2)
        carry_out(store, run, [place.suite], ignore)
        assert place.starts() == 8
        store._db.execute("UPDATE run SET ended = ''")  # as if killed just before the end was stored
        assert resume(place, store, run).ended
    assert place.starts() == 8


def test_one_job_and_sixteen_give_the_same_records(place: Place) -> None:
    """Apart from times, the records do not depend on how many trials run at a time."""
    scripts = [
        "right",
        r"echo 7; printf '\377' >&2",
        "right; exit 5",
        'echo "$inputs" | wc -l; echo "{}" > "$outputs/usage.json"',
    ]
    agent = place.agents(scripts)
    one, sixteen = (place.run_trials(agent, trials=5, jobs=jobs) for jobs in (1, 16))
    assert without_times(one) == without_times(sixteen)
    assert {trial.running for trial in one} == {1}


def test_the_number_of_running_trials_and_the_load_are_stored(place: Place) -> None:
    """Each trial has the number of trials that ran when it started, itself included, and the load."""
    trials = place.run_trials(
        place.agent(LOGS + 'while [ "$(wc -l < "$log")" -lt 4 ]; do sleep 0.02; done'), jobs=4
    )
    assert sorted(trial.running for trial in trials) == [1, 2, 3, 4]
    assert all(trial.load >= 0 and trial.started.endswith("+00:00") for trial in trials)
    assert all(trial.limit == 30.0 for trial in trials)


def test_reported_usage_survives_a_resume(place: Place) -> None:
    """The usage that a solution reported before a run was stopped is still stored after the resume."""
    agent = place.agent(LOGS + """echo "{\\"calls\\": $(wc -l < "$log")}" > "$outputs/usage.json"; right""")
    with place.store() as store:
        run = place.begin(store, agent, trials=2)
        stop = ActOnce(3, lambda: os.kill(os.getpid(), signal.SIGINT))
        assert carry_out(store, run, [place.suite], stop) is True
        before = list(store.trials(run.number))
        resume(place, store, run)
        after = list(store.trials(run.number))
    assert len(before) >= 3 and set(map(repr, before)) <= set(map(repr, after))
    calls = [trial.usage["calls"] for trial in after if trial.usage]
    assert len(calls) == 8 and len(set(calls)) == 8


def test_each_trial_has_new_directories(place: Place) -> None:
    """What one trial writes into its inputs or outputs is not in those of the next."""
    agent = place.agent('ls -A "$inputs"; ls -A "$outputs"; touch "$inputs/left" "$outputs/left"')
    trials = place.run_trials(agent, trials=3)
    assert {place.output(trial) for trial in trials} == {b"README.md\ndata\ntask.md\n"}


# Commands that cannot be started.


def watched(place: Place, agent: str, *, trials: int = 5, jobs: int = 1) -> tuple[FalseStart, list[Trial]]:
    """Carry out a run whose first trials are watched; return the watch and what is stored."""
    with place.store() as store:
        run = place.begin(store, agent, trials=trials, jobs=jobs)
        watch = FalseStart(run.plan.total)
        assert carry_out(store, run, [place.suite], ignore, watch) is False
        assert place.is_clean()
        return watch, list(store.trials(run.number))


def test_a_command_that_does_not_exist_stops_the_run(place: Place) -> None:
    """The first trial that says so stops the run; it is stored, and no other is started."""
    watch, trials = watched(place, place.agent(LOGS + "agnet"))
    assert watch.suspected and watch.not_found
    assert [(trial.status, trial.exit_code) for trial in trials] == [("crashed", 127)]
    assert place.starts() == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_exit_code_127_counts_once_another_trial_has_ended(place: Place, jobs: int) -> None:
    """An agent that exits with 127 in most of its trials gets no second try: each is stored as crashed."""
    agent = place.agent(LOGS + "take_number; case $n in 1|5|9) right;; *) exit 127;; esac")
    watch, trials = watched(place, agent, trials=3, jobs=jobs)
    assert not watch.suspected
    assert sorted(trial.status for trial in trials) == ["crashed"] * 9 + ["passed"] * 3
    assert place.starts() == 12


def test_trials_that_run_beside_a_missing_command_decide(place: Place) -> None:
    """Several trials exit with 127 while another one runs: it is awaited, and then the run goes on."""
    agent = place.agent(LOGS + "take_number; [ $n -gt 3 ] || { [ $n = 1 ] && sleep 0.5; exit 127; }; right")
    with place.store() as store:
        run = place.begin(store, agent, trials=2, jobs=4)
        watch = FalseStart(run.plan.total)
        carry_out(store, run, [place.suite], ignore, watch)
        assert not watch.suspected
        assert store.count_by_status(run.number) == {"crashed": 3, "passed": 5}


def test_no_trial_is_killed_or_started_once_a_false_start_is_suspected(place: Place) -> None:
    """Trials in flight are kept, though the first ones already show that the command is missing."""
    agent = place.agent(LOGS + "take_number; [ $n = 2 ] && sleep 0.5; exit 127")
    watch, trials = watched(place, agent, jobs=2)
    assert watch.not_found and len(trials) == place.starts() == 2


def test_the_first_trials_that_crash_alike_stop_the_run(place: Place) -> None:
    """Five that end with the same exit code and no answer stop it, and are kept."""
    watch, trials = watched(place, place.agent("echo no key >&2; exit 2"))
    assert watch.suspected and not watch.not_found
    assert [trial.status for trial in trials] == ["crashed"] * 5


@pytest.mark.parametrize(
    "script", ["exit 0", "take_number; exit $n", "right; exit 2", "kill -9 $$", "sleep 9"]
)
def test_first_trials_that_end_in_other_ways_do_not(place: Place, script: str) -> None:
    """A run goes on after no output, several exit codes, answers and timeouts; not after the same signal."""
    with place.store() as store:
        run = place.begin(store, place.agent(script), trials=2, jobs=2, limit=0.5)
        watch = FalseStart(run.plan.total)
        carry_out(store, run, [place.suite], ignore, watch)
        assert watch.suspected == ("kill" in script)
        assert bool(store.run(1).ended) == (not watch.suspected)


def test_a_program_that_a_solution_removes_is_not_forgiven(place: Place) -> None:
    """Once a trial has ended, a command that cannot be started any more has crashed: its trials count."""
    program = place.root / "program"
    program.write_text(f"#!/bin/sh\nrm {program}; echo 7\n")
    program.chmod(0o755)
    trials = place.run_trials(str(program))
    assert sorted((trial.status, trial.exit_code) for trial in trials) == [("crashed", 127)] * 3 + [
        ("failed", 0)
    ]


def test_exit_code_127_after_an_answer_is_a_crash(place: Place) -> None:
    """A solution that printed something was started, whatever its exit code: its trial crashed."""
    trials = place.run_trials(place.agent("right; exit 127"))
    assert [(trial.status, trial.exit_code) for trial in trials] == [("crashed", 127)] * 4


# Our own processes, killed or stopped.


def test_a_trial_that_is_not_started_in_time_stays_open(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials that could not be started are recorded as incidents; a resume runs just those."""
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 0.3)
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "right"), trials=2)
        stopped: list[int] = []

        def watch(progress: Progress) -> None:
            if not stopped:
                stopped.extend(our_processes("supervisor_pool"))
                os.kill(stopped[0], signal.SIGSTOP)
            elif store.run(1).incidents:
                os.kill(stopped[0], signal.SIGCONT)
                monkeypatch.setattr(supervisor_pool, "START_LIMIT", 60.0)

        assert carry_out(store, run, [place.suite], watch) is False
        after = store.run(1)
        assert not after.ended
        lost = [incident[:3] for incident in after.incidents]
        assert lost and all("it was not started within" in incident[3] for incident in after.incidents)
        assert store.trial_keys(1) == set(trial_order(run)) - set(lost)
        begun = place.starts()
        assert begun == len(store.trial_keys(1))
        assert resume(place, store, run).ended
        assert place.starts() == begun + len(lost) == 8
        assert {trial.status for trial in store.trials(1)} == {"passed"}


def test_a_run_in_which_nothing_starts_is_stopped(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """After several trials in a row that never ran, the run stops and says why and how to go on."""
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 0.05)
    monkeypatch.setattr(supervisor_pool, "LINGERING", 0.2)
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "right"), trials=20)

        def watch(progress: Progress) -> None:
            for pid in our_processes("supervisor_pool"):
                os.kill(pid, signal.SIGSTOP)

        with pytest.raises(
            TrapError, match=r"run 1 was stopped: the last [0-9]+ trials never ran .*--resume 1"
        ):
            carry_out(store, run, [place.suite], watch)
        assert (store.count_by_status(1), place.starts()) == ({}, 0)
        assert 5 <= len(store.run(1).incidents) < 20
    assert place.is_clean()


@pytest.mark.usefixtures("unmeasured")
def test_a_run_goes_on_when_its_supervisor_pool_is_killed(place: Place) -> None:
    """Running trials end normally, and another pool process takes the place of the killed one."""
    with place.store() as store:
        run = place.begin(store, place.agent(WAITS), trials=2, jobs=2)

        def kill() -> None:
            wait_for(lambda: place.starts() == 2)
            (pool,) = our_processes("supervisor_pool")
            os.kill(pool, signal.SIGKILL)
            wait_for(lambda: has_ended(pool))
            (place.root / "go").touch()

        carry_out(store, run, [place.suite], in_thread(kill))
        assert store.run(1).ended and store.count_by_status(1) == {"passed": 8}
        assert place.starts() == 8 and store.run(1).incidents == ()
    assert place.is_clean()


def test_a_trial_whose_supervisor_is_killed_counts_as_crashed(place: Place) -> None:
    """It counts, or an agent could undo its bad trials; its processes are killed; the others are kept."""
    with place.store() as store:
        agent = place.agent(LOGS + "setsid sh -c 'sleep 1000; :' $root & " + WAITS)
        run = place.begin(store, agent, jobs=2)

        def kill() -> None:
            wait_for(lambda: len(place.processes("sleep 1000")) >= 2)
            (pool,) = our_processes("supervisor_pool")
            os.kill(children(pool)[0], signal.SIGKILL)
            (place.root / "go").touch()

        carry_out(store, run, [place.suite], in_thread(kill))
        after = store.run(1)
        assert after.ended and next(what for *_, what in after.incidents).startswith(
            "its supervisor was killed"
        )
        assert store.count_by_status(1) == {"passed": 3, "crashed": 1}
    assert place.is_clean()


# Judges.


def test_a_judge_that_fails_costs_only_its_own_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a judge raises, hangs or dies, its trial is a judge error with the output kept; the others get
    their verdicts, and the run is complete."""
    place = Place(tmp_path, cases=5, entry=FAILING).activate(monkeypatch)
    monkeypatch.setattr(judge_pool, "LIMIT", 1.5)
    scripts = [
        "right",
        f"echo {hostile_families.RAISES}",
        f"echo {hostile_families.HANGS}",
        f"echo {hostile_families.DIES}",
        f"echo {hostile_families.NOT_FINITE}",
    ]
    seen: list[Progress] = []
    trials = place.run_trials(place.agents(scripts), seen.append, jobs=2)
    assert [trial.status for trial in trials] == ["passed", *["judge_error"] * 4]
    assert [trial.counted for trial in trials] == [True, *[False] * 4]
    assert place.output(trials[2]) == f"{hostile_families.HANGS}\n".encode()
    parts = ("", "has a fault", "gave no verdict within", "was lost", "nan as partial credit")
    for part, trial in zip(parts, trials, strict=True):
        assert part in trial.verdict["reason"]
    assert (seen[-1].passed, seen[-1].failed) == (1, 0)
    with place.store() as store:
        assert store.run(1).ended


# Suites that change.


@pytest.mark.parametrize("half", ["public", "private"])
def test_a_suite_that_an_agent_changes_is_marked(place: Place, half: str) -> None:
    """The run is marked as changed; all verdicts are those of the suite as it was opened."""
    target = place.suite.halves.private if half == "private" else place.suite.directory / "inputs"
    answers = {"public": "printf 'amount,day,void\\n5,1,False\\n' > \"$f\"", "private": 'printf "{}" > "$f"'}
    files = f"{target}/case_0*/{'*.json' if half == 'private' else 'data/*.csv'}"
    spoil = f"for f in {files}; do {answers[half]}; done; "
    trials = place.run_trials(place.agent(f"answer=$(right); {spoil} echo $answer"), trials=2, jobs=2)
    assert [trial.status for trial in trials] == ["passed"] * 8
    with place.store() as store:
        assert store.run(1).plan.suites[0].changed


def test_an_unchanged_suite_is_not_marked(place: Place) -> None:
    """Reading the suite and changing the copies marks nothing."""
    place.run_trials(place.agent(f'rm -rf "$inputs"; cat {place.suite.halves.private}/case_01/answer.json'))
    with place.store() as store:
        assert not store.run(1).plan.suites[0].changed


def test_a_suite_that_an_agent_removes_is_marked(place: Place) -> None:
    """If an agent removes the suite, the run is marked, and its trials get their verdicts."""
    trials = place.run_trials(place.agent(f"answer=$(right); rm -rf {place.suite.directory}; echo $answer"))
    assert [trial.status for trial in trials] == ["passed"] * 4
    with place.store() as store:
        assert store.run(1).plan.suites[0].changed


def test_a_damaged_suite_starts_no_trial(place: Place) -> None:
    """A case that does not fit the suite's digests is an error before anything runs."""
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "right"))
        (place.suite.directory / "inputs/case_03/task.md").write_text("another")
        with pytest.raises(TrapError, match=r"case_03/task.md was changed or damaged"):
            carry_out(store, run, [place.suite], ignore)
        assert (place.starts(), store.count_by_status(1)) == (0, {})
    assert place.is_clean()


# Interrupts.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_run_and_keeps_finished_trials(place: Place, number: signal.Signals) -> None:
    """Running trials are killed and not recorded; a resume runs each of them once."""
    with place.store() as store:
        agent = place.agent("take_number; " + LOGS + "[ $n -le 3 ] || sleep 1000; right")
        run = place.begin(store, agent, trials=3, jobs=2)
        before = signal.getsignal(number)

        def stop() -> None:
            wait_for(lambda: place.starts() == 5)
            os.kill(os.getpid(), number)

        assert carry_out(store, run, [place.suite], ActOnce(3, stop)) is True
        assert signal.getsignal(number) is before
        assert store.count_by_status(1) == {"passed": 3} and not store.run(1).ended
        assert store.run(1).incidents == ()
        assert place.is_clean()
        place.log.unlink()
        place.agent(LOGS + "right")
        assert resume(place, store, run).ended
        assert store.count_by_status(1) == {"passed": 12} and place.starts() == 9


def test_a_second_signal_stops_the_run_immediately(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run waits neither for a judge that hangs nor for an agent that ignores signals."""
    place = Place(tmp_path, cases=2, entry=FAILING).activate(monkeypatch)
    monkeypatch.setattr(judge_pool, "LIMIT", 1000.0)
    monkeypatch.setattr(supervisor_pool, "BEYOND", 1000.0)
    with place.store() as store:
        scripts = [
            LOGS + f"echo {hostile_families.HANGS}",
            LOGS + "trap '' TERM; while :; do sleep 0.02; done",
        ]
        run = place.begin(store, place.agents(scripts), jobs=2, limit=1000.0)
        stopping = threading.Event()

        def insist() -> None:
            wait_for(lambda: place.starts() == 2 and place.processes("execution.judge_pool"))
            os.kill(os.getpid(), signal.SIGINT)
            stopping.wait(60)  # until the run stops its supervisors
            os.kill(os.getpid(), signal.SIGINT)

        stop = supervisor_pool.SupervisorPool.stop

        def stop_and_note(pool: supervisor_pool.SupervisorPool) -> None:
            stop(pool)
            stopping.set()

        monkeypatch.setattr(supervisor_pool.SupervisorPool, "stop", stop_and_note)
        killed: list[list[str]] = []
        monkeypatch.setattr(trial_workers, "end_marked", lambda mark: killed.append(end_marked(mark)))
        with pytest.raises(KeyboardInterrupt):
            carry_out(store, run, [place.suite], in_thread(insist))
        # The agent was killed before the run had ended, not by the last clean-up.
        assert any(name.startswith("sh ") for names in killed[:-1] for name in names)
        assert store.count_by_status(1) == {}
    assert place.is_clean()


# Files that agents leave.


@pytest.fixture
def file_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place with a family whose answers are in the file answer.txt."""
    place = Place(tmp_path, entry="toy = hostile_families:FILES").activate(monkeypatch)
    installed(monkeypatch, toy="hostile_families:FILES")
    return place


def rejudged_statuses(place: Place) -> list[tuple[str, str]]:
    """Return for each trial of run 1 the stored status, and the one that it gets when judged again."""
    with place.store() as store:
        found = list(rejudge(store, store.run(1), [place.suite]))
    return [(one.before.status, one.after.status) for one in found]


def test_files_that_agents_leave_are_judged_and_stored(file_place: Place) -> None:
    """A trial is judged by its files, which are stored, so that it can be judged again later."""
    scripts = [
        'right > "$outputs/answer.txt"; mkdir "$outputs/a"; echo log > "$outputs/a/log"',
        'echo 7 > "$outputs/answer.txt"; echo done',
        "right",
        "exit 0",
    ]
    first, second, third, fourth = file_place.run_trials(file_place.agents(scripts), jobs=2)
    assert [one.status for one in (first, second, third, fourth)] == [
        "passed", "failed", "unreadable", "empty",
    ]  # fmt: skip
    with file_place.store() as store:
        files = read_stored_files(store.output_path(1, first.files), first.files).files
        assert sorted(files) == ["a/log", "answer.txt"] and files["a/log"] == b"log\n"
        assert store.run(1).incidents == ()
    assert third.files == fourth.files == KeptFiles()
    assert rejudged_statuses(file_place) == [
        ("passed", "passed"), ("failed", "failed"), ("unreadable", "unreadable"), ("empty", "empty"),
    ]  # fmt: skip


def test_stored_files_that_were_changed_are_noticed(file_place: Place) -> None:
    """An agent that changes the files of earlier trials changes no verdict; those trials are marked."""
    right = 'right > "$outputs/answer.txt"'
    archives = file_place.root / ".trapcli/outputs/run_1/*.files.zip"
    wait = f"while [ $(ls {archives} | wc -l) -lt 3 ]; do sleep 0.02; done"
    spoil = f"{wait}; for f in {archives}; do echo x >> $f; done"
    trials = file_place.run_trials(file_place.agents([right, right, right, f"{right}; {spoil}"]))
    assert [one.status for one in trials] == ["passed"] * 4
    with file_place.store() as store:
        incidents = store.run(1).incidents
    assert [case for _, case, *_ in incidents] == ["case_01", "case_02", "case_03"]
    assert all("its stored output was changed" in what for *_, what in incidents)
    assert rejudged_statuses(file_place) == [("passed", "judge_error")] * 3 + [("passed", "passed")]


def test_files_of_unfinished_trials_are_swept(file_place: Place) -> None:
    """A resume removes the archives that belong to no finished trial, and keeps the others."""
    file_place.run_trials(file_place.agent('right > "$outputs/answer.txt"'))
    with file_place.store() as store:
        store._db.execute("DELETE FROM trial WHERE case_id = 'case_02'")
        store.sweep(1)
        names = {trial.files.file for trial in store.trials(1)}
        assert {path.name for path in store.outputs_directory(1).glob("*.zip")} == names
        assert len(names) == 3
