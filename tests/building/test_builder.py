"""Building: seeds, order, redraws, whole trees, and what stops a build."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from hypothesis import given
from hypothesis import strategies as st
from toy_family import TOY, Knobs, Toy, build_toy, declare, installed

from trapcli.building import case_builder
from trapcli.building.case_builder import DEFAULT_SEED, build_case, parse_seed
from trapcli.core.contract import Case, Files
from trapcli.core.errors import TrapError
from trapcli.core.recipe import is_practice
from trapcli.core.shorten import quoted
from trapcli.suites.halves import Halves
from trapcli.suites.reader import Suite, open_suite, read_case

SECRET = str(2**127 + 12345)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch)


def build(target: Path, family: Toy = TOY, **given: Any) -> Suite:
    return build_toy(target, family=family, **given)


def refusal(target: Path, **given: Any) -> str:
    with pytest.raises(TrapError) as raised:
        build(target, **given)
    return str(raised.value)


def tree(root: Path) -> dict[str, Any]:
    """All that a directory shows: by path mode, time and content."""
    found = {}
    for path in [root, *sorted(root.rglob("*"))]:
        at = path.stat()
        content = None if path.is_dir() else path.read_bytes()
        found[path.relative_to(root).as_posix()] = (at.st_mode, at.st_mtime, content)
    return found


# Seeds


@pytest.mark.parametrize(
    ("text", "seed"),
    [
        ("1", "1"),
        ("007", "7"),
        (" 42 ", "42"),
        ("0", "0"),
        ("0xFF", "255"),
        ("0x" + "f" * 32, str(2**128 - 1)),
    ],
)
def test_a_seed_is_read_as_decimal_digits(text: str, seed: str) -> None:
    """Decimal and hexadecimal spellings of a number are the same seed."""
    assert parse_seed(text) == seed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "1.0",
        "1e3",
        "1_000",
        "0x",
        "ff",
        "0b1",
        "٣",
        "seed",
        "1 2",
        "9" * 161,
        str(2**512),
        "0x" + "f" * 129,
    ],
)
def test_what_is_not_a_seed_is_refused(text: str) -> None:
    """Anything but a whole number from 0 of at most 512 bits is an error that shows it."""
    with pytest.raises(TrapError, match="a seed is a whole number") as raised:
        parse_seed(text)
    assert f"seed {quoted(text)}: " in str(raised.value)


@given(st.text(max_size=30) | st.integers().map(str) | st.integers(min_value=0).map(hex))
def test_a_seed_is_digits_or_an_error(text: str) -> None:
    """Whatever is given as a seed becomes decimal digits that mean themselves, or a TrapError."""
    try:
        seed = parse_seed(text)
    except TrapError:
        return
    assert re.fullmatch("0|[1-9][0-9]*", seed)
    assert seed == parse_seed(seed) or text.strip().lower() == "random"


def test_a_random_seed_is_never_one_for_practice() -> None:
    """`random` draws 128 bits anew each time; seeds below 64 bits are for practice."""
    drawn = {parse_seed("random") for _ in range(50)} | {parse_seed(" Random ")}
    assert len(drawn) == 51
    assert not any(is_practice(seed) for seed in drawn)
    assert is_practice(DEFAULT_SEED)
    assert is_practice(str(2**63 - 1))
    assert not is_practice(str(2**63))


# Cases


def test_practice_cases_come_in_the_order_of_the_family() -> None:
    """In a practice suite case k is the family's case k."""
    built = [build_case(TOY, "1", Knobs(), k) for k in range(4)]
    assert [one.index for one in built] == [0, 1, 2, 3]
    assert [one.case.trap for one in built] == ["void_amount", "late_amount"] * 2
    assert [one.case.id for one in built] == ["case_01", "case_02", "case_03", "case_04"]


def test_a_secret_seed_permutes_the_traps_in_each_block() -> None:
    """Each block has every trap once, in orders that differ between blocks and seeds."""

    class Many(Toy):
        traps: Mapping[str, str] = {f"trap_{letter}": "" for letter in "abcdef"}

    def orders(seed: str) -> list[tuple[int, ...]]:
        indices = [case_builder.case_index(Many(), seed, k) for k in range(60)]
        blocks = [tuple(indices[start : start + 6]) for start in range(0, 60, 6)]
        assert [sorted(block) for block in blocks] == [list(range(6 * n, 6 * n + 6)) for n in range(10)]
        return [tuple(index % 6 for index in block) for block in blocks]

    assert len(set(orders(SECRET))) > 5
    assert orders(SECRET) != orders(str(int(SECRET) + 1))
    assert case_builder.case_index(Many(), str(2**63 - 1), 7) == 7


