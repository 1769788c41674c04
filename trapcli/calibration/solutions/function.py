"""A solution that is a Python function, called in this process by `trapcli.calibrate`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from trapcli.calibration.solutions.command import TIMEOUT
from trapcli.calibration.solutions.environment import TrialDirectories
from trapcli.core.contract import Case, Files
from trapcli.core.errors import TrapError
from trapcli.core.prompt import prompt

PREFIX = "python:"


@dataclass(frozen=True, slots=True)
class PublicCase:
    """What an agent may see of a case.

    id: such as "case_03".
    files: relative POSIX path -> text.
    inputs_dir: a private copy of the files, for an agent that works on disk.
    outputs_dir: an empty directory; usage.json in it reports tokens and costs.
    """

    id: str
    files: Files
    inputs_dir: Path
    outputs_dir: Path

    def prompt(self) -> str:
        """Return the whole case as one Markdown text, for an agent without tools."""
        return prompt(self.files)


Agent: TypeAlias = Callable[[PublicCase], str | bytes]


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function as a solution. See `solution` for the interface.

    given: "python:" and the function's name.
    cwd: the current directory when it was given.
    function: takes a `PublicCase` and returns what the agent printed; None if the run was read back
        from the store, and then it can be shown but not resumed.

    The function runs in threads of this process, so it cannot be isolated, and one that exceeds its
    limit is left behind, because a thread cannot be killed.
    """

    given: str
    cwd: Path
    function: Agent | None = None

    command: ClassVar[tuple[str, ...]] = ()
    timeout: ClassVar[float] = TIMEOUT
    stdin: ClassVar[str | None] = None
    name: ClassVar[str | None] = None
    setup_cmd: ClassVar[str | None] = None
    measures_agent: ClassVar[bool] = True
    has_directory: ClassVar[bool] = False
    is_reference: ClassVar[bool] = False

    @classmethod
    def of(cls, function: Agent) -> "Function":
        """Return the solution for a function."""
        module = getattr(function, "__module__", None) or "?"
        name = getattr(function, "__qualname__", None) or type(function).__qualname__
        return cls(f"{PREFIX}{module}.{name}", Path.cwd(), function)

    def require(self) -> Agent:
        """Return the function; TrapError if the run was read back from the store."""
        if self.function is None:
            raise TrapError(f"{self.given} is a function of a Python program; only that program can call it.")
        return self.function

    def argv(self, case: Case, number: int, **_: Any) -> tuple[str, ...]:
        """Raise TrapError: a function has no command."""
        raise TrapError(f"{self.given} is a Python function; it has no command.")

    def environment(self, directories: TrialDirectories, **_: Any) -> dict[str, str]:
        """Return no variables: a function runs in this process."""
        return {}

    def true_rate(self, mistakes: Sequence[str]) -> float | None:
        """Return None: the pass rate is what we want to measure."""
        return None

    def prepare(self, families: Sequence[str], **_: Any) -> None:
        """Raise TrapError if the function is not there."""
        self.require()

    def to_json(self) -> dict[str, Any]:
        """Return JSON data that `from_json` reads back, without the function."""
        return {"type": "function", "given": self.given, "cwd": str(self.cwd)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Function":
        """Return the solution that `to_json` turned into this data."""
        return cls(data["given"], Path(data["cwd"]))
