"""`trapcli inspect`: what it shows about families, suites and cases, and what it keeps private."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from click.testing import CliRunner
from toy_family import TOY, Toy, build_toy, declare, installed

from trapcli.commands.inspect_ import command

PRIVATE = ["void_amount", "late_amount", "void_counted", "late_counted", "Gold", "seed", "hidden", "practice"]


class Broken(Toy):
    """A toy that fails to explain its cases."""

    name = "broken"

    def explain(self, case: Any, public: Any) -> Any:
        raise KeyError("nothing here")


BROKEN = Broken()


@pytest.fixture(autouse=True)
def toy_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    installed(monkeypatch)


@pytest.fixture
def suite(tmp_path: Path) -> Any:
    """A toy suite in traps/toy."""
    return build_toy(tmp_path / "traps" / "toy", seed="7")


def document(result: Any) -> Any:
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


def files_of(directory: Any) -> Any:
    return {p.relative_to(directory).as_posix(): p.read_text() for p in directory.rglob("*") if p.is_file()}


# Families and suites


def test_overview_lists_families_and_suites(run: Callable[..., Any], suite: Any, tmp_path: Path) -> None:
    """Without arguments the installed families and the suites in traps/ and here are listed."""
    build_toy(tmp_path / "mine", count=2, seed=str(2**70))
    result = run("inspect")
    assert result.code == 0 and result.err == ""
    assert re.search(r"toy +Add up what counts +4 +void_amount, late_amount\n", result.out)
    assert re.search(r"toy +1 +4 +yes +traps/toy\n", result.out)
    assert re.search(r"toy +1 +2 +no +mine\n", result.out)


def test_overview_as_json(run: Callable[..., Any], suite: Any) -> None:
    """With --json the overview is one document."""
    found = document(run("inspect", "--json"))
    assert found["families"] == [
        {"name": "toy", "title": TOY.title, "cases": 4, "traps": dict(TOY.traps)},
    ]
    [one] = found["suites"]
    assert (one["path"], one["family"], one["cases"], one["practice"]) == ("traps/toy", "toy", 4, True)


def test_overview_lists_the_suite_around(
    run: Callable[..., Any], suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a suite the overview shows that suite."""
    monkeypatch.chdir(suite.directory / "inputs")
    assert document(run("inspect", "--json"))["suites"][0]["path"] == str(suite.directory)


