"""Carrying out a run: each trial once, kept as it ends, whatever befalls the others or our own processes."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import hostile_families
import pytest
from sandbox import Place, children, command, has_ended, wait_for

from trapcli.calibration.execution import judge_pool, scheduler, supervisor_pool
from trapcli.calibration.execution.scheduler import State, carry_out, keys
from trapcli.calibration.execution.workdirs import clear, new_scratch
from trapcli.calibration.records import Run, Trial
from trapcli.calibration.store.store import Store
from trapcli.core.errors import TrapError

LOGS = 'echo begun >> "$log"; '
ODD = "toy = hostile_families:ODD"
WAITS = LOGS + 'while [ ! -e "$root/go" ]; do sleep 0.02; done; right'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path).here(monkeypatch)


def ours(module: str) -> list[int]:
    """Our own processes that run this module."""
    return [pid for pid in children(os.getpid()) if f"trapcli.calibration.{module}".encode() in command(pid)]


def never(state: State) -> None:
    """Watches without a word."""


class At:
    """Watches a run, and does something once, when so many trials are done."""

    def __init__(self, done: int, act: Callable[[], object]) -> None:
        self.done, self.act = done, act

    def __call__(self, state: State) -> None:
        if state.done >= self.done and self.done >= 0:
            self.done = -1
            self.act()


def at_once(act: Callable[[], object]) -> At:
    """Does it beside the run, in a thread, from its beginning."""
    return At(0, threading.Thread(target=act).start)


def same_but_times(trials: list[Trial]) -> list[Trial]:
    """The trials without what differs from run to run by right: times, load, the names of files."""
    return [
        replace(
            trial, seconds=0.0, started="", running=0, load=0.0,
            stdout=replace(trial.stdout, file=""), stderr=replace(trial.stderr, file=""),
        )
        for trial in trials
    ]  # fmt: skip


def resumed(place: Place, store: Store, run: Run, watch: Callable[[State], None] = never) -> Run:
    """The run, carried out as `--resume` does it."""
    clear(run.scratch)
    store.resumed(run.number, jobs=run.jobs, scratch=new_scratch())
    carry_out(store, store.run(run.number), [place.suite], watch)
    return store.run(run.number)


def test_trials_go_round(place: Place) -> None:
    """The first trial of every case comes before the second of any: a part of a run is of all cases."""
    with place.store() as store:
        run = place.begin(store, place.agent("right"), trials=3)
        found = list(keys(run))
    assert found[:4] == [(0, case, 1) for case in place.suite.cases]
    assert len(found) == len(set(found)) == run.plan.total == 12


def test_every_trial_ends_once_and_is_told(place: Place) -> None:
    """All trials are stored with their verdicts, the run is marked as ended, nothing is left, and who watches
    sees the numbers grow to the total."""
    told: list[State] = []
    scripts = [LOGS + "right", LOGS + "echo 7", LOGS + "exit 0", LOGS + "right; exit 5"]
    trials = place.go(place.agents(scripts), told.append, trials=3, jobs=2)
    assert [(trial.case, trial.number) for trial in trials] == [
        (case, number) for case in place.suite.cases for number in (1, 2, 3)
    ]
    by_case = {trial.case: trial.status for trial in trials}
    assert list(by_case.values()) == ["passed", "failed", "empty", "crashed"]
    assert place.begun() == 12
    with place.store() as store:
        assert store.run(1).ended
    assert (told[0].done, told[0].total, told[-1].done) == (0, 12, 12)
    assert (told[-1].passed, told[-1].failed, told[-1].running) == (3, 9, 0)
    assert [state.done for state in told] == sorted(state.done for state in told)
    assert all(state.running <= 2 for state in told)
    assert place.is_clean()


def test_a_wrong_answer_is_never_tried_again(place: Place) -> None:
    """However many fail, so many agents are started as there are trials; going on starts none."""
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "echo 7; exit 3"), trials=2)
        carry_out(store, run, [place.suite], never)
        assert place.begun() == 8
        store._db.execute("UPDATE run SET ended = ''")  # as if it had been killed just before it was marked
        assert resumed(place, store, run).ended
    assert place.begun() == 8


def test_one_worker_and_sixteen_record_the_same(place: Place) -> None:
    """The same agent gives the same records, apart from times, one at a time and sixteen at a time."""
    scripts = [
        "right",
        r"echo 7; printf '\377' >&2",
        "right; exit 5",
        'echo "$inputs" | wc -l; echo "{}" > "$outputs/usage.json"',
    ]
    agent = place.agents(scripts)
    one, sixteen = (place.go(agent, trials=5, jobs=jobs) for jobs in (1, 16))
    assert same_but_times(one) == same_but_times(sixteen)
    assert {trial.running for trial in one} == {1}


def test_how_many_ran_and_the_load_are_stored(place: Place) -> None:
    """Each trial has the number of trials that ran when it began, itself too, and the machine's load."""
    trials = place.go(place.agent(LOGS + 'while [ "$(wc -l < "$log")" -lt 4 ]; do sleep 0.02; done'), jobs=4)
    assert sorted(trial.running for trial in trials) == [1, 2, 3, 4]
    assert all(trial.load >= 0 and trial.started.endswith("+00:00") for trial in trials)
    assert all(trial.limit == 30.0 for trial in trials)


