"""Which suite a command works on, from what is named and the current directory."""

from collections.abc import Callable
from pathlib import Path

import pytest
from toy_family import TOY, Toy, installed

from trapcli.building.builder import build_suite, make_recipe
from trapcli.core.errors import TrapError
from trapcli.suites.halves import Halves
from trapcli.suites.reader import Suite
from trapcli.suites.selection import (
    SeveralSuites,
    Target,
    read_target,
    runs_directory,
    select_public,
    select_suite,
    suite_around,
)


class Other(Toy):
    """Another family, with suites of its own."""

    name = "other"


OTHER = Other()


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, other=f"{__name__}:OTHER")


Build = Callable[..., Suite]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that builds a suite at a path in the test's directory."""

    def make(place: str, family: Toy = TOY, count: int = 2, expected: Path | None = None) -> Suite:
        return build_suite(family, make_recipe(family, cases=count), Halves.of(tmp_path / place, expected))

    return make


def select(cwd: Path, **given: object) -> Path:
    return select_suite(Target(**given), cwd).directory  # type: ignore[arg-type]


def refusal(cwd: Path, **given: object) -> str:
    with pytest.raises(TrapError) as raised:
        select(cwd, **given)
    return str(raised.value)


def test_the_directory_given_comes_first(tmp_path: Path, build: Build) -> None:
    """--suite is taken as it is, whatever the current directory and whatever else would fit."""
    build("traps/toy")
    build("elsewhere")
    assert select(tmp_path / "traps/toy", suite=tmp_path / "elsewhere") == tmp_path / "elsewhere"
    assert "there is no suite at" in refusal(tmp_path, suite=tmp_path / "none")


def test_then_the_family_that_was_named(tmp_path: Path, build: Build) -> None:
    """--family finds the suite of that family in traps/, whatever its directory is called."""
    build("traps/toy")
    build("traps/hard", OTHER)
    assert select(tmp_path, family="other") == tmp_path / "traps/hard"
    assert select(tmp_path, family="toy") == tmp_path / "traps/toy"
    message = refusal(tmp_path, family="payout")
    assert "no suite of payout in" in message
    assert "`trapcli build payout`" in message


def test_a_family_may_be_that_of_the_suite_around(tmp_path: Path, build: Build) -> None:
    """The suite that the current directory is in is found by its family too, as its README says."""
    suite = build("somewhere/suite").directory
    assert select(suite, family="toy") == suite
    assert select(suite / "inputs/case_01", family="toy") == suite
    assert "no suite of other" in refusal(suite, family="other")


def test_then_the_suite_around(tmp_path: Path, build: Build) -> None:
    """Anywhere inside a suite, that suite is selected."""
    suite = build("suite").directory
    build("suite-2")
    for inside in (".", "inputs", "inputs/case_01/data", "expected/case_02"):
        assert select(suite / inside, case="case_01") == suite
        assert suite_around(suite / inside) == suite
    assert suite_around(tmp_path) is None


def test_then_the_only_suite_that_has_the_case(tmp_path: Path, build: Build) -> None:
    """In traps/ a suite is found by a case that only it has, or if it is the only one."""
    build("traps/small", count=2)
    assert select(tmp_path) == tmp_path / "traps/small"
    assert select(tmp_path, case="case_02") == tmp_path / "traps/small"
    build("traps/large", count=5)
    assert select(tmp_path, case="case_05") == tmp_path / "traps/large"
    message = refusal(tmp_path, case="case_77")
    assert "has a case 'case_77': large has case_01 to case_05; small has case_01 to case_02" in message


def test_without_suites_the_error_says_what_to_do(tmp_path: Path) -> None:
    """Where there is no suite at all the error says how to build one, and mentions --suite."""
    for case in (None, "case_01"):
        assert "`trapcli build FAMILY`" in refusal(tmp_path, case=case)
    assert "--suite DIR" in refusal(tmp_path)