def test_overview_without_families_or_suites(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing installed and nothing built the overview says so, and is not an error."""
    monkeypatch.setattr("trapcli.core.registry._declared", dict)
    result = run("inspect")
    assert result.code == 0
    assert "None is installed" in result.out and "None here" in result.out


def test_overview_survives_damage(
    run: Callable[..., Any], suite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A family that does not load and a damaged suite are reported beside those that are intact."""
    installed(monkeypatch, gone="no_such_module:X")
    build_toy(tmp_path / "traps" / "bad")
    (tmp_path / "traps" / "bad" / "expected" / "suite.json").write_text("{}")
    shutil.rmtree(build_toy(tmp_path / "half").halves.private)
    result = run("inspect")
    assert result.code == 0
    assert "does not load" in result.out and "traps/toy" in result.out
    assert re.search(r"traps/bad +traps/bad/expected/suite.json .* do not belong together", result.out)
    assert re.search(r"toy +1 +4 +unknown +half\n", result.out)


def test_family_shows_all_that_can_be_set(run: Callable[..., Any]) -> None:
    """A family is shown with traps, mistakes, knobs and their ranges, and its levels."""
    result = run("inspect", "toy")
    assert result.code == 0
    for name, about in {**TOY.traps, **TOY.mistakes}.items():
        assert re.search(rf"{name} +{about}\n", result.out)
    assert re.search(r"lines +int +6 +4 to 10000 +amounts in the file\n", result.out)
    assert re.search(r"3 +lines=100, largest=1000\n", result.out)
    assert "version" in result.out and "None here" in result.out


def test_family_shows_cases_of_its_only_suite(run: Callable[..., Any], suite: Any) -> None:
    """If one suite of the family is built its cases are listed, with their traps."""
    assert re.search(r"case_02 +late_amount +void_counted, late_counted\n", run("inspect", "toy").out)
    found = document(run("inspect", "toy", "--json"))
    assert found["knobs"][0] == {
        "name": "lines", "type": "int", "default": 6, "low": 4, "high": 10_000, "help": "amounts in the file",
    }  # fmt: skip
    assert [case["trap"] for case in found["suites"][0]["case_list"]] == ["void_amount", "late_amount"] * 2
    assert found["suites"][0]["cases"] == 4


def test_family_with_several_suites_lists_them(run: Callable[..., Any], suite: Any, tmp_path: Path) -> None:
    """If several suites of the family are built they are listed, and no cases."""
    build_toy(tmp_path / "traps" / "toy-2")
    out = run("inspect", "toy").out
    assert "traps/toy-2" in out and "case_01" not in out


@pytest.mark.parametrize("words", [["traps/toy"], ["--suite", "traps/toy"], ["toy", "--suite", "traps/toy/"]])
def test_suite_shows_seed_knobs_and_cases(run: Callable[..., Any], suite: Any, words: Any) -> None:
    """A suite is shown with its seed, knobs, and each case with its trap."""
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
def test_case_shows_trap_gold_and_mistakes(run: Callable[..., Any], suite: Any, words: Any) -> None:
    """A case is shown with its trap, the family's explanation, and each mistake's verdict."""
    result = run("inspect", *words)
    assert result.code == 0
    assert "late_amount: an amount is late" in result.out
    gold = json.loads((suite.halves.private / "case_02" / "answer.json").read_text())["gold"]
    assert f"Gold\n  {gold}\n" in result.out
    about = TOY.mistakes["void_counted"]
    assert re.search(rf"void_counted +{about} +0\.0 +\d+ is not the sum\n", result.out)
    assert re.search(r"noop +an agent that does nothing +0\.0 +nothing was printed\n", result.out)


def test_case_within_its_suite(run: Callable[..., Any], suite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a suite a case needs no more than its id."""
    monkeypatch.chdir(suite.directory)
    assert document(run("inspect", "case_03", "--json"))["case"] == "case_03"


def test_case_as_json_holds_everything(run: Callable[..., Any], suite: Any) -> None:
    """With --json a case's document has gold, facts, files, and a verdict for each mistake."""
    found = document(run("inspect", "case_01", "--json"))
    answer = json.loads((suite.halves.private / "case_01" / "answer.json").read_text())
    for key in ("gold", "facts", "trap", "seed", "knobs", "index", "attempt", "mistakes"):
        assert found[key] == answer[key]
    assert found["files"] == files_of(suite.directory / "inputs" / "case_01")
    known = {mistake["name"]: mistake for mistake in found["known_mistakes"]}
    assert list(known) == ["void_counted", "late_counted", "noop"]
    assert known["void_counted"]["verdict"]["mistake"] == "void_counted"
    assert known["noop"]["verdict"]["status"] == "empty"
    assert [section["title"] for section in found["sections"]] == ["lines.csv", "Gold"]


def test_private_half_elsewhere(run: Callable[..., Any], tmp_path: Path) -> None:
    """--expected names a private half that is not inside the suite."""
    build_toy(tmp_path / "traps" / "toy", expected=tmp_path / "secret" / "toy")
    assert run("inspect", "case_01").code == 2
    for place in ("secret/toy", "secret"):
        assert document(run("inspect", "case_01", "--expected", place, "--json"))["trap"] == "void_amount"
        assert "case_01  void_amount" in run("inspect", "toy", "--expected", place).out


# Nothing private


@pytest.mark.parametrize(
    "options", [["--public"], ["--public", "--json"], ["--prompt"], ["--prompt", "--json"]], ids="-".join
)
def test_public_views_are_the_same_without_the_private_half(
    run: Callable[..., Any], suite: Any, options: Any
) -> None:
    """--public and --prompt show nothing private, and do not change when the private half is gone."""
    whole = run("inspect", "toy", "case_02", *options)
    shutil.rmtree(suite.halves.private)
    bare = run("inspect", "toy", "case_02", *options)
    assert (whole.code, whole.err) == (0, "")
    assert whole == bare
    assert not [word for word in PRIVATE if word in whole.out]


def test_public_case_lists_its_files(run: Callable[..., Any], suite: Any) -> None:
    """--public lists the public files with their sizes, and what the family says about them."""
    out = run("inspect", "case_01", "--public").out
    size = len((suite.directory / "inputs/case_01/data/lines.csv").read_bytes())
    assert re.search(rf"data/lines\.csv +7 +{size}\n", out)
    assert "amount  day  void" in out
    found = document(run("inspect", "case_01", "--public", "--json"))
    assert found["files"] == files_of(suite.directory / "inputs" / "case_01")


@pytest.mark.parametrize("words", [[], ["toy"], ["traps/toy"]])
def test_public_lists_work_without_the_private_half(run: Callable[..., Any], suite: Any, words: Any) -> None:
    """Lists with --public show suites and case ids, but neither seeds nor the cases' traps."""
    whole = run("inspect", *words, "--public"), run("inspect", *words, "--public", "--json")
    shutil.rmtree(suite.halves.private)
    assert whole == (run("inspect", *words, "--public"), run("inspect", *words, "--public", "--json"))
    assert (whole[0].code, whole[0].err) == (0, "")
    assert '"trap"' not in whole[1].out and "seed" not in whole[1].out
    assert "case_01" in whole[0].out or not words


def test_prompt_is_readme_then_files_in_fences(run: Callable[..., Any], suite: Any) -> None:
    """--prompt prints the README, then every other public file under its name."""
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


def test_prompt_is_raw_in_any_locale(suite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompt is UTF-8, unwrapped and uncoloured, whatever the locale and terminal say."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    (suite.directory / "inputs/case_01/task.md").write_text("Ünï [red]" + "x" * 300, encoding="utf-8")
    out = CliRunner(charset="ascii").invoke(command, ["case_01", "--prompt"]).stdout_bytes
    assert ("Ünï [red]" + "x" * 300).encode() in out and b"\x1b" not in out


def test_prompt_leaves_out_what_running_a_script_left(run: Callable[..., Any], suite: Any) -> None:
    """Hidden files and Python's caches in a case's directory are not part of the case."""
    before = run("inspect", "case_01", "--prompt").out
    home = suite.directory / "inputs" / "case_01"
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "x.pyc").write_bytes(b"\xff\x00")
    (home / ".DS_Store").write_bytes(b"\xff")
    assert run("inspect", "case_01", "--prompt").out == before


# Wrong words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "'nothing' is not a family (installed: toy)"),
        (["run", "3"], "there are no runs here"),
        (["toy", "toy"], "unexpected argument 'toy'"),
        (["case_01", "case_02"], "unexpected argument 'case_02'"),
        (["traps/toy", "--suite", "traps/toy"], "unexpected argument 'traps/toy'"),
        (["x" * 5000], "'" + "x" * 56 + "... is not a family (installed: toy)"),
        (["case_1"], "'case_1' is not a family"),
        (["toy", "case_99"], "has no case 'case_99'; it has case_01 to case_04"),
        (["case_99", "--public", "--suite", "traps/toy"], "it has case_01 to case_04"),
        (["traps"], "is not a complete suite"),
        (["--suite", "absent"], "there is no suite at absent"),
        (["--prompt"], "--prompt needs a case"),
        (["toy", "--prompt"], "--prompt needs a case"),
        (["--expected", "traps"], "--expected belongs to one suite"),
        (["case_01", "--public", "--expected", "traps"], "leave --expected out"),
        (["case_01", "--suite", "README.md"], "is not a complete suite"),
    ],
)
def test_words_that_name_nothing_are_refused(
    run: Callable[..., Any], suite: Any, words: Any, message: str
) -> None:
    """Words that name nothing, or too much, are an error that says what may be named."""
    (suite.directory.parent.parent / "README.md").write_text("")
    result = run("inspect", *words)
    assert result.code == 2 and result.out == ""
    assert message in " ".join(result.err.split()) and "Traceback" not in result.err


