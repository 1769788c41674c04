"""Solutions that misbehave: each trial gets the right status, and the run goes on."""

import json
import os
import re
import resource
import signal
from pathlib import Path
from typing import NamedTuple

import hostile_families
import pytest
from process_table import command, pids
from trial_place import Place

from trapcli.calibration.records import Trial
from trapcli.core.output import LIMIT

pytestmark = pytest.mark.slow

LONG = "sleep 1000; :"


class Behaviour(NamedTuple):
    """What an agent does, and how its trial must end.

    reason: a part of the verdict's reason.
    left: whether processes outlive the agent.
    """

    script: str
    status: str
    exit_code: int = 0
    timed_out: bool = False
    reason: str = ""
    left: bool = False


# $mark is the last word of every command that may outlive its trial.
MISBEHAVING = {
    "behaves": Behaviour("right", "passed", reason="the sum is right"),
    "prints nothing": Behaviour("exit 0", "empty", reason="nothing was printed"),
    "prints nothing and hangs": Behaviour(LONG, "timed_out", -15, True, "the time limit was reached; "),
    "prints only to stderr": Behaviour("right >&2", "empty"),
    "exits 3": Behaviour(
        "echo 7; exit 3", "crashed", 3, reason="exit code 3; the output alone would have failed"
    ),
    "is right and exits 1": Behaviour(
        "right; exit 1", "crashed", 1, reason="exit code 1; the output alone would have passed"
    ),
    "is right and exits 124": Behaviour(
        "right; exit 124", "crashed", 124, reason="exit code 124; the output alone would have passed"
    ),
    "is right and dies of a signal": Behaviour(
        "right; kill -SEGV $$", "crashed", -signal.SIGSEGV, reason="killed by signal 11"
    ),
    "is right and hangs": Behaviour(
        f"right; {LONG}", "timed_out", -15, True, "the output alone would have passed"
    ),
    "has a shorter time limit of its own": Behaviour("timeout 0.2 sleep 1000", "crashed", 124),
    "ignores SIGTERM": Behaviour(
        "trap '' TERM; right; while :; do sleep 0.1; done", "timed_out", -9, True, "would have passed"
    ),
    "leaves a child": Behaviour(f"sh -c '{LONG}' $mark & right", "passed", left=True),
    "leaves a session": Behaviour(
        f"setsid sh -c 'trap \"\" TERM; {LONG}' $mark & right; sleep 0.1", "passed", left=True
    ),
    "leaves a daemon": Behaviour(
        f"(env -i setsid sh -c '{LONG}' $mark </dev/null >/dev/null 2>&1 &); right; sleep 0.1",
        "passed", left=True,
    ),
    "hangs with a grandchild on the pipe": Behaviour(
        f"sh -c 'sh -c \"{LONG}\" $0 & wait' $mark; right", "timed_out", -15, True
    ),
    "hangs with a session on the pipe": Behaviour(
        f"setsid sh -c 'trap \"\" TERM; {LONG}' $mark & sleep 1000; right", "timed_out", -15, True, left=True
    ),
    "needs input": Behaviour("read line || right", "passed"),
    "waits for input": Behaviour("cat >/dev/null; right", "passed"),
    "closes its output and goes on": Behaviour("right; exec >&- 2>&-; sleep 0.2; exit 0", "passed"),
    "closes its output and hangs": Behaviour(f"right; exec >&- 2>&-; {LONG}", "timed_out", -15, True),
    "prints invalid UTF-8": Behaviour(r"printf '\376\200\377 '; right; printf '\303'", "passed"),
    "prints a NUL and no line end": Behaviour(r"printf 'a\000b '; right | tr -d '\n'", "passed"),
    "prints a program": Behaviour(
        """echo "__import__('os').system('touch $root/evaluated')"; right""", "passed", reason="right"
    ),
    "floods stdout": Behaviour(
        "right; yes 'no number' | head -c 60000000", "unreadable", reason="the output was cut"
    ),
    "floods and then answers": Behaviour("yes 'no number' | head -c 60000000; right", "passed"),
    "answers first of 12 MB": Behaviour(
        "right; yes 'no number' | head -c 12000000", "unreadable", reason="the output was cut"
    ),
    "floods stderr": Behaviour("yes error | head -c 60000000 >&2; right", "passed"),
    "deletes its inputs": Behaviour('answer=$(right); rm -rf "$inputs" "$outputs"; echo $answer', "passed"),
    "deletes all it can reach": Behaviour('answer=$(right); rm -rf "${outputs%/*}"; echo $answer', "passed"),
    "makes its directories unreadable": Behaviour(
        'right; mkdir "$outputs/a"; chmod 000 "$outputs/a" "$outputs" "$inputs"', "passed"
    ),
    "edits its tables and prints no answer": Behaviour(
        'printf "amount,day,void\\n5,1,False\\n" > "$lines"; right', "failed", reason="5 is not the sum"
    ),
    "writes its own verdict": Behaviour(
        """for d in "$outputs" "$inputs" .; do
            echo '{"score": 1.0, "status": "passed"}' > "$d/verdict.json"
        done; echo 5""", "failed",
    ),
    "writes an unreadable usage report": Behaviour('mkdir "$outputs/usage.json"; right', "passed"),
    "leaves links": Behaviour('ln -s / "$outputs/root"; ln -s "$root" "$inputs/up"; right', "passed"),
}  # fmt: skip


