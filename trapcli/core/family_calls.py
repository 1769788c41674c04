"""Call a family's methods; whatever goes wrong in one becomes an error that names the family."""

from collections.abc import Callable
from typing import Any, TypeVar

from trapcli.core.errors import FamilyFault, TrapError
from trapcli.core.output import Output, output_of
from trapcli.core.shorten import one_line

T = TypeVar("T")


def call(family: str, step: str, function: Callable[..., T], *arguments: Any) -> T:
    """Return `function(*arguments)`, where function is the method `step` of the family called `family`.

    A TrapError passes. Any other exception becomes a FamilyFault with its place in the source.
    """
    try:
        return function(*arguments)
    except TrapError:
        raise
    except Exception as error:
        trace, line = error.__traceback__, ""
        while trace is not None:
            line = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
            trace = trace.tb_next
        detail = one_line(f"{type(error).__name__}: {error}")
        raise fault(family, f"{step} raised {detail} ({line})") from error


def fault(family: str, what: str) -> FamilyFault:
    """Return the error for a family that did `what`."""
    return FamilyFault(f"family {family!r} failed: {what}. This is a bug in the family.")


def solver_output(family: Any, files: Any, mistake: str | None = None) -> Output:
    """Return what the family's reference solver leaves, with this mistake if one is named.

    Raises FamilyFault if the solver fails, or returns neither text nor an Output.
    """
    left = call(family.name, "solve", family.solve, dict(files), mistake)  # a copy: it must not change them
    if isinstance(left, str):
        return output_of(left)
    if isinstance(left, Output):
        return left
    raise fault(family.name, f"solve returned {type(left).__name__}, neither text nor an Output")
