"""Outputs that look like an error of the service behind an agent, not like an answer of the agent.

A guess, for a warning only: nothing is left out of a rate because of it.
"""

import re
from collections.abc import Callable

from trapcli.calibration.records import Stream, Trial
from trapcli.judging.judge import ALONE

Reader = Callable[[Stream, int], bytes]  # the last bytes of a stored stream, at most so many

LOOK = 4000  # bytes of a stream that are looked at: its last ones
SHORT = 2000  # bytes; an output longer than this is more than an error message

ANSWERED = tuple(ALONE[status].partition("{")[0] for status in ("passed", "failed"))
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


def looks_like_provider_error(trial: Trial, read: Reader) -> bool:
    """Whether a counted trial that did not pass gave no answer but a short message of that kind.

    What it printed is looked at; where that says nothing, or the process ended badly, also
    the end of its stderr.
    """
    if not trial.counted or trial.passed or _answered(trial) or trial.stdout.size > SHORT:
        return False
    printed = _text(trial.stdout, read)
    if PHRASES.search(printed):
        return True
    ended_well = trial.status in ("unreadable", "empty")
    return bool((not printed.strip() or not ended_well) and PHRASES.search(_text(trial.stderr, read)))


def _answered(trial: Trial) -> bool:
    """Whether its output could be read as an answer, also if its process ended badly."""
    reason = str(trial.verdict.get("reason", ""))
    return trial.status == "failed" or any(words in reason for words in ANSWERED)


def _text(stream: Stream, read: Reader) -> str:
    return read(stream, LOOK).decode("utf-8", "replace") if stream.kept else ""
