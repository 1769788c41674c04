"""A third answer kind, files left in the output directory, works without a change of the core.

The family is a package outside the tree: its cases ask for a file `report.json` with totals by shop.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES

import trapcli
from trapcli.core import registry
from trapcli.testing import check_family

SOURCE = '''
import json
from dataclasses import dataclass

from trapcli.core.contract import Answer, Case, Problem, Section, Verdict
from trapcli.core.draw import Draw
from trapcli.core.knobs import knob
from trapcli.core.output import output_of

SHOPS = ("north", "south", "harbour")


@dataclass(frozen=True)
class Knobs:
    sales: int = knob(12, 6, 500, "sales in the file")


class ReportAnswers:
    """Answers that are a file report.json, an object of shops and totals."""

    noop = ""
    reads_files = True

    def instructions(self):
        return "Write report.json into your output directory: an object of shops and totals."

    def rules(self):
        return "## How an answer is read\\n\\nreport.json is read as JSON."

    def extract(self, output):
        if "report.json" not in output.files:
            return Problem("there is no report.json among the files left")
        try:
            totals = json.loads(output.files["report.json"])
        except ValueError as error:
            return Problem(f"report.json is not JSON: {error}")
        return Answer(totals) if isinstance(totals, dict) else Problem("report.json is not an object")

    def judge(self, case, answer):
        result = json.dumps(answer.value, sort_keys=True)
        wrong = sorted(shop for shop, total in case.gold.items() if answer.value.get(shop) != total)
        if answer.value == case.gold:
            return Verdict("passed", "the totals are right", result, 1.0)
        credit, reason = 1 - len(wrong) / len(case.gold), f"wrong totals: {', '.join(wrong)}"
        return Verdict("failed", reason, result, credit, details={"wrong": wrong})

    def view(self, verdict):
        return [Section("Wrong totals", text=", ".join(verdict.details.get("wrong", ())))]


class Report:
    name = "report"
    title = "Totals by shop"
    version = "1"
    traps = {"returned": "returned sales do not count", "renamed": "one shop has two names"}
    mistakes = {"returns_counted": "counts returned sales", "largest_only": "reports the largest shop alone"}
    knobs = Knobs
    levels = ({"sales": 6}, {"sales": 100})
    cases = 2
    answers = ReportAnswers()

    def generate(self, seed, knobs, k):
        draw = Draw(f"report/{self.version}/{seed}/{k}")
        rows = [(draw.choice(SHOPS), draw.between(10, 99), i % 4 == 0) for i in range(knobs.sales)]
        rows += [(shop, draw.between(100, 999), False) for shop in SHOPS]
        sales = "shop,amount,returned\\n" + "".join(f"{s},{a},{r}\\n" for s, a, r in rows)
        readme = f"# Totals by shop\\n\\nAdd up sales.csv, without returns. {self.answers.instructions()}\\n"
        gold = self._totals(sales)
        trap = list(self.traps)[k % 2]
        return Case(self.name, trap, {"README.md": readme, "sales.csv": sales}, gold, tuple(self.mistakes))

    def _totals(self, sales, returns=False):
        totals = {}
        for line in sales.splitlines()[1:]:
            shop, amount, returned = line.split(",")
            if returns or returned == "False":
                totals[shop] = totals.get(shop, 0) + int(amount)
        return totals

    def solve(self, files, mistake=None):
        totals = self._totals(files["sales.csv"], mistake == "returns_counted")
        if mistake == "largest_only":
            totals = dict([max(totals.items(), key=lambda item: item[1])])
        return output_of("written\\n", {"report.json": json.dumps(totals).encode()})

    def check(self, case):
        return ()

    def explain(self, case, public):
        shown = [Section("Sales", text=case.files["sales.csv"])]
        return shown if public else [*shown, Section("Totals", text=json.dumps(case.gold))]


FAMILY = Report()
'''

AGENT = """
import json, os, sys
manifest = json.loads(os.environ["TRAP_MANIFEST"])
totals = {}
for line in open(os.path.join(manifest["inputs_dir"], "sales.csv")).read().splitlines()[1:]:
    shop, amount, returned = line.split(",")
    if returned == "False" or "--returns" in sys.argv:
        totals[shop] = totals.get(shop, 0) + int(amount)
if "--silent" not in sys.argv:
    with open(os.path.join(manifest["outputs_dir"], "report.json"), "w") as file:
        json.dump(totals, file)
    os.makedirs(os.path.join(manifest["outputs_dir"], "log"))
    print("done")
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory like site-packages with the family in it; this process and those it starts find it."""
    site = tmp_path / "site"
    info = site / "report_family-1.dist-info"
    info.mkdir(parents=True)
    (site / "report_family.py").write_text(SOURCE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: report-family\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nreport = report_family:FAMILY\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (site, *MODULES))))
    yield site
    sys.modules.pop("report_family", None)


def test_the_family_keeps_the_contract(installed: Path) -> None:
    """The check for authors finds nothing wrong with a family whose answers are files."""
    check_family(registry.family("report"), seeds=6)


@pytest.mark.slow
def test_all_four_commands_take_answers_that_are_files(
    installed: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    """Built, judged, calibrated, judged again and inspected, a file is an answer like any other."""
    assert run("build", "report", "--seed", "random").code == 0
    left = tmp_path / "left"
    left.mkdir()
    suite = trapcli.load(tmp_path / "traps" / "report")
    case = suite["case_01"]
    (left / "report.json").write_text(json.dumps(case.gold))
    judged = run("judge", "--case", "case_01", "--outputs", str(left), "--json")
    assert (judged.code, json.loads(judged.out)["status"]) == (0, "passed")
    (left / "report.json").unlink()
    judged = run("judge", "--case", "case_01", "--outputs", str(left), "--json")
    assert (judged.code, json.loads(judged.out)["status"]) == (1, "empty")

    (tmp_path / "agent.py").write_text(AGENT)
    agent = f"{sys.executable} {tmp_path / 'agent.py'}"
    for options, passes, mistakes in (
        ("", 4, {}),
        (" --returns", 0, {"returns_counted": 4}),
        (" --silent", 0, {}),
    ):
        ended = run("calibrate", "report", "--trials", "2", "--solution", agent + options, "--json")
        assert ended.code == 0, ended.err
        (summary,) = json.loads(ended.out)["suites"]
        assert (summary["passes"], summary["mistakes"]) == (passes, mistakes)
    assert run("judge", "--run", "1").code == 0
    assert run("calibrate", "report", "--trials", "1").code == 0
    shown = run("inspect", "report", "case_01")
    assert shown.code == 0 and "returns_counted" in shown.out
    assert run("inspect", "run", "2", "case_01", "--trial", "1").code == 0


def test_the_api_takes_answers_that_are_files(installed: Path) -> None:
    """`suite.judge` takes the files that an agent left."""
    suite = trapcli.generate("report", seed=3)
    case = suite["case_05"]
    right = {"report.json": json.dumps(case.gold).encode()}
    assert suite.judge(case, "", files=right).passed
    assert suite.judge(case, "written", files={}).status == "unreadable"
    assert suite.judge(case, "", files={}).status == "empty"