def test_every_position_of_a_block_may_have_every_trap() -> None:
    """Over many seeds each trap comes first about equally often."""
    first = Counter(case_builder.case_index(TOY, str(2**64 + n), 0) for n in range(300))
    assert min(first[0], first[1]) > 100


def test_a_case_that_breaks_an_invariant_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second draw has the seed SEED/2, the third SEED/3, and the number of draws is kept."""
    asked = []

    class Moody(Toy):
        def generate(self, seed: str, knobs: Any, k: int) -> Case:
            asked.append(seed)
            case = super().generate(seed, knobs, k)
            return case if len(asked) > 2 else replace(case, gold=-1)

    built = build_case(Moody(), "77", Knobs(), 1)
    assert asked == ["77", "77/2", "77/3"]
    assert built.attempts == 3
    assert built.case.gold == TOY.generate("77/3", Knobs(), 1).gold


def test_a_case_that_cannot_be_made_is_an_error_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bounded number of draws the error names the invariant that kept failing."""
    real = Toy.solve

    def solve(self: Toy, files: Files, mistake: str | None = None) -> Any:
        return {"void_counted": "1", "late_counted": "none"}.get(mistake or "") or real(self, files)

    monkeypatch.setattr(Toy, "solve", solve)
    monkeypatch.setattr(case_builder, "DRAWS", 5)
    with pytest.raises(
        TrapError, match=r"cannot make case 1 .* 5 of 5 draws broke the invariant 'bites', .*late_counted is"
    ):
        build_case(TOY, "1", Knobs(), 0)


