"""Solutions that do what they should not, run by the program: each has its status, and the run goes on."""

import json
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import hostile_families
import pytest
from sandbox import Place, command, pids

from trapcli.calibration.records import Trial
from trapcli.core.output import LIMIT

LONG = "sleep 1000; :"


class Case(NamedTuple):
    """What an agent does, and what must come of it. reason: part of it; left: processes outlived it."""

    script: str
    status: str
    exit_code: int = 0
    timed_out: bool = False
    reason: str = ""
    left: bool = False


# With $mark as the last word of whatever may outlive its trial.
MISBEHAVING = {
    "behaves": Case("right", "passed", reason="the sum is right"),
    "prints nothing": Case("exit 0", "empty", reason="nothing was printed"),
    "prints nothing and hangs": Case(LONG, "timed_out", -15, True, "the time limit was reached; "),
    "prints only to stderr": Case("right >&2", "empty"),
    "exits 3": Case("echo 7; exit 3", "crashed", 3, reason="exit code 3; the output alone would have failed"),
    "is right and exits 1": Case(
        "right; exit 1", "crashed", 1, reason="exit code 1; the output alone would have passed"
    ),
    "is right and exits 124": Case(
        "right; exit 124", "crashed", 124, reason="exit code 124; the output alone would have passed"
    ),
    "is right and dies of a signal": Case(
        "right; kill -SEGV $$", "crashed", -signal.SIGSEGV, reason="killed by signal 11"
    ),
    "is right and hangs": Case(
        f"right; {LONG}", "timed_out", -15, True, "the output alone would have passed"
    ),
    "has a shorter limit of its own": Case("timeout 0.2 sleep 1000", "crashed", 124),
    "ignores SIGTERM": Case(
        "trap '' TERM; right; while :; do sleep 0.1; done", "timed_out", -9, True, "would have passed"
    ),
    "leaves a child": Case(f"sh -c '{LONG}' $mark & right", "passed", left=True),
    "leaves a session": Case(
        f"setsid sh -c 'trap \"\" TERM; {LONG}' $mark & right; sleep 0.1", "passed", left=True
    ),
    "leaves a daemon": Case(
        f"(env -i setsid sh -c '{LONG}' $mark </dev/null >/dev/null 2>&1 &); right; sleep 0.1",
        "passed", left=True,
    ),
    "hangs with a grandchild on the pipe": Case(
        f"sh -c 'sh -c \"{LONG}\" $0 & wait' $mark; right", "timed_out", -15, True
    ),
    "hangs with a session on the pipe": Case(
        f"setsid sh -c 'trap \"\" TERM; {LONG}' $mark & sleep 1000; right", "timed_out", -15, True, left=True
    ),
    "needs input": Case("read line || right", "passed"),
    "waits for input": Case("cat >/dev/null; right", "passed"),
    "closes its output and goes on": Case("right; exec >&- 2>&-; sleep 0.2; exit 0", "passed"),
    "closes its output and hangs": Case(f"right; exec >&- 2>&-; {LONG}", "timed_out", -15, True),
    "prints no UTF-8": Case(r"printf '\376\200\377 '; right; printf '\303'", "passed"),
    "prints a NUL and no line end": Case(r"printf 'a\000b '; right | tr -d '\n'", "passed"),
    "prints a program": Case(
        """echo "__import__('os').system('touch $root/evaluated')"; right""", "passed", reason="right"
    ),
    "floods": Case("right; yes 'no number' | head -c 60000000", "unreadable", reason="the output was cut"),
    "floods and then answers": Case("yes 'no number' | head -c 60000000; right", "passed"),
    "answers first of 12 MB": Case(
        "right; yes 'no number' | head -c 12000000", "unreadable", reason="the output was cut"
    ),
    "floods stderr": Case("yes error | head -c 60000000 >&2; right", "passed"),
    "deletes its inputs": Case('answer=$(right); rm -rf "$inputs" "$outputs"; echo $answer', "passed"),
    "deletes all it can reach": Case('answer=$(right); rm -rf "${outputs%/*}"; echo $answer', "passed"),
    "makes its directories unreadable": Case(
        'right; mkdir "$outputs/a"; chmod 000 "$outputs/a" "$outputs" "$inputs"', "passed"
    ),
    "edits its tables and prints no answer": Case(
        'printf "amount,day,void\\n5,1,False\\n" > "$lines"; right', "failed", reason="5 is not the sum"
    ),
    "writes its own verdict": Case(
        """for d in "$outputs" "$inputs" .; do
            echo '{"score": 1.0, "status": "passed"}' > "$d/verdict.json"
        done; echo 5""", "failed",
    ),
    "writes nonsense of its tokens": Case('mkdir "$outputs/usage.json"; right', "passed"),
    "leaves links": Case('ln -s / "$outputs/root"; ln -s "$root" "$inputs/up"; right', "passed"),
}  # fmt: skip


