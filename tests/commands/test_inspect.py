"""`trapcli inspect`: what it shows of families, suites and cases, and what it keeps private."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import MODULES
from click.shell_completion import BashComplete
from click.testing import CliRunner
from toy_family import TOY, Knobs, Toy, declare, installed

from trapcli.building.builder import build_suite
from trapcli.cli import cli
from trapcli.commands.inspect_ import command

PRIVATE = ["void_amount", "late_amount", "void_counted", "late_counted", "Gold", "seed", "hidden", "practice"]


class Broken(Toy):
    """A toy whose explanation fails."""

    name = "broken"

    def explain(self, case, public):
        raise KeyError("nothing here")


BROKEN = Broken()


@pytest.fixture(autouse=True)
def toy_installed(monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    installed(monkeypatch)


def built(directory, count=4, seed="7", family=TOY, **options):
    return build_suite(family, seed=seed, knobs=Knobs(), count=count, target=Path(directory), **options)


@pytest.fixture
def suite(tmp_path):
    """A toy suite in traps/toy."""
    return built(tmp_path / "traps" / "toy")


def document(result):
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


def files_of(directory):
    return {p.relative_to(directory).as_posix(): p.read_text() for p in directory.rglob("*") if p.is_file()}


# Families and suites


def test_overview_lists_families_and_suites(run, suite, tmp_path):
    """Without arguments the installed families and the suites in traps/ and here are listed."""
    built(tmp_path / "mine", count=2, seed=str(2**70))
    result = run("inspect")
    assert result.code == 0 and result.err == ""
    assert re.search(r"toy +Add up what counts +4 +void_amount, late_amount\n", result.out)
    assert re.search(r"toy +1 +4 +yes +traps/toy\n", result.out)
    assert re.search(r"toy +1 +2 +no +mine\n", result.out)


def test_overview_as_json(run, suite):
    """With --json the overview is one document."""
    found = document(run("inspect", "--json"))
    assert found["families"] == [
        {"name": "toy", "title": TOY.title, "cases": 4, "kinds": dict(TOY.kinds)},
    ]
    [one] = found["suites"]
    assert (one["path"], one["family"], one["cases"], one["practice"]) == ("traps/toy", "toy", 4, True)


def test_overview_lists_the_suite_we_stand_in(run, suite, monkeypatch):
    """Inside a suite the overview shows that suite."""
    monkeypatch.chdir(suite.directory / "inputs")
    assert document(run("inspect", "--json"))["suites"][0]["path"] == str(suite.directory)


def test_overview_without_families_or_suites(run, monkeypatch):
    """With nothing installed and nothing built the overview says so, and is no error."""
    monkeypatch.setattr("trapcli.core.registry._declared", dict)
    result = run("inspect")
    assert result.code == 0
    assert "None is installed" in result.out and "None here" in result.out


def test_overview_survives_what_is_damaged(run, suite, tmp_path, monkeypatch):
    """A family that does not load and a damaged suite are told beside those that are well."""
    installed(monkeypatch, gone="no_such_module:X")
    built(tmp_path / "traps" / "bad")
    (tmp_path / "traps" / "bad" / "expected" / "suite.json").write_text("{}")
    shutil.rmtree(built(tmp_path / "half").expected)
    result = run("inspect")
    assert result.code == 0
    assert "does not load" in result.out and "traps/toy" in result.out
    assert re.search(r"traps/bad +traps/bad/expected/suite.json .* do not belong together", result.out)
    assert re.search(r"toy +1 +4 +unknown +half\n", result.out)


def test_family_shows_all_that_can_be_set(run):
    """A family is shown with kinds, mechanisms, knobs and their ranges, and its ladder."""
    result = run("inspect", "toy")
    assert result.code == 0
    for name, about in {**TOY.kinds, **TOY.mechanisms}.items():
        assert re.search(rf"{name} +{about}\n", result.out)
    assert re.search(r"lines +int +6 +4 to 10000 +amounts in the file\n", result.out)
    assert re.search(r"3 +lines=100, largest=1000\n", result.out)
    assert "version" in result.out and "None here" in result.out


def test_family_shows_cases_of_its_only_suite(run, suite):
    """If one suite of the family is built its cases are listed, with their trap kinds."""
    assert re.search(r"case_02 +late_amount +void_counted, late_counted\n", run("inspect", "toy").out)
    found = document(run("inspect", "toy", "--json"))
    assert found["knobs"][0] == {
        "name": "lines", "type": "int", "default": 6, "low": 4, "high": 10_000, "help": "amounts in the file",
    }  # fmt: skip
    assert [case["category"] for case in found["suites"][0]["cases"]] == ["void_amount", "late_amount"] * 2


def test_family_with_several_suites_lists_them(run, suite, tmp_path):
    """If several suites of the family are built they are listed, and no cases."""
    built(tmp_path / "traps" / "toy-2")
    out = run("inspect", "toy").out
    assert "traps/toy-2" in out and "case_01" not in out


@pytest.mark.parametrize("words", [["traps/toy"], ["--suite", "traps/toy"], ["toy", "--suite", "traps/toy/"]])
def test_suite_shows_seed_knobs_and_cases(run, suite, words):
    """A suite is shown with its seed, knobs, and each case with its trap kind."""
    result = run("inspect", *words)
    assert result.code == 0
    assert "7 (for practice" in result.out and "lines=6" in result.out
    assert re.search(r"case_01 +void_amount", result.out)
    found = document(run("inspect", *words, "--json"))
    assert (found["seed"], found["knobs"]["lines"], found["practice"]) == ("7", 6, True)
    assert [case["id"] for case in found["cases"]] == ["case_01", "case_02", "case_03", "case_04"]


# A case


@pytest.mark.parametrize(
    "words", [["toy", "case_02"], ["case_02", "toy"], ["case_02"], ["traps/toy", "case_02"]]
)
def test_case_shows_trap_gold_and_slips(run, suite, words):
    """A case is shown with its trap, the family's explanation, and what each slip gets."""
    result = run("inspect", *words)
    assert result.code == 0
    assert "late_amount: an amount is late" in result.out
    gold = json.loads((suite.expected / "case_02" / "answer.json").read_text())["gold"]
    assert f"Gold\n  {gold}\n" in result.out
    about = TOY.mechanisms["void_counted"]
    assert re.search(rf"void_counted +{about} +0\.0 +\d+ is not the sum\n", result.out)
    assert re.search(r"noop +an agent that does nothing +0\.0 +nothing was printed\n", result.out)


