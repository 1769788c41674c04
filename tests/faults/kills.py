"""Kill the program before its n-th change of the disk, so that a moment can be tried again exactly.

A `sitecustomize` module, found through PYTHONPATH, counts the calls of what changes the disk in the
program's own process (not in those that it starts), and kills the process before one of them.
"""

import json
import signal

from trial_place import Place, Program

HOOK = '''\
"""Written by tests/faults/kills.py."""
import builtins, json, os, signal, sqlite3, sys, threading

WHERE, AT = {where!r}, {at}
NAMES = ("rename", "replace", "unlink", "rmdir", "mkdir", "fsync", "chmod", "fchmod", "utime", "link")
done, lock, mine = [], threading.Lock(), os.getpid()


def count(what):
    if os.getpid() != mine:
        return
    with lock:
        done.append(what)
        if len(done) == AT:
            os.kill(mine, signal.SIGKILL)


def counted(what, real):
    def call(*args, **named):
        count(what)
        return real(*args, **named)
    return call


def counted_open(real, writes):
    def call(path, *args, **named):
        if writes(*args, **named):
            count("open")
        return real(path, *args, **named)
    return call


class Connection(sqlite3.Connection):
    def execute(self, words, *values):
        if words.startswith(("COMMIT", "PRAGMA")):
            count(words)
        return super().execute(words, *values)


def start():
    for name in NAMES:
        setattr(os, name, counted(name, getattr(os, name)))
    os.open = counted_open(os.open, lambda flags, *a, **n: flags & (os.O_WRONLY | os.O_RDWR))
    builtins.open = counted_open(open, lambda mode="r", *a, **n: any(c in mode for c in "wax+"))
    connect = sqlite3.connect
    sqlite3.connect = lambda *args, **named: connect(*args, **named, factory=Connection)
    import atexit
    atexit.register(lambda: os.getpid() == mine and open(WHERE, "w").write(json.dumps(done)))


if sys.orig_argv[1:3] == ["-m", "trapcli"]:
    start()
'''


class Kills:
    """Runs programs in a place that are killed at a moment: before their n-th change of the disk."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.changes = place.root / "changes.json"

    def start(self, at: int, *words: object, **more: str) -> Program:
        """Start `trapcli` with these words, to be killed before its change `at`, from 1; 0: not at all."""
        hook = self.place.packages / "sitecustomize.py"
        hook.write_text(HOOK.format(where=str(self.changes), at=at))
        return self.place.start(*words, env={"PYTHONDONTWRITEBYTECODE": "1", **more})

    def is_killed(self, at: int, *words: object, **more: str) -> bool:
        """Run such a program to its end; return whether it came to its change `at`."""
        program = self.start(at, *words, **more)
        code, out, err = program.finish()
        (self.place.packages / "sitecustomize.py").unlink()
        assert code in (0, -signal.SIGKILL), out + err
        return code != 0

    def count(self, *words: object, **more: str) -> list[str]:
        """Run such a program, and return its changes of the disk in order."""
        assert not self.is_killed(0, *words, **more)
        return [str(change) for change in json.loads(self.changes.read_text())]


def spread(total: int, moments: int) -> list[int]:
    """Return so many moments from the first change to the last, evenly spread."""
    return sorted({1 + step * (total - 1) // max(1, moments - 1) for step in range(moments)})
