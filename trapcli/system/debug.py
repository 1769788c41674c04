"""The debug log for bug reports: with TRAPCLI_DEBUG=1, on stderr, through the standard library's logging.

A program that uses trapcli as a library gets the same messages from the logger "trapcli". Importing
`logging` takes as long as reading a suite, so it is imported only if somebody listens.
"""

import os
import sys

VARIABLE = "TRAPCLI_DEBUG"
LOGGER = "trapcli"


def enabled() -> bool:
    """Whether the environment asks for the debug log."""
    return os.environ.get(VARIABLE, "0") not in ("", "0")


def start_log() -> None:
    """Send the debug log to stderr, and begin it with the versions and the command line."""
    import logging

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(name)s: %(message)s"))
    logger = logging.getLogger(LOGGER)
    logger.handlers[:] = [handler]  # not one more for each call of `main`
    logger.propagate = False
    logger.setLevel(logging.DEBUG)

    from platform import platform

    from trapcli.system.package import __version__

    log("trapcli %s, Python %s, %s", __version__, sys.version.split()[0], platform())
    log("command line: %r in %s", sys.argv, os.getcwd())


def log(message: str, *arguments: object) -> None:
    """Write a line to the debug log; `message` is a format for `%`."""
    logging = sys.modules.get("logging")
    if logging is not None:  # else nobody can be listening
        logging.getLogger(LOGGER).debug(message, *arguments)