def test_case_within_its_suite(run, suite, monkeypatch):
    """Standing in a suite a case needs no more than its id."""
    monkeypatch.chdir(suite.directory)
    assert document(run("inspect", "case_03", "--json"))["case"] == "case_03"


def test_case_as_json_holds_everything(run, suite):
    """With --json a case's document has gold, facts, files, and a verdict for each slip."""
    found = document(run("inspect", "case_01", "--json"))
    answer = json.loads((suite.expected / "case_01" / "answer.json").read_text())
    for key in ("gold", "facts", "category", "seed", "knobs", "index", "attempt", "mechanisms"):
        assert found[key] == answer[key]
    assert found["files"] == files_of(suite.directory / "inputs" / "case_01")
    slips = {slip["mechanism"]: slip for slip in found["slips"]}
    assert list(slips) == ["void_counted", "late_counted", "noop"]
    assert slips["void_counted"]["verdict"]["slip"] == "void_counted"
    assert slips["noop"]["verdict"]["status"] == "empty"
    assert [section["title"] for section in found["sections"]] == ["lines.csv", "Gold"]


def test_private_half_elsewhere(run, tmp_path):
    """--expected names a private half that is not inside the suite."""
    built(tmp_path / "traps" / "toy", expected=tmp_path / "secret" / "toy")
    assert run("inspect", "case_01").code == 2
    for place in ("secret/toy", "secret"):
        assert document(run("inspect", "case_01", "--expected", place, "--json"))["category"] == "void_amount"
        assert "case_01  void_amount" in run("inspect", "toy", "--expected", place).out


# Nothing private


@pytest.mark.parametrize(
    "options", [["--public"], ["--public", "--json"], ["--prompt"], ["--prompt", "--json"]], ids="-".join
)
def test_public_views_are_the_same_without_the_private_half(run, suite, options):
    """--public and --prompt show nothing private, and do not change when the private half is gone."""
    whole = run("inspect", "toy", "case_02", *options)
    shutil.rmtree(suite.expected)
    bare = run("inspect", "toy", "case_02", *options)
    assert (whole.code, whole.err) == (0, "")
    assert whole == bare
    assert not [word for word in PRIVATE if word in whole.out]


def test_public_case_lists_its_files(run, suite):
    """--public lists the public files with their sizes, and what the family shows of them."""
    out = run("inspect", "case_01", "--public").out
    size = len((suite.directory / "inputs/case_01/data/lines.csv").read_bytes())
    assert re.search(rf"data/lines\.csv +7 +{size}\n", out)
    assert "amount  day  void" in out
    found = document(run("inspect", "case_01", "--public", "--json"))
    assert found["files"] == files_of(suite.directory / "inputs" / "case_01")


