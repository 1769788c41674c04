"""Reading suites: everything whole is read back, everything missing, damaged or mixed up is refused."""

import json
import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from toy_family import TOY, Toy, build_toy, installed

from trapcli.core.case_ids import case_ids
from trapcli.core.errors import TrapError
from trapcli.suites import reader
from trapcli.suites.discovery import is_suite, suites_under
from trapcli.suites.layout import journal_of
from trapcli.suites.reader import Suite, open_public, open_suite, read_case
from trapcli.system import files


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch)


def build(target: Path, expected: Path | None = None, seed: str = "1", count: int = 3) -> Suite:
    return build_toy(target, seed=seed, count=count, expected=expected, force=True)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pristine") / "suite"
    with pytest.MonkeyPatch.context() as patch:
        installed(patch)
        build(place)
    return place


@pytest.fixture
def built(pristine: Path, tmp_path: Path) -> Suite:
    """A suite of three cases that the test may do anything to."""
    shutil.copytree(pristine, tmp_path / "suite")
    return open_suite(tmp_path / "suite")


def refusal(act: Callable[[], object]) -> str:
    """The message of the TrapError that `act` must raise; it is one paragraph."""
    with pytest.raises(TrapError) as raised:
        act()
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) > 40
    return message


def test_case_ids_are_padded_to_the_digits_of_the_count() -> None:
    """Ids have at least two digits, and as many as the last one needs."""
    assert case_ids(2) == ["case_01", "case_02"]
    assert case_ids(99)[0] == "case_01"
    assert (case_ids(100)[0], case_ids(100)[99]) == ("case_001", "case_100")


def test_a_suite_is_read_back_as_it_was_built(built: Suite) -> None:
    """Opening a suite gives what it was built with, and reading a case the case with its mistakes."""
    found = open_suite(built.directory)
    assert (found.family, found.recipe.version, found.recipe.seed, found.practice) == ("toy", "1", "1", True)
    assert found.recipe.knobs == {"lines": 6, "largest": 50, "hidden": 3}
    assert found.cases == ("case_01", "case_02", "case_03")
    case = read_case(found, "case_02")
    assert (case.id, case.family, case.trap) == ("case_02", "toy", "late_amount")
    assert sorted(case.files) == ["README.md", "data/lines.csv", "task.md"]
    assert case.gold == int(re.findall("[0-9]+", str(TOY.solve(case.files)))[0])
    assert [known.name for known in case.known_mistakes] == ["void_counted", "late_counted"]
    assert all(known.text == TOY.solve(case.files, known.name) for known in case.known_mistakes)
    assert all(known.result in known.text for known in case.known_mistakes)
    assert len(case.facts["states"]) == 6


def test_the_public_half_alone_tells_family_and_cases(built: Suite) -> None:
    """Without the private half the family, its version and the ids of the cases are known."""
    shutil.rmtree(built.halves.private)
    found = open_public(built.directory)
    assert (found.family, found.version, found.cases) == ("toy", "1", built.cases)


def test_scratch_files_beside_the_inputs_are_ignored(built: Suite) -> None:
    """An agent may leave files and directories in a case: they are no part of it."""
    home = built.directory / "inputs" / "case_01"
    (home / "scratch").mkdir()
    (home / "scratch" / "notes.txt").write_text("mine")
    (home / "data" / "more.csv").write_text("x")
    (built.directory / "inputs" / "notes.txt").write_text("x")
    assert sorted(read_case(open_suite(built.directory), "case_01").files) == [
        "README.md",
        "data/lines.csv",
        "task.md",
    ]
    assert open_public(built.directory).cases == built.cases


