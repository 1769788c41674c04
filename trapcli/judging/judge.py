"""One output of an agent becomes one verdict.

An answer, however bad, gets a verdict. A TrapError from here means that no verdict can
be given: the case is broken, or the family is, and neither is the answer's fault.
"""

import json
from collections.abc import Callable, MutableMapping
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from trapcli.core.contract import Answer, Case, Family, Problem, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import LIMIT, Output

T = TypeVar("T")

NOOP = "noop"  # what doing nothing is called beside the mistakes
REASON = 300  # characters of a reason or of one note
NOTES = 50
CUT = f"the output was cut: only its last {LIMIT // 1_000_000} MB are read"

# What a family's details may not be called: the keys of a verdict, and what a batch adds.
TAKEN = {*Verdict("failed", "").to_json(), "line", "file"}
ALONE = {
    "passed": "the output alone would have passed",
    "failed": "the output alone would have failed: {}",
    "unreadable": "the output alone is unreadable: {}",
}


# What doing nothing leads to in each case that was judged.
_of_nothing: MutableMapping[Case, str] = WeakKeyDictionary()


def judge_output(
    family: Family, case: Case, output: Output, *, exit_code: int = 0, timed_out: bool = False
) -> Verdict:
    """The verdict on what an agent printed for a case.

    exit_code, timed_out: how the agent's process ended; either decides the status, and
    the reason then says what the output alone would have got. Raises TrapError if the
    case is broken or the family fails.
    """
    verdict = _judge_text(family, case, output)
    if timed_out:
        verdict = overruled(verdict, "timed_out", "the time limit was reached")
    elif exit_code:
        signal = f" (killed by signal {-exit_code})" if exit_code < 0 else ""
        verdict = overruled(verdict, "crashed", f"exit code {exit_code}{signal}")
    return replace(
        verdict,
        reason=one_line(verdict.reason),
        notes=_bounded(verdict.notes),
        id=case.id,
        family=family.name,
        category=case.category,
    )


def overruled(verdict: Verdict, status: str, why: str) -> Verdict:
    """The verdict on an output whose process ended badly: it scores 0.0, whatever it says."""
    alone = ALONE.get(verdict.status, "{}").format(verdict.reason)
    return replace(verdict, status=status, reason=one_line(f"{why}; {alone}"))


def one_line(text: str, limit: int = REASON) -> str:
    """The text as one line of at most `limit` visible characters, the rest escaped or cut off."""
    shown = text[: limit + 1]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def dumped(verdict: Verdict, **more: Any) -> str:
    """The verdict, and what else is given, as one line of JSON in ASCII."""
    try:
        return json.dumps({**verdict.to_json(), **more}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TrapError(
            f"family {verdict.family!r} gave details for {verdict.id} that are no JSON data: {error}. "
            "This is a fault of the family, not of the answer."
        ) from error


def _judge_text(family: Family, case: Case, output: Output) -> Verdict:
    """The verdict on the output alone, with its slip, as if its process had ended well."""
    if not output.text or output.text.isspace():
        return _blank(output)
    answer = _run(family, case, "extract", family.extract, output.text)
    if isinstance(answer, Problem):
        return Verdict("unreadable", f"{CUT}; {answer}" if output.cut else str(answer))
    if not isinstance(answer, Answer):
        raise _fault(family, case, f"extract gave {type(answer).__name__}, not an Answer or a Problem")
    verdict = _run(family, case, "judge", family.judge, case, answer)
    _check(family, case, verdict)
    notes = (*answer.notes, *verdict.notes)
    return replace(
        verdict,
        notes=(CUT, *notes) if output.cut else notes,
        slip=_slips(family, case, verdict) or verdict.slip,
    )


def _blank(output: Output) -> Verdict:
    if output.cut:
        return Verdict("unreadable", f"{CUT}, and nothing is in them")
    if output.size:
        return Verdict("empty", "nothing was printed but white space, control characters or thinking")
    return Verdict("empty", "nothing was printed")


def _slips(family: Family, case: Case, verdict: Verdict) -> tuple[str, ...]:
    """The mistakes of the case that lead to this verdict's result, or doing nothing; none if it passed,
    or if the case is in the making and its mistakes are not known."""
    if verdict.status == "passed" or not verdict.result or not case.slips:
        return ()
    found = tuple(slip.mechanism for slip in case.slips if slip.result == verdict.result)
    return found or ((NOOP,) if verdict.result == _nothing(family, case) else ())


def _nothing(family: Family, case: Case) -> str:
    """The result of an agent that does nothing; "" if it has none."""
    if case not in _of_nothing:
        answer = _run(family, case, "extract", family.extract, family.noop) if family.noop else None
        known = (
            _run(family, case, "judge", family.judge, case, answer) if isinstance(answer, Answer) else None
        )
        _of_nothing[case] = known.result if known else ""
    return _of_nothing[case]


def _run(family: Family, case: Case, name: str, step: Callable[..., T], *given: Any) -> T:
    """What the family's step gives; its exceptions become a TrapError that names them."""
    try:
        return step(*given)
    except TrapError:
        raise
    except Exception as error:
        detail = one_line(f"{type(error).__name__}: {error}")
        raise _fault(family, case, f"{name} raised {detail}") from error


def _check(family: Family, case: Case, verdict: Verdict) -> None:
    """Refuse what is no verdict: a family must not hand out scores that mean nothing."""
    if not isinstance(verdict, Verdict):
        raise _fault(family, case, f"judge gave {type(verdict).__name__}, not a Verdict")
    if verdict.status not in ("passed", "failed"):
        raise _fault(family, case, f"judge gave the status {verdict.status!r}, not 'passed' or 'failed'")
    if not isinstance(verdict.reason, str):
        raise _fault(family, case, f"judge gave {verdict.reason!r} as the reason, which is no text")
    if not (isinstance(verdict.partial, int | float) and 0 <= verdict.partial <= 1):
        raise _fault(family, case, f"judge gave {verdict.partial!r} as partial, which is not from 0 to 1")
    if taken := TAKEN.intersection(verdict.details):
        raise _fault(family, case, f"judge gave details called {', '.join(sorted(taken))}: taken by verdicts")


def _fault(family: Family, case: Case, what: str) -> TrapError:
    return TrapError(
        f"no verdict on {case.id or 'the case'}: family {family.name!r} failed: {what}. "
        "This is a fault of the family, not of the answer; report it with the output that was judged."
    )


def _bounded(notes: tuple[str, ...]) -> tuple[str, ...]:
    shown = tuple(one_line(note) for note in notes[:NOTES])
    return shown if len(notes) <= NOTES else (*shown, f"and {len(notes) - NOTES} more notes")
