"""Who says what when: the steps of all scripts put into messages, and messages into threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from families.billing.threads.scripts import Script, Step
from trapcli.answers.edits.authoring.ticket_text import shift_month
from trapcli.core.draw import Draw

SCRIPTS_OF_ONE = 7  # scripts that begin in one thread
SAME_WRITER = 0.7  # of the later steps of a script
LATER_THREAD = 0.3  # of the later steps stand in a thread after that of the step before
TOGETHER, MOST_TOGETHER = 0.5, 3  # steps of one writer in a row that share a message
STAFF = 3


class Statement(NamedTuple):
    """A step of a script; both by their numbers."""

    script: int
    step: int


@dataclass(slots=True)
class Message:
    """A message: writer 0 is the controller."""

    thread: int
    writer: int
    day: str = ""
    statements: list[Statement] = field(default_factory=list)


def schedule(draw: Draw, scripts: Sequence[Script], last_period: str) -> list[Message]:
    """Return the messages in order; the steps of a script keep theirs."""
    threads = -(-len(scripts) // SCRIPTS_OF_ONE)
    placed: list[tuple[int, int, int, Statement]] = []
    for number, script in enumerate(scripts):
        thread, place, writer = number // SCRIPTS_OF_ONE, 0, draw.between(1, STAFF)
        for count, step in enumerate(script.steps):
            if count and thread + 1 < threads and draw.chance(LATER_THREAD):
                thread, place = thread + 1, 0
            room = 1000 - place
            place += draw.between(1, max(1, room // (len(script.steps) - count)))
            placed.append((thread, place, _writer(draw, step, count, writer), Statement(number, count)))
    placed.sort(key=lambda one: (one[0], one[1], one[3]))
    messages: list[Message] = []
    for thread, _, writer, statement in placed:
        last = messages[-1] if messages else None
        joins = last is not None and (last.thread, last.writer) == (thread, writer)
        if joins and last and len(last.statements) < MOST_TOGETHER and draw.chance(TOGETHER):
            last.statements.append(statement)
        else:
            messages.append(Message(thread, writer, statements=[statement]))
    _date(draw, messages, last_period)
    return messages


def _writer(draw: Draw, step: Step, count: int, first: int) -> int:
    if step.chief:
        return 0
    return first if not count or draw.chance(SAME_WRITER) else draw.between(1, STAFF)


def _date(draw: Draw, messages: Sequence[Message], last_period: str) -> None:
    """Give each message a day: a thread begins days after the one before has ended."""
    day, thread = date.fromisoformat(f"{shift_month(last_period, 0)}-{draw.between(3, 6):02d}"), 0
    for message in messages:
        pause = draw.between(4, 12) if message.thread != thread else draw.between(0, 1)
        day, thread = day + timedelta(days=pause), message.thread
        message.day = day.isoformat()
