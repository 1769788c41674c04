"""Messages: what arrives is what was sent, and half a message is none."""

import json
import socket

import pytest

from trapcli.calibration.execution.messages import (
    Job,
    Outcome,
    job_from_json,
    job_to_json,
    outcome_from_json,
    outcome_to_json,
    receive,
    send,
)
from trapcli.calibration.stored_output import Stream


def test_a_job_arrives_as_it_was_sent() -> None:
    """A job survives the way through a socket, also with names and variables that are not valid UTF-8."""
    job = Job(("a", "\udcff\n"), "/é", {"X": "\udc80 \u2028"}, None, 0.5, "o", "e")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(ours, job_to_json(job))
        message = receive(theirs)
        assert message is not None and job_from_json(message) == job


@pytest.mark.parametrize("printed", [None, b"", b"\xff\0 7\n"])
def test_an_outcome_is_read_back_as_it_was(printed: bytes | None) -> None:
    """An outcome survives being turned into JSON and back, with its bytes and tuples."""
    stdout = Stream("o", 9, 9, b"\xff\xfe", "d")
    outcome = Outcome(-9, True, 1.5, stdout, Stream(), ("a b",), ("init",), "lost", printed)
    assert outcome_from_json(json.loads(json.dumps(outcome_to_json(outcome)))) == outcome


@pytest.mark.parametrize("sent", [b"", b"\0\0\0", b"\0\0\0\0\0\0\0\x09{}"])
def test_an_end_that_closes_in_mid_message_has_sent_nothing(sent: bytes) -> None:
    """If the other end dies before or while it sends, there is no message."""
    ours, theirs = socket.socketpair()
    with theirs:
        with ours:
            ours.sendall(sent)
        assert receive(theirs) is None


def test_messages_arrive_one_by_one() -> None:
    """Two messages sent in a row are received one at a time."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(ours, {"n": 1})
        send(ours, {"n": 2})
        assert [receive(theirs), receive(theirs)] == [{"n": 1}, {"n": 2}]
