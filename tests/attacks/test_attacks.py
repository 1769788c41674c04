"""Hostile solutions on a secret suite: isolated none passes; otherwise just those that the README names.

One run for each way: without isolation, and with `--isolate --no-network`. In it each case has another
attack, and the attacker knows where everything is.
"""

import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from attacks.hostile_agent import ATTACKS, digest
from checkout import ROOT, SUPPORT
from process_table import command, pids
from toy_family import build_toy, installed
from trial_place import Place

from trapcli.calibration.isolation.sandbox import refuse_missing_bwrap
from trapcli.calibration.records import Trial
from trapcli.calibration.store.trial_files import read_stored_files
from trapcli.core.errors import TrapError

pytestmark = pytest.mark.slow

OPEN, WALLS = (), ("--isolate", "--no-network")
# What README says that a solution can do unless it is isolated: read answers and earlier runs, import
# the reference solver, change the stored runs.
PASS_IN_THE_OPEN = {
    "reads /proc",
    "reads the private half",
    "searches the disk",
    "reads an earlier run's outputs",
    "reads the database",
    "writes a row of its own",
    "imports the solver",
}


class Result(NamedTuple):
    """How the run with all attacks ended.

    reports: what each attack found out.
    marks: names of what was left by code of a solution that ran in another process.
    """

    code: int
    out: str
    trials: dict[str, Trial]
    reports: dict[str, Any]
    marks: list[str]
    daemons: list[bytes]
    private_names: set[int]


def no_walls() -> str:
    try:
        refuse_missing_bwrap(no_network=True)
    except TrapError as error:
        return str(error)
    return ""