def test_figures_of_stored_trials_come_back(place: Place) -> None:
    """Tokens that a solution told before a run was stopped are there when it has gone on."""
    agent = place.agent(LOGS + """echo "{\\"calls\\": $(wc -l < "$log")}" > "$outputs/usage.json"; right""")
    with place.store() as store:
        run = place.begin(store, agent, trials=2)
        stop = At(3, lambda: os.kill(os.getpid(), signal.SIGINT))
        assert carry_out(store, run, [place.suite], stop) is True
        before = list(store.trials(run.number))
        resumed(place, store, run)
        after = list(store.trials(run.number))
    assert len(before) >= 3 and set(map(repr, before)) <= set(map(repr, after))
    calls = [trial.usage["calls"] for trial in after if trial.usage]
    assert len(calls) == 8 and len(set(calls)) == 8


def test_each_trial_has_fresh_directories(place: Place) -> None:
    """What one trial writes into its inputs or outputs is not there for the next one."""
    agent = place.agent('ls -A "$inputs"; ls -A "$outputs"; touch "$inputs/left" "$outputs/left"')
    trials = place.go(agent, trials=3)
    assert {place.output(trial) for trial in trials} == {b"README.md\ndata\ntask.md\n"}


# Commands that cannot start.


def test_a_command_that_is_not_there_stops_the_run(place: Place) -> None:
    """One error, and what had ended before is kept; there is no trial that never was."""
    agent = place.agent("take_number; if [ $n -gt 3 ]; then agnet; else right; fi")
    with place.store() as store:
        run = place.begin(store, agent, trials=20)
        with pytest.raises(
            TrapError, match=r"agent.sh' cannot be started: exit code 127 and no output \(.*agnet"
        ):
            carry_out(store, run, [place.suite], never)
        assert store.counts(run.number) == {"passed": 3}
        assert not store.run(run.number).ended
    assert place.is_clean()


def test_exit_code_127_after_an_answer_is_a_crash(place: Place) -> None:
    """A solution that printed something was there, whatever its exit code: it crashed; the run goes on."""
    trials = place.go(place.agent("right; exit 127"))
    assert [(trial.status, trial.exit_code) for trial in trials] == [("crashed", 127)] * 4


# What befalls our own processes.


def test_a_trial_that_was_not_started_in_time_never_ran(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While nothing can be started trials stay open and are named as incidents; the run is not complete, and
    going on runs just them."""
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 0.3)
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "right"), trials=2)
        stopped: list[int] = []

        def watch(state: State) -> None:
            if not stopped:
                stopped.extend(ours("supervisor_pool"))
                os.kill(stopped[0], signal.SIGSTOP)
            elif store.run(1).incidents:
                os.kill(stopped[0], signal.SIGCONT)
                monkeypatch.setattr(supervisor_pool, "START_LIMIT", 60.0)

        assert carry_out(store, run, [place.suite], watch) is False
        after = store.run(1)
        assert not after.ended
        lost = [incident[:3] for incident in after.incidents]
        assert lost and all("it was not started within" in incident[3] for incident in after.incidents)
        assert store.done(1) == set(keys(run)) - set(lost)
        begun = place.begun()
        assert begun == len(store.done(1))
        assert resumed(place, store, run).ended
        assert place.begun() == begun + len(lost) == 8
        assert {trial.status for trial in store.trials(1)} == {"passed"}


def test_a_run_in_which_nothing_starts_is_given_up(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some trials in a row that never ran the run stops, says why and how to go on."""
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 0.05)
    monkeypatch.setattr(supervisor_pool, "LINGERING", 0.2)
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "right"), trials=20)

        def watch(state: State) -> None:
            for pid in ours("supervisor_pool"):
                os.kill(pid, signal.SIGSTOP)

        with pytest.raises(
            TrapError, match=r"run 1 was stopped: the last [0-9]+ trials never ran .*--resume 1"
        ):
            carry_out(store, run, [place.suite], watch)
        assert (store.counts(1), place.begun()) == ({}, 0)
        assert 5 <= len(store.run(1).incidents) < 20
    assert place.is_clean()


