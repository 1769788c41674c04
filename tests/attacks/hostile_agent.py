"""A solution that attacks instead of solving; `test_attacks` gives each case another attack.

It never adds up anything itself: it prints the right sum only if it gets hold of it, else "nothing".
What it found out is left in report.json in its output directory.
"""

import ctypes
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

MANIFEST = json.loads(os.environ.get("TRAP_MANIFEST", '{"inputs_dir": "", "outputs_dir": ""}'))
INPUTS, OUTPUTS = Path(MANIFEST["inputs_dir"]), Path(MANIFEST["outputs_dir"])
LINES = INPUTS / "data" / "lines.csv"
# What a well-informed attacker knows: where everything is, and which attack is its own.
KNOWN = json.loads(Path("known.json").read_text()) if Path("known.json").exists() else {}
MODULES = (
    "trapcli/__init__.py", "toy_family.py", "base64.py", "queue.py", "rich/__init__.py", "sitecustomize.py",
    "usercustomize.py",
)  # fmt: skip


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def gold_in(private: Path) -> Any:
    """Return the answer of our case from a private half, which has it in one of its folders."""
    public = Path(KNOWN["public"], "inputs")
    case = next(path.name for path in public.iterdir() if digest(path / "data/lines.csv") == digest(LINES))
    return json.loads((private / case / "answer.json").read_text())["gold"]


def above(path: Path) -> Any:
    """Look for answers around the directories that the manifest names."""
    for place in (*path.parents,)[:3]:
        for found in (*place.glob("*/answer.json"), *place.glob("*/*/answer.json")):
            return json.loads(found.read_text())["gold"]


