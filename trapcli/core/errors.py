"""The one error a user sees, and the exit codes of every command."""

DONE = 0  # judge: the answer passed; a batch: all passed
FAILED = 1  # judge: the answer failed; a batch: any did
UNUSABLE = 2  # usage, or input that is missing or damaged
INTERRUPTED = 130


class TrapError(Exception):
    """We cannot run, and it is not a bug: bad usage, or a missing or damaged input.

    The message is one paragraph that names the file or option, says what is wrong
    and what to do. Commands print it on stderr and exit with `UNUSABLE`.
    """