def test_a_run_goes_on_when_its_nursery_is_killed(place: Place) -> None:
    """The trial under way ends as it would have; a new nursery takes the place of the old one."""
    with place.store() as store:
        run = place.begin(store, place.agent(WAITS), trials=2, jobs=2)

        def kill() -> None:
            wait_for(lambda: place.begun() == 2)
            (nurse,) = ours("supervisor_pool")
            os.kill(nurse, signal.SIGKILL)
            wait_for(lambda: has_ended(nurse))
            (place.root / "go").touch()

        carry_out(store, run, [place.suite], at_once(kill))
        assert store.run(1).ended and store.counts(1) == {"passed": 8}
        assert place.begun() == 8 and store.run(1).incidents == ()
    assert place.is_clean()


def test_a_trial_whose_keeper_was_killed_has_crashed_and_is_told(place: Place) -> None:
    """It counts, or an agent could undo its bad trials; what it had started is gone, the others are kept."""
    with place.store() as store:
        agent = place.agent(LOGS + "setsid sh -c 'sleep 1000; :' $root & " + WAITS)
        run = place.begin(store, agent, jobs=2)

        def kill() -> None:
            wait_for(lambda: len(place.alive("sleep 1000")) >= 2)
            (nurse,) = ours("supervisor_pool")
            os.kill(children(nurse)[0], signal.SIGKILL)
            (place.root / "go").touch()

        carry_out(store, run, [place.suite], at_once(kill))
        after = store.run(1)
        assert after.ended and next(what for *_, what in after.incidents).startswith("its keeper was killed")
        assert store.counts(1) == {"passed": 3, "crashed": 1}
    assert place.is_clean()


# Judges.