@pytest.mark.parametrize("words", [[], ["toy"], ["traps/toy"]])
def test_public_lists_work_without_the_private_half(run, suite, words):
    """Lists with --public show suites and case ids, but neither seeds nor the cases' traps."""
    whole = run("inspect", *words, "--public"), run("inspect", *words, "--public", "--json")
    shutil.rmtree(suite.expected)
    assert whole == (run("inspect", *words, "--public"), run("inspect", *words, "--public", "--json"))
    assert (whole[0].code, whole[0].err) == (0, "")
    assert "category" not in whole[1].out and "seed" not in whole[1].out
    assert "case_01" in whole[0].out or not words


def test_prompt_is_readme_then_files_in_fences(run, suite):
    """--prompt prints the README as it is, then every other public file under its name."""
    home = suite.directory / "inputs" / "case_01"
    (home / "ticket.md").write_text("Call ```me```.")
    readme = (home / "README.md").read_text()
    assert run("inspect", "case_01", "--prompt").out == (
        f"{readme}\n"
        "## ticket.md\n\n````markdown\nCall ```me```.\n````\n\n"
        f"## data/lines.csv\n\n```csv\n{(home / 'data/lines.csv').read_text()}```\n\n"
        "## task.md\n\n```markdown\nThe last day is 15.\n```\n"
    )
    found = document(run("inspect", "case_01", "--prompt", "--json"))
    assert (found["family"], found["case"]) == ("toy", "case_01")
    assert found["prompt"] == run("inspect", "case_01", "--prompt").out


def test_prompt_is_raw_in_any_locale(suite, tmp_path, monkeypatch):
    """The prompt is UTF-8, unwrapped and uncoloured, whatever the locale and terminal say."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    (suite.directory / "inputs/case_01/task.md").write_text("Ünï [red]" + "x" * 300, encoding="utf-8")
    out = CliRunner(charset="ascii").invoke(command, ["case_01", "--prompt"]).stdout_bytes
    assert ("Ünï [red]" + "x" * 300).encode() in out and b"\x1b" not in out


def test_prompt_leaves_out_what_running_a_script_left(run, suite):
    """Hidden files and Python's caches in a case's directory are not part of the case."""
    before = run("inspect", "case_01", "--prompt").out
    home = suite.directory / "inputs" / "case_01"
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "x.pyc").write_bytes(b"\xff\x00")
    (home / ".DS_Store").write_bytes(b"\xff")
    assert run("inspect", "case_01", "--prompt").out == before


# Input that does not fit


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "'nothing' is no family (installed: toy)"),
        (["run", "3"], "there are no runs here"),
        (["toy", "toy"], "one too many"),
        (["case_01", "case_02"], "one too many"),
        (["traps/toy", "--suite", "traps/toy"], "one too many"),
        (["case_1"], "has a case 'case_1'"),
        (["toy", "case_99"], "has no case 'case_99'; it has case_01 to case_04"),
        (["case_99", "--public", "--suite", "traps/toy"], "it has case_01 to case_04"),
        (["traps"], "is no suite"),
        (["--suite", "absent"], "nothing is there"),
        (["--prompt"], "--prompt needs a case"),
        (["toy", "--prompt"], "--prompt needs a case"),
        (["--expected", "traps"], "--expected belongs to one suite"),
        (["case_01", "--public", "--expected", "traps"], "leave --expected out"),
        (["case_01", "--suite", "README.md"], "is no suite"),
    ],
)
def test_words_that_mean_nothing_are_refused(run, suite, words, said):
    """What names nothing, or too much, is an error with exit code 2 that says what there is."""
    (suite.directory.parent.parent / "README.md").write_text("")
    result = run("inspect", *words)
    assert result.code == 2 and result.out == ""
    assert said in " ".join(result.err.split()) and "Traceback" not in result.err


def test_ambiguous_case_lists_commands_that_work(run, suite, tmp_path):
    """If several suites have the case the error lists a command for each, and each works."""
    built(tmp_path / "traps" / "toy-2")
    result = run("inspect", "case_01", "--public")
    assert result.code == 2
    commands = [line.split()[1:] for line in result.err.splitlines() if "trapcli inspect --suite" in line]
    assert len(commands) == 2
    for words in commands:
        assert run(*words).code == 0


def test_suite_of_another_family_is_refused(run, suite, monkeypatch):
    """A family and a suite that do not go together are refused, also with --public."""
    installed(monkeypatch, broken=f"{Path(__file__).stem}:BROKEN")
    for options in ([], ["--public"], ["--prompt"]):
        result = run("inspect", "broken", "case_01", "--suite", "traps/toy", *options)
        assert result.code == 2 and "is a suite of toy, not of broken" in result.err


@pytest.mark.parametrize(
    ("damage", "public", "said"),
    [
        ("expected/case_01/answer.json", False, "answer.json is missing"),
        ("inputs/case_01/task.md", False, "task.md"),
        ("traptask.yaml", True, "traptask.yaml"),
        ("inputs/case_01", True, "has no case"),
    ],
)
def test_missing_pieces_are_named(run, suite, damage, public, said):
    """A missing file or directory is named, with exit code 2."""
    path = suite.directory / damage
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    result = run("inspect", "case_01", "--suite", "traps/toy", *(["--public"] if public else []))
    assert result.code == 2 and said in result.err and "Traceback" not in result.err


def test_directory_where_a_file_belongs(run, suite):
    """A directory in a file's place is named."""
    task = suite.directory / "traptask.yaml"
    task.unlink()
    task.mkdir()
    result = run("inspect", "case_01", "--public", "--suite", "traps/toy")
    assert result.code == 2 and "traptask.yaml is a directory" in result.err