class Ended(NamedTuple):
    """How the one run with all of them ended. told: what went to stdout and stderr."""

    place: Place
    code: int
    told: tuple[str, str]
    trials: dict[str, Trial]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ended]:
    """One run of the program in which each case meets another misbehaving agent."""
    place = Place(tmp_path_factory.mktemp("misbehaving"), cases=len(MISBEHAVING))
    agent = place.agents(f"mark={mark(place)}; {case.script}" for case in MISBEHAVING.values())
    program = place.calibrate(
        "--suite", "traps/toy", "--solution", agent, "--trials", 1, "-j", 8, "--timeout", 3
    )
    code, *told = program.ended()
    trials = dict(zip(MISBEHAVING, place.trials(), strict=True))
    yield Ended(place, code, (told[0], told[1]), trials)


def mark(place: Place) -> str:
    return f"left-by-{place.root.name}-{os.getpid()}"


@pytest.mark.parametrize("name", MISBEHAVING)
def test_each_has_its_status(ended: Ended, name: str) -> None:
    """Status, exit code, whether we ended it, the reason, the processes it left: each is told as it was."""
    wanted, trial = MISBEHAVING[name], ended.trials[name]
    assert trial.status == wanted.status, trial.verdict
    assert (trial.exit_code, trial.timed_out) == (wanted.exit_code, wanted.timed_out)
    assert wanted.reason in trial.verdict["reason"]
    assert bool(trial.stragglers) == wanted.left, trial.stragglers
    assert trial.counted and trial.limit == 3.0
    assert trial.seconds >= 3.0 if wanted.timed_out else trial.seconds > 0


def test_the_run_goes_on_and_leaves_nothing(ended: Ended) -> None:
    """The run is complete, exits 0, shows timeouts and crashes apart from wrong answers; no process and no
    temporary file is left."""
    out, err = ended.told
    assert ended.code == 0 and "Traceback" not in err
    assert f"{len(MISBEHAVING)}, complete" in out
    assert "timed out" in out and "crashed" in out
    assert ended.place.is_clean()
    assert not [pid for pid in pids() if mark(ended.place).encode() in command(pid)]
    assert not (ended.place.root / "evaluated").exists()


def test_outputs_are_stored_as_they_came(ended: Ended) -> None:
    """Bytes that are no UTF-8, NULs, a missing line end: what is stored is what was printed."""
    place, trials = ended.place, ended.trials
    stored = place.output(trials["prints no UTF-8"])
    assert stored.startswith(b"\xfe\x80\xff ") and stored.endswith(b"\n\xc3")
    assert place.output(trials["prints a NUL and no line end"]).startswith(b"a\0b ")
    assert place.output(trials["prints only to stderr"]) == b""
    assert trials["prints only to stderr"].stderr.size > 0
    assert place.output(trials["closes its output and hangs"]).strip().isdigit()


def test_floods_are_cut_and_counted(ended: Ended) -> None:
    """Of a flood the last 10 MB are stored and its size is told, on either stream; nothing else is stored."""
    for name, stream in (
        ("floods", "stdout"),
        ("floods and then answers", "stdout"),
        ("floods stderr", "stderr"),
    ):
        found = getattr(ended.trials[name], stream)
        assert found.size >= 60_000_000 and found.kept == LIMIT and found.cut
    folder = ended.place.root / ".trapcli" / "outputs" / "run_1"
    kept = sum(trial.stdout.kept + trial.stderr.kept for trial in ended.trials.values())
    assert sum(path.stat().st_size for path in folder.iterdir()) == kept