def test_reading_one_case_looks_at_no_other(built: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a suite and reading a case reads three files and those of the case, however many there are."""
    read = []
    monkeypatch.setattr(reader, "read_file", lambda path: read.append(path) or files.read_file(path))
    read_case(open_suite(built.directory), "case_03")
    inputs = built.directory / "inputs" / "case_03"
    assert read == [
        built.directory / "expected.sha256",
        built.halves.private / "suite.json",
        built.halves.private / "case_03" / "answer.json",
        *(inputs / name for name in ("README.md", "data/lines.csv", "task.md")),
    ]


def test_halves_may_stand_anywhere(tmp_path: Path) -> None:
    """A private half elsewhere is named each time; moved to its place inside, it need not be."""
    there = build(tmp_path / "public", tmp_path / "private")
    message = refusal(lambda: open_suite(there.directory))
    assert "expected/suite.json is missing" in message
    assert "give that --expected DIR" in message
    assert open_suite(there.directory, tmp_path / "private") == there
    os.symlink(tmp_path / "private", there.directory / "expected")
    assert read_case(open_suite(there.directory), "case_01").gold == read_case(there, "case_01").gold


@pytest.mark.parametrize("other", [{"seed": "2"}, {"count": 4}], ids=str)
def test_halves_of_two_suites_are_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    """A private half with a public half of another seed or count is never opened."""
    build(tmp_path / "a", tmp_path / "a-private")
    build(tmp_path / "b", tmp_path / "b-private", **other)
    message = refusal(lambda: open_suite(tmp_path / "a", tmp_path / "b-private"))
    assert "b-private/suite.json" in message
    assert "do not belong together" in message


def test_a_case_of_another_suite_is_refused(tmp_path: Path) -> None:
    """One case's inputs or answer put there from another suite of the family are noticed."""
    mine, other = build(tmp_path / "a"), build(tmp_path / "b", seed="2")
    shutil.copytree(other.directory / "inputs/case_01", mine.directory / "inputs/case_01", dirs_exist_ok=True)
    assert "inputs/case_01/README.md was changed" in refusal(lambda: read_case(mine, "case_01"))
    shutil.copy(other.halves.private / "case_02/answer.json", mine.halves.private / "case_02/answer.json")
    assert "case_02/answer.json is not the file" in refusal(lambda: read_case(mine, "case_02"))
    assert read_case(mine, "case_03").id == "case_03"


def recommit(built: Suite) -> None:
    """Let expected.sha256 fit the private half as it is now, as `sha256sum` would."""
    names = [f"{case}/answer.json" for case in built.cases] + ["suite.json"]
    digests = {
        f"expected/{name}": files.digest_of((built.halves.private / name).read_bytes()) for name in names
    }
    (built.directory / "expected.sha256").write_text(files.listing(digests))


def test_a_new_commitment_does_not_hide_a_changed_answer(built: Suite) -> None:
    """An answer that no longer fits the inputs is refused even if expected.sha256 was made to fit it."""
    shutil.copy(built.halves.private / "case_01/answer.json", built.halves.private / "case_02/answer.json")
    recommit(built)
    assert "does not belong to" in refusal(lambda: read_case(open_suite(built.directory), "case_02"))


PIECES = ["expected.sha256", "expected/suite.json", "expected/case_01/answer.json", "inputs/case_01/task.md"]
HARM: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "not UTF-8": lambda path: path.write_bytes(b"\xff\xfe" + path.read_bytes()),
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "huge": lambda path: os.truncate(path, 200_000_000),
    "a link to itself": lambda path: (path.unlink(), path.symlink_to(path)),
}


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("piece", PIECES)
def test_damage_is_named(built: Suite, piece: str, harm: str) -> None:
    """Whatever happened to a file that is needed, one paragraph names it; nothing else is raised."""
    HARM[harm](built.directory / piece)
    message = refusal(lambda: read_case(open_suite(built.directory), "case_01"))
    # Of a list that was cut short the last file is missed; it is named with the list.
    assert str(built.directory / piece) in message


RECORDS = ["", "{", "[]", "null", "{}", '{"format": 2}', "[" * 100_000, '{"format": 1, "seed": "x"}', "\xff"]


@pytest.mark.parametrize("text", RECORDS, ids=lambda text: text[:20])
def test_a_committed_record_that_says_nothing_is_refused(built: Suite, text: str) -> None:
    """A suite.json or answer.json that is no record is refused, even if expected.sha256 fits it."""
    for name, act in (
        ("case_01/answer.json", lambda: read_case(open_suite(built.directory), "case_01")),
        ("suite.json", lambda: open_suite(built.directory)),
    ):
        (built.halves.private / name).write_text(text, encoding="latin-1")
        recommit(built)
        assert str(built.halves.private / name) in refusal(act)


@pytest.mark.parametrize(
    "change",
    [
        *({"count": 2}, {"count": 10**12}, {"count": float("inf")}, {"inputs": {}}, {"inputs": None}),
        *(
            {"knobs": 3},
            {"knobs": {"lines": "many"}},
            {"knobs": {"lines": None}},
            {"seed": "s"},
            {"seed": float("-inf")},
        ),
    ],
)
def test_a_committed_record_that_contradicts_is_refused(built: Suite, change: dict[str, object]) -> None:
    """A suite.json whose fields do not fit the suite is refused, even if expected.sha256 fits it."""
    record = json.loads((built.halves.private / "suite.json").read_text()) | change
    (built.halves.private / "suite.json").write_text(json.dumps(record))
    recommit(built)
    assert "suite.json" in refusal(lambda: open_suite(built.directory))


@pytest.mark.parametrize(
    "line", ["x", "0" * 64, f"{'0' * 64}  elsewhere/x", f"{'g' * 64}  expected/suite.json"]
)
def test_a_line_that_commits_to_nothing_is_named(built: Suite, line: str) -> None:
    """A line of expected.sha256 that sha256sum would not write is refused with its number."""
    path = built.directory / "expected.sha256"
    path.write_text(path.read_text() + line + "\n")
    assert f"{path}, line 5" in refusal(lambda: open_suite(built.directory))


