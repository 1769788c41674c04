"""Which trials look like an error of the agent's provider, and which do not."""

import time
from typing import Any

import pytest
from factories import stream, trial

from trapcli.calibration.reports.provider_errors import LOOK, PATTERN, looks_like_provider_error

# What providers and their clients print when they fail.
FAILURES = (
    # Anthropic and its command line.
    'anthropic.RateLimitError: Error code: 429 - {"type": "error", "error": {"type": "rate_limit_error"}}',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    "anthropic.APIStatusError: Error code: 529",
    "anthropic.AuthenticationError: Error code: 401 - invalid x-api-key",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
    "Claude AI usage limit reached|1753077600",
    "5-hour limit reached ∙ resets 3pm\n /upgrade to increase your usage limit.",
    'API Error: 500 {"type":"error","error":{"type":"api_error"}}',
    "Invalid API key · Please run /login",
    "API Error (Connection error.) · Retrying in 1 seconds… (attempt 1/10)",
    # OpenAI, Azure and Codex.
    "openai.RateLimitError: Error code: 429 - {'error': {'code': 'insufficient_quota', 'param': None}}",
    "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000.",
    "You exceeded your current quota, please check your plan and billing details.",
    "openai.APIConnectionError: Connection error.",
    "openai.InternalServerError: Error code: 503 - {'error': {'message': 'The server is overloaded'}}",
    "Incorrect API key provided: sk-abc. You can find your API key at https://platform.openai.com.",
    "You've hit your usage limit. Upgrade to Pro or try again in 3 hours.",
    "stream error: exceeded retry limit, last status: 429 Too Many Requests",
    "Requests to the ChatCompletions_Create Operation have exceeded call rate limit. Retry after 9 s",
    "openai.OpenAIError: The api_key client option must be set either by passing api_key to the client",
    # Google.
    "google.api_core.exceptions.ResourceExhausted: 429 Resource has been exhausted (e.g. check quota).",
    '[{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).",'
    '"status":"RESOURCE_EXHAUSTED"}}]',
    "google.genai.errors.ServerError: 503 UNAVAILABLE. {'error': {'message': 'The model is overloaded.'}}",
    "google.api_core.exceptions.DeadlineExceeded: 504 Deadline Exceeded",
    '{"error": {"code": 403, "message": "Permission denied", "status": "PERMISSION_DENIED"}}',
    # Amazon.
    "botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the "
    "InvokeModel operation (reached max retries: 4): Too many tokens, please wait before trying again.",
    "An error occurred (ServiceUnavailableException) when calling the InvokeModel operation: Bedrock is "
    "unable to process your request.",
    "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL",
    "botocore.exceptions.ClientError: An error occurred (ExpiredTokenException) when calling Converse",
    # Others, and models on one's own machine.
    '{"message":"Requests rate limit exceeded","request_id":"x"}',
    '{"object":"error","message":"Service tier capacity exceeded","type":"service_tier_capacity_exceeded",'
    '"code":"3505"}\nHTTP/1.1 429',
    '{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/credits","code":402}}',
    '{"error":{"message":"Provider returned error","code":502}}',
    'Error: Post "http://127.0.0.1:11434/api/chat": dial tcp 127.0.0.1:11434: connect: connection refused',
    "Error: could not connect to ollama app, is it running?",
    "error: failed to connect to llama-server at 127.0.0.1:8080",
    # Clients of HTTP.
    "curl: (22) The requested URL returned error: 429",
    "curl: (7) Failed to connect to api.example.com port 443 after 12 ms: Couldn't connect to server",
    "curl: (6) Could not resolve host: api.example.com",
    "curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received",
    "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://api.example.com/v1",
    "urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='x', port=443): Max retries exceeded",
    "httpx.HTTPStatusError: Server error '502 Bad Gateway' for url 'https://api.example.com/v1/messages'",
    "httpx.ConnectError: [Errno -3] Temporary failure in name resolution",
    "httpx.ReadTimeout: The read operation timed out",
    "http.client.RemoteDisconnected: Remote end closed connection without response",
    "TypeError: fetch failed\n    [cause]: Error: connect ECONNREFUSED 127.0.0.1:443",
    "FetchError: request to https://api.example.com failed, reason: getaddrinfo EAI_AGAIN api.example.com",
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "<html><head><title>503 Service Temporarily Unavailable</title></head></html>\n503 Service Unavailable",
    "litellm.exceptions.RateLimitError: RateLimitError: AzureException",
)

