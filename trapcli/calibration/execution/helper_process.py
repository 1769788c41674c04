"""Our own helper processes: started with the modules that this process uses, and joined to it by a socket."""

import os
import socket
import subprocess
import sys

from trapcli.system.package import module_path

# What the new interpreter runs. It sets the module path before any import. With -P and -s, and without
# PYTHONPATH, it imports nothing before from places where a solution may have left files.
BOOT = "import sys; sys.path[:] = {path!r}; from {module} import main; main(sys.argv[1:])"


def python(module: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs `main(words)` of a module, with this process's module path."""
    return (sys.executable, "-Ps", "-c", BOOT.format(path=module_path(), module=module), *words)


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
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return process, ours
