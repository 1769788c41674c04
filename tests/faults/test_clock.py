"""A clock that jumps an hour back and forth changes no duration, no limit and no report."""

import json
from pathlib import Path

import pytest
from process_table import wait_for
from trial_place import Place

pytestmark = pytest.mark.slow

# Found through PYTHONPATH by the program and every Python process that it starts.
JUMPING = """\
import datetime, time

real = time.time


def jumping():
    return real() + (3600 if int(real() * 20) % 2 else -3600)


class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(jumping(), tz)


time.time = jumping
datetime.datetime = Jumping
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (made.packages / "sitecustomize.py").write_text(JUMPING)
    return made


def test_limits_and_durations_do_not_depend_on_the_clock(place: Place) -> None:
    """A trial ends at its limit, an earlier one passes, and each took as long as it took."""
    agent = place.agents(["right", "right; sleep 60 &", "sleep 60", "sleep 0.2; right"])
    words = ("--suite", "traps/toy", "--solution", agent, "--timeout", 1, "--json", "--trials", 2, "-j", 2)
    code, _, err = place.calibrate(*words).finish()
    assert code == 0, err
    trials = place.trials()
    assert [trial.status for trial in trials[::2]] == ["passed", "passed", "timed_out", "passed"]
    assert all(1 <= trial.seconds < 10 for trial in trials if trial.timed_out)
    assert all(0 <= trial.seconds < 10 for trial in trials) and trials[-1].seconds >= 0.2
    wait_for(place.is_clean)


def test_times_that_run_backwards_do_not_break_a_report(place: Place) -> None:
    """A run that ended before it started is resumed, listed, shown and compared like any other."""
    run = ("--suite", "traps/toy", "--solution", place.agent("right"), "--trials", 1)
    for _ in range(2):
        assert place.calibrate(*run).finish()[0] == 0
    with place.store() as store:
        store._db.execute("UPDATE run SET started = '2030-01-01T00:00:00+00:00', ended = '' WHERE number = 1")
        store._db.execute("DELETE FROM trial WHERE run = 1 AND case_id = 'case_02'")
        store._db.execute("UPDATE run SET ended = '1999-01-01T00:00:00+00:00' WHERE number = 2")
    code, _, err = place.calibrate("--resume", 1).finish()
    assert code == 0, err
    assert place.query("SELECT started > ended FROM run") == [(1,), (1,)]
    for words in (("inspect", "run"), ("inspect", "run", 2), ("calibrate", "--compare", 1, 2)):
        for more in ((), ("--json",)):
            code, out, err = place.start(*words, *more).finish()
            assert code == 0 and err == "", words
            assert not more or json.loads(out)
