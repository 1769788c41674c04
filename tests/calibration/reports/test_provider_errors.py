"""Which trials look like an error of the agent's provider, and which do not."""

from typing import Any

import pytest
from factories import stream, trial

from trapcli.calibration.reports.provider_errors import LOOK, looks_like_provider_error


def is_flagged(text: Any, status: Any = "unreadable", errors: Any = "", output_status: Any = "") -> Any:
    texts = {"out": text.encode(), "err": errors.encode()}
    one = trial(
        status=status,
        output=stream(text, file="out"),
        errors=stream(errors, file="err"),
        output_status=output_status,
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
def test_messages_of_providers(text: str) -> None:
    """A short error message instead of an answer looks like a provider error."""
    assert is_flagged(text)
    assert is_flagged(f"Traceback:\n  ...\n{text}\n")


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
def test_other_texts(text: str) -> None:
    """Other texts without an answer, even with amounts like 429, do not."""
    assert not is_flagged(text)


def test_trials_with_an_answer() -> None:
    """A trial with an answer does not, even if its process crashed after printing it."""
    text = "429 Too Many Requests, retried. ANSWER: 12.00"
    assert not is_flagged(text, "passed")
    assert not is_flagged(text, "failed")
    for output_status in ("passed", "failed"):
        assert not is_flagged(text, "crashed", output_status=output_status)
        assert not is_flagged(text, "timed_out", output_status=output_status)
    assert is_flagged(text, "crashed", output_status="unreadable")


def test_long_outputs() -> None:
    """Pages of text in which such words occur do not: they are the agent's own."""
    assert not is_flagged("Thinking about the rate limit. " * 100)


def test_judge_errors() -> None:
    """A trial without a verdict does not."""
    assert not is_flagged("rate limit exceeded", "judge_error")


def test_stderr_is_searched_if_stdout_is_blank_or_the_process_ended_badly() -> None:
    """The end of stderr is searched only if stdout is blank or the process ended badly."""
    noise = "debug\n" * 1000
    assert is_flagged("\n", "empty", f"{noise}rate limit exceeded\n")
    assert is_flagged("starting\n", "crashed", "HTTP 503\n", "unreadable")
    assert not is_flagged("I give up\n", "unreadable", "HTTP 503, retried\n")
    assert not is_flagged("", "empty", f"rate limit exceeded\n{noise}")


def test_only_the_end_of_a_stream_is_read() -> None:
    """The last bytes of a stream are read, and nothing of trials with an answer."""
    limits = []

    def read(found: Any, limit: Any) -> Any:
        limits.append(limit)
        return b""

    looks_like_provider_error(trial(status="passed"), read)
    looks_like_provider_error(trial(status="failed"), read)
    assert limits == []
    looks_like_provider_error(trial(status="crashed", errors="x" * 10_000, output_status="unreadable"), read)
    assert limits == [LOOK, LOOK]
