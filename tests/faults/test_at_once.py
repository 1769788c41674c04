"""Several programs at once on one suite and one store: each does its work, or says that it is in use.

Two runs in one place, and the resume of a run that goes on, are in `tests/calibration/execution`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from killed_work import tree
from process_table import wait_for
from trial_place import Place

pytestmark = pytest.mark.slow

BUILDS = 4


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.clean_up()


def test_of_several_builds_of_a_suite_each_is_whole_or_refused(place: Place) -> None:
    """Builds that start together end well or find the suite in use; it is one of those built, whole."""
    words = ("build", "toy", "--out", "built", "--expected", "private/toy", "--force", "--seed")
    programs = [place.start(*words, seed, env={"TOY_SECONDS": f"0.0{seed}"}) for seed in range(1, 1 + BUILDS)]
    ended = [program.finish() for program in programs]
    assert {code for code, _, _ in ended} <= {0, 2} and any(code == 0 for code, _, _ in ended)
    for code, out, err in ended:
        assert not code or (out == "" and "another build of it is running" in err)
    halves = [place.root / "built" / "toy", place.root / "private" / "toy"]
    found = [tree(half) for half in halves]
    wanted = []
    for seed in (seed for seed in range(1, 1 + BUILDS) if ended[seed - 1][0] == 0):
        assert place.start(*words, seed).finish()[0] == 0
        wanted.append([tree(half) for half in halves])
    assert found in wanted
    assert [len(list(half.parent.iterdir())) for half in halves] == [1, 1] and place.is_clean()


def test_a_suite_is_not_built_again_during_a_run(place: Place) -> None:
    """The build is refused and says why, and the run goes on as if nothing had been tried."""
    agent = place.agent('echo >> "$log"; while [ ! -e "$root/go" ]; do sleep 0.02; done; right')
    run = place.calibrate("--suite", "traps/toy", "--solution", agent, "--trials", 2, "-j", 2)
    wait_for(lambda: place.starts() == 2)
    code, out, err = place.start("build", "toy", "--seed", 3, "--force").finish()
    assert (code, out) == (2, "") and "is in use by a run" in err
    (place.root / "go").touch()
    code, out, err = run.finish()
    assert (code, "Traceback" in err) == (0, False)
    assert "8, complete" in out and "changed" not in out
    assert [trial.status for trial in place.trials()] == ["passed"] * 8
    assert place.is_clean()


def test_the_build_of_a_suite_that_is_read_is_not_refused(place: Place) -> None:
    """Readers never see half a suite while builds replace it again and again."""
    builds = [place.start("build", "toy", "--seed", 2**80, "--force")]
    for seed in range(3):
        reader = place.start("inspect", "--suite", "traps/toy", "--json")
        judge = place.start("judge", "--suite", "traps/toy", "--case", "case_01", "log", "--json")
        place.log.touch()
        code, out, err = reader.finish()
        assert (code, err) == (0, "") and '"family": "toy"' in out
        code, _, err = judge.finish()
        assert (code, err) == (1, "")
        assert builds.pop().finish()[0] == 0
        builds.append(place.start("build", "toy", "--seed", seed, "--force"))
    assert builds.pop().finish()[0] == 0
