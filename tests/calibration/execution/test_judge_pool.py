"""Judges in processes of their own give the family's verdicts; whatever befalls a judge is a judge error."""

import io
import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import hostile_families
import pytest
from sandbox import Place, has_ended, wait_for
from toy_family import TOY

from trapcli.calibration.execution import judge_pool
from trapcli.calibration.execution.judge_pool import Cases, JudgeError, Judges, judge_stored
from trapcli.calibration.execution.scheduler import carry_out
from trapcli.calibration.execution.supervisor_pool import Stopped
from trapcli.calibration.records import Stream
from trapcli.calibration.rejudging import judge_again
from trapcli.core.contract import Case
from trapcli.core.errors import TrapError
from trapcli.core.output import LIMIT, read_output
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import read_case

ODD = "toy = hostile_families:ODD"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place whose suite is judged as `hostile_families` judges."""
    return Place(tmp_path, cases=2, entry=ODD).here(monkeypatch)


@contextmanager
def at_work(place: Place, count: int = 1) -> Iterator[Judges]:
    made = Judges(Cases([place.suite]), count)
    try:
        yield made
    finally:
        made.stop()
        made.close()
        wait_for(lambda: not place.alive("execution.judge_pool"))


def stored(place: Place, output: bytes) -> tuple[Path | None, Stream]:
    """An output as a trial leaves it: the file, and what became of the stream."""
    kept = output[-LIMIT:]
    digest = sha256(kept).hexdigest()
    if not output:
        return None, Stream(digest=digest)
    path = place.root / digest
    path.write_bytes(kept)
    return path, Stream(path.name, len(output), len(kept), output[:2], digest)


def judged(
    made: Judges, place: Place, output: bytes | str | int, case: str = "case_01", exit_code: int = 0,
    timed_out: bool = False,
) -> dict[str, Any]:  # fmt: skip
    data = output if isinstance(output, bytes) else str(output).encode()
    return made.judge(0, case, *stored(place, data), exit_code, timed_out)


def right(place: Place, case: str = "case_01") -> str:
    return TOY.solve(read_case(place.suite, case).files)


def test_verdicts_are_those_of_the_engine(place: Place) -> None:
    """Right, wrong, a known mistake, unreadable, empty, crashed, timed out, cut: as `judge_output` has it."""
    case = read_case(place.suite, "case_02")
    outputs = [right(place, "case_02").encode(), b"7", case.slips[0].text.encode(), b"no number", b"", b" \n",
               b"\xff\xfe" + "17".encode("utf-16-le"), b"\xff 17 \xfe"]  # fmt: skip
    ends = [(0, False), (3, False), (124, False), (-9, False), (-15, True)]
    trials = [(output, *end) for output in outputs for end in ends] + [(b"17" + b"x" * LIMIT, 0, False)]
    with at_work(place) as made:
        for output, exit_code, timed_out in trials:
            read = read_output(io.BytesIO(output))
            wanted = judge_output(TOY, case, read, exit_code=exit_code, timed_out=timed_out)
            assert judged(made, place, output, "case_02", exit_code, timed_out) == wanted.to_json()


def test_a_right_answer_that_ended_badly_says_so(place: Place) -> None:
    """A crash or a timeout scores 0.0, has a status of its own, and tells what the output alone had got."""
    with at_work(place) as made:
        crashed = judged(made, place, right(place), exit_code=1)
        late = judged(made, place, right(place), exit_code=-15, timed_out=True)
    assert (crashed["status"], crashed["score"]) == ("crashed", 0.0)
    assert crashed["reason"] == "exit code 1; the output alone would have passed"
    assert (late["status"], late["score"]) == ("timed_out", 0.0)
    assert "the output alone would have passed" in late["reason"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (hostile_families.RAISES, "judge raised RuntimeError: the judge has a fault"),
        (hostile_families.RECURSES, "judge raised RecursionError"),
        (hostile_families.NONSENSE, "judge gave str, not a Verdict"),
        (hostile_families.NOT_FINITE, "judge gave nan as partial"),
        (hostile_families.TOO_MUCH, "judge gave 1.5 as partial"),
        (hostile_families.DETAILS, "no JSON data"),
        (hostile_families.EXITS, "the judge's process was lost"),
        (hostile_families.DIES, "the judge's process was lost"),
    ],
)
def test_a_judge_that_fails_gives_no_verdict_and_spoils_no_other(
    place: Place, answer: int, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever a judge does is a judge error that says what happened; the next answer gets its verdict."""
    with at_work(place) as made:
        with pytest.raises(JudgeError, match=why):
            judged(made, place, answer)
        assert judged(made, place, right(place))["status"] == "passed"
    assert capfd.readouterr().out == ""


