"""The process of a builtin solution: it prints what its family's solver does, wherever it is started."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from factories import solution_of, suite_of
from toy_family import TOY, Toy, build_toy, declare

from trapcli.core import registry
from trapcli.core.contract import Case
from trapcli.core.output import output_of
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import read_case

pytestmark = pytest.mark.slow

SHADOWS = ("json", "os", "re", "trapcli", "families", "toy", "registry", "sitecustomize")


class FileToy(Toy):
    """The toy, solved by an agent that leaves files."""

    def solve(self, files: Any, mistake: Any = None) -> Any:
        text = str(super().solve(files, mistake))
        return output_of(text, {"sum.txt": text.encode(), "a/b.bin": b"\xff"})


FILE_TOY = FileToy()


def argv(given: Any, case: Any) -> Any:
    return solution_of(given).argv(case, 1, recipe=suite_of().recipe, token="x")


def write_case(case: Any, inputs: Any) -> Any:
    """Write the case's files as a trial gets them."""
    for file, text in case.files.items():
        path = inputs / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return inputs


def run(command: Any, inputs: Any, cwd: Any, **environ: Any) -> Any:
    manifest = json.dumps({"inputs_dir": str(inputs), "outputs_dir": str(cwd / "outputs")})
    env = {**os.environ, "TRAP_MANIFEST": manifest, **environ}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True)


@pytest.mark.parametrize("name", ["billing", "payout", "ledger-close", "ledger-audit"])
def test_process_prints_what_the_family_does(name: str, tmp_path: Path) -> None:
    """In a directory full of modules that shadow ours, the process prints what this process would."""
    for shadow in SHADOWS:
        (tmp_path / f"{shadow}.py").write_text("raise SystemExit('shadowed')")
    family = registry.family(name)
    case = family.generate("5", family.knobs(), 0)
    inputs = write_case(case, tmp_path / "inputs")
    (inputs / ".hidden").write_bytes(b"\xff")
    (inputs / "__pycache__").mkdir()
    (inputs / "__pycache__/report.pyc").write_bytes(b"\xff")
    mistake = case.mistakes[-1]
    for given, text in [
        ("builtin:solve", family.solve(case.files)),
        (f"builtin:mistake:{mistake}", family.solve(case.files, mistake)),
    ]:
        done = run(argv(given, case), inputs, tmp_path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == text


def test_family_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family that this process finds on its path is found by the process, and its answers are judged."""
    monkeypatch.syspath_prepend(str(declare(tmp_path / "metadata")))
    monkeypatch.setattr(registry, "_declared", lambda: {"toy": "toy_family:TOY"})
    suite = build_toy(tmp_path / "suite", seed="9", count=2)
    for case_id in suite.cases:
        case = read_case(suite, case_id)
        for given, status in [("builtin:solve", "passed"), ("builtin:mistake:late_counted", "failed")]:
            done = run(argv(given, case), suite.directory / "inputs" / case_id, tmp_path)
            assert done.returncode == 0, done.stderr
            assert judge_output(TOY, case, output_of(done.stdout.decode())).status == status


def test_an_answer_in_files_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a solver's output go to the trial's directory of outputs, its text to stdout."""
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    monkeypatch.syspath_prepend(str(declare(tmp_path / "metadata", "toy = test_builtin_process:FILE_TOY")))
    case = TOY.generate("1", TOY.knobs(), 0)
    done = run(argv("builtin:solve", case), write_case(case, tmp_path / "inputs"), tmp_path)
    assert (done.stdout, done.stderr) == (TOY.solve(case.files).encode(), b"")
    assert (tmp_path / "outputs/sum.txt").read_bytes() == done.stdout
    assert (tmp_path / "outputs/a/b.bin").read_bytes() == b"\xff"


def test_family_that_does_not_load(tmp_path: Path) -> None:
    """The process ends with one line and exit code 2 if its family is not installed."""
    done = run(argv("builtin:solve", Case("nowhere", "", {}, None, ())), tmp_path, tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"builtin: there is no family 'nowhere'") and done.stderr.count(b"\n") == 1


def test_installed_program_in_a_directory_that_shadows_it(installed: Path, tmp_path: Path) -> None:
    """From a wheel the command works as well, wherever it is started and with PYTHONPATH set."""
    (tmp_path / "trapcli.py").write_text("raise SystemExit('shadowed')")
    code = (
        "import json; from trapcli.calibration.execution.helper_process import python; "
        "from trapcli.calibration.solutions.builtin import PROCESS; "
        "print(json.dumps(python(PROCESS, 'ledger-close')))"
    )
    python = installed.parent / "python"
    command = json.loads(subprocess.run([python, "-P", "-c", code], capture_output=True, check=True).stdout)
    family = registry.family("ledger-close")
    case = family.generate("5", family.knobs(), 0)
    done = run(command, write_case(case, tmp_path / "inputs"), tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == family.solve(case.files)


def test_process_loads_only_what_it_needs(tmp_path: Path) -> None:
    """It imports neither our commands, nor calibration's other modules, nor another family."""
    family = registry.family("billing")
    case = family.generate("5", family.knobs(), 0)
    program, *words = argv("builtin:solve", case)
    words[2] += "; print(*sys.modules, file=sys.stderr)"
    done = run([program, *words], write_case(case, tmp_path / "inputs"), tmp_path)
    loaded = done.stderr.decode().split()
    assert "families.billing.solver" in loaded
    assert not {"click", "rich", "yaml", "subprocess", "tempfile", "trapcli.suites.reader"} & {*loaded}
    calibration = [name for name in loaded if name.startswith("trapcli.calibration.")]
    assert calibration == ["trapcli.calibration.solutions", "trapcli.calibration.solutions.builtin_process"]
    assert {name.split(".")[1] for name in loaded if name.startswith("families.")} == {"billing"}
