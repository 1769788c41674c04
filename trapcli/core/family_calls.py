"""Call a family's methods; whatever goes wrong in one becomes an error that names the family and the call.

No other module calls a method of a plugin, except the plugin itself.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from trapcli.core.contract import Answer, Case, Family, Files, Problem, Section, Verdict
from trapcli.core.errors import FamilyFault, TrapError, message_of
from trapcli.core.output import Output, output_of
from trapcli.core.plugins.returned import (
    answer_problems,
    case_problems,
    problem_problems,
    section_problems,
    verdict_problems,
)

T = TypeVar("T")


def call(family: str, step: str, function: Callable[..., T], *arguments: Any) -> T:
    """Return `function(*arguments)`, where function is the method `step` of the family called `family`.

    A TrapError and KeyboardInterrupt pass. Whatever else is raised, SystemExit too, becomes a
    FamilyFault with its place in the source.
    """
    try:
        return function(*arguments)
    except (TrapError, KeyboardInterrupt):
        raise
    except BaseException as error:
        trace, line = error.__traceback__, ""
        while trace is not None:
            line = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
            trace = trace.tb_next
        raise fault(family, f"{step} raised {message_of(error)} ({line})") from error


def fault(family: str, what: str) -> FamilyFault:
    """Return the error for a family that did `what`."""
    return FamilyFault(f"family {family!r} failed: {what}. This is a bug in the family.")


def generated(family: Family, seed: str, knobs: Any, k: int) -> Case:
    """Return case `k` of a seed, as the family generates it."""
    return _returned(family, "generate", case_problems, family.generate, seed, knobs, k)


def solved(family: Family, files: Files, mistake: str | None = None) -> str | Output:
    """Return what the family's reference solver leaves, with this mistake if one is named."""
    left = call(family.name, "solve", family.solve, dict(files), mistake)  # a copy: it must not change them
    if not isinstance(left, str | Output):
        raise fault(family.name, f"solve returned {type(left).__name__}, neither text nor an Output")
    return left


def solver_output(family: Family, files: Files, mistake: str | None = None) -> Output:
    """Return the same as `solved`, as the output of an agent."""
    left = solved(family, files, mistake)
    return output_of(left) if isinstance(left, str) else left


def checked(family: Family, case: Case) -> list[Problem]:
    """Return the problems that the family finds in a case."""
    return _returned(family, "check", problem_problems, lambda: list(family.check(case)))


def explained(family: Family, case: Case, public: bool) -> Sequence[Section]:
    """Return what the family shows of a case."""
    return _returned(family, "explain", section_problems, lambda: list(family.explain(case, public)))


def extracted(family: Family, output: Output) -> Answer | Problem:
    """Return the answer that the family reads in an output, or why it cannot be read."""
    return _returned(family, "extract", answer_problems, family.answers.extract, output)


def judged(family: Family, case: Case, answer: Answer) -> Verdict:
    """Return the family's verdict on an answer, before the core completes it."""
    return _returned(family, "judge", verdict_problems, family.answers.judge, case, answer)


def viewed(family: Family, verdict: Verdict) -> Sequence[Section]:
    """Return what the family shows of a verdict."""
    return _returned(family, "view", section_problems, lambda: list(family.answers.view(verdict)))


def reading_rules(family: Family) -> str:
    """Return what the family says about how outputs are read, for people."""
    rules = call(family.name, "rules", family.answers.rules)
    if not isinstance(rules, str):
        raise fault(family.name, f"rules returned {type(rules).__name__}, not text")
    return rules


def _returned(
    family: Family,
    step: str,
    problems: Callable[[Any], Iterator[str]],
    function: Callable[..., T],
    *arguments: Any,
) -> T:
    """Return `function(*arguments)`; FamilyFault also if `problems` finds something wrong with the result."""
    result = call(family.name, step, function, *arguments)
    for problem in call(family.name, step, lambda: list(problems(result))):
        raise fault(family.name, f"{step} returned {problem}")
    return result
