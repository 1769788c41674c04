"""Recognize outputs that look like an error of the service behind an agent, instead of an answer.

This is a guess, for a warning only: no trial is left out of a rate because of it. The patterns are few
and general, because providers change their words: a status code beside words of a service, names of
errors, limits that are reached, and connections that fail.
"""

import re
from collections.abc import Callable

from trapcli.calibration.records import Trial
from trapcli.calibration.stored_output import Stream

TailReader = Callable[[Stream, int], bytes]  # returns the last bytes of a stored stream, up to a limit

LOOK = 4000  # bytes at the end of a stream that are searched
SHORT = 2000  # bytes; a longer output is more than an error message

ANSWERED = ("passed", "failed")

# A status of HTTP that says nothing about the task, and words that mark it as one on either side. After
# "error" or "code" alone, a word in small letters would make it a count, as in "error: 500 rows".
STATUS = r"(?<![\d.,])(?:401|402|403|408|409|429|5\d\d)(?![\d%]|[.,]\d)"
GAP = r"\b[^\w\n]{0,6}(?:\w{1,8}[^\w\n]{1,3})?"
STATUS_WORDS = r"\bHTTP(?:/[\d.]+)?|\bstatus(?:[ _]?code)?|\b(?:api|error)[ _](?:error|code)|\berrors?\.\w+"
WEAK_WORDS = r"\b(?:code|error|exceptions\.\w+)"
AFTER = (
    r"(?:unauthorized|forbidden|payment required|request time-?out|conflict|too many requests|"
    r"internal server error|bad gateway|service unavailable|gateway time-?out|client error|server error|"
    r"(?:the )?(?:request|resource|model|service|quota)\b)"
)
# Names of errors, as they stand in a traceback or in JSON: RateLimitError, overloaded_error, Throttling...
NAMES = (
    r"rate_?limit(?:_?(?:error|exceeded|reached)|ed)|overloaded_?error|throttling_?exception|"
    r"resource[_ ]?(?:has been )?exhausted|too_?many_?requests|statuscode\.unavailable|"
    r"service_?unavailable(?:_?(?:error|exception))?|insufficient_?(?:quota|credits?)|quota_?exceeded|"
    r"(?:internal_?server|authentication|permission_?denied|billing|api_?(?:connection|timeout|status)?)_?error|"
    r"model_?(?:not_?ready|timeout|error)_?exception|deadline_?exceeded|"
    r"(?:expired|unrecognized)_?(?:token|client)_?exception|access_?denied_?exception|no_?credentials_?error|"
    r"(?:endpoint|client|proxy)?_?(?:connect(?:ion|or)?|proxy)_?(?:error|timeout)(?:_?error)?|"
    r"connection(?:refused|reset|aborted)error|read_?time(?:d_?)?out|max_?retry_?error|"
    r"remote_?(?:protocol_?error|disconnected)|econn(?:refused|reset|aborted)|etimedout|enotfound|eai_again"
)
LIMITS = (
    r"(?:rate|usage|request|token|session|spending|weekly|daily|hourly|\d+-hour)[ -]limits?\b[^.\n]{0,40}"
    r"\b(?:reached|exceeded|hit|resets?)|"
    r"(?:hit|reached|exceeded?|over)\b[^.\n]{0,20}\b(?:rate|usage|token|request|spending|session|weekly|daily)"
    r"[ -]limits?|limit\b[^\n]{0,5}\bresets\b|rate limited|too many requests|"
    r"(?:exceeded|check)\b[^.\n]{0,20}\bquota\b|(?:insufficient|out of) (?:quota|credits?)\b|"
    r"quota (?:was |has been |is )?(?:exceeded|exhausted)|credit balance is too low|"
    r"(?:is|are) (?:currently )?overloaded\b|^\W*overloaded\W*$|at capacity|"
    r"(?:try|retry) again (?:later|(?:in|after) \d)|retry in \d"
)
CONNECTIONS = (
    r"(?:connection|connect)\b[^\n]{0,60}?\b(?:refused|reset|aborted|timed out|failed)|connection error|"
    r"(?:could not|cannot|unable to|failed to) (?:connect|resolve host)|fetch failed|socket hang up|"
    r"name resolution|name or service not known|getaddrinfo|(?:read|request|gateway|operation)s? timed out|"
    r"service (?:is )?(?:temporarily |currently )?unavailable|bad gateway|internal server error|"
    r"gateway time-?out|server disconnected|remote end closed connection"
)
KEYS = (
    r"(?:invalid|incorrect|missing|no|expired)\b[^.\n]{0,20}\bapi[ _-]?key|"
    r"api[ _-]?key[^.\n]{0,20}\b(?:invalid|missing|expired|not (?:found|set|valid)|must be set)|"
    r"unable to locate credentials|please run /login"
)
PATTERN = re.compile(
    rf"(?:{STATUS_WORDS}){GAP}{STATUS}|{WEAK_WORDS}{GAP}{STATUS}(?!\s+(?-i:[a-z]))|{STATUS}\W{{1,4}}{AFTER}"
    rf"|(?<![a-z])(?:{NAMES})|{LIMITS}|{CONNECTIONS}|{KEYS}",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)


def looks_like_provider_error(trial: Trial, read: TailReader) -> bool:
    """Return whether a counted trial printed a short error message of a provider and no answer.

    Its stdout and the end of its stderr are searched.
    """
    if not trial.counted or has_answer(trial) or trial.stdout.size > SHORT:
        return False
    return any(PATTERN.search(_text(stream, read)) for stream in (trial.stdout, trial.stderr))


def has_answer(trial: Trial) -> bool:
    """Return whether an answer could be read from its output, even if its process ended badly."""
    return trial.status in ANSWERED or trial.verdict.get("output_status") in ANSWERED


def _text(stream: Stream, read: TailReader) -> str:
    return read(stream, LOOK).decode("utf-8", "replace") if stream.kept else ""
