"""What is tried once in a build: chance in generating and solving, files that are answers, runs in use."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_family import Knobs, Toy, build_toy, installed

from trapcli.building.case_builder import build_case
from trapcli.core.contract import Case, Files
from trapcli.core.errors import FamilyFault, TrapError
from trapcli.suites.reader import open_suite
from trapcli.system.locks import shared_directories


def test_a_suite_that_a_run_uses_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a run is going on, --force is refused, also if the run starts during the build."""
    installed(monkeypatch)
    suite = build_toy(tmp_path / "toy")
    with shared_directories([suite.directory]), pytest.raises(TrapError, match="in use by a run"):
        build_toy(tmp_path / "toy", force=True, seed="2")
    with ExitStack() as run, pytest.raises(TrapError, match="in use by a run"):

        def start(done: int, total: int) -> None:
            if done == 1:
                run.enter_context(shared_directories([suite.directory]))

        build_toy(tmp_path / "toy", force=True, seed="2", progress=start)
    assert open_suite(tmp_path / "toy").recipe.seed == "1"
    assert build_toy(tmp_path / "toy", force=True, seed="2").recipe.seed == "2"


def test_a_generator_that_depends_on_chance_is_found_out_by_the_first_case() -> None:
    """The first case is generated twice, and solved twice; a later one, which costs more, is not."""

    class Chance(Toy):
        calls = 0

        def generate(self, seed: str, knobs: Any, k: int) -> Case:
            Chance.calls += 1
            return replace(super().generate(seed, knobs, k), facts={"call": Chance.calls})

    with pytest.raises(FamilyFault, match=r"generate gave two cases with different facts"):
        build_case(Chance(), "1", Knobs(), 0)
    assert build_case(Chance(), "1", Knobs(), 1).index == 1

    class Moody(Toy):
        def solve(self, files: Files, mistake: str | None = None) -> Any:
            Chance.calls += 1
            return f"{Chance.calls} {super().solve(files, mistake)}"

    with pytest.raises(FamilyFault, match=r"solve gave two different answers"):
        build_case(Moody(), "1", Knobs(), 0)


def test_a_file_that_passes_as_an_answer_is_refused_in_the_first_case_of_each_trap() -> None:
    """Gold that is written where an agent can print it is a leak; a file that fails is not."""

    class Open(Toy):
        def generate(self, seed: str, knobs: Any, k: int) -> Case:
            case = super().generate(seed, knobs, k)
            return replace(case, files={**case.files, "hint.md": f"I got {case.gold + self.off}."})

        off = 0

    class Near(Open):
        off = 1

    for k in (0, 1):
        with pytest.raises(FamilyFault, match=r"opaque: hint\.md passes as an answer"):
            build_case(Open(), "1", Knobs(), k, 3)
    assert build_case(Near(), "1", Knobs(), 0).attempts == 1