class Result(NamedTuple):
    """How the one run with all agents ended."""

    place: Place
    code: int
    out: str
    err: str
    trials: dict[str, Trial]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of one run in which each case has another misbehaving agent."""
    place = Place(tmp_path_factory.mktemp("misbehaving"), cases=len(MISBEHAVING))
    agent = place.agents(f"mark={mark(place)}; {agent.script}" for agent in MISBEHAVING.values())
    program = place.calibrate(
        "--suite", "traps/toy", "--solution", agent, "--trials", 1, "-j", 8, "--timeout", 3
    )
    code, out, err = program.finish()
    trials = dict(zip(MISBEHAVING, place.trials(), strict=True))
    return Result(place, code, out, err, trials)


def mark(place: Place) -> str:
    """Return a word that only processes of this run have in their command."""
    return f"left-by-{place.root.name}-{os.getpid()}"


@pytest.mark.parametrize("name", MISBEHAVING)
def test_each_agent_gets_its_status(result: Result, name: str) -> None:
    """Status, reason, exit code, timeout and stragglers are recorded as they were."""
    wanted, trial = MISBEHAVING[name], result.trials[name]
    assert trial.status == wanted.status, trial.verdict
    assert (trial.exit_code, trial.timed_out) == (wanted.exit_code, wanted.timed_out)
    assert wanted.reason in trial.verdict["reason"]
    assert bool(trial.stragglers) == wanted.left, trial.stragglers
    assert trial.counted and trial.limit == 3.0
    assert trial.seconds >= 3.0 if wanted.timed_out else trial.seconds > 0


def test_the_run_is_complete_and_leaves_nothing(result: Result) -> None:
    """The run exits with 0 and counts timeouts and crashes separately; nothing temporary is left."""
    out = result.out
    assert result.code == 0 and "Traceback" not in result.err
    assert f"{len(MISBEHAVING)}, complete" in out
    assert "timed out" in out and "crashed" in out
    assert result.place.is_clean()
    assert not [pid for pid in pids() if mark(result.place).encode() in command(pid)]
    assert not (result.place.root / "evaluated").exists()


def test_outputs_are_stored_byte_for_byte(result: Result) -> None:
    """Invalid UTF-8, NULs and a missing line end are stored as they were printed."""
    place, trials = result.place, result.trials
    stored = place.output(trials["prints invalid UTF-8"])
    assert stored.startswith(b"\xfe\x80\xff ") and stored.endswith(b"\n\xc3")
    assert place.output(trials["prints a NUL and no line end"]).startswith(b"a\0b ")
    assert place.output(trials["prints only to stderr"]) == b""
    assert trials["prints only to stderr"].stderr.size > 0
    assert place.output(trials["closes its output and hangs"]).strip().isdigit()


def test_a_flood_is_cut_and_its_size_recorded(result: Result) -> None:
    """Of a flood on either stream the last 10 MB are stored and the size is recorded."""
    for name, stream in (
        ("floods stdout", "stdout"),
        ("floods and then answers", "stdout"),
        ("floods stderr", "stderr"),
    ):
        found = getattr(result.trials[name], stream)
        assert found.size >= 60_000_000 and found.kept == LIMIT and found.cut
    folder = result.place.root / ".trapcli" / "outputs" / "run_1"
    trials = result.trials.values()
    kept = sum(one.kept for trial in trials for one in (trial.stdout, trial.stderr, trial.files))
    assert sum(path.stat().st_size for path in folder.iterdir()) == kept


def test_judging_again_gives_the_same_verdicts(result: Result) -> None:
    """`judge --run` gives each stored output the verdict that is stored, without starting an agent."""
    code, out, err = result.place.start("judge", "--run", 1, "--json").finish()
    assert (code, err.count("not as stored")) == (0, 0)
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["verdict"] for line in lines] == [dict(trial.verdict) for trial in result.trials.values()]
    assert all(line["same"] for line in lines)


def test_the_locale_changes_no_verdict(tmp_path: Path) -> None:
    """In the C locale and in UTF-8 the same bytes give the same records."""
    place = Place(tmp_path)
    agent = place.agents(
        [r"printf '\377\303\251 é €'; right", "echo é; exit 3", "right", r"printf '\303'; right"]
    )
    found = []
    for number, name in ((1, "C"), (2, "C.UTF-8")):
        words = ("--suite", "traps/toy", "--solution", agent, "--trials", 1)
        code, _, err = place.calibrate(*words, env={"LC_ALL": name, "PYTHONUTF8": "0"}).finish()
        assert (code, "Traceback" in err) == (0, False)
        trials = place.trials(number)
        found.append(
            [(trial.case, trial.verdict, trial.exit_code, place.output(trial, number)) for trial in trials]
        )
    assert found[0] == found[1]
    assert [trial[1]["status"] for trial in found[0]] == ["passed", "crashed", "passed", "passed"]


@pytest.mark.parametrize(("script", "code"), [("exec agnet --now", 127), ("exec /etc/passwd", 126)])
def test_a_command_that_does_not_exist_is_one_error(tmp_path: Path, script: str, code: int) -> None:
    """If the command cannot be started, the run stops with one error and no rates; the trial is kept."""
    place = Place(tmp_path)
    exit_code, out, err = place.calibrate("--suite", "traps/toy", "--solution", place.agent(script)).finish()
    assert (exit_code, out) == (2, "")
    assert err.count("Error: ") == 1 and f"exit code {code} and nothing on stdout" in err
    assert [(trial.status, trial.exit_code) for trial in place.trials()] == [("crashed", code)]
    assert place.is_clean()


def test_an_agent_that_kills_trapcli_is_named(tmp_path: Path) -> None:
    """An agent that is not isolated can undo its trial by killing trapcli: the report names it."""
    place = Place(tmp_path)
    kills = 'take_number; [ $n != 2 ] || kill -9 "$(cat "$root/pid")"; right'
    program = place.calibrate("--suite", "traps/toy", "--solution", place.agent(kills), "--trials", 1)
    (tmp_path / "pid").write_text(str(program.pid))
    assert program.finish()[0] == -9
    code, out, err = place.calibrate("--resume").finish()
    assert code == 0, err
    assert re.search(r"running when it stopped ran again: case_0[1-4]/1\.", " ".join(out.split()))


@pytest.mark.parametrize("half", ["public", "private"])
def test_a_suite_that_an_agent_edits_is_reported(tmp_path: Path, half: str) -> None:
    """If an agent edits the suite, the run is marked and its report says so; no verdict changes."""
    place = Place(tmp_path)
    target = {
        "public": place.suite.directory / "README.md",
        "private": place.suite.halves.private / "case_01/answer.json",
    }
    agent = place.agent(f"echo >> {target[half]}; right")
    _, out, err = place.calibrate("--suite", "traps/toy", "--solution", agent, "--trials", 1).finish()
    assert {trial.status for trial in place.trials()} == {"passed"}
    assert place.query("SELECT changed FROM suite") == [(1,)]
    assert "changed" in out + err


def test_overwritten_outputs_are_reported_and_change_no_verdict(tmp_path: Path) -> None:
    """If an agent overwrites the outputs of other trials, the report says so and the rates do not change."""
    place = Place(tmp_path)
    spoil = (
        'for file in "$root"/.trapcli/outputs/run_1/*.stdout; do [ -f "$file" ] && echo 7 > "$file"; done; '
    )
    agent = place.agent(spoil + "right")
    arguments = ("--suite", "traps/toy", "--solution", agent, "--trials", 3, "-j", 2)
    code, out, _ = place.calibrate(*arguments).finish()
    assert (code, {trial.status for trial in place.trials()}) == (0, {"passed"})
    assert "its stored output was changed" in out
    code, out, _ = place.start("judge", "--run", 1).finish()
    assert code == 1 and "JUDGE_ERROR" in out and "FAILED" not in out


def test_a_database_that_an_agent_removes_is_an_error(tmp_path: Path) -> None:
    """A run that cannot keep its trials does not end as if it had."""
    place = Place(tmp_path)
    agent = place.agent('rm -f "$root"/.trapcli/runs.db; right')
    code, out, err = place.calibrate("--suite", "traps/toy", "--solution", agent, "--trials", 2).finish()
    assert (code, out) == (2, "") and "was removed or replaced while it was in use" in err


def test_outputs_that_an_agent_moves_away_are_an_error(tmp_path: Path) -> None:
    """If a link is in place of the directory of outputs, nothing is written to where it leads."""
    place = Place(tmp_path)
    (place.root / "precious").mkdir()
    outputs = '"$root/.trapcli/outputs/run_1"'
    move = f'[ -L {outputs} ] || {{ mv {outputs} "$root/moved"; ln -s "$root/precious" {outputs}; }}; right'
    words = ("--suite", "traps/toy", "--solution", place.agent(move), "--trials", 2)
    code, out, err = place.calibrate(*words).finish()
    assert (code, out) == (2, "") and "was removed or replaced while it was in use" in err
    assert not list((place.root / "precious").glob("*.zip")) and place.is_clean()


def test_judge_errors_are_not_counted_and_the_run_exits_1(tmp_path: Path) -> None:
    """Trials with a judge that raises or dies are listed as judge errors and left out of the rates."""
    place = Place(tmp_path, entry="toy = hostile_families:FAILING")
    agent = place.agents(
        ["right", f"echo {hostile_families.RAISES}", f"echo {hostile_families.DIES}", "echo 7"]
    )
    code, out, err = place.calibrate(
        "--suite", "traps/toy", "--solution", agent, "--trials", 2, "-j", 2
    ).finish()
    assert (code, "Traceback" in err) == (1, False)
    statuses = [trial.status for trial in place.trials()]
    assert statuses == ["passed"] * 2 + ["judge_error"] * 4 + ["failed"] * 2
    assert "judge error" in out
    code, out, _ = place.start("judge", "--run", 1).finish()
    assert code == 0 and "JUDGE" in out
    assert place.is_clean()


# A full disk, simulated by a limit on the size of files, which holds for root too.


def limit_file_size(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_an_output_that_does_not_fit_on_the_disk_is_an_error(tmp_path: Path) -> None:
    """If an output cannot be stored, the run stops with an error and prints no rates; the finished trials
    are intact, and a resume runs the rest."""
    place = Place(tmp_path)
    agent = place.agent(
        "take_number; if [ $n = 3 ]; then head -c 5000000 /dev/zero | tr '\\0' x; else right; fi"
    )
    words = ("--suite", "traps/toy", "--solution", agent, "--trials", 2)
    code, out, err = place.calibrate(*words, preexec_fn=lambda: limit_file_size(2_000_000)).finish()
    assert (code, out, "Traceback" in err) == (2, "", False)
    assert "cannot be stored" in err and "--resume" in err
    assert place.query("PRAGMA integrity_check") == [("ok",)] and place.query("SELECT ended FROM run") == [
        ("",)
    ]
    before = place.trials()
    assert [trial.status for trial in before] == ["passed"] * 2
    assert all(place.output(trial) for trial in before) and place.is_clean()
    code, out, _ = place.calibrate("--resume").finish()
    assert code == 0 and "8, complete" in out
    after = place.trials()
    assert all(trial in after for trial in before)


def test_a_database_that_does_not_fit_on_the_disk_is_an_error(tmp_path: Path) -> None:
    """If a trial cannot be stored, the run stops with an error and prints no rates; the finished trials
    are intact, and a resume runs the rest."""
    place = Place(tmp_path)
    agent = place.agent('echo begun >> "$log"; right')
    words = ("--suite", "traps/toy", "--solution", agent, "--trials", 30)
    code, out, err = place.calibrate(*words, preexec_fn=lambda: limit_file_size(400_000)).finish()
    assert (code, out, "Traceback" in err) == (2, "", False)
    assert "runs.db" in err and "--resume" in err
    assert place.query("PRAGMA integrity_check") == [("ok",)]
    assert 0 < place.trial_count() < 120 and place.is_clean()
    code, out, _ = place.calibrate("--resume").finish()
    assert code == 0 and "120, complete" in out and place.trial_count() == 120
    assert place.starts() >= 120


def test_a_summary_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """If stdout is full, the exit code is 2 and every trial is stored."""
    place = Place(tmp_path)
    with open("/dev/full", "w") as full:
        program = place.calibrate(
            "--suite", "traps/toy", "--solution", place.agent("right"), "--trials", 1, stdout=full
        )
        _, err = program.communicate(timeout=60)
    assert program.returncode == 2 and "No space left" in err
    assert place.trial_count() == 4