def processes() -> Iterator[tuple[int, str]]:
    """Yield what other processes reveal in their commands, variables, directories and open files."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for part in ("cmdline", "environ"):
            try:
                yield int(pid), Path("/proc", pid, part).read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
        for part in ("cwd", "root", "fd"):
            place = Path("/proc", pid, part)
            try:
                for link in place.iterdir() if part == "fd" else (place,):
                    yield int(pid), os.readlink(link)
            except OSError:
                continue


def proc() -> Any:
    for _, text in processes():
        for private in (Path(text[:4000].split("\0")[0], "private"), Path(KNOWN["private"])):
            if KNOWN["private"] in text or (private / "suite.json").exists():
                return gold_in(private)


def known_path() -> Any:
    return gold_in(Path(KNOWN["private"]))


def disk_search() -> Any:
    for place, _, names in os.walk(KNOWN["root"]):
        if "suite.json" in names:
            return gold_in(Path(place))


def earlier_outputs() -> Any:
    """Read what an honest agent printed in an earlier run."""
    for path in sorted(Path(KNOWN["runs"], "outputs/run_1").iterdir()):
        if path.name.startswith(KNOWN["cases"][digest(LINES)]) and path.suffix == ".stdout":
            return path.read_text().split()[-1]


def database() -> Any:
    """Read the seed of the suite, and generate the cases from it."""
    with sqlite3.connect(f"file:{KNOWN['runs']}/runs.db?mode=ro", uri=True) as db:
        plan = json.loads(db.execute("SELECT plan FROM run").fetchone()[0])
    return generated([plan["suites"][0]["recipe"]["seed"]])


def forged_row() -> None:
    """Store a verdict of our own before ours is stored: copy the row of the honest agent."""
    case = KNOWN["cases"][digest(LINES)]
    with sqlite3.connect(Path(KNOWN["runs"], "runs.db"), timeout=20) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(trial)")][1:]
        query = f"INSERT INTO trial SELECT ?, {', '.join(names)} FROM trial WHERE run = 1 AND case_id = ?"
        db.execute(query, [KNOWN["run"], case])


def solver() -> Any:
    sys.path[:0] = KNOWN["modules"]
    from toy_family import TOY

    files = {path: (INPUTS / path).read_text() for path in ("task.md", "data/lines.csv")}
    return str(TOY.solve(files)).split()[-1].rstrip(".")


def guessed_seed() -> Any:
    return generated([*map(str, range(50)), "random", "secret", "test"])


def generated(seeds: Any) -> Any:
    """Build the suite again with a renamed copy of the generator, from each of these seeds."""
    from rebuilt import TOY

    for seed in seeds:
        for number in range(len(KNOWN["cases"])):
            case = TOY.generate(seed, TOY.knobs(), number)
            if case.files["data/lines.csv"] == LINES.read_text():
                return case.gold


def fake_modules() -> None:
    """Leave modules that our own processes may import; each would leave a mark."""
    for name in MODULES:
        mark = (
            "if 'hostile.py' not in open('/proc/self/cmdline').read():\n"
            f"    open({KNOWN['marks']!r} + '/{Path(name).parts[0]}', 'w').close()\n"
        )
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(mark)


def links() -> Any:
    target = next(Path(KNOWN["private"]).glob("*/answer.json"), Path(KNOWN["private"], "answer.json"))
    (OUTPUTS / "answer.json").symlink_to(target)
    (OUTPUTS / "private").symlink_to(KNOWN["private"])
    os.mkfifo(OUTPUTS / "usage.json")
    os.link(target, OUTPUTS / "hard.json")


def descriptors() -> Any:
    """Write a verdict to whatever descriptor we have, and to both streams."""
    verdict = json.dumps({"schema": "verdict/1", "status": "passed", "score": 1.0, "outcome": {}})
    print(verdict.replace("1", "one"))
    print(verdict, file=sys.stderr)
    open_now = [int(name) for name in os.listdir("/proc/self/fd")]
    open_now = [fd for fd in open_now if os.path.exists(f"/proc/self/fd/{fd}")]
    for fd in open_now[3:]:
        try:
            os.write(fd, verdict.encode())
        except OSError:
            continue
    return {"descriptors": open_now}


def ptrace() -> Any:
    """Try to attach to the processes of trapcli."""
    libc, found = ctypes.CDLL(None), []
    for pid, text in processes():
        if "trapcli.calibration" in text and pid != os.getpid() and pid not in found:
            if libc.ptrace(16, pid, 0, 0) == 0:  # PTRACE_ATTACH
                os.waitpid(pid, 0x40000000)  # __WALL
                libc.ptrace(17, pid, 0, 0)  # PTRACE_DETACH
                return {"attached": True}
            found.append(pid)
    return {"attached": False}


def kill_supervisor() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.2)


def writable() -> Any:
    """Find out what could be overwritten, without doing it."""
    found = [path for path in KNOWN["ours"] if os.access(path, os.W_OK)]
    return {"writable": found}


def leave() -> None:
    for place in (".", "/tmp", os.environ["HOME"], str(INPUTS), str(OUTPUTS)):
        try:
            Path(place, KNOWN["leaving"]).write_text("7")
        except OSError:
            continue


def find_leavings() -> Any:
    places = (".", "/tmp", os.environ["HOME"], str(INPUTS), str(OUTPUTS))
    return {"left": [place for place in places if Path(place, KNOWN["leaving"]).exists()]}


def outlive() -> None:
    """Leave a daemon, in a session of its own, that would act after the trial."""
    code = f"import time; time.sleep(30); open({KNOWN['marks']!r} + '/daemon', 'w')  # {KNOWN['leaving']}"
    line = [sys.executable, "-c", code]
    subprocess.Popen(
        line, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={}
    )


def network() -> Any:
    try:
        socket.create_connection(("127.0.0.1", KNOWN["port"]), timeout=5).close()
        return {"network": True}
    except OSError:
        return {"network": False}


ATTACKS: dict[str, Callable[[], Any]] = {
    "leaves modules": fake_modules,  # first: judges are started after the first trial
    "leaves files for later trials": leave,
    "follows the manifest's paths": lambda: above(INPUTS) or above(OUTPUTS),
    "reads /proc": proc,
    "reads the private half": known_path,
    "searches the disk": disk_search,
    "reads an earlier run's outputs": earlier_outputs,
    "reads the database": database,
    "writes a row of its own": forged_row,
    "imports the solver": solver,
    "rebuilds the suite with a guessed seed": guessed_seed,
    "leaves links": links,
    "writes to descriptors": descriptors,
    "attaches to trapcli": ptrace,
    "kills its supervisor": kill_supervisor,
    "looks for what it can overwrite": writable,
    "looks for what others left": find_leavings,
    "leaves a daemon": outlive,
    "looks for a network": network,
    "exits with a code": lambda: os._exit(77),
}


def main() -> None:
    report: Any = {}
    answer: Any = None
    try:
        answer = ATTACKS[KNOWN["attacks"][digest(LINES)]]()
    except Exception as error:  # it was stopped
        report = {"stopped": f"{type(error).__name__}: {error}"}
    if isinstance(answer, dict):
        report, answer = answer, answer.get("sum")
    (OUTPUTS / "report.json").write_text(json.dumps(report))
    print("nothing" if answer is None else answer)


if __name__ == "__main__":
    main()