@pytest.mark.parametrize("named", [{"case": "case_01"}, {"family": "toy"}, {}], ids=str)
def test_several_suites_that_fit_are_listed(tmp_path: Path, build: Build, named: dict[str, str]) -> None:
    """Nothing is guessed: if several suites fit, the error has the directory of each."""
    build("traps/a")
    build("traps/b c")
    with pytest.raises(SeveralSuites) as raised:
        select(tmp_path, **named)
    assert raised.value.directories == (tmp_path / "traps/a", tmp_path / "traps/b c")
    assert str(raised.value).splitlines()[1:] == [f"  --suite {path}" for path in raised.value.directories]


def test_a_suite_of_another_family_is_refused(tmp_path: Path, build: Build) -> None:
    """--suite and --family that contradict each other are an error."""
    build("suite")
    message = refusal(tmp_path, suite=tmp_path / "suite", family="other")
    assert "suite is a suite of toy, not of other" in message


def test_a_damaged_suite_does_not_hide_others(tmp_path: Path, build: Build) -> None:
    """A suite without its task file fits no case; it is an error if its family was named."""
    build("traps/toy")
    build("traps/whole", OTHER)
    (tmp_path / "traps/toy/traptask.yaml").unlink()
    assert select(tmp_path, case="case_01") == tmp_path / "traps/whole"
    assert "traptask.yaml is missing" in refusal(tmp_path, family="toy")


def test_a_private_half_may_be_named_with_those_of_other_families(tmp_path: Path, build: Build) -> None:
    """--expected is the private half, or the directory in which `build --all` put one for each family."""
    private = tmp_path / "private"
    build("traps/toy", expected=private / "toy")
    for expected in (private, private / "toy"):
        found = select_suite(Target(case="case_01", expected=expected), tmp_path)
        assert found.halves.private == private / "toy"
    assert "is not the private half" in refusal(tmp_path, expected=tmp_path)


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ([], Target()),
        (["toy"], Target(family="toy")),
        (["case_03", "toy"], Target(family="toy", case="case_03")),
        (["some where", "case_03"], Target(suite=Path("some where"), case="case_03")),
        (["./toy"], Target(suite=Path("toy"))),
        (["toy", "some where"], Target(suite=Path("some where"), family="toy")),
    ],
    ids=str,
)
def test_words_name_a_family_a_suite_or_a_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], target: Target
) -> None:
    """Words are read in any order; a family's name wins over a directory of that name."""
    monkeypatch.chdir(tmp_path)
    for name in ("toy", "some where", "case_03"):
        (tmp_path / name).mkdir()
    assert read_target(words) == target


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "'nothing' is not a family (installed: other, toy), a case id such as case_01, or a "),
        (["case_1"], "'case_1' is not a family"),
        (["toy", "other"], "unexpected argument 'other'"),
        (["case_01", "case_02"], "unexpected argument 'case_02'"),
        (["here", "here"], "unexpected argument 'here'"),
    ],
    ids=str,
)
def test_words_that_name_nothing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    """A word that names nothing, or one too many, is an error that says what may be named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    with pytest.raises(TrapError) as raised:
        read_target(words)
    assert str(raised.value).startswith(message)


def test_a_public_half_is_enough(tmp_path: Path, build: Build) -> None:
    """Without its private half a suite can still be selected for what is public."""
    build("traps/toy", count=3, expected=tmp_path / "private")
    found = select_public(Target(family="toy"), tmp_path)
    assert (found.directory, found.cases) == (tmp_path / "traps/toy", ("case_01", "case_02", "case_03"))
    with pytest.raises(TrapError, match="is a suite of toy, not of other"):
        select_public(Target(tmp_path / "traps/toy", "other"), tmp_path)


def test_runs_are_kept_in_the_current_directory_but_never_in_a_suite(build: Build, tmp_path: Path) -> None:
    """Runs are in .trapcli here; inside a suite, beside traps/ or beside the suite."""
    build("project/traps/toy")
    build("alone/toy")
    for place, kept in {
        "project": Path(".trapcli"),
        "project/traps": Path(".trapcli"),
        "project/traps/toy": tmp_path / "project/.trapcli",
        "project/traps/toy/inputs/case_01": tmp_path / "project/.trapcli",
        "alone/toy/inputs": tmp_path / "alone/.trapcli",
    }.items():
        assert runs_directory(tmp_path / place) == kept