def test_the_stored_outputs_get_the_same_verdicts_again(ended: Ended) -> None:
    """`judge --run` gives each of them the verdict that is stored, and starts no agent."""
    code, out, err = ended.place.start("judge", "--run", 1, "--json").ended()
    assert (code, err.count("not as stored")) == (0, 0)
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["verdict"] for line in lines] == [dict(trial.verdict) for trial in ended.trials.values()]
    assert all(line["same"] for line in lines)


def test_the_locale_changes_no_verdict(tmp_path: Path) -> None:
    """Under LANG=C and under UTF-8 the same bytes give the same records."""
    place = Place(tmp_path)
    agent = place.agents(
        [r"printf '\377\303\251 é €'; right", "echo é; exit 3", "right", r"printf '\303'; right"]
    )
    found = []
    for number, name in ((1, "C"), (2, "C.UTF-8")):
        words = ("--suite", "traps/toy", "--solution", agent, "--trials", 1)
        code, _, err = place.calibrate(*words, env={"LC_ALL": name, "PYTHONUTF8": "0"}).ended()
        assert (code, "Traceback" in err) == (0, False)
        trials = place.trials(number)
        found.append(
            [(trial.case, trial.verdict, trial.exit_code, place.output(trial, number)) for trial in trials]
        )
    assert found[0] == found[1]
    assert [trial[1]["status"] for trial in found[0]] == ["passed", "crashed", "passed", "passed"]


@pytest.mark.parametrize(("script", "code"), [("exec agnet --now", 127), ("exec /etc/passwd", 126)])
def test_a_command_that_is_not_there_is_one_error_and_no_rates(
    tmp_path: Path, script: str, code: int
) -> None:
    """If the command cannot be started the run stops with one error, and no rate is printed."""
    place = Place(tmp_path)
    exit_code, out, err = place.calibrate("--suite", "traps/toy", "--solution", place.agent(script)).ended()
    assert (exit_code, out) == (2, "")
    assert err.count("Error: ") == 1 and f"exit code {code} and no output" in err
    assert place.stored() == 0 and place.is_clean()


@pytest.mark.parametrize("half", ["public", "private"])
def test_a_suite_that_was_edited_is_told(tmp_path: Path, half: str) -> None:
    """An agent that edits the suite is noticed: the run is marked and says so; no verdict changes."""
    place = Place(tmp_path)
    target = {
        "public": place.suite.directory / "README.md",
        "private": place.suite.expected / "case_01/answer.json",
    }
    agent = place.agent(f"echo >> {target[half]}; right")
    _, out, err = place.calibrate("--suite", "traps/toy", "--solution", agent, "--trials", 1).ended()
    assert {trial.status for trial in place.trials()} == {"passed"}
    assert place.query("SELECT changed FROM suite") == [(1,)]
    assert "changed" in out + err


def test_stored_outputs_that_were_overwritten_are_told_and_change_no_verdict(tmp_path: Path) -> None:
    """An agent that spoils the outputs of others drops no trial from the rate, and the run says so."""
    place = Place(tmp_path)
    spoil = (
        'for file in "$root"/.trapcli/outputs/run_1/*.stdout; do [ -f "$file" ] && echo 7 > "$file"; done; '
    )
    agent = place.agent(spoil + "right")
    arguments = ("--suite", "traps/toy", "--solution", agent, "--trials", 3, "-j", 2)
    code, out, _ = place.calibrate(*arguments).ended()
    assert (code, {trial.status for trial in place.trials()}) == (0, {"passed"})
    assert "its stored output was changed" in out
    code, out, _ = place.start("judge", "--run", 1).ended()
    assert code == 1 and "JUDGE_ERROR" in out and "FAILED" not in out


