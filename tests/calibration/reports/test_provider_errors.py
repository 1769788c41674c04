"""Which trials look like an error of the agent's provider, and which must not."""

import pytest
from factories import stream, trial

from trapcli.calibration.reports.provider_errors import LOOK, looks_like_provider_error

UNREADABLE = "exit code 1; the output alone is unreadable: there is no ANSWER: line"


def looks(text, status="unreadable", errors="", reason=""):
    texts = {"out": text.encode(), "err": errors.encode()}
    one = trial(
        status=status, output=stream(text, file="out"), errors=stream(errors, file="err"), reason=reason
    )
    return looks_like_provider_error(one, lambda found, limit: texts[found.file][-limit:])


@pytest.mark.parametrize(
    "text",
    [
        "rate limit exceeded",
        "Error: RateLimitError: too many requests",
        "HTTP 429",
        "status code: 529",
        '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
        "You exceeded your current quota, please check your plan",
        "insufficient_quota",
        "503 Service Unavailable",
        "Error code: 500 - internal server error",
        "502 Bad Gateway",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        "connect ECONNREFUSED 127.0.0.1:443",
        "curl: (6) Could not resolve host: api.example.com",
        "openai.APIConnectionError: Connection error.",
        "httpx.ReadTimeout: read timed out",
        "401 Unauthorized",
        "invalid x-api-key",
    ],
)
def test_messages_of_providers(text):
    """A short message of that kind in place of an answer looks like a provider's error."""
    assert looks(text)
    assert looks(f"Traceback:\n  ...\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "I could not find the error in the tables.",
        "The rate is 429.00 and the limit of the customer 500.00",
        "order 503, batch 429",
        "error in row 12 of 500 rows",
        "",
    ],
)
def test_other_words_are_none(text):
    """Other words without an answer, amounts like 429 among them, do not."""
    assert not looks(text)


def test_trials_with_an_answer_are_none():
    """An answer that passed or failed, and one printed before a crash, is an answer."""
    text = "429 Too Many Requests, retried. ANSWER: 12.00"
    assert not looks(text, "passed")
    assert not looks(text, "failed")
    for judged in (
        "the output alone would have passed",
        "the output alone would have failed: 12.00 is wrong",
    ):
        assert not looks(text, "crashed", reason=f"exit code 1; {judged}")
    assert looks(text, "crashed", reason=UNREADABLE)


def test_long_outputs_are_none():
    """Pages without an answer in which such words occur are the agent's own."""
    assert not looks("Thinking about the rate limit. " * 100)


def test_judge_errors_are_none():
    """A trial that has no verdict is not looked at."""
    assert not looks("rate limit exceeded", "judge_error")


def test_stderr_counts_where_nothing_was_printed_or_the_process_ended_badly():
    """The end of stderr is looked at if stdout is blank or the process failed, and not else."""
    noise = "debug\n" * 1000
    assert looks("\n", "empty", f"{noise}rate limit exceeded\n")
    assert looks("starting\n", "crashed", "HTTP 503\n", UNREADABLE)
    assert not looks("I give up\n", "unreadable", "HTTP 503, retried\n")
    assert not looks("", "empty", f"rate limit exceeded\n{noise}")


def test_reads_little_and_only_what_is_needed():
    """No more than the last bytes of a stream are asked for, and nothing of trials that have an answer."""
    asked = []

    def read(found, limit):
        asked.append(limit)
        return b""

    looks_like_provider_error(trial(status="passed"), read)
    looks_like_provider_error(trial(status="failed"), read)
    assert asked == []
    looks_like_provider_error(trial(status="crashed", errors="x" * 10_000), read)
    assert asked == [LOOK, LOOK]