def test_file_that_is_no_text(run, suite):
    """A public file that is not UTF-8 is named."""
    (suite.directory / "inputs/case_01/task.md").write_bytes(b"caf\xe9")
    for options in (["--public"], ["--prompt"], []):
        result = run("inspect", "case_01", *options)
        assert result.code == 2 and "task.md" in result.err


def test_empty_case_is_refused(run, suite):
    """A case's directory without files is no case to show."""
    home = suite.directory / "inputs" / "case_01"
    shutil.rmtree(home)
    home.mkdir()
    result = run("inspect", "case_01", "--prompt")
    assert result.code == 2 and "is empty" in result.err


def test_public_half_of_another_version(run, suite, monkeypatch):
    """A public half of another version of the family is not explained, but a prompt needs no family."""
    monkeypatch.setattr(Toy, "version", "2")
    result = run("inspect", "case_01", "--public")
    assert result.code == 2 and "built by toy 1, but 2 is installed" in result.err
    assert run("inspect", "case_01", "--prompt").code == 0


def test_family_that_fails_to_explain(run, suite, monkeypatch):
    """A fault of the family is told as one, without a traceback."""
    monkeypatch.setattr(Toy, "explain", Broken.explain)
    for options in ([], ["--public"]):
        result = run("inspect", "case_01", *options)
        assert result.code == 2 and "KeyError: 'nothing here'" in result.err
        assert "fault of the family" in result.err and "Traceback" not in result.err


def test_text_of_a_case_is_no_markup(run, suite):
    """Markup and control characters in a case are shown as they are, the latter escaped."""
    (suite.directory / "inputs/case_01/data/lines.csv").write_text("h\n[red]9[/red],\x1b[31m,x\n")
    out = run("inspect", "case_01", "--public").out
    assert "[red]9[/red]" in out and "\\x1b[31m" in out and "\x1b" not in out


# Completion, help, start-up


@pytest.mark.parametrize(
    ("line", "choices"),
    [
        ("inspect ", ["toy", "case_01", "case_02", "case_03", "case_04", "run"]),
        ("inspect t", ["toy"]),
        ("inspect toy case_0", ["case_01", "case_02", "case_03", "case_04"]),
        ("inspect --suite traps/toy case_0", ["case_01", "case_02", "case_03", "case_04"]),
        ("inspect case_01 ", []),
        ("inspect traps/toy case_04", ["case_04"]),
        ("inspect absent ", []),
    ],
)
def test_completion(run, suite, line, choices):
    """Family names and case ids are completed, case ids of the suite that is meant."""
    words = line.split(" ")
    found = BashComplete(cli, {}, "trapcli", "_X").get_completions(words[:-1], words[-1])
    assert [item.value for item in found] == choices


def test_completion_of_directories_is_left_to_the_shell(run):
    """What looks like a path is completed as a directory."""
    [item] = BashComplete(cli, {}, "trapcli", "_X").get_completions(["inspect"], "./tr")
    assert (item.value, item.type) == ("./tr", "dir")


def test_help_has_examples(run):
    """The help shows commands that can be run."""
    out = run("inspect", "--help").out
    assert "trapcli inspect billing case_03" in out and "--public" in out


def test_importing_the_command_is_cheap():
    """Importing the command loads neither rich nor yaml, nor an engine, nor a family."""
    code = (
        "import sys, trapcli.commands.inspect_ as i; "
        "print([m for m in sys.modules if m.split('.')[0] in ('rich', 'yaml', 'families') "
        "or m in ('trapcli.suites.reader', 'trapcli.judging.judge', 'trapcli.views.inspection')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_json_needs_no_rich(suite, tmp_path):
    """--json and --prompt print without rich."""
    code = (
        "import sys; from trapcli.cli import main\n"
        "codes = [main(['inspect', 'toy', 'case_01', option]) for option in ('--json', '--prompt')]\n"
        "print(codes, 'rich' in sys.modules, file=sys.stderr)"
    )
    path = os.pathsep.join(map(str, [*MODULES, declare(tmp_path / "site")]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.stderr == "[0, 0] False\n"
