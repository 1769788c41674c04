"""A build or a run that is killed at a moment, and everything that must hold afterwards.

`tests/faults/test_kills.py` tries some moments, `tests/faults/every_kill.py` as many as you like.
"""

import json
import os
from pathlib import Path

from kills import Kills
from process_table import wait_for
from trial_place import Place

TRIALS = 3  # of each of four cases
JOBS = 2
IN_FLIGHT = 4  # trials that a kill may cost: two at work and two prepared or judged
BUILD = ("build", "toy", "--out", "built", "--expected", "private/toy", "--json")
RUN = ("calibrate", "--suite", "traps/toy", "--trials", TRIALS, "-j", JOBS)


def tree(directory: Path) -> dict[str, bytes]:
    """Return every file in a directory: path -> contents."""
    return {
        str(p.relative_to(directory)): p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()
    }


def plant_decoys(place: Place) -> None:
    """Put what is not ours beside everything that we write, with links to it where a sweep could follow."""
    decoys = place.root / "decoys"
    decoys.mkdir()
    (decoys / "letter").write_text("mine")
    beside = ("built", "private", "traps", "temp", ".trapcli", ".trapcli/outputs")
    for folder in beside:
        (place.root / folder).mkdir(exist_ok=True)
    for name in ("built/.toy.trapcli-newsletter", "built/toys", "private/.toy", "temp/trapcli-letters"):
        (place.root / name).mkdir()
        (place.root / name / "letter").write_text("mine")
    for name in ("built/.toy.trapcli-old-link", "private/.toy.trapcli-new-link", "temp/trapcli-link"):
        (place.root / name).symlink_to(decoys)


def decoys(place: Place) -> set[str]:
    """Return which decoys are still there, whole."""
    return {str(path.relative_to(place.root)) for path in place.root.rglob("letter")}


class KilledBuild:
    """A build of a suite in two halves that replaces an older one, killed and done again."""

    def __init__(self, root: Path) -> None:
        self.place = Place(root)
        self.kills = Kills(self.place)
        plant_decoys(self.place)
        self.decoys = decoys(self.place)
        self.halves = (root / "built" / "toy", root / "private" / "toy")
        self.build("1")
        self.old = self.trees()
        self.total = len(self.kills.count(*self.words("2")))
        self.new = self.trees()

    def words(self, seed: str) -> tuple[str, ...]:
        return (*BUILD, "--seed", seed, "--force")

    def build(self, seed: str) -> None:
        code, _, err = self.place.start(*self.words(seed)).finish()
        assert (code, err) == (0, "")

    def trees(self) -> list[dict[str, bytes]]:
        return [tree(half) for half in self.halves]

    def try_moment(self, moment: int) -> str:
        """Kill a build before a change of the disk; assert that all is well; return what it left."""
        self.build("1")
        assert self.trees() == self.old
        assert self.kills.is_killed(moment, *self.words("2"))
        reading = ("inspect", "--suite", "built/toy", "--expected", "private/toy", "--json")
        code, out, err = self.place.start(*reading).finish()
        assert (code, err) == (0, ""), moment
        found = self.trees()
        assert found in (self.old, self.new), moment
        assert json.loads(out)["seed"] == ("1" if found == self.old else "2")
        self.build("2")
        assert self.trees() == self.new
        beside = {name for half in self.halves for name in os.listdir(half.parent) if "trapcli-" in name}
        assert beside == {".toy.trapcli-newsletter"}, moment
        assert decoys(self.place) == self.decoys and self.place.processes() == []
        return "old" if found == self.old else "new"


class KilledRun:
    """A run that is killed and resumed."""

    def __init__(self, root: Path) -> None:
        self.place = Place(root)
        self.kills = Kills(self.place)
        self.agent = self.place.agent('echo started >> "$log"; setsid sleep 1000 & right')
        self.total = TRIALS * self.place.cases

    def count(self) -> int:
        """Return how many changes of the disk a run makes."""
        return len(self.kills.count(*RUN, "--solution", self.agent))

    def try_moment(self, moment: int) -> int:
        """Kill a run before a change of the disk, resume it, assert that all is well.

        Return how many trials were stored when it was killed.
        """
        place = self.place
        plant_decoys(place)
        before = decoys(place)
        self.kills.is_killed(moment, *RUN, "--solution", self.agent)
        kept = self.stored()
        starts = place.starts()
        run = self.number()
        words = ("calibrate", "--resume", run) if run else (*RUN, "--solution", self.agent)
        code, out, err = place.start(*words).finish()
        assert code == 0 and "Traceback" not in err, (moment, out, err)
        found = self.stored()
        assert len(found) == self.total and kept.items() <= found.items(), moment
        assert {trial.status for trial in place.trials(self.number())} == {"passed"}
        assert {file for file, _ in found.values()} == self.files() - {".lock"}, moment
        assert place.starts() - starts == self.total - len(kept)
        assert place.starts() <= self.total + IN_FLIGHT
        wait_for(lambda: not place.processes())
        left = {name for name in os.listdir(place.temp)}
        assert left == {"trapcli-letters", "trapcli-link"}, (moment, left)
        assert decoys(place) == before
        return len(kept)

    def stored(self) -> dict[tuple[object, ...], tuple[str, bytes]]:
        """Return each stored trial: its key -> the name of its raw output, and its bytes."""
        run = self.number()
        return {
            (trial.suite, trial.case, trial.number): (trial.stdout.file, self.place.output(trial, run))
            for trial in (self.place.trials(run) if run else ())
        }

    def number(self) -> int:
        """Return the number of the run that was begun; 0 if none was.

        It is 2 if the first one was killed when it had its directory but was not stored yet.
        """
        found = self.place.query("SELECT number FROM run")
        assert len(found) < 2
        return int(found[0][0]) if found else 0

    def files(self) -> set[str]:
        return set(os.listdir(self.place.root / ".trapcli" / "outputs" / f"run_{self.number()}"))
