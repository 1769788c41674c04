"""The installed package: its version, where it is, and where its modules are looked for."""

import os
import sys

__version__ = "0.1.0"

DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # of the package `trapcli`
ROOT = os.path.dirname(DIRECTORY)  # on sys.path: site-packages, or a checkout
COMPLETION = "_TRAPCLI_COMPLETE"  # the variable that completion scripts set, for both names of the program


def module_path() -> list[str]:
    """Return this process's module path and `ROOT`, as absolute paths, with the current directory last.

    Python puts that first for `python -m`, but a solution may leave a file there that is called like
    a module of ours or of the standard library.
    """
    try:
        here = os.getcwd()
    except OSError:  # it was removed, so no module can be there
        return [*filter(os.path.isabs, sys.path), ROOT]
    found = list(dict.fromkeys([*(os.path.abspath(folder) for folder in sys.path), ROOT]))
    if here in found and here != ROOT:
        found.remove(here)
        found.append(here)
    return found