def test_a_directory_that_is_not_a_suite_is_named(tmp_path: Path, built: Suite) -> None:
    """A place without a suite, a file, and a private half that is none, are told apart."""
    assert "it does not exist" in refusal(lambda: open_suite(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    assert "empty/expected.sha256 is missing" in refusal(lambda: open_suite(tmp_path / "empty"))
    (tmp_path / "empty" / "expected.sha256").write_text("")
    (tmp_path / "empty" / "inputs").write_text("")
    for read in (open_suite, open_public):
        assert "empty/inputs is missing" in refusal(partial(read, tmp_path / "empty"))
    assert "README.md is not a complete suite" in refusal(lambda: open_suite(built.directory / "README.md"))
    message = refusal(lambda: open_suite(built.directory, tmp_path / "empty"))
    assert f"--expected {tmp_path / 'empty'} is not the private half" in message
    assert "has no case 'case_4'; it has case_01 to case_03" in refusal(lambda: read_case(built, "case_4"))
    assert "has no case '../case_01'" in refusal(lambda: read_case(built, "../case_01"))


def test_a_suite_of_another_version_is_refused(built: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite that another version of its family built is refused, and both versions are named."""
    monkeypatch.setattr(Toy, "version", "2")
    assert "was built by toy 1, but toy 2 is installed" in refusal(lambda: open_suite(built.directory))


def test_a_suite_of_a_family_that_is_not_installed_is_refused(
    built: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the family that built it and those that are installed."""
    installed(monkeypatch, toy2="toy_family:TOY")
    record = json.loads((built.halves.private / "suite.json").read_text()) | {"family": "gone"}
    (built.halves.private / "suite.json").write_text(json.dumps(record))
    recommit(built)
    message = refusal(lambda: open_suite(built.directory))
    assert "built by gone 1" in message
    assert "installed: toy, toy2" in message


@pytest.mark.parametrize("line", ["", "name: toy", "# trapcli suite: family toy", "\xff\xff"])
def test_a_task_file_without_its_first_line_is_named(built: Suite, line: str) -> None:
    """The public half is refused if traptask.yaml does not begin as it was built."""
    (built.directory / "traptask.yaml").write_text(line, encoding="latin-1")
    assert "traptask.yaml" in refusal(lambda: open_public(built.directory))


def test_suites_are_found_by_name(tmp_path: Path, built: Suite) -> None:
    """Suites of a directory come in the order of their names, without what only stands beside them."""
    build(tmp_path / "another")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    shutil.copytree(built.directory, tmp_path / ".suite.trapcli-old-1")
    assert suites_under(tmp_path) == [tmp_path / "another", tmp_path / "suite"]
    assert suites_under(tmp_path / "none") == []
    assert suites_under(tmp_path / "notes.txt") == []
    assert is_suite(tmp_path / "suite")
    assert not is_suite(tmp_path / "empty")


READERS: dict[str, Callable[[Path], object]] = {
    "open_suite": open_suite,
    "open_public": open_public,
    "is_suite": is_suite,
    "suites_under": lambda suite: suites_under(suite.parent),
}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_finishes_an_interrupted_swap(tmp_path: Path, reader: str) -> None:
    """A swap that was killed between its two moves is finished by whatever looks at the suite next."""
    target, parent = tmp_path / "traps" / "suite", tmp_path / "traps"
    parent.mkdir()
    for seed, name in (("1", ".suite.trapcli-old-1"), ("2", ".suite.trapcli-new-1")):
        shutil.move(build(tmp_path / "elsewhere", seed=seed).directory, parent / name)
    journal_of(target).write_text('{"moves": [[".suite.trapcli-new-1", "suite", ".suite.trapcli-old-1"]]}')
    assert READERS[reader](target)
    assert open_suite(target).recipe.seed == "2"
    assert os.listdir(parent) == ["suite"]


def test_a_swap_while_a_suite_is_opened_is_waited_for(
    built: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If another build replaces a suite while it is read, the new one is opened."""
    real = reader._read_commitment

    def replaced(path: Path) -> dict[str, str]:
        found = real(path)
        monkeypatch.setattr(reader, "_read_commitment", real)
        build(built.directory, seed="2")
        return found

    monkeypatch.setattr(reader, "_read_commitment", replaced)
    assert open_suite(built.directory).recipe.seed == "2"


def test_a_digest_does_not_tell_where_the_private_half_is(tmp_path: Path) -> None:
    """Both halves together have one digest, which any change of any file changes."""
    inside, apart = build(tmp_path / "a"), build(tmp_path / "b", tmp_path / "private")
    assert inside.halves.digest() == apart.halves.digest()
    before = inside.halves.digest()
    (inside.halves.private / "case_01" / "answer.json").write_text("{}")
    assert inside.halves.digest() != before
