"""What `test_full_disk.py` does on a small disk; bubblewrap runs it with the disk's directory as argument."""

import json
import sys
from pathlib import Path
from typing import Any

from killed_work import tree
from trial_place import Place

NOISE = 150_000  # bytes that an agent prints: more than the database grows by
ROOM = 8 * NOISE
TRIALS = 5  # of each of four cases: more than there is room for


def main() -> None:
    place = Place(Path(sys.argv[1]) / "place")
    filler = Filler(place.root / "filler")
    suite = tree(place.suite.directory)
    agent = place.agent(f"head -c {NOISE} /dev/zero | tr '\\\\0' .; echo; right")
    run = ("calibrate", "--suite", "traps/toy", "--trials", TRIALS, "--json", "--solution", agent)
    done(place, "calibrate", "--suite", "traps/toy", "--solution", place.agent("right", "short.sh"))
    first = done(place, "inspect", "run", 1, "--json")

    stored = place.root / ".trapcli"
    stored.rename(place.root / "away")
    filler.leave(0)
    refused(place, *run)
    assert not stored.exists()
    (place.root / "away").rename(stored)
    filler.leave(0)
    refused(place, "build", "toy", "--seed", 7, "--force")
    refused(place, *run)
    assert tree(place.suite.directory) == suite
    assert done(place, "inspect", "run", 1, "--json") == first
    (place.root / "short.sh").chmod(0o644)
    done(place, "judge", "--suite", "traps/toy", "--case", "case_01", "short.sh", code=1)

    filler.leave(ROOM)
    refused(place, *run)
    number = max(row[0] for row in place.query("SELECT number FROM run"))
    before = outputs(place, number)
    assert 0 < len(before) < TRIALS * place.cases
    done(place, "inspect", "run", number)

    filler.path.unlink()
    found = json.loads(done(place, "calibrate", "--resume", number, "--json"))
    assert found["status"] == "complete"
    after = outputs(place, number)
    assert len(after) == TRIALS * place.cases and before.items() <= after.items()
    done(place, "build", "toy", "--seed", 7, "--force")
    assert tree(place.suite.directory) != suite and place.is_clean()


class Filler:
    """A file that takes all the room on the disk, or all but some."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def leave(self, room: int) -> None:
        with open(self.path, "wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 4096) == 4096:
                    pass
            except OSError:
                file.truncate(file.tell() - room)


def done(place: Place, *words: object, code: int = 0) -> str:
    """Run the program, which must end well; return what it printed."""
    found, out, err = place.start(*words).finish()
    assert found == code, (words, found, out, err)
    return out


def refused(place: Place, *words: object) -> None:
    """Run the program, which must end with one line that says that the disk is full."""
    code, out, err = place.start(*words).finish()
    errors = [line for line in err.splitlines() if not line.startswith("run ")]
    assert (code, out, len(errors)) == (2, "", 1), (words, code, out, err)
    assert errors[0].startswith("Error: ") and ("full" in err or "No space left" in err), err


def outputs(place: Place, number: int) -> dict[Any, bytes]:
    """Return what each stored trial printed."""
    return {(trial.case, trial.number): place.output(trial, number) for trial in place.trials(number)}


if __name__ == "__main__":
    main()