def test_a_database_that_an_agent_removes_is_an_error(tmp_path: Path) -> None:
    """A run whose trials are not kept does not end as if they were."""
    place = Place(tmp_path)
    agent = place.agent('rm -f "$root"/.trapcli/runs.db; right')
    code, out, err = place.calibrate("--suite", "traps/toy", "--solution", agent, "--trials", 2).ended()
    assert (code, out) == (2, "") and "was removed or replaced while it was in use" in err


def test_judge_errors_are_not_counted_and_the_run_exits_1(tmp_path: Path) -> None:
    """A judge that raises or dies says nothing about the agent: those trials are named, left out of the rate,
    their outputs kept, and the exit code is 1."""
    place = Place(tmp_path, entry="toy = hostile_families:ODD")
    agent = place.agents(
        ["right", f"echo {hostile_families.RAISES}", f"echo {hostile_families.DIES}", "echo 7"]
    )
    code, out, err = place.calibrate(
        "--suite", "traps/toy", "--solution", agent, "--trials", 2, "-j", 2
    ).ended()
    assert (code, "Traceback" in err) == (1, False)
    statuses = [trial.status for trial in place.trials()]
    assert statuses == ["passed"] * 2 + ["judge_error"] * 4 + ["failed"] * 2
    assert "judge error" in out
    again = place.start("judge", "--run", 1).ended()
    assert again[0] == 0 and "JUDGE" in again[1]
    assert place.is_clean()


# A disk that takes no more: as a limit on the size of files, for any user.


def limited(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_an_output_that_finds_no_room_is_an_error(tmp_path: Path) -> None:
    """If an output cannot be stored the run stops, exits non-zero, prints no rate; what was stored is whole,
    and going on runs the rest."""
    place = Place(tmp_path)
    agent = place.agent(
        "take_number; if [ $n = 3 ]; then head -c 5000000 /dev/zero | tr '\\0' x; else right; fi"
    )
    words = ("--suite", "traps/toy", "--solution", agent, "--trials", 2)
    code, out, err = place.calibrate(*words, preexec_fn=lambda: limited(2_000_000)).ended()
    assert (code, out, "Traceback" in err) == (2, "", False)
    assert "cannot be stored" in err and "--resume" in err
    assert place.query("PRAGMA integrity_check") == [("ok",)] and place.query("SELECT ended FROM run") == [
        ("",)
    ]
    before = place.trials()
    assert [trial.status for trial in before] == ["passed"] * 2
    assert all(place.output(trial) for trial in before) and place.is_clean()
    code, out, _ = place.calibrate("--resume").ended()
    assert code == 0 and "8, complete" in out
    after = place.trials()
    assert all(trial in after for trial in before)


def test_a_database_that_finds_no_room_is_an_error(tmp_path: Path) -> None:
    """If a trial cannot be stored the run stops, exits non-zero, prints no rate; what was stored is whole,
    and going on runs the rest."""
    place = Place(tmp_path)
    agent = place.agent('echo begun >> "$log"; right')
    words = ("--suite", "traps/toy", "--solution", agent, "--trials", 30)
    code, out, err = place.calibrate(*words, preexec_fn=lambda: limited(400_000)).ended()
    assert (code, out, "Traceback" in err) == (2, "", False)
    assert "runs.db" in err and "--resume" in err
    assert place.query("PRAGMA integrity_check") == [("ok",)]
    stored = place.stored()
    assert 0 < stored < 120 and place.is_clean()
    code, out, _ = place.calibrate("--resume").ended()
    assert code == 0 and "120, complete" in out and place.stored() == 120
    assert place.begun() >= 120


def test_standard_output_that_is_full_is_an_error(tmp_path: Path) -> None:
    """If the summary cannot be written the exit code says so, and every trial is stored."""
    place = Place(tmp_path)
    with open("/dev/full", "w") as full:
        program = place.calibrate(
            "--suite", "traps/toy", "--solution", place.agent("right"), "--trials", 1, stdout=full
        )
        _, err = program.communicate(timeout=60)
    assert program.returncode == 2 and "No space left" in err
    assert place.stored() == 4
