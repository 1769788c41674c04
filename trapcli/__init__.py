"""Generate evaluation tasks for AI agents, judge their answers deterministically, and measure an agent.

The public API; everything else may change:

    import trapcli

    suite = trapcli.load("traps/billing")                      # a suite on disk
    suite = trapcli.generate("billing", seed=7, level=3)       # in memory, endless
    for case in suite:
        verdict = suite.judge(case, my_agent(case.prompt()))   # verdict.passed, .mistake, .reason
    result = trapcli.calibrate("traps/billing", agent, trials=10)   # agent(case) -> text; result.rate

Authors of families import `trapcli.core` (contract, knobs, draw, money), `trapcli.answers` and
`trapcli.testing.check_family`. Names are loaded when they are first used, so that importing the
package costs next to nothing.
"""

from trapcli.system.package import __version__

TYPE_CHECKING = False  # as in typing, whose import would take ten times as long as all the rest
if TYPE_CHECKING:
    from typing import Any

    from trapcli.api import (
        GeneratedSuite,
        LoadedSuite,
        TaskSuite,
        build,
        calibrate,
        families,
        generate,
        load,
    )
    from trapcli.calibration.session import RunResult
    from trapcli.calibration.solutions.function import PublicCase
    from trapcli.core.contract import Case, Verdict
    from trapcli.core.errors import TrapError
    from trapcli.core.recipe import Recipe

__all__ = [
    "Case",
    "GeneratedSuite",
    "LoadedSuite",
    "PublicCase",
    "Recipe",
    "RunResult",
    "TaskSuite",
    "TrapError",
    "Verdict",
    "__version__",
    "build",
    "calibrate",
    "families",
    "generate",
    "load",
]

_PLACES = {
    "PublicCase": "trapcli.calibration.solutions.function",
    "RunResult": "trapcli.calibration.session",
    "Case": "trapcli.core.contract",
    "Verdict": "trapcli.core.contract",
    "Recipe": "trapcli.core.recipe",
    "TrapError": "trapcli.core.errors",
}


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module 'trapcli' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_PLACES.get(name, "trapcli.api")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
