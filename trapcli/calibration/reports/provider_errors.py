"""Recognize outputs that look like an error of the service behind an agent, instead of an answer.

This is a guess, for a warning only: no trial is left out of a rate because of it.
"""

import re
from collections.abc import Callable

from trapcli.calibration.records import Trial
from trapcli.calibration.stored_output import Stream

TailReader = Callable[[Stream, int], bytes]  # returns the last bytes of a stored stream, up to a limit

LOOK = 4000  # bytes at the end of a stream that are searched
SHORT = 2000  # bytes; a longer output is more than an error message

ANSWERED = ("passed", "failed")
PHRASES = re.compile(
    r"rate[ _-]?limit|too many requests|overloaded"
    r"|quota (?:was |has been |is )?exceeded|exceeded your (?:current )?quota|insufficient[ _]quota"
    r"|credit balance is too low|insufficient[ _]credits?"
    r"|internal[ _]?server[ _]?error|bad gateway|service (?:is )?(?:temporarily |currently )?unavailable"
    r"|gateway time-?out"
    r"|\b(?:http|status|error|code)\b[^0-9\n]{0,20}(?:429|5[0-9][0-9])\b"
    r"|connection ?(?:was )?(?:refused|reset|aborted|closed|error|timed? ?out)"
    r"|\b(?:econnrefused|econnreset|etimedout|enotfound|eai_again)\b"
    r"|could not resolve host|name resolution|getaddrinfo"
    r"|\b(?:read|request|connect) ?time(?:d )?out"
    r"|api[ _]?(?:connection|timeout|status)?[ _]?error\b"
    r"|authentication_error|(?:invalid|incorrect|missing) (?:x-)?api[ _-]?key|401 unauthorized",
    re.ASCII | re.IGNORECASE,
)


def looks_like_provider_error(trial: Trial, read: TailReader) -> bool:
    """Return whether a counted trial printed a short error message of a provider and no answer.

    Its stdout is searched. The end of its stderr is searched too if stdout is blank or the
    process ended badly.
    """
    if not trial.counted or _has_answer(trial) or trial.stdout.size > SHORT:
        return False
    printed = _text(trial.stdout, read)
    if PHRASES.search(printed):
        return True
    ended_well = trial.status in ("unreadable", "empty")
    return bool((not printed.strip() or not ended_well) and PHRASES.search(_text(trial.stderr, read)))


def _has_answer(trial: Trial) -> bool:
    """Return whether an answer could be read from its output, even if its process ended badly."""
    return trial.status in ANSWERED or trial.verdict.get("output_status") in ANSWERED


def _text(stream: Stream, read: TailReader) -> str:
    return read(stream, LOOK).decode("utf-8", "replace") if stream.kept else ""