def test_a_judge_that_fails_spoils_its_own_trial_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge that raises, hangs or dies makes its trial a judge error, with the output kept; the others get
    their verdicts, and the run is complete."""
    place = Place(tmp_path, cases=5, entry=ODD).here(monkeypatch)
    monkeypatch.setattr(judge_pool, "LIMIT", 1.5)
    scripts = [
        "right",
        f"echo {hostile_families.RAISES}",
        f"echo {hostile_families.HANGS}",
        f"echo {hostile_families.DIES}",
        f"echo {hostile_families.NOT_FINITE}",
    ]
    told: list[State] = []
    trials = place.go(place.agents(scripts), told.append, jobs=2)
    assert [trial.status for trial in trials] == ["passed", *["judge_error"] * 4]
    assert [trial.counted for trial in trials] == [True, *[False] * 4]
    assert place.output(trials[2]) == f"{hostile_families.HANGS}\n".encode()
    parts = ("", "has a fault", "gave no verdict within", "was lost", "nan as partial")
    for part, trial in zip(parts, trials, strict=True):
        assert part in trial.verdict["reason"]
    assert (told[-1].passed, told[-1].failed) == (1, 0)
    with place.store() as store:
        assert store.run(1).ended


# Suites that change.


@pytest.mark.parametrize("half", ["public", "private"])
def test_a_suite_that_an_agent_changes_is_noticed_and_changes_no_verdict(place: Place, half: str) -> None:
    """The run is marked; each verdict is that of the suite as it was opened, also for cases not yet begun."""
    target = place.suite.expected if half == "private" else place.suite.directory / "inputs"
    answers = {"public": "printf 'amount,day,void\\n5,1,False\\n' > \"$f\"", "private": 'printf "{}" > "$f"'}
    files = f"{target}/case_0*/{'*.json' if half == 'private' else 'data/*.csv'}"
    spoil = f"for f in {files}; do {answers[half]}; done; "
    trials = place.go(place.agent(f"answer=$(right); {spoil} echo $answer"), trials=2, jobs=2)
    assert [trial.status for trial in trials] == ["passed"] * 8
    with place.store() as store:
        assert store.run(1).plan.suites[0].changed


def test_a_suite_that_stays_as_it_is_is_not_marked(place: Place) -> None:
    """Reading it, and writing into the copies, changes nothing."""
    place.go(place.agent(f'rm -rf "$inputs"; cat {place.suite.expected}/case_01/answer.json'))
    with place.store() as store:
        assert not store.run(1).plan.suites[0].changed


def test_a_suite_that_is_gone_was_changed(place: Place) -> None:
    """If an agent removes it, the run is marked, and its trials have their verdicts."""
    trials = place.go(place.agent(f"answer=$(right); rm -rf {place.suite.directory}; echo $answer"))
    assert [trial.status for trial in trials] == ["passed"] * 4
    with place.store() as store:
        assert store.run(1).plan.suites[0].changed


def test_a_suite_that_is_damaged_begins_no_trial(place: Place) -> None:
    """A case that is not what the suite committed to is one error before anything runs."""
    with place.store() as store:
        run = place.begin(store, place.agent(LOGS + "right"))
        (place.suite.directory / "inputs/case_03/task.md").write_text("another")
        with pytest.raises(TrapError, match=r"case_03/task.md was changed or damaged"):
            carry_out(store, run, [place.suite], never)
        assert (place.begun(), store.counts(1)) == (0, {})
    assert place.is_clean()


# Interruptions.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_has_ended_and_no_more(place: Place, number: signal.Signals) -> None:
    """Finished trials are kept; running ones are killed, not recorded; going on runs the rest, once each."""
    with place.store() as store:
        agent = place.agent("take_number; " + LOGS + "[ $n -le 3 ] || sleep 1000; right")
        run = place.begin(store, agent, trials=3, jobs=2)
        before = signal.getsignal(number)

        def stop() -> None:
            wait_for(lambda: place.begun() == 5)
            os.kill(os.getpid(), number)

        assert carry_out(store, run, [place.suite], At(3, stop)) is True
        assert signal.getsignal(number) is before
        assert store.counts(1) == {"passed": 3} and not store.run(1).ended
        assert store.run(1).incidents == ()
        assert place.is_clean()
        place.log.unlink()
        place.agent(LOGS + "right")
        assert resumed(place, store, run).ended
        assert store.counts(1) == {"passed": 12} and place.begun() == 9


def test_a_second_signal_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a judge that hangs nor an agent that is deaf to signals is waited for; nothing is left."""
    place = Place(tmp_path, cases=2, entry=ODD).here(monkeypatch)
    monkeypatch.setattr(judge_pool, "LIMIT", 1000.0)
    monkeypatch.setattr(supervisor_pool, "BEYOND", 1000.0)
    with place.store() as store:
        scripts = [
            LOGS + f"echo {hostile_families.HANGS}",
            LOGS + "trap '' TERM; while :; do sleep 0.02; done",
        ]
        run = place.begin(store, place.agents(scripts), jobs=2, limit=1000.0)
        heard = threading.Event()

        def insist() -> None:
            wait_for(lambda: place.begun() == 2 and place.alive("execution.judge_pool"))
            os.kill(os.getpid(), signal.SIGINT)
            heard.wait(60)  # until the run begins to land
            os.kill(os.getpid(), signal.SIGINT)

        stop = supervisor_pool.Nursery.stop
        monkeypatch.setattr(supervisor_pool.Nursery, "stop", lambda self: (stop(self), heard.set()))
        killed: list[list[str]] = []
        end_marked = scheduler.end_marked
        monkeypatch.setattr(scheduler, "end_marked", lambda mark: killed.append(end_marked(mark)))
        with pytest.raises(KeyboardInterrupt):
            carry_out(store, run, [place.suite], at_once(insist))
        # and not at the end, when it had been waited for
        assert any(name.startswith("sh ") for names in killed[:-1] for name in names)
        assert store.counts(1) == {}
    assert place.is_clean()
