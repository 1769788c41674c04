"""Swaps of one and of two directories: whole, refused, interrupted and killed."""

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trapcli.core.errors import TrapError
from trapcli.suites import replacement
from trapcli.suites.layout import journal_of
from trapcli.suites.replacement import recover, replace_directories

# What changes the disk, by name in `os`: a kill before each call of them is tried.
CHANGES = ("rename", "unlink", "rmdir", "mkdir", "fsync", "chmod", "utime", "open")


def anything() -> None:
    """What `replace_directories` asks if everything may be replaced."""


def build(*targets: Path, word: str = "new") -> None:
    with replace_directories(targets, anything) as stages:
        for stage in stages:
            (stage / "word").write_text(word)
            (stage / "below").mkdir()
            (stage / "below" / "more").write_text(word)


def words(*targets: Path) -> set[str]:
    """What stands in the targets, each of which must be whole."""
    return {(target / name).read_text() for target in targets for name in ("word", "below/more")}


def beside(*targets: Path) -> list[str]:
    return sorted(path.name for target in targets for path in target.parent.iterdir() if path not in targets)


@pytest.fixture(params=[1, 2], ids=["one target", "two targets"])
def targets(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """One or two targets with old contents, each in a directory of its own."""
    places = [tmp_path / "here" / "suite", tmp_path / "there" / "private"][: request.param]
    build(*places, word="old")
    return places


def test_new_contents_take_the_place_of_the_old(targets: list[Path]) -> None:
    """A swap leaves the new contents, readable for all, and nothing beside them."""
    build(*targets)
    assert words(*targets) == {"new"}
    assert beside(*targets) == []
    assert targets[0].stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("error", [TrapError("no"), KeyboardInterrupt(), OSError(28, "No space left")])
def test_a_block_that_raises_changes_nothing(targets: list[Path], error: BaseException) -> None:
    """Whatever ends the block, the old contents stay and nothing is left beside them."""
    with pytest.raises(type(error)), replace_directories(targets, anything) as stages:
        (stages[0] / "word").write_text("half")
        raise error
    assert words(*targets) == {"old"}
    assert beside(*targets) == []


def test_a_refusal_leaves_no_trace(tmp_path: Path) -> None:
    """If a target must not be replaced, not even the directories above it are made."""

    def refuse() -> None:
        raise TrapError("not this one")

    with (
        pytest.raises(TrapError, match="not this one"),
        replace_directories([tmp_path / "a" / "b" / "suite"], refuse),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_directories_above_a_target_are_made(tmp_path: Path) -> None:
    """A target may lie in directories that do not exist yet, whatever their names."""
    target = tmp_path / "mit Leerzeichen" / "größe" / "suite"
    build(target)
    assert words(target) == {"new"}


def test_the_second_of_two_builds_is_refused(targets: list[Path]) -> None:
    """While one build holds a target another is refused at once, and the first goes on unharmed."""
    with replace_directories(targets, anything) as stages:
        for stage in stages:
            (stage / "below").mkdir()
            for name in ("word", "below/more"):
                (stage / name).write_text("first")
        for target in targets:
            with pytest.raises(TrapError, match="another build of it is running"):
                build(target, word="second")
    assert words(*targets) == {"first"}
    assert beside(*targets) == []


def test_what_killed_builds_left_is_swept(tmp_path: Path) -> None:
    """The next build removes leftovers of its target, and nothing that only looks alike."""
    target = tmp_path / "suite"
    for name in (".suite.trapcli-new-x1", ".suite.trapcli-old-x1"):
        (tmp_path / name / "deep").mkdir(parents=True)
    kept = [".suite", ".suite.more.trapcli-new-x1", ".suite.trapcli-news", "suite.trapcli-new-x1"]
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / ".suite.trapcli-lock").write_text("")
    build(target)
    assert beside(target) == sorted(kept)


def in_child(work: Callable[[], Any]) -> int:
    """Do the work in a forked process; gives the signal that killed it, or 0."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def killed_before(change: int, targets: list[Path]) -> bool:
    """Build in a process that is killed before its n-th change of the disk, if there are so many."""

    def work() -> None:
        left = change

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **named: Any) -> Any:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **named)

            return call

        for name in CHANGES:
            setattr(os, name, counted(getattr(os, name)))
        build(*targets)

    return in_child(work) == signal.SIGKILL


@pytest.mark.slow
def test_a_kill_before_any_change_leaves_old_or_new(targets: list[Path]) -> None:
    """Killed before each change of the disk in turn, the targets are old or new, whole, once recovered."""
    seen = []
    change = 1
    while killed_before(change, targets):
        recover(targets[0])
        found = words(*targets)
        assert found in ({"old"}, {"new"}), f"killed before change {change}"
        seen.append(found.pop())
        build(*targets, word="old")
        assert beside(*targets) == []
        change += 1
    assert words(*targets) == {"new"}
    assert "".join(word[0] for word in seen).lstrip("o").strip("n") == ""  # first old, from one moment on new
    assert min(seen.count("old"), seen.count("new")) > 5


@pytest.mark.slow
def test_a_kill_during_the_recovery_is_recovered(tmp_path: Path) -> None:
    """A recovery may be killed too: the next one does what is left."""
    targets = [tmp_path / "here" / "suite", tmp_path / "there" / "private"]
    build(*targets, word="old")

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def swap_until(rename: int) -> Callable[[], None]:
        real, left = os.rename, rename

        def counted(*args: Any) -> None:
            nonlocal left
            left -= 1
            die() if left == 0 else real(*args)

        def work() -> None:
            os.rename = counted  # type: ignore[assignment]
            build(*targets) if rename == 3 else recover(targets[0])

        return work

    assert in_child(swap_until(3)) == signal.SIGKILL  # 1 and 2 put the journals there
    assert in_child(swap_until(2)) == signal.SIGKILL
    recover(targets[0])
    assert words(*targets) == {"new"}
    build(*targets)
    assert beside(*targets) == []


def test_another_build_over_one_half_finishes_the_swap_first(tmp_path: Path) -> None:
    """A build whose target is half of an interrupted swap of two completes that before its own."""
    first, private, second = tmp_path / "a" / "suite", tmp_path / "b" / "private", tmp_path / "c" / "suite"
    build(first, private, word="old")

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        replacement._move = die  # type: ignore[assignment]
        build(first, private)

    assert in_child(work) == signal.SIGKILL
    assert words(first, private) == {"old"}
    build(second, private, word="third")
    assert (words(first), words(second, private)) == ({"new"}, {"third"})
    assert beside(first) + beside(second) + beside(private) == []


def test_a_refused_move_is_undone(targets: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """If the system refuses the last move, for instance out of a mount, everything is moved back."""
    real = os.rename

    def refusing(source: Any, target: Any, **more: Any) -> None:
        if Path(target) == targets[-1] and "new" in Path(source).name:
            raise OSError(18, "Invalid cross-device link")
        real(source, target, **more)

    monkeypatch.setattr(os, "rename", refusing)
    with pytest.raises(OSError, match="cross-device"):
        build(*targets)
    assert words(*targets) == {"old"}
    assert beside(*targets) == []


def test_ctrl_c_waits_for_the_end_of_a_swap(targets: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a swap is heard after it, and its handler is as before."""
    real, handler = os.rename, signal.getsignal(signal.SIGINT)

    def pressed(source: Any, target: Any, **more: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        real(source, target, **more)

    monkeypatch.setattr(os, "rename", pressed)
    with pytest.raises(KeyboardInterrupt):
        build(*targets)
    assert words(*targets) == {"new"}
    assert beside(*targets) == []
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_build_in_a_thread_works(targets: list[Path]) -> None:
    """Outside the main thread, where signal handlers cannot be set, a swap does the same."""
    thread = threading.Thread(target=build, args=targets)
    thread.start()
    thread.join()
    assert words(*targets) == {"new"}


def test_a_recovery_that_cannot_be_done_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A swap held for too long, or one that may not be finished here, is an error that names the target."""
    target = tmp_path / "suite"
    build(target)
    journal_of(target).write_text('{"moves": [[".suite.trapcli-new-1", "suite", ".suite.trapcli-old-1"]]}')
    shutil.copytree(target, tmp_path / ".suite.trapcli-new-1")
    monkeypatch.setattr(replacement, "PATIENCE", 0.05)
    with replacement._lock(target, ""), pytest.raises(TrapError, match=r"suite is in use: .* a long time"):
        recover(target)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(TrapError, match=r"suite was interrupted .* Permission denied"):
        recover(target)
    monkeypatch.undo()
    recover(target)
    assert beside(target) == []


@pytest.mark.parametrize(
    "move",
    [
        ["none", "suite", "../precious"],
        [".suite.trapcli-new-1", "suite", "../precious"],
        ["../precious", "suite", ".suite.trapcli-old-1"],
        [".precious.trapcli-new-1", "../precious", ".precious.trapcli-old-1"],
        ["../.precious.trapcli-new-1", "../precious", "../.precious.trapcli-old-1"],
    ],
)
def test_a_journal_from_elsewhere_moves_and_removes_nothing(tmp_path: Path, move: list[str]) -> None:
    """A journal that came with a suite cannot name directories that no build of it made."""
    home = tmp_path / "downloaded"
    home.mkdir()
    for name in ("precious", ".precious.trapcli-new-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    journal_of(home / "suite").write_text(json.dumps({"moves": [move]}))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(TrapError, match="does not belong to this build"):
        recover(home / "suite")
    journal_of(home / "suite").write_text(
        json.dumps({"moves": [[".suite.trapcli-new-1", "suite", ".suite.trapcli-old-1"], move]})
    )
    with pytest.raises(TrapError, match="is damaged"):
        recover(home / "suite")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"moves": [["a"]]}', '{"moves": 3}', "\xff"])
def test_a_damaged_journal_is_named(tmp_path: Path, text: str) -> None:
    """A journal that says nothing sensible is an error that tells to remove it."""
    target = tmp_path / "suite"
    build(target)
    journal_of(target).write_text(text, encoding="latin-1")
    with pytest.raises(TrapError, match=r"\.suite\.trapcli-swap is damaged .* remove it"):
        recover(target)
