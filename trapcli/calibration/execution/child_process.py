"""Starting our own small processes: the same code and the same modules, joined by a socket."""

import os
import socket
import subprocess
import sys

import trapcli

# What a new interpreter runs. Nothing is imported before the path is set: with -P, nothing of the
# directory that it is started in.
BOOT = "import sys; sys.path[:] = {path!r}; from {module} import main; main(sys.argv[1:])"


def python(module: str, *words: str) -> tuple[str, ...]:
    """The command that runs `main(words)` of a module with the modules that this process finds."""
    return (sys.executable, "-P", "-c", BOOT.format(path=module_path(), module=module), *words)


def module_path() -> list[str]:
    """Where this process looks for modules, and where this package stands, as absolute paths."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(trapcli.__file__)))
    return list(dict.fromkeys([*(os.path.abspath(place) for place in sys.path), root]))


def start(module: str) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """Start `main` of a module of ours in a new process, in a session of its own.

    main gets two words: the number of the file descriptor of its end of a socket, and our process
    id. Gives the process and our end. Ctrl-C at the terminal does not reach it.
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