@pytest.mark.parametrize("gold", [{1, 2}, float("nan"), object()], ids=["set", "nan", "object"])
def test_gold_that_is_not_json_data_is_a_fault_of_the_family(
    gold: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be written as JSON stops the build at once, and names the family."""
    real = Toy.generate
    monkeypatch.setattr(Toy, "generate", lambda *a: replace(real(*a), gold=gold))
    with pytest.raises(TrapError, match=r"family 'toy' failed: gold or facts of .* are not JSON data"):
        build_case(TOY, "1", Knobs(), 0)


def test_what_is_checked_is_what_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gold and facts go through JSON before the invariants see them, so tuples are lists from the start."""
    real = Toy.generate
    monkeypatch.setattr(Toy, "generate", lambda *a: replace(real(*a), facts={"pair": (1, (2,))}))
    built = build_case(TOY, "1", Knobs(), 0).case
    assert built.facts == {"pair": [1, [2]]}
    read = read_case(build(tmp_path / "suite"), "case_01")
    assert all(
        getattr(read, name) == getattr(built, name) for name in ("files", "gold", "facts", "mistakes", "id")
    )


def test_every_case_carries_the_same_canary(tmp_path: Path) -> None:
    """The canary depends on family, version and seed, not on the number of cases."""

    def lines(suite: Suite) -> set[str]:
        return {read_case(suite, case).files["README.md"].splitlines()[-1] for case in suite.cases}

    [line] = lines(build(tmp_path / "a"))
    assert re.fullmatch(r"trapcli canary [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}: .*", line)
    assert lines(build(tmp_path / "b", count=9)) == {line}
    assert lines(build(tmp_path / "c", seed="2")) != {line}
    assert line in (tmp_path / "a" / "README.md").read_text()


# Suites


def test_the_same_build_gives_the_same_tree(tmp_path: Path) -> None:
    """Contents, modes and times of all files are the same, wherever and after whatever it is built."""
    build(tmp_path / "a" / "suite", seed=SECRET)
    build(tmp_path / "b", count=2)
    before = os.umask(0o077)
    try:
        build(tmp_path / "b", seed=SECRET, force=True)
    finally:
        os.umask(before)
    found = tree(tmp_path / "a" / "suite")
    assert found == tree(tmp_path / "b")
    assert len({time for _, time, _ in found.values()}) == 1
    assert {mode & 0o7777 for mode, _, content in found.values() if content is None} == {0o755}
    assert {mode & 0o7777 for mode, _, content in found.values() if content is not None} == {0o644}
    assert all(b"\r" not in content for _, _, content in found.values() if content)


def test_a_longer_suite_begins_with_the_shorter_one(tmp_path: Path) -> None:
    """The cases of a suite do not depend on how many there are."""
    short, long = build(tmp_path / "a", count=3, seed=SECRET), build(tmp_path / "b", count=7, seed=SECRET)
    for half in ("inputs", "expected"):
        for case in short.cases:
            assert tree(short.directory / half / case) == tree(long.directory / half / case)


PROGRAM = """
import sys
from pathlib import Path
from trapcli.core import registry
from toy_family import build_toy

if __name__ == "__main__":
    target, expected, seed, count, jobs = sys.argv[1:]
    toy = registry.family("toy")
    try:
        suite = build_toy(
            Path(target), family=toy, seed=seed, count=int(count), jobs=int(jobs),
            expected=Path(expected) if expected else None, force=True,
        )
    except KeyboardInterrupt:
        sys.exit(130)
    print(suite.halves.digest(), suite.redraws)
"""


@pytest.fixture
def outside(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a build in a process of its own, where the toy is installed by its metadata."""
    (tmp_path / "program.py").write_text(PROGRAM)
    declare(tmp_path / "packages")
    paths = [*MODULES, tmp_path / "packages", *filter(None, [os.environ.get("PYTHONPATH")])]

    def start(
        target: Path,
        *,
        seed: str = "1",
        count: int = 12,
        jobs: int = 1,
        expected: Path | str = "",
        **env: str,
    ) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-W",
            "error",
            tmp_path / "program.py",
            target,
            expected,
            seed,
            str(count),
            str(jobs),
        ]
        return subprocess.Popen(
            [str(word) for word in command],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


def ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out


@pytest.mark.slow
def test_jobs_and_surroundings_do_not_show(tmp_path: Path, outside: Callable[..., Any]) -> None:
    """One worker or two, hash seed, locale and time zone make no difference to a single byte."""
    here = build(tmp_path / "here", count=12)
    one = outside(tmp_path / "one", PYTHONHASHSEED="1", LC_ALL="C", TZ="Pacific/Kiritimati")
    two = outside(tmp_path / "two", jobs=2, PYTHONHASHSEED="2", LC_ALL="C.UTF-8", TZ="America/Los_Angeles")
    assert ended(one) == ended(two) == f"{here.halves.digest()} {here.redraws}\n"
    assert tree(tmp_path / "one") == tree(tmp_path / "two") == tree(tmp_path / "here")


@pytest.mark.slow
def test_a_worker_that_fails_fails_the_build(tmp_path: Path, outside: Callable[..., Any]) -> None:
    """A fault of the family in a worker is the same error as without workers, and leaves nothing behind."""
    build(tmp_path / "place" / "suite")
    process = outside(tmp_path / "place" / "suite", jobs=2, TOY_SECONDS="never")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "FamilyFault: family 'toy' failed: generate raised ValueError" in err
    assert os.listdir(tmp_path / "place") == ["suite"]
    assert open_suite(tmp_path / "place" / "suite").recipe.seed == "1"


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def group(process: subprocess.Popen[str]) -> list[str]:
    """The processes of its group that are left, without those that have ended; known on Linux only."""
    left = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, leader = path.read_text().rpartition(")")[2].split()[:3]
            if leader == str(process.pid) and state != "Z":
                left.append(path.parent.name)
    return left


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_all_and_leaves_the_old(tmp_path: Path, outside: Callable[..., Any], jobs: int) -> None:
    """Ctrl-C at the terminal, which all processes of a build get, ends them all soon and quietly."""
    place = tmp_path / "place"
    build(place / "suite")
    process = outside(place / "suite", seed="2", count=200, jobs=jobs, TOY_SECONDS="0.05")
    wait_for(lambda: list(place.glob(".suite.trapcli-new-*/expected/case_003")))
    os.killpg(process.pid, signal.SIGINT)
    started = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert time.monotonic() - started < 5
    assert os.listdir(place) == ["suite"]
    assert open_suite(place / "suite").recipe.seed == "1"
    wait_for(lambda: group(process) == [])


@pytest.mark.slow
def test_a_worker_that_is_killed_fails_the_build(tmp_path: Path, outside: Callable[..., Any]) -> None:
    """If the system ends a worker, for instance for lack of memory, the build says so and leaves nothing."""
    place = tmp_path / "place"
    process = outside(place / "suite", count=200, jobs=2, TOY_SECONDS="0.05")
    wait_for(lambda: list(place.glob(".suite.trapcli-new-*/expected/case_003")))
    for worker in group(process):
        with suppress(ProcessLookupError):  # one that is gone ends the others
            if int(worker) != process.pid:
                os.kill(int(worker), signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert "TrapError: a process that built cases was killed" in err
    assert not place.exists()
    wait_for(lambda: group(process) == [])


@pytest.mark.slow
def test_workers_do_not_outlive_a_killed_build(tmp_path: Path, outside: Callable[..., Any]) -> None:
    """After kill -9 of a build its workers end too, the old suite is whole, and the next build tidies up."""
    place = tmp_path / "place"
    build(place / "suite")
    process = outside(place / "suite", seed="2", count=200, jobs=2, TOY_SECONDS="0.05")
    wait_for(lambda: list(place.glob(".suite.trapcli-new-*/expected/case_003")))
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: group(process) == [])
    assert open_suite(place / "suite").recipe.seed == "1"
    build(place / "suite", seed="3", force=True)
    assert os.listdir(place) == ["suite"]


@pytest.mark.slow
@pytest.mark.parametrize("apart", [False, True], ids=["inside", "apart"])
def test_a_kill_at_any_moment_leaves_old_or_new(tmp_path: Path, apart: bool) -> None:
    """kill -9 at twenty random moments of a build over an old suite: old or new, whole, when next opened."""
    target, expected = tmp_path / "a" / "suite", tmp_path / "b" / "private" if apart else None
    old: dict[str, Any] = {"seed": "1", "count": 6}
    new: dict[str, Any] = {"seed": "2", "count": 8}
    started = time.monotonic()
    whole = {build(target, expected=expected, force=True, **new).halves.digest()}
    length = time.monotonic() - started
    whole.add(build(target, expected=expected, force=True, **old).halves.digest())
    moments = random.Random("moments of a kill")
    for _ in range(20):
        child = os.fork()
        if child == 0:
            try:
                build(target, expected=expected, force=True, **new)
            finally:
                os._exit(0)
        time.sleep(moments.uniform(0, 1.3 * length))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        suite = open_suite(target, expected)
        assert {read_case(suite, case).id for case in suite.cases} == set(suite.cases)
        assert Halves.of(target, expected).digest() in whole
        if suite.recipe.seed == new["seed"]:
            build(target, expected=expected, force=True, **old)
    build(target, expected=expected, force=True, **old)
    assert [path.name for path in target.parent.iterdir()] == ["suite"]


# What a build refuses


def test_an_existing_suite_needs_force(tmp_path: Path) -> None:
    """A suite is replaced only with force, whole, and nothing of the old one is left."""
    build(tmp_path / "suite", count=9)
    assert "is a suite already; --force" in refusal(tmp_path / "suite")
    assert len(build(tmp_path / "suite", force=True).cases) == 4
    assert len(os.listdir(tmp_path / "suite" / "inputs")) == 4


def test_what_is_not_ours_is_never_replaced(tmp_path: Path) -> None:
    """A directory that is no suite, a file, and a suite that holds other things stay, even with force."""
    (tmp_path / "mine" / "inputs").mkdir(parents=True)
    (tmp_path / "mine" / "traptask.yaml").write_text("cases: []")
    (tmp_path / "file").write_text("x")
    build(tmp_path / "suite")
    (tmp_path / "suite" / "notes.txt").write_text("mine")
    before = tree(tmp_path)
    assert "mine exists and is not a suite" in refusal(tmp_path / "mine", force=True)
    assert "file is a file" in refusal(tmp_path / "file", force=True)
    assert "also contains notes.txt" in refusal(tmp_path / "suite", force=True)
    assert f"{tmp_path / 'file'} is a file" in refusal(tmp_path / "file" / "deep" / "suite")
    for private in ("mine", "file"):
        assert private in refusal(tmp_path / "new", expected=tmp_path / private, force=True)
    after = tree(tmp_path)
    assert {path: after[path][2] for path in after} == {path: before[path][2] for path in before}


def test_empty_directories_may_be_built_in(tmp_path: Path) -> None:
    """An empty directory, for instance one made to be mounted or handed out, needs no force."""
    (tmp_path / "suite").mkdir()
    (tmp_path / "private").mkdir()
    build(tmp_path / "suite", expected=tmp_path / "private")
    assert sorted(os.listdir(tmp_path / "private"))[-1] == "suite.json"
    assert not (tmp_path / "suite" / "expected").exists()


def test_a_private_half_elsewhere_needs_force_too(tmp_path: Path) -> None:
    """A private half of ours is replaced with force; what else is in its directory stops the build."""
    target, private = tmp_path / "suite", tmp_path / "private"
    build(target, expected=private)
    assert "private is the private half of a suite already" in refusal(tmp_path / "other", expected=private)
    build(target, expected=private, force=True, seed="2")
    assert open_suite(target, private).recipe.seed == "2"
    (private / "keys.txt").write_text("x")
    assert "also contains keys.txt" in refusal(target, expected=private, force=True)


def test_halves_may_not_lie_in_each_other(tmp_path: Path) -> None:
    """The private half is elsewhere, or is expected/ in the suite, which is where it is anyway."""
    for private in ("suite/private", "suite/expected/deep", "", "suite"):
        message = refusal(tmp_path / "suite", expected=tmp_path / private)
        assert "must not be inside the suite" in message
    build(tmp_path / "suite", expected=tmp_path / "suite" / "expected")
    assert open_suite(tmp_path / "suite").recipe.seed == "1"


def test_the_directory_we_stand_in_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build from inside its target, which would leave the shell nowhere, says where to go."""
    build(tmp_path / "suite")
    for inside in (".", "inputs/case_01"):
        monkeypatch.chdir(tmp_path / "suite" / inside)
        message = refusal(tmp_path / "suite", force=True)
        assert f"your current directory or contains it: first `cd {tmp_path}`" in message
    monkeypatch.chdir(tmp_path)
    build(Path("suite"), force=True)


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    """A target that is a link, to a suite or to nothing yet, is built where the link points."""
    build(tmp_path / "disk" / "suite")
    for name, real in (("old", "disk/suite"), ("new", "disk/there/suite")):
        (tmp_path / name).symlink_to(tmp_path / real)
        build(tmp_path / name, force=True, seed="2")
        assert (tmp_path / name).is_symlink()
        assert open_suite(tmp_path / real).recipe.seed == "2"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that the system refuses is one paragraph with the reason, and leaves nothing behind."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "there"))

    with monkeypatch.context() as patch:
        patch.setattr("trapcli.suites.replacement.mkdtemp", refuse)
        message = refusal(tmp_path / "there" / "suite")
    assert f"cannot build {tmp_path / 'there' / 'suite'}: Permission denied ({tmp_path / 'there'})" in message
    monkeypatch.setattr("trapcli.building.case_pool.write_case", refuse)
    assert "Permission denied" in refusal(tmp_path / "there" / "suite")
    assert "name too long" in refusal(tmp_path / ("x" * 250)).lower()
    assert os.listdir(tmp_path) == []


def test_a_suite_being_built_is_not_built_twice(tmp_path: Path) -> None:
    """While a build is under way, a second one of the same target or private half is refused at once."""
    private = tmp_path / "private"
    told = []

    def second(done: int, total: int) -> None:
        if done == 1:
            told.append(refusal(tmp_path / "suite", expected=tmp_path / "elsewhere"))
            told.append(refusal(tmp_path / "other", expected=private))

    build(tmp_path / "suite", expected=private, progress=second)
    assert ["another build of it is running" in message for message in told] == [True, True]
    assert sorted(os.listdir(tmp_path)) == ["private", "suite"]


def test_progress_is_told_case_by_case(tmp_path: Path) -> None:
    """After each case the number that is done and the number in all are told."""
    told: list[tuple[int, int]] = []
    build(tmp_path / "suite", count=3, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"README.md": "Read on in {kind}."}, "README.md of case_02"),
        ({"{kind}.csv": "x"}, "the paths of case_02"),
    ],
)
def test_cases_that_can_be_told_apart_are_refused(tmp_path: Path, files: Files, what: str) -> None:
    """READMEs and paths are alike in all cases, or the build stops: they could tell the trap."""

    class Telling(Toy):
        def generate(self, seed: str, knobs: Any, k: int) -> Case:
            case = super().generate(seed, knobs, k)
            kind = case.trap.replace("_amount", "")
            more = {name.format(kind=kind): text.format(kind=kind) for name, text in files.items()}
            return replace(case, files={**case.files, **more})

    message = refusal(tmp_path / "suite", family=Telling())
    assert f"{what} and of the first case differ" in message
    assert os.listdir(tmp_path) == []