class Siege(Place):
    """A place whose suite is secret, and has its private half elsewhere; TMPDIR is elsewhere too."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, cases=len(ATTACKS))
        shutil.rmtree(root / "traps")
        self.temp.rmdir()
        self.temp = root.parent / f"{root.name}-temp"
        self.temp.mkdir()
        self.private, self.marks = root / "private", root / "marks"
        self.marks.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            installed(patch)
            target, count = root / "public" / "toy", len(ATTACKS)
            self.suite = build_toy(target, seed=str(2**90 + 1), count=count, expected=self.private)

    def besiege(self, port: int) -> None:
        """Write the hostile agent, with all that an attacker could know."""
        tables = {self.suite.directory / f"inputs/{case}/data/lines.csv": case for case in self.suite.cases}
        cases = {digest(table): case for table, case in tables.items()}
        known = {
            "root": str(self.root),
            "public": str(self.suite.directory),
            "private": str(self.private),
            "runs": str(self.root / ".trapcli"),
            "cases": cases,
            "attacks": dict(zip(cases, ATTACKS, strict=True)),
            "modules": [str(SUPPORT), str(ROOT)],
            "ours": [str(ROOT / "trapcli/judging/judge.py"), str(self.root / ".trapcli/runs.db"),
                     str(self.private / "suite.json")],
            "marks": str(self.marks),
            "leaving": f"left-{self.root.name}-{os.getpid()}",
            "run": 2,
            "port": port,
        }  # fmt: skip
        (self.root / "known.json").write_text(json.dumps(known))
        shutil.copy(ROOT / "tests/attacks/hostile_agent.py", self.root / "hostile.py")
        source = (SUPPORT / "toy_family.py").read_text()
        for part in ("core", "system", "suites"):  # under another name, so that no wall knows it
            shutil.copytree(ROOT / "trapcli" / part, self.root / "renamed" / part)
        for path in (self.root / "renamed").rglob("*.py"):
            path.write_text(path.read_text().replace("trapcli", "renamed"))
        (self.root / "rebuilt.py").write_text(source.replace("trapcli", "renamed"))


@pytest.fixture(scope="module", params=[OPEN, WALLS], ids=["open", "walls"])
def result(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Result]:
    if request.param and no_walls():
        pytest.skip(no_walls())
    place = Siege(tmp_path_factory.mktemp("siege"))
    suite = ("--suite", "public/toy", "--expected", "private", "--trials", 1)
    code, _, err = place.calibrate(*suite, "--solution", place.agent("right")).finish()
    assert code == 0, err
    (place.root / "agent.sh").unlink()
    with socket.create_server(("127.0.0.1", 0)) as server:
        place.besiege(server.getsockname()[1])
        words = ("--solution", f"{sys.executable} hostile.py", "--timeout", 20)
        code, out, err = place.calibrate(*suite, *words, *request.param).finish()
    assert "Traceback" not in err, err
    trials = dict(zip(ATTACKS, place.trials(2), strict=True))
    with place.store() as store:
        kept = {name: store.output_path(2, trial.files) for name, trial in trials.items()}
    files = {name: read_stored_files(path, trials[name].files).files
             for name, path in kept.items() if trials[name].files.file}  # fmt: skip
    left = f"left-{place.root.name}-{os.getpid()}".encode()
    yield Result(
        code,
        out,
        trials,
        {
            name: json.loads(found.get("report.json", b"{}")) | {"kept": {*found}}
            for name, found in files.items()
        },
        sorted(os.listdir(place.marks)),
        [command(pid) for pid in pids() if left in command(pid)],
        {path.stat().st_nlink for path in place.private.rglob("answer.json")},
    )
    place.clean_up()
    shutil.rmtree(place.temp, ignore_errors=True)


def is_open(result: Result) -> bool:
    return "isolated, no network" not in result.out


def test_only_the_attacks_that_the_readme_names_pass(result: Result) -> None:
    """Behind walls no attack passes; in the open just those of the list do."""
    passed = {name for name, trial in result.trials.items() if trial.passed}
    assert passed == (PASS_IN_THE_OPEN if is_open(result) else set())


def test_the_report_says_what_the_rates_are_worth(result: Result) -> None:
    """In the open the report warns of what was possible, and of the forged row; behind walls of neither."""
    out = " ".join(result.out.split())
    assert ("The solution was not isolated" in out) == is_open(result)
    assert ("change the judge, the stored runs and so its own verdicts" in out) == is_open(result)
    assert ("What is stored of this run was changed" in out) == is_open(result)


def test_nothing_of_a_solution_runs_in_our_processes(result: Result) -> None:
    """Modules left in the current directory are not imported, and no descriptor of ours is inherited."""
    assert not set(result.marks) - {"daemon"}
    descriptors = result.reports["writes to descriptors"]["descriptors"]
    assert [fd for fd in descriptors if fd > 2] == []
    assert result.trials["writes to descriptors"].status in ("failed", "unreadable")


def test_nothing_outlives_its_trial(result: Result) -> None:
    """A daemon is killed; what a trial left behind walls is nowhere for the next one."""
    assert result.daemons == [] and "daemon" not in result.marks
    found = result.reports["looks for what others left"]["left"]
    assert found == [] if not is_open(result) else "." in found


def test_links_in_the_output_directory_are_not_followed(result: Result) -> None:
    """A link to the private half is not kept; behind walls there is nothing that could get a second name."""
    kept = result.reports["leaves links"]["kept"]
    assert "answer.json" not in kept and not any(name.startswith("private") for name in kept)
    assert (
        result.trials["leaves links"].usage is not None and "problem" in result.trials["leaves links"].usage
    )
    if not is_open(result):
        assert "hard.json" not in kept and result.private_names == {1}


def test_an_attack_costs_only_its_own_trial(result: Result) -> None:
    """The run is complete; exit codes and a killed supervisor count as crashes of their own trials."""
    assert result.code == 0 and f"{len(ATTACKS)}, complete" in result.out
    assert result.trials["exits with a code"].status == "crashed"
    assert result.trials["exits with a code"].exit_code == 77
    if is_open(result):
        assert result.trials["kills its supervisor"].status == "crashed"


def test_walls_hide_processes_files_and_network(result: Result) -> None:
    """Behind walls nothing of ours can be traced or written, and no server is reached."""
    if is_open(result):
        assert result.reports["looks for a network"] == {"network": True, "kept": {"report.json"}}
        return
    assert result.reports["attaches to trapcli"]["attached"] is False
    assert result.reports["looks for what it can overwrite"]["writable"] == []
    assert result.reports["looks for a network"]["network"] is False
