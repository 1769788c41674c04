"""An agent that looks for the answers everywhere it can; the tests of isolation run it isolated.

    python seeking_agent.py SKIP NEEDLE...

SKIP: "all" or "none" and directories, separated by ":"; in these directories it looks at all
names, or at nothing, but never into files. Each needle is spelt backwards, so that the agent's
own command does not contain it.

Prints JSON: suspicious names, the files with a needle in them, and what else it can do.
"""

import importlib
import json
import os
import subprocess
import sys
from typing import Any

LIKELY = ("case_01", "answer.json", "suite.json", "expected.sha256", "runs.db", "judge_pool.py", "packed")
READABLE = (".json", ".md", ".csv", ".yaml", ".sha256", ".db", ".py", ".pth", ".txt", "")
OURS = ("trapcli.suites.reader", "trapcli.cli", "families.billing")
SETTINGS = ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger")
PLENTY = ("/proc", "/dev", "/usr/share", "/usr/include", "/usr/lib/x86_64-linux-gnu")


def walk(skip: Any, names_too: Any, needles: Any, top: Any = "/") -> Any:
    """Return suspicious names that are not empty, and files with a needle in them."""
    names, hits = [], []
    for folder, folders, files in os.walk(top):
        known = any(f"{folder}/".startswith(f"{place}/") for place in skip)
        if folder.startswith(PLENTY) or (known and not names_too):
            folders.clear()
            continue
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            if name in LIKELY and filled(path):
                names.append(path)
        for name in files if not known else ():
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1] in READABLE and holds(path, needles):
                hits.append(path)
    return names, hits


def filled(path: Any) -> Any:
    """Return whether anything can be read there."""
    try:
        if os.path.isdir(path):
            return bool(os.listdir(path))
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def holds(path: Any, needles: Any) -> Any:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > 300_000:
            return False
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    return any(needle in data for needle in needles)


def processes(needles: Any) -> Any:
    """Return what other processes reveal: their variables, directories and roots."""
    found: dict[str, list[Any]] = {"pids": [], "hits": [], "roots": []}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        found["pids"].append(int(pid))
        for part in ("environ", "cmdline", "mountinfo"):
            if holds_any(f"/proc/{pid}/{part}", needles):
                found["hits"].append(f"{pid}/{part}")
        for part in ("cwd", "root"):
            try:
                found["roots"] += os.listdir(f"/proc/{pid}/{part}")
            except OSError:
                continue
    return found


def holds_any(path: Any, needles: Any) -> Any:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    return any(needle in data for needle in needles)


def writable(path: Any) -> Any:
    try:
        with open(os.path.join(path, "written"), "w") as file:
            file.write("x")
        return True
    except OSError:
        return False


def opens(path: Any) -> Any:
    """Return whether the file could be written, without writing to it."""
    try:
        os.close(os.open(path, os.O_WRONLY))
        return True
    except OSError:
        return False


def importable(name: Any) -> Any:
    try:
        importlib.import_module(name)
        return True
    except ImportError:
        return False


def escapes() -> Any:
    """Try to remove what covers the answers; return the commands that work."""
    tried = [
        ["umount", "traps"],
        ["unshare", "-rm", "umount", "traps"],
        ["unshare", "-rm", "umount", "-l", "/tmp"],
    ]
    return [" ".join(words) for words in tried if subprocess.run(words, capture_output=True).returncode == 0]


def main() -> None:
    how, *skip = sys.argv[1].split(":")
    needles = [word[::-1].encode() for word in sys.argv[2:]]
    manifest = json.loads(os.environ["TRAP_MANIFEST"])
    names, hits = walk(skip, how == "all", needles)
    home = os.environ["HOME"]
    places = [".", manifest["inputs_dir"], manifest["outputs_dir"], home, "/tmp", "/usr", "/", "traps"]
    report = {
        "names": names,
        "hits": hits,
        "processes": processes(needles),
        "env": sorted(os.environ),
        "cwd": [os.getcwd(), sorted(os.listdir("."))],
        "inputs": sorted(os.listdir(manifest["inputs_dir"])),
        "writable": [place for place in places if writable(place)],
        "imports": [name for name in OURS if importable(name)],
        "home": os.listdir(home),
        "escapes": escapes(),
        "settings": [path for path in SETTINGS if opens(path)],
        "net": os.readlink("/proc/self/ns/net"),
    }
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