def test_ambiguous_case_lists_commands_that_work(run: Callable[..., Any], suite: Any, tmp_path: Path) -> None:
    """If several suites have the case, the error lists a command for each, and each works."""
    build_toy(tmp_path / "traps" / "toy-2")
    result = run("inspect", "case_01", "--public")
    assert result.code == 2
    commands = [line.split()[1:] for line in result.err.splitlines() if "trapcli inspect --suite" in line]
    assert len(commands) == 2
    for words in commands:
        assert run(*words).code == 0


def test_a_suite_whose_family_is_not_installed_is_named(
    run: Callable[..., Any], suite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a suite in traps/ leads to the same error as its directory, if its family is missing."""
    monkeypatch.setattr("trapcli.core.registry._declared", dict)
    named, placed = run("inspect", "toy"), run("inspect", "--suite", "traps/toy")
    assert named.code == placed.code == 2
    assert "was built by toy 1, a family that is not installed" in " ".join(placed.err.split())
    assert named.err == placed.err


def test_suite_of_another_family_is_refused(
    run: Callable[..., Any], suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A family and a suite that do not go together are refused, also with --public."""
    installed(monkeypatch, broken=f"{Path(__file__).stem}:BROKEN")
    for options in ([], ["--public"], ["--prompt"]):
        result = run("inspect", "broken", "case_01", "--suite", "traps/toy", *options)
        assert result.code == 2 and "is a suite of toy, not of broken" in result.err


@pytest.mark.parametrize(
    ("damage", "public", "message"),
    [
        ("expected/case_01/answer.json", False, "answer.json is missing"),
        ("inputs/case_01/task.md", False, "task.md"),
        ("traptask.yaml", True, "traptask.yaml"),
        ("inputs/case_01", True, "has no case"),
    ],
)
def test_missing_pieces_are_named(
    run: Callable[..., Any], suite: Any, damage: str, public: bool, message: str
) -> None:
    """A missing file or directory is named, with exit code 2."""
    path = suite.directory / damage
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    result = run("inspect", "case_01", "--suite", "traps/toy", *(["--public"] if public else []))
    assert result.code == 2 and message in result.err and "Traceback" not in result.err


def test_a_directory_in_place_of_a_file_is_named(run: Callable[..., Any], suite: Any) -> None:
    """A directory in a file's place is an error that names it."""
    task = suite.directory / "traptask.yaml"
    task.unlink()
    task.mkdir()
    result = run("inspect", "case_01", "--public", "--suite", "traps/toy")
    assert result.code == 2 and "traptask.yaml is a directory" in result.err


def test_a_file_that_is_not_text_is_named(run: Callable[..., Any], suite: Any) -> None:
    """A public file that is not UTF-8 is an error that names it."""
    (suite.directory / "inputs/case_01/task.md").write_bytes(b"caf\xe9")
    for options in (["--public"], ["--prompt"], []):
        result = run("inspect", "case_01", *options)
        assert result.code == 2 and "task.md" in result.err


def test_empty_case_is_refused(run: Callable[..., Any], suite: Any) -> None:
    """A case's directory without files is an error."""
    home = suite.directory / "inputs" / "case_01"
    shutil.rmtree(home)
    home.mkdir()
    result = run("inspect", "case_01", "--prompt")
    assert result.code == 2 and "is empty" in result.err


def test_public_half_of_another_version(
    run: Callable[..., Any], suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public half of another family version is not explained, but a prompt does not need the family."""
    monkeypatch.setattr(Toy, "version", "2")
    result = run("inspect", "case_01", "--public")
    assert result.code == 2 and "built by toy 1, but 2 is installed" in result.err
    assert run("inspect", "case_01", "--prompt").code == 0


def test_a_family_that_fails_to_explain(
    run: Callable[..., Any], suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug of the family is reported as one, without a traceback."""
    monkeypatch.setattr(Toy, "explain", Broken.explain)
    for options in ([], ["--public"]):
        result = run("inspect", "case_01", *options)
        assert result.code == 2 and "KeyError: 'nothing here'" in result.err
        assert "the family" in result.err and "Traceback" not in result.err


def test_text_of_a_case_is_printed_literally(run: Callable[..., Any], suite: Any) -> None:
    """Markup in a case is printed as it is, control characters escaped."""
    (suite.directory / "inputs/case_01/data/lines.csv").write_text("h\n[red]9[/red],\x1b[31m,x\n")
    out = run("inspect", "case_01", "--public").out
    assert "[red]9[/red]" in out and "\\x1b[31m" in out and "\x1b" not in out


# Help and start-up


def test_help_has_examples(run: Callable[..., Any]) -> None:
    """The help shows commands to copy."""
    out = run("inspect", "--help").out
    assert "trapcli inspect billing case_03" in out and "--public" in out


def test_importing_the_command_is_cheap() -> None:
    """Importing the command loads neither rich nor yaml, nor an engine, nor a family."""
    code = (
        "import sys, trapcli.commands.inspect_ as i; "
        "print([m for m in sys.modules if m.split('.')[0] in ('rich', 'yaml', 'families') "
        "or m in ('trapcli.suites.reader', 'trapcli.judging.judge', 'trapcli.views.case_view')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_json_needs_no_rich(suite: Any, tmp_path: Path) -> None:
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
