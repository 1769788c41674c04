"""The errors a user sees, and the exit codes of every command."""

from trapcli.core.shorten import one_line

DONE = 0  # judge: everything passed; calibrate: the run is complete
FAILED = 1  # judge: something failed; calibrate: an open trial, a judge error, a failed self-check
UNUSABLE = 2  # wrong usage, or input that is missing or damaged
BUG = 70  # an unexpected exception (EX_SOFTWARE of sysexits.h)
INTERRUPTED = 130
CLOSED_PIPE = 141  # 128 + SIGPIPE, as a shell reports any program whose reader went away


def message_of(error: BaseException) -> str:
    """Return an exception's type and message as one line, even if its message cannot be read."""
    try:
        text = str(error)
    except Exception:
        text = "its message cannot be read"
    return one_line(f"{type(error).__name__}: {text}".removesuffix(": "))


class TrapError(Exception):
    """We cannot run, and it is not a bug of ours: wrong usage, or a missing or damaged input.

    The message is one paragraph that names the file or option, says what is wrong and what to do.
    Commands print it on stderr and exit with `UNUSABLE`.
    """


class FamilyFault(TrapError):
    """A family cannot be used: it does not load, breaks its contract, or makes no case."""