def test_a_judge_that_hangs_is_ended_at_its_limit(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that does not come in time is a judge error; the judge's process is killed and replaced."""
    with at_work(place) as made:
        assert judged(made, place, right(place))["status"] == "passed"
        (first,) = place.alive("execution.judge_pool")
        monkeypatch.setattr(judge_pool, "LIMIT", 0.3)
        with pytest.raises(JudgeError, match="gave no verdict within"):
            judged(made, place, hostile_families.HANGS)
        monkeypatch.setattr(judge_pool, "LIMIT", 60.0)
        assert has_ended(first)
        assert judged(made, place, right(place))["status"] == "passed"


def test_a_judge_that_was_killed_while_it_waited_is_replaced(place: Place) -> None:
    """An answer that comes to a dead judge gets its verdict from another one."""
    with at_work(place) as made:
        judged(made, place, right(place))
        (idle,) = place.alive("execution.judge_pool")
        os.kill(idle, signal.SIGKILL)
        wait_for(lambda: has_ended(idle))
        assert judged(made, place, right(place))["status"] == "passed"


def test_stopping_ends_a_verdict_that_does_not_come(place: Place) -> None:
    """After `stop` the call that waits for a hanging judge ends with Stopped, as does every later one."""
    with at_work(place) as made, ThreadPoolExecutor(1) as thread:
        judged(made, place, right(place))
        waits = thread.submit(judged, made, place, hostile_families.HANGS)
        wait_for(lambda: made._busy)
        made.stop()
        with pytest.raises(Stopped):
            waits.result(60)
        with pytest.raises(Stopped):
            judged(made, place, right(place))


def test_a_machine_that_can_start_no_judge_is_a_judge_error(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no process can be started there is no verdict; a moment later there is."""

    def full(module: str) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with at_work(place) as made:
        with monkeypatch.context() as patch:
            patch.setattr(judge_pool, "start", full)
            with pytest.raises(JudgeError, match="temporarily unavailable"):
                judged(made, place, right(place))
        assert judged(made, place, right(place))["status"] == "passed"


def test_the_case_is_the_one_that_was_read_before(place: Place) -> None:
    """A suite that is changed once its cases were read changes no verdict, in a new judge neither."""
    cases = Cases([place.suite])
    for case in place.suite.cases:
        cases.get(0, case)
    answer = right(place)
    for path in [*(place.suite.expected / "case_01").iterdir(), *place.suite.directory.glob("inputs/*/*.md")]:
        path.write_text("{}")
    made = Judges(cases, 1)
    assert judged(made, place, answer)["status"] == "passed"
    assert judged(made, place, 7)["status"] == "failed"
    made.close()
    with pytest.raises(TrapError, match="was changed"):
        Cases([place.suite]).get(0, "case_01")
    with at_work(place) as later, pytest.raises(JudgeError, match="changed"):
        judged(later, place, answer)


def test_cases_beyond_the_memory_are_judged_all_the_same(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases that are too large to be kept are read and sent each time, with the same verdict."""
    monkeypatch.setattr(judge_pool, "CASES_KEPT", 10)
    with at_work(place) as made:
        for case in [*place.suite.cases] * 2:
            assert judged(made, place, right(place, case), case)["status"] == "passed"


def test_an_output_that_is_not_what_was_printed_is_a_judge_error(place: Place) -> None:
    """A stored output that is gone, or that somebody changed, says nothing about the solution."""
    path, stream = stored(place, b"7\n")
    assert path is not None
    with at_work(place) as made:
        path.write_text(right(place))
        with pytest.raises(JudgeError, match="is not what the solution printed"):
            made.judge(0, "case_01", path, stream, 0, False)
        path.unlink()
        with pytest.raises(JudgeError, match="is not what the solution printed"):
            made.judge(0, "case_01", path, stream, 0, False)


def test_a_printed_program_is_text(place: Place) -> None:
    """An answer that would run something if it were evaluated runs nothing."""
    trap = place.root / "ran"
    output = f"__import__('os').system('touch {trap}') 17".encode()
    with at_work(place) as made:
        assert judged(made, place, output)["status"] == "failed"
    assert not trap.exists()


def test_judging_in_this_process_is_the_same(place: Place) -> None:
    """`judge_stored` gives the verdict that a judge's process gives."""
    case: Case = read_case(place.suite, "case_01")
    with at_work(place) as made:
        for output in (right(place).encode(), b"7", b""):
            here = judge_stored(case, *stored(place, output), 0, False)
            assert here.to_json() == judged(made, place, output)


def test_judges_work_in_their_main_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that sets an alarm, as only a main thread can, gives its verdicts to calls from threads."""
    place = Place(tmp_path, cases=2, entry="toy = hostile_families:ALARMED").here(monkeypatch)
    output = stored(place, right(place).encode())
    with at_work(place, 2) as made, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda n: made.judge(0, "case_01", *output, 0, False), range(12)))
    assert [verdict["status"] for verdict in found] == ["passed"] * 12


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


def test_judging_again_gives_the_stored_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of output, cut, UTF-16, no UTF-8, empty, crashed and timed out ones, gets the stored verdict
    from other processes, in whatever order."""
    place = Place(tmp_path, cases=len(OUTPUTS)).here(monkeypatch)
    place.go(place.agents(OUTPUTS), jobs=8, limit=2.0)
    with place.store() as store:
        run = store.run(1)
        found = list(judge_again(store, run, [place.suite]))
        trials = [again.before for again in found]
    assert [again.after.status for again in found] == STATUSES
    assert all(again.same for again in found)
    assert [trial.stdout.cut for trial in trials].count(True) == 2 and trials[1].stdout.head == b"\xff\xfe"
    with at_work(place, 2) as made, ThreadPoolExecutor(2) as threads:

        def again(n: int) -> bool:
            trial = trials[n]
            file = place.root / ".trapcli/outputs/run_1" / trial.stdout.file if trial.stdout.file else None
            verdict = made.judge(0, trial.case, file, trial.stdout, trial.exit_code, trial.timed_out)
            return verdict == trial.verdict

        assert all(threads.map(again, random.Random(1).sample(range(len(trials)), len(trials))))


def test_judging_again_leaves_unfinished_trials_alone(place: Place) -> None:
    """A trial that never ended has no verdict, then or now; its output, if some is there, is not judged."""
    with place.store() as store:
        run = place.begin(store, place.agent("right"), trials=2)
        carry_out(store, run, [place.suite], lambda state: None)
        store._db.execute("DELETE FROM trial WHERE case_id = 'case_02' AND number = 2")
        assert len(list((place.root / ".trapcli/outputs/run_1").glob("case_02-2-*"))) == 1
        found = list(judge_again(store, store.run(1), [place.suite]))
    assert [(again.after.case, again.after.number) for again in found] == [
        ("case_01", 1), ("case_01", 2), ("case_02", 1),
    ]  # fmt: skip


def test_an_output_that_was_lost_is_a_judge_error_when_judged_again(place: Place) -> None:
    """Without its stored output a trial cannot be judged again; that is told, and the others are judged."""
    trials = place.go(place.agent("right"))
    (place.root / ".trapcli/outputs/run_1" / trials[0].stdout.file).unlink()
    with place.store() as store:
        found = list(judge_again(store, store.run(1), [place.suite]))
    assert [again.after.status for again in found] == ["judge_error", "passed"]
    assert "is missing" in found[0].after.verdict["reason"] and not found[0].same
