"""Turn one output of an agent into one verdict.

Every output, however bad, gets a verdict. A TrapError from here means that no verdict can be given:
the case or the family is broken, and neither is the answer's fault.
"""

import json
from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

from trapcli.core.contract import Answer, Case, Family, Problem, Verdict
from trapcli.core.errors import FamilyFault, message_of
from trapcli.core.family_calls import extracted, fault, judged
from trapcli.core.output import LIMIT, Output, output_of
from trapcli.core.shorten import one_line
from trapcli.system import debug

SCHEMA = "verdict/1"  # of the line that `verdict_json` returns; see `trapcli.schemas`
NOOP = "noop"  # the name of doing nothing, beside the names of mistakes
LONGEST_REASON = 300  # characters of a reason, or of one note
MOST_NOTES = 50
CUT = f"the output was cut: only its last {LIMIT // 1_000_000} MB are read"
ENCODER = json.JSONEncoder(allow_nan=False)
ALONE = {
    "passed": "the output alone would have passed",
    "failed": "the output alone would have failed: {}",
    "unreadable": "the output alone is unreadable: {}",
}

# The result of doing nothing, for each case that was judged.
_noop_results: MutableMapping[Case, str] = WeakKeyDictionary()


def judge_output(
    family: Family, case: Case, output: Output, *, exit_code: int = 0, timed_out: bool = False
) -> Verdict:
    """Return the verdict on what an agent left for a case.

    exit_code: of the agent's process; negative for a signal.
    timed_out: whether the process was ended at its time limit.

    A bad end of the process decides the status; the reason then adds what the output alone
    deserves. Raises TrapError if the case is broken or the family fails.
    """
    started = perf_counter()
    try:
        verdict = _judge(family, case, output)
    except FamilyFault as error:
        raise FamilyFault(f"no verdict on {case.id or 'the case'}: {error}") from error
    if timed_out:
        verdict = overrule(verdict, "timed_out", "the time limit was reached")
    elif exit_code:
        signal = f" (killed by signal {-exit_code})" if exit_code < 0 else ""
        verdict = overrule(verdict, "crashed", f"exit code {exit_code}{signal}")
    if case.id:  # not while a suite is built, which judges each case several times
        debug.log("%s %s is %s, in %.4f s", family.name, case.id, verdict.status, perf_counter() - started)
    return Verdict(  # not dataclasses.replace: a batch judges thousands
        verdict.status,
        one_line(verdict.reason, LONGEST_REASON),
        verdict.result,
        verdict.partial_credit,
        _bounded(verdict.notes),
        verdict.details,
        verdict.mistake,
        verdict.output_status,
        case.id,
        family.name,
        case.trap,
    )


def overrule(verdict: Verdict, status: str, why: str) -> Verdict:
    """Return the verdict on an output whose process ended badly: it scores 0.0, whatever it says."""
    alone = ALONE.get(verdict.output_status, "{}").format(verdict.reason)
    return replace(verdict, status=status, reason=one_line(f"{why}; {alone}", LONGEST_REASON))


def verdict_json(verdict: Verdict, **more: Any) -> str:
    """Return the verdict, after its schema and before `more` keys, as one line of JSON in ASCII."""
    return _encode(verdict, {"schema": SCHEMA}, more)


def stored_verdict_json(verdict: Verdict) -> str:
    """Return the verdict as one line of JSON in ASCII, without its schema: for a store."""
    return _encode(verdict, {}, {})


def _encode(verdict: Verdict, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    try:
        return ENCODER.encode({**before, **verdict.to_json(), **after})
    except Exception as error:  # whatever the details of a family are
        raise fault(
            verdict.family,
            f"judge returned details for {verdict.id} that are not JSON data: {message_of(error)}",
        ) from error


def _judge(family: Family, case: Case, output: Output) -> Verdict:
    """Return the verdict on the output alone, as if its process had ended well."""
    answers = family.answers
    if (not output.text or output.text.isspace()) and not (answers.reads_files and output.files):
        blank = _blank(output)
        return replace(blank, output_status=blank.status)
    answer = extracted(family, output)
    if isinstance(answer, Problem):
        reason = "; ".join(filter(None, (CUT if output.cut else "", str(answer), output.dropped)))
        return Verdict("unreadable", reason, output_status="unreadable")
    verdict = judged(family, case, answer)
    notes = (*answer.notes, *verdict.notes)
    if output.cut or output.dropped:
        notes = (*filter(None, (CUT if output.cut else "", output.dropped)), *notes)
    return Verdict(
        verdict.status,
        verdict.reason,
        verdict.result,
        verdict.partial_credit,
        notes,
        verdict.details,
        _mistake(family, case, verdict) or verdict.mistake,
        output_status=verdict.status,
    )


def _blank(output: Output) -> Verdict:
    if output.cut:
        return Verdict("unreadable", f"{CUT}, and there is nothing in them")
    if output.size:
        return Verdict("empty", "nothing was printed but white space, control characters or thinking")
    return Verdict("empty", "nothing was printed")


def _mistake(family: Family, case: Case, verdict: Verdict) -> str:
    """Return the known mistake that leads to this result, or "noop" if doing nothing does, or "".

    A case that is being built does not know its mistakes' results yet: then nothing is named.
    """
    if verdict.status == "passed" or not verdict.result or not case.known_mistakes:
        return ""
    for known in case.known_mistakes:
        if known.result == verdict.result:
            return known.name
    return NOOP if verdict.result == _noop_result(family, case) else ""


def _noop_result(family: Family, case: Case) -> str:
    """Return the result of an agent that does nothing; "" if it has none."""
    if case not in _noop_results:
        answers, result = family.answers, ""
        if answers.noop:
            answer = extracted(family, output_of(answers.noop))
            if isinstance(answer, Answer):
                result = judged(family, case, answer).result
        _noop_results[case] = result
    return _noop_results[case]


def _bounded(notes: tuple[str, ...]) -> tuple[str, ...]:
    shown = tuple(one_line(note, LONGEST_REASON) for note in notes[:MOST_NOTES])
    return shown if len(notes) <= MOST_NOTES else (*shown, f"and {len(notes) - MOST_NOTES} more notes")
