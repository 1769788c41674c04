"""Judges in processes of their own give the family's verdicts; whatever goes wrong is a judge error."""

import io
import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import hostile_families
import pytest
from process_table import has_ended, wait_for
from toy_family import TOY, installed
from trial_place import Place

from trapcli.calibration.execution import judge_pool
from trapcli.calibration.execution.judge_pool import CaseCache, JudgeError, JudgePool, judge_stored
from trapcli.calibration.execution.scheduler import carry_out
from trapcli.calibration.execution.supervisor_pool import Stopped
from trapcli.calibration.rejudging import rejudge
from trapcli.calibration.stored_output import RawVerdict, Stream
from trapcli.core.errors import TrapError
from trapcli.core.output import LIMIT, read_output
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import read_case

FAILING = "toy = hostile_families:FAILING"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place with a suite of a family that fails to judge some answers."""
    return Place(tmp_path, cases=2, entry=FAILING).activate(monkeypatch)


@contextmanager
def judges_at_work(place: Place, count: int = 1) -> Iterator[JudgePool]:
    """Yield a pool of judges; afterwards no judge is left."""
    judges = JudgePool(CaseCache([place.suite]), count)
    try:
        yield judges
    finally:
        judges.stop()
        judges.close()
        wait_for(lambda: not place.processes("execution.judge_pool"))


def store(place: Place, output: bytes) -> tuple[Path | None, Stream]:
    """Store an output as a trial does; return the file and the record of the stream."""
    kept = output[-LIMIT:]
    digest = sha256(kept).hexdigest()
    if not output:
        return None, Stream(digest=digest)
    path = place.root / digest
    path.write_bytes(kept)
    return path, Stream(path.name, len(output), len(kept), output[:2], digest)


def judge(
    judges: JudgePool,
    place: Place,
    output: bytes | str | int,
    case: str = "case_01",
    exit_code: int = 0,
    timed_out: bool = False,
) -> RawVerdict:
    """Store an output and have it judged."""
    data = output if isinstance(output, bytes) else str(output).encode()
    return judges.judge(0, case, *store(place, data), exit_code, timed_out)


def right_answer(place: Place, case: str = "case_01") -> str:
    answer = TOY.solve(read_case(place.suite, case).files)
    assert isinstance(answer, str)
    return answer


@pytest.mark.slow
def test_judges_give_the_verdicts_of_judge_output(place: Place) -> None:
    """Whatever was printed and however the process ended, the verdict is that of `judge_output`."""
    case = read_case(place.suite, "case_02")
    outputs = [
        right_answer(place, "case_02").encode(),
        b"7",
        case.known_mistakes[0].text.encode(),
        b"no number",
        b"",
        b" \n",
        b"\xff\xfe" + "17".encode("utf-16-le"),
        b"\xff 17 \xfe",
    ]
    ends = [(0, False), (3, False), (124, False), (-9, False), (-15, True)]
    trials = [(output, *end) for output in outputs for end in ends] + [(b"17" + b"x" * LIMIT, 0, False)]
    with judges_at_work(place) as judges:
        for output, exit_code, timed_out in trials:
            read = read_output(io.BytesIO(output))
            wanted = judge_output(TOY, case, read, exit_code=exit_code, timed_out=timed_out)
            assert judge(judges, place, output, "case_02", exit_code, timed_out) == wanted.to_json()


def test_a_right_answer_whose_process_ended_badly_scores_nothing(place: Place) -> None:
    """A crash or a timeout scores 0.0, has its own status, and says what the output alone deserves."""
    with judges_at_work(place) as judges:
        crashed = judge(judges, place, right_answer(place), exit_code=1)
        late = judge(judges, place, right_answer(place), exit_code=-15, timed_out=True)
    assert (crashed["status"], crashed["score"]) == ("crashed", 0.0)
    assert crashed["reason"] == "exit code 1; the output alone would have passed"
    assert (late["status"], late["score"]) == ("timed_out", 0.0)
    assert "the output alone would have passed" in late["reason"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (hostile_families.RAISES, "judge raised RuntimeError: the judge has a fault"),
        (hostile_families.RECURSES, "judge raised RecursionError"),
        (hostile_families.NONSENSE, "judge returned str, not a Verdict"),
        (hostile_families.NOT_FINITE, "judge returned nan as partial credit"),
        (hostile_families.TOO_MUCH, "judge returned 1.5 as partial credit"),
        (hostile_families.DETAILS, "not JSON data"),
        (hostile_families.EXITS, "judge raised SystemExit: 0"),
        (hostile_families.DIES, "the judge's process was lost"),
    ],
)
def test_a_judge_that_fails_costs_only_its_own_verdict(
    place: Place, answer: int, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever a judge does becomes a judge error that says why; the next answer gets its verdict."""
    with judges_at_work(place) as judges:
        with pytest.raises(JudgeError, match=why):
            judge(judges, place, answer)
        assert judge(judges, place, right_answer(place))["status"] == "passed"
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_a_judge_that_hangs_is_killed_at_its_limit(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that does not come in time is a judge error; the judge is killed and replaced."""
    with judges_at_work(place) as judges:
        assert judge(judges, place, right_answer(place))["status"] == "passed"
        (first,) = place.processes("execution.judge_pool")
        monkeypatch.setattr(judge_pool, "LIMIT", 0.3)
        with pytest.raises(JudgeError, match="gave no verdict within"):
            judge(judges, place, hostile_families.HANGS)
        monkeypatch.setattr(judge_pool, "LIMIT", 60.0)
        assert has_ended(first)
        assert judge(judges, place, right_answer(place))["status"] == "passed"


@pytest.mark.slow
def test_an_idle_judge_that_was_killed_is_replaced(place: Place) -> None:
    """If a judge dies while it is idle, the next answer gets its verdict from another one."""
    with judges_at_work(place) as judges:
        judge(judges, place, right_answer(place))
        (idle,) = place.processes("execution.judge_pool")
        os.kill(idle, signal.SIGKILL)
        wait_for(lambda: has_ended(idle))
        assert judge(judges, place, right_answer(place))["status"] == "passed"


@pytest.mark.slow
def test_stop_ends_the_wait_for_a_judge_that_hangs(place: Place) -> None:
    """After `stop` the call that waits for a hanging judge raises Stopped, and so does every later one."""
    with judges_at_work(place) as judges, ThreadPoolExecutor(1) as thread:
        judge(judges, place, right_answer(place))
        waits = thread.submit(judge, judges, place, hostile_families.HANGS)
        wait_for(lambda: judges._busy)
        judges.stop()
        with pytest.raises(Stopped):
            waits.result(60)
        with pytest.raises(Stopped):
            judge(judges, place, right_answer(place))


def test_a_judge_that_cannot_be_started_is_a_judge_error(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no process can be started there is no verdict; the next answer gets one."""

    def refuse(module: str) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with judges_at_work(place) as judges:
        with monkeypatch.context() as patch:
            patch.setattr(judge_pool, "start", refuse)
            with pytest.raises(JudgeError, match="temporarily unavailable"):
                judge(judges, place, right_answer(place))
        assert judge(judges, place, right_answer(place))["status"] == "passed"


def test_cases_are_judged_as_they_were_first_read(place: Place) -> None:
    """Changing a suite after its cases were read changes no verdict, not even of a judge started later."""
    cases = CaseCache([place.suite])
    for case in place.suite.cases:
        cases.get(0, case)
    answer = right_answer(place)
    halves = place.suite.halves
    for path in [*(halves.private / "case_01").iterdir(), *halves.public.glob("inputs/*/*.md")]:
        path.write_text("{}")
    judges = JudgePool(cases, 1)
    assert judge(judges, place, answer)["status"] == "passed"
    assert judge(judges, place, 7)["status"] == "failed"
    judges.close()
    with pytest.raises(TrapError, match="was changed"):
        CaseCache([place.suite]).get(0, "case_01")
    with judges_at_work(place) as later, pytest.raises(JudgeError, match="changed"):
        judge(later, place, answer)


def test_cases_too_large_to_be_kept_are_judged_all_the_same(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases beyond the limit are read and sent each time, and get the same verdicts."""
    monkeypatch.setattr(judge_pool, "CASES_KEPT", 10)
    with judges_at_work(place) as judges:
        for case in [*place.suite.cases] * 2:
            assert judge(judges, place, right_answer(place, case), case)["status"] == "passed"


def test_a_changed_or_missing_output_is_a_judge_error(place: Place) -> None:
    """A stored output that was changed or removed says nothing about the solution."""
    path, stream = store(place, b"7\n")
    assert path is not None
    with judges_at_work(place) as judges:
        path.write_text(right_answer(place))
        with pytest.raises(JudgeError, match="is not what the solution printed"):
            judges.judge(0, "case_01", path, stream, 0, False)
        path.unlink()
        with pytest.raises(JudgeError, match="is not what the solution printed"):
            judges.judge(0, "case_01", path, stream, 0, False)


def test_a_program_as_an_answer_is_not_run(place: Place) -> None:
    """An answer that would run a command if it were evaluated is read as text."""
    proof = place.root / "ran"
    output = f"__import__('os').system('touch {proof}') 17".encode()
    with judges_at_work(place) as judges:
        assert judge(judges, place, output)["status"] == "failed"
    assert not proof.exists()


def test_judge_stored_gives_the_same_verdict_in_this_process(place: Place) -> None:
    """`judge_stored` returns the verdict that a judge's process sends."""
    case = read_case(place.suite, "case_01")
    with judges_at_work(place) as judges:
        for output in (right_answer(place).encode(), b"7", b""):
            here = judge_stored(case, *store(place, output), 0, False)
            assert here.to_json() == judge(judges, place, output)


def test_a_judge_works_in_its_main_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family may set an alarm while it judges, which only a main thread can, whichever thread calls."""
    place = Place(tmp_path, cases=2, entry="toy = hostile_families:ALARM").activate(monkeypatch)
    output = store(place, right_answer(place).encode())
    with judges_at_work(place, 2) as judges, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda n: judges.judge(0, "case_01", *output, 0, False), range(12)))
    assert [verdict["status"] for verdict in found] == ["passed"] * 12


def test_the_files_that_an_agent_left_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family whose answers are files gets them, byte for byte, in this process and in a judge's."""
    place = Place(tmp_path, entry="toy = hostile_families:FILES").activate(monkeypatch)
    installed(monkeypatch, toy="hostile_families:FILES")
    case = read_case(place.suite, "case_01")
    right = {"answer.txt": right_answer(place).encode(), "other.bin": b"\xff\0"}
    nothing = store(place, b"")
    with judges_at_work(place) as judges:
        wrong, missing = {"answer.txt": b"7"}, {"a.txt": b"7"}
        for files, status in ((right, "passed"), (wrong, "failed"), (missing, "unreadable")):
            here = judge_stored(case, *nothing, 0, False, files)
            there = judges.judge(0, "case_01", *nothing, 0, False, files)
            assert (here.status, there["status"]) == (status, status)
            assert here.to_json() == there
        assert judges.judge(0, "case_01", *nothing, 0, False)["status"] == "empty"


OUTPUTS = [
    "right",
    r"printf '\377\376'; right | tr -d '\n' | sed 's/./&\x00/g'",
    r"printf 'a\377\376 '; right",
    "exit 0",
    r"right; head -c 12000000 /dev/zero | tr '\0' x",
    r"head -c 12000000 /dev/zero | tr '\0' x; echo; right",
    "right; exit 9",
    "right; sleep 1000",
]
STATUSES = ["passed", "passed", "passed", "empty", "unreadable", "passed", "crashed", "timed_out"]


@pytest.mark.slow
def test_judging_again_gives_the_stored_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs that are cut, in UTF-16, not UTF-8, empty, of crashed and of timed-out trials get the stored
    verdict again, in any order."""
    place = Place(tmp_path, cases=len(OUTPUTS)).activate(monkeypatch)
    place.run_trials(place.agents(OUTPUTS), jobs=8, limit=2.0)
    with place.store() as store:
        run = store.run(1)
        found = list(rejudge(store, run, [place.suite]))
        trials = [one.before for one in found]
    assert [one.after.status for one in found] == STATUSES
    assert all(one.same for one in found)
    assert [trial.stdout.cut for trial in trials].count(True) == 2 and trials[1].stdout.head == b"\xff\xfe"
    with judges_at_work(place, 2) as judges, ThreadPoolExecutor(2) as threads:

        def again(n: int) -> bool:
            trial = trials[n]
            file = place.root / ".trapcli/outputs/run_1" / trial.stdout.file if trial.stdout.file else None
            verdict = judges.judge(0, trial.case, file, trial.stdout, trial.exit_code, trial.timed_out)
            return verdict == trial.verdict

        assert all(threads.map(again, random.Random(1).sample(range(len(trials)), len(trials))))


@pytest.mark.slow
def test_unfinished_trials_are_not_judged_again(place: Place) -> None:
    """A trial that never ended gets no verdict, even if some of its output is stored."""
    with place.store() as store:
        run = place.begin(store, place.agent("right"), trials=2)
        carry_out(store, run, [place.suite], lambda progress: None)
        store._db.execute("DELETE FROM trial WHERE case_id = 'case_02' AND number = 2")
        assert len(list((place.root / ".trapcli/outputs/run_1").glob("case_02-2-*"))) == 1
        found = list(rejudge(store, store.run(1), [place.suite]))
    assert [(one.after.case, one.after.number) for one in found] == [
        ("case_01", 1), ("case_01", 2), ("case_02", 1),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_lost_output_is_a_judge_error_when_judged_again(place: Place) -> None:
    """A trial whose stored output is missing gets a judge error that says so; the others are judged."""
    trials = place.run_trials(place.agent("right"))
    (place.root / ".trapcli/outputs/run_1" / trials[0].stdout.file).unlink()
    with place.store() as store:
        found = list(rejudge(store, store.run(1), [place.suite]))
    assert [one.after.status for one in found] == ["judge_error", "passed"]
    assert "is missing" in found[0].after.verdict["reason"] and not found[0].same