# What agents print that only sounds like it.
NEAR_MISSES = (
    "",
    "I could not find the error in the tables.",
    "The rate is 429.00 and the limit of the customer 500.00",
    "order 503, batch 429",
    "error in row 12 of 500 rows",
    "Error: 500 rows were read, but 512 were expected.",
    "The discount code 429 gives 15 percent.",
    "Invoice 503 was charged twice; the total is 1,429.00 USD.",
    "status: paid, amount 500.00",
    "The error is 429.50 USD in February.",
    "The credit limit of customer 401 is 500 USD.",
    "The plan's quota is 500 seats, and the customer uses 429.",
    "Hi, our account has a usage limit of 20 seats. Please raise it to 30.",
    "I reached the limit of what I can tell from the tables.",
    "The rate limit of the plan is 10 requests a minute; the ticket asks for 20.",
    "The service was suspended in March, so no invoice was due.",
    "The connection between the two invoices is the code NONPROFIT15.",
    "Traceback (most recent call last):\n  File \"agent.py\", line 503, in solve\nKeyError: 'limit'",
    '  File "agent.py", line 7\nRecursionError: maximum recursion depth exceeded',
    "ModuleNotFoundError: No module named 'openai'",
    "ValueError: could not convert string to float: '429,50'",
    "decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]",
    "FileNotFoundError: [Errno 2] No such file or directory: 'tickets/503.md'",
    "I tried again in 3 ways, and the totals still differ.",
    "Segmentation fault (core dumped)",
    "The customer exceeded its credit limit by 403.20.",
    "Killed: memory limit exceeded",
    "The token of the session is stored in column 4, row 500.",
    "subscription transfer: 401 to 403, 12 seats",
    "http://example.com/plans/500 names the price",
    "No key of the table matches 409.",
)


def is_flagged(text: Any, status: Any = "unreadable", errors: Any = "", output_status: Any = "") -> Any:
    texts = {"out": text.encode(), "err": errors.encode()}
    one = trial(
        status=status,
        output=stream(text, file="out"),
        errors=stream(errors, file="err"),
        output_status=output_status,
    )
    return looks_like_provider_error(one, lambda found, limit: texts[found.file][-limit:])


@pytest.mark.parametrize("text", [*FAILURES, "rate limit exceeded", "HTTP 429", "401 Unauthorized"])
def test_messages_of_providers(text: str) -> None:
    """A short error message instead of an answer looks like a provider error, wherever it is printed."""
    assert is_flagged(text)
    assert is_flagged(f"Traceback:\n  ...\n{text}\n", "crashed")
    assert is_flagged("", "crashed", f"Traceback:\n  ...\n{text}\n")
    assert not is_flagged(text, "failed") and not is_flagged(text, "crashed", output_status="passed")


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_other_texts(text: str) -> None:
    """An agent's own words, amounts and errors do not, even with numbers like 429 and words like limit."""
    assert not is_flagged(text)
    assert not is_flagged("", "crashed", text)


@pytest.mark.parametrize(
    "text",
    [
        word * (LOOK // len(word))
        for word in ("error ", "connection ", "429 ", "exceeded ", '{"error":', "status")
    ],
)
def test_long_runs_of_such_words_take_no_time(text: str) -> None:
    """A text that an agent made up to be slow to search is searched in a moment."""
    began = time.perf_counter()
    PATTERN.search(text)
    assert time.perf_counter() - began < 1


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


def test_the_end_of_stderr_is_searched_too() -> None:
    """The end of stderr is searched, whatever stdout says, unless that holds an answer."""
    noise = "debug\n" * 1000
    assert is_flagged("\n", "empty", f"{noise}rate limit exceeded\n")
    assert is_flagged("starting\n", "crashed", "HTTP 503\n", "unreadable")
    assert is_flagged("I give up\n", "unreadable", "401 invalid api key\n")
    assert not is_flagged("I give up\n", "unreadable", "line 503 of 900\n")
    assert not is_flagged("[]\n", "failed", "401 invalid api key\n")
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
