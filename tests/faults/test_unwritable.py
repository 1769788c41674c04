"""Where nothing can be written, what reads works, and what writes says so in one line and changes nothing."""

import os
import re
from typing import Any

import pytest
from killed_work import tree
from trial_place import Place
from walls import needs_walls, read_only

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place with a suite, a complete run 1, and an agent's answer in `answer`."""
    made = Place(tmp_path_factory.mktemp("place"))
    (made.root / "answer").write_text("7\n")
    run = made.calibrate("--suite", "traps/toy", "--solution", made.agent("right"), "--trials", 1)
    assert run.finish()[0] == 0
    return made


RUN = ("calibrate", "--suite", "traps/toy", "--trials", "1", "--solution", "sh agent.sh")
READS = {
    ("inspect", "--suite", "traps/toy", "case_01"): 0,
    ("judge", "--suite", "traps/toy", "--case", "case_01", "answer"): 1,
    ("inspect", "run"): 0,
    ("inspect", "run", "1"): 0,
    ("inspect", "run", "1", "case_01", "--trial", "1"): 0,
}
WRITES = {
    ("build", "toy", "--force"): "cannot build traps/toy: Read-only file system .* Nothing was changed",
    ("build", "toy", "--out", "other"): "cannot build other/toy: Read-only file system",
    RUN: "unable to open database file. Check that you may write there|Read-only file system",
    ("calibrate", "--resume", "1"): "Check that you may write there|Read-only file system",
}


@needs_walls
@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_what_reads_works_on_a_read_only_file_system(place: Place, words: tuple[str, ...]) -> None:
    """Suites, answers and runs are shown and judged, and nothing is changed."""
    before = tree(place.root)
    code, out, err = place.start(*words, behind=read_only(place.root)).finish()
    assert (code, err) == (READS[words], "") and out
    assert tree(place.root) == before


@needs_walls
@pytest.mark.parametrize("words", WRITES, ids=" ".join)
def test_what_writes_is_refused_on_a_read_only_file_system(place: Place, words: tuple[str, ...]) -> None:
    """One line names the place and the reason; nothing is changed."""
    before = tree(place.root)
    code, out, err = place.start(*words, behind=read_only(place.root)).finish()
    assert (code, out) == (2, "") and re.fullmatch(f"Error: .*({WRITES[words]}).*\n", err), err
    assert tree(place.root) == before


@needs_walls
@pytest.mark.parametrize(
    ("name", "words", "error"),
    [
        ("traps", ("build", "toy", "--force"), "cannot build traps/toy: Read-only file system"),
        (".trapcli", RUN, r"\.trapcli/runs\.db: .* Check that you may write there"),
        ("/", RUN, "No usable temporary directory"),
    ],
)
def test_one_place_that_cannot_be_written_is_named(
    place: Place, name: str, words: tuple[str, ...], error: str
) -> None:
    """The suites, the store or every place for temporary files may be read-only alone."""
    behind = [*read_only(place.root / name), "--dev", "/dev"]
    if name == "/":
        for writable in (".trapcli", "packages"):
            behind += ["--bind", str(place.root / writable), str(place.root / writable)]
    code, out, err = place.start(*words, behind=behind).finish()
    lines = [line for line in err.splitlines() if not line.startswith("run ")]
    assert (code, out, len(lines)) == (2, "", 1) and re.search(error, err), err


@pytest.mark.parametrize("home", [{"HOME": "/nonexistent"}, {"HOME": ""}, {"TMPDIR": "/nonexistent"}])
def test_a_home_or_tmpdir_that_is_missing_is_not_needed(place: Place, home: dict[str, str]) -> None:
    """A run works without them, also if each trial gets a HOME of its own."""
    code, _, err = place.start(*RUN, *(["--fresh-home"] if "HOME" in home else []), env=home).finish()
    assert code == 0, err


@pytest.mark.parametrize("words", [("inspect",), ("build", "toy"), ("judge", "--case", "case_01", "x"), RUN])
def test_a_current_directory_that_was_removed_is_named(place: Place, words: tuple[str, ...]) -> None:
    """The message says what is wrong and what to do, whatever the command."""
    gone = place.root / "gone"
    gone.mkdir()
    behind = ("sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(gone))
    code, out, err = place.start(*words, behind=behind).finish()
    assert (code, out) == (2, "")
    assert err == "Error: the current directory was removed. Change to another one.\n"


def streams(place: Place, redirection: str, *words: str) -> tuple[int, str]:
    """Run the program with the shell's redirection; return its code and its stdout."""
    behind = ("bash", "-c", f'set -o pipefail; "$0" "$@" {redirection}')
    code, out, _ = place.start(*words, behind=behind).finish()
    return code, out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_an_error_that_nobody_can_read_keeps_its_exit_code(place: Place) -> None:
    """A mistake on the command line exits with 2, also if stderr is full."""
    assert streams(place, "2>/dev/full", "build", "nonsense") == (2, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    ("redirection", "expected"),
    [("2>/dev/full", 0), ("2> >(true)", 0), ("2>&-", 0), ("<&-", 0), (">/dev/full", 2), ("| true", 141)],
)
def test_a_run_is_carried_out_whoever_reads_what_it_prints(
    place: Place, redirection: str, expected: int
) -> None:
    """If stderr is full or closed the run goes on; if stdout is, the exit code says so after the run."""
    number = len(place.query("SELECT 1 FROM run"))
    code, out = streams(place, redirection, *RUN)
    assert code == expected
    assert bool(out) == (expected == 0)
    found: list[Any] = place.query("SELECT ended FROM run WHERE number = ?", number + 1)
    assert found and found[0][0]
