"""Our own helper processes: started with the modules that this process uses, and joined to it by a socket."""

import os
import socket
import subprocess
import sys

from trapcli.system.package import ROOT

# What the new interpreter runs. It sets the module path before any import; with -P it imports nothing
# from the current directory, in which a solution may have left files.
BOOT = "import sys; sys.path[:] = {path!r}; from {module} import main; main(sys.argv[1:])"


def python(module: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs `main(words)` of a module, with this process's module path."""
    return (sys.executable, "-P", "-c", BOOT.format(path=module_path(), module=module), *words)


def module_path() -> list[str]:
    """Return this process's module path and the directory of the package trapcli, as absolute paths."""
    return list(dict.fromkeys([*(os.path.abspath(folder) for folder in sys.path), ROOT]))


def start(module: str) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """Run `main` of one of our modules in a new process; return the process and our end of a socket.

    main gets two words: the number of the file descriptor of its end, and our process id. The new
    process has a session of its own, so Ctrl-C at the terminal does not reach it.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            python(module, str(theirs.fileno()), str(os.getpid())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return process, ours
