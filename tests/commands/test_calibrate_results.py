"""`trapcli calibrate`: what it prints and where, whether the instrument is sound, two runs side by side."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from agents import INPUTS, RIGHT, SECRET, VOID_COUNTED, agent, kept_here, program, run_numbers, toy_only
from checkout import MODULES, ROOT
from toy_family import declare

from trapcli.core import registry
from trapcli.suites.reader import open_suite, read_case


@pytest.fixture
def toy(run, tmp_path, tmp_path_factory, monkeypatch):
    """The toy family without a suite, and an agent that is right."""
    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    agent(tmp_path)


@pytest.fixture
def secret(run, toy, tmp_path):
    """A suite of the toy family that is not for practice."""
    assert run("build", "toy", "--seed", SECRET).code == 0
    return open_suite(tmp_path / "traps" / "toy")


def measured(run, *words):
    """The document of a run of two trials a case, or as the words say, of the agent in agent.sh."""
    done = run("calibrate", "--solution", "sh agent.sh", "--trials", 2, "--json", *words)
    assert done.code == 0, done.err
    return json.loads(done.out)


def kinds(document):
    return [warning["kind"] for warning in document["warnings"]]


# The instrument.


def test_bare_calibrate_proves_the_instrument_where_nothing_was_built(run, toy, tmp_path):
    """Suites are built, every known mistake fails, the solver passes every trial, a line says so: exit 0."""
    done = run("calibrate", "--trials", 3)
    assert done.code == 0, done.err
    assert done.err == (
        "built traps/toy: 4 cases, for practice\nrun 1: 12 trials of builtin:solve on traps/toy\n"
    )
    said = [line.strip() for line in done.out.splitlines() if "instrument is" in line]
    assert len(said) == 1
    assert re.search("is sound: .*16 known mistakes.* failed, .*solver passed all 12 trials", said[0])
    assert "practice" not in done.out  # it is no agent that was measured
    assert open_suite(tmp_path / "traps" / "toy").practice


def test_bare_calibrate_of_every_family_that_is_installed(installed, tmp_path):
    """The installed program, where nothing was built, builds a suite of each family and finds all sound."""
    command = [installed, "calibrate", "--trials", "1", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {"billing", "payout", "ledger-close", "ledger-audit"} <= {
        suite["family"] for suite in document["suites"]
    }
    assert document["sound"] is True and document["instrument"]["wrong"] == []
    assert document["instrument"]["slips"] > 5 * document["instrument"]["cases"]
    assert all(suite["rate"] == 1.0 for suite in document["suites"])
    assert len(done.stderr.splitlines()) == 1 + len(document["suites"])


BROKEN = {
    "solver": "def solve(self, files): return 'The sum is -1.'",
    "sometimes": "def solve(self, files):\n"
    "        with open('count', 'a') as count:\n"
    "            count.write('x')\n"
    "            return Toy.solve(self, files) if count.tell() > 1 else '-1'",
    "judge": "def judge(self, case, answer): return Verdict('passed', 'anything goes', '', 1.0)",
}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("solver", "the reference solver passed 0 of 3 trials of case_01"),
        ("sometimes", "the reference solver passed "),
        ("judge", "void_counted in case_01 passes: anything goes"),
    ],
)
def test_a_broken_family_from_outside_is_found_out(run, toy, tmp_path, fault, said):
    """A solver that misses, always or now and then, or a judge that lets mistakes pass: exit 1, and why."""
    assert run("build", "toy").code == 0
    (tmp_path / "broken.py").write_text(
        "from toy_family import Toy\nfrom trapcli.core.contract import Verdict\n\n"
        f"class Broken(Toy):\n    {BROKEN[fault]}\n\nFAMILY = Broken()\n"
    )
    broken = declare(tmp_path / "plugin", "toy = broken:FAMILY")
    path = Path(os.pathsep.join([str(broken), str(tmp_path)]))
    done = program(tmp_path, "calibrate", "toy", "--trials", 3, "--json", families=path)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["sound"] is False
    assert document["soundness"].startswith("The instrument is NOT sound: ") and said in document["soundness"]


def test_a_family_that_does_not_load_is_named(run, toy, monkeypatch):
    """A plugin that cannot be imported stops the bare run with its name."""
    monkeypatch.setattr(registry, "_declared", lambda: {"toy": "no_such_module:X"})
    done = run("calibrate")
    assert (done.code, done.out) == (2, "") and "family 'toy' (no_such_module:X) does not load" in done.err


# Controls: what is known beforehand must come out.


def test_an_agent_that_prints_the_gold_passes_every_trial(run, secret, tmp_path):
    """The gold of each case scores 1.0 on that case, in every trial."""
    lines = "".join(
        f'cmp -s "$inputs/data/lines.csv" traps/toy/inputs/{case}/data/lines.csv && '
        f"echo {read_case(secret, case).gold}\n"
        for case in secret.cases
    )
    agent(tmp_path, INPUTS + lines + "true\n")
    assert [case["rate"] for case in measured(run)["suites"][0]["cases"]] == [1.0] * 4


CONSTANTS = {
    "nothing": "true",
    "an empty array": "echo '[]'",
    "a constant": "echo 'ANSWER: 0.00'",
    "a sentence": "echo I cannot do that",
    "its instructions": INPUTS + 'cat "$inputs"/README.md',
}


@pytest.mark.parametrize("printed", [*CONSTANTS])
def test_agents_that_know_nothing_pass_nothing(run, secret, tmp_path, printed):
    """Printing nothing, [], one number or the task itself gets 0% on every case."""
    agent(tmp_path, CONSTANTS[printed])
    suite = measured(run)["suites"][0]
    assert [(case["passes"], case["counted"]) for case in suite["cases"]] == [(0, 2)] * 4
    assert suite["on_these_cases"][0] == 0.0 < suite["on_these_cases"][1]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small suite of every installed family, for real, as a directory to stand in."""
    place = tmp_path_factory.mktemp("small")
    for family in ("billing", "payout", "ledger-close", "ledger-audit"):
        command = [sys.executable, "-m", "trapcli", "build", family, "--cases", "1", "--seed", "random"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
    return place


def test_agents_that_know_nothing_pass_nothing_in_any_family(run, small, monkeypatch):
    """Nothing, [] and constant answers get 0% in every installed family."""
    monkeypatch.chdir(small)
    for line in ("true", "echo '[]'", "echo 'ANSWER: 0.00'"):
        done = run("calibrate", "--solution", f'sh -c "{line}"', "--trials", 1, "--json")
        document = json.loads(done.out)
        assert done.code == 0 and len(document["suites"]) == 4
        assert [suite["rate"] for suite in document["suites"]] == [0.0] * 4, line


def test_gold_passes_in_any_family(run, small, tmp_path, monkeypatch):
    """An agent that prints the gold of its case passes in every installed family."""
    monkeypatch.chdir(small)
    lines = ""
    for place in sorted(small.glob("traps/*")):
        gold = read_case(open_suite(place), "case_01").gold
        text = json.dumps(gold) if isinstance(gold, list) else f"ANSWER: {gold}"
        (tmp_path / f"{place.name}.gold").write_text(text)
        lines += (
            f'diff -rq "$inputs" {place}/inputs/case_01 > /dev/null && cat {tmp_path}/{place.name}.gold\n'
        )
    agent(small, INPUTS + lines + "true\n")
    done = run("calibrate", "--solution", "sh agent.sh", "--trials", 1, "--json")
    assert [suite["rate"] for suite in json.loads(done.out)["suites"]] == [1.0] * 4, done.out


def test_every_single_mistake_fails_every_case_that_has_it(run, secret):
    """An agent with one wrong belief fails each case, item by item, and is recognised by its mistake."""
    for mechanism in ("void_counted", "late_counted"):
        done = run("calibrate", "--solution", f"builtin:slip:{mechanism}", "--trials", 1, "--json")
        suite = json.loads(done.out)["suites"][0]
        assert [(case["passes"], case["slips"]) for case in suite["cases"]] == [(0, {mechanism: 1})] * 4


def test_every_mistake_of_every_family_was_judged_by_the_instrument_check(run, small, monkeypatch):
    """The bare run judges each slip of each case, and what does nothing, and says how many."""
    monkeypatch.chdir(small)
    slips = sum(len(read_case(open_suite(place), "case_01").slips) for place in small.glob("traps/*"))
    done = run("calibrate", "--trials", 1, "--json")
    document = json.loads(done.out)
    assert done.code == 0, done.err
    assert document["instrument"] == {"cases": 4, "slips": slips + 2 * 4, "wrong": []}


# What it says beside the rates.


def test_a_practice_suite_is_named_for_an_agent_and_not_for_our_own(run, toy, secret, tmp_path):
    """An agent measured on cases that anyone can rebuild is told so; a secret suite, a builtin are not."""
    assert "practice" not in kinds(measured(run))
    assert run("build", "toy", "--force").code == 0
    document = measured(run)
    assert "practice" in kinds(document) and document["suites"][0]["practice"] is True
    [text] = [warning["text"] for warning in document["warnings"] if warning["kind"] == "practice"]
    assert "traps/toy is a practice suite: anyone with this package can rebuild its answers" in text
    assert "practice" not in kinds(measured(run, "--solution", "builtin:solve"))


def test_every_run_on_the_same_cases_stays_listed_and_is_counted(run, secret, tmp_path):
    """Whoever runs again until the rate looks good cannot hide it: every run stays, and is counted."""
    documents = [measured(run, "--trials", 1) for _ in range(3)]
    assert [document["run"] for document in documents] == [1, 2, 3]
    assert [document["earlier_runs"] for document in documents] == [0, 1, 2]
    assert "This is run 3 on these cases" in run("calibrate", "--resume", 3).out
    listed = json.loads(run("inspect", "run", "--json").out)["runs"]
    assert [(one["run"], one["done"]) for one in listed] == [(1, 4), (2, 4), (3, 4)]


def test_a_suite_that_a_solution_writes_to_marks_the_run(run, secret, tmp_path):
    """A trial that reaches into the suite does not go unnoticed: the run is marked, and it is said."""
    agent(tmp_path, "echo tampered >> traps/toy/README.md\necho 1\n")
    document = measured(run, "--trials", 1)
    assert document["suites"][0]["changed"] is True and "changed" in kinds(document)


# Where it says it.


def test_json_is_one_document_on_stdout_and_nothing_else(run, toy, tmp_path):
    """With --json stdout holds one document, of a run begun, resumed or compared; notes go to stderr."""
    begun = run("calibrate", "--trials", 1, "--json")
    assert begun.err.startswith("built traps/toy")
    again = run("calibrate", "--resume", 1, "--json")
    assert again.err == "run 1 is complete: nothing is left to run\n"
    agent(tmp_path, VOID_COUNTED)
    assert run("calibrate", "--solution", "sh agent.sh", "--trials", 1, "--json").code == 0
    compared = run("calibrate", "--compare", 1, 2, "--json")
    assert compared.err == ""
    for done in (begun, again, compared):
        assert done.code == 0 and isinstance(json.loads(done.out), dict)


def test_a_secret_seed_is_in_no_report(run, secret, tmp_path):
    """What may be handed on does not tell how the suite is built again; the seed for practice stays."""
    document = measured(run, "--trials", 1)
    shown = run("inspect", "run", 1, "--json")
    for text in (json.dumps(document), shown.out, run("inspect", "run", 1).out):
        assert SECRET not in text
    with kept_here(tmp_path) as kept:
        assert kept.run(1).plan.suites[0].seed == SECRET
    run("build", "toy", "--force")
    assert measured(run, "--trials", 1)["plan"]["suites"][0]["seed"] == "1"


def shown_on_terminal(directory, words, families, **changes):
    """What a terminal shows of the program, standing in the directory."""
    path = os.pathsep.join(map(str, (families, *MODULES)))
    hidden = ("NO_COLOR", "FORCE_COLOR")
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"PYTHONPATH": path, "TERM": "xterm-256color", "COLUMNS": "150", **changes}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "trapcli", *words]
    with subprocess.Popen(command, cwd=directory, env=env, stdout=theirs, stderr=theirs) as started:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how Linux says that the other end was closed
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
    assert started.returncode == 0, shown
    return shown.decode()


def test_a_terminal_gets_a_bar_and_colour_and_no_colour_if_it_wants_none(declared, tmp_path):
    """On a terminal a bar tells trials done and running, failed and a live rate; NO_COLOR is honoured."""
    agent(tmp_path)
    words = ["calibrate", "toy", "--solution", "sh agent.sh", "--trials", "3"]
    colour = re.compile(r"\x1b\[[0-9;]*(3|4|9|10)[0-8][;m]")
    first = shown_on_terminal(tmp_path, words, declared)
    assert colour.search(first)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", first)
    assert "building toy" in plain
    assert re.search(r"trials \S+ +\d+/12 \d running, 0 failed, rate 1\.00 +\S+ left", plain)
    second = shown_on_terminal(tmp_path, words, declared, NO_COLOR="1")
    assert "/12" in second and not colour.search(second)


@pytest.mark.parametrize(
    ("end", "code", "runs"), [(">&-", 2, []), ("2>&-", 0, [1]), ("<&-", 0, [1]), ("<&- 2>&-", 0, [1])]
)
def test_closed_streams(declared, tmp_path, end, code, runs):
    """Where no result can be told no trial runs; standard error and input are not needed."""
    agent(tmp_path)
    words = f"calibrate toy --solution 'sh agent.sh' --trials 1 {end}"
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m trapcli {words}'],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (declared, *MODULES)))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert run_numbers(tmp_path) == runs


def test_a_reader_that_went_away_loses_no_trial(declared, tmp_path):
    """`trapcli calibrate ... | head -0` ends as any program does then, and the run is complete."""
    agent(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    path = os.pathsep.join(map(str, (declared, *MODULES)))
    command = [
        sys.executable,
        "-m",
        "trapcli",
        "calibrate",
        "toy",
        "--solution",
        "sh agent.sh",
        "--trials",
        "1",
    ]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, b"Traceback" in done.stderr) == (141, False)
    with kept_here(tmp_path) as kept:
        assert kept.run(1).ended and kept.counts(1) == {"passed": 4}


def test_records_do_not_depend_on_hashing_locale_or_time_zone(declared, tmp_path):
    """The same agent on the same suite gives the same records and verdicts, apart from times."""
    agent(
        tmp_path, INPUTS + 'case $(cat "$inputs"/data/lines.csv | wc -c) in *[02468]) ' + RIGHT + ";; esac\n"
    )
    assert program(tmp_path, "build", "toy", families=declared).returncode == 0
    seen = []
    for number, changes in enumerate(
        [
            {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
            {"PYTHONHASHSEED": "1", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
        ],
        1,
    ):
        words = ("calibrate", "--suite", "traps/toy", "--solution", "sh agent.sh", "--trials", 2)
        assert program(tmp_path, *words, families=declared, **changes).returncode == 0
        with kept_here(tmp_path) as kept:
            plan = kept.run(number).plan
            trials = [
                (trial.case, trial.number, trial.status, trial.verdict, trial.stdout.digest)
                for trial in kept.trials(number)
            ]
        seen.append((plan, trials))
    assert seen[0] == seen[1] and len(seen[0][1]) == 8


def test_cases_come_in_the_order_of_their_ids_however_files_are_listed(run, secret, monkeypatch):
    """On a file system that lists everything the other way round cases, trials and digest are the same."""
    plain = measured(run)
    scandir, listdir = os.scandir, os.listdir
    monkeypatch.setattr(os, "listdir", lambda *place: sorted(listdir(*place), reverse=True))
    monkeypatch.setattr(os, "scandir", lambda *place: Turned(scandir(*place)))
    other = measured(run)
    assert other["plan"]["suites"] == plain["plan"]["suites"]
    for document in (plain, other):
        assert [case["case"] for case in document["suites"][0]["cases"]] == [*secret.cases]


class Turned:
    """What os.scandir gives, the last name first."""

    def __init__(self, entries):
        with entries:
            self.left = iter(sorted(entries, key=lambda entry: entry.name, reverse=True))

    def __iter__(self):
        return self.left

    def __next__(self):
        return next(self.left)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass


# What a solution can see.

LOOK = INPUTS + (
    'echo "$TRAP_MANIFEST"; ls -aR "$inputs/.."; env; '
    'cat "$inputs"/README.md "$inputs"/task.md "$inputs"/data/*\n'
)


def test_a_solution_gets_a_copy_without_siblings_and_no_word_of_where_it_came_from(run, secret, tmp_path):
    """Around its inputs an agent finds no gold, no suite, no seed, no case id and no name of a trap."""
    agent(tmp_path, LOOK)
    measured(run, "--trials", 1)
    with kept_here(tmp_path) as kept:
        for trial in kept.trials(1):
            shown = kept.output(1, trial.stdout).read_text()
            around = shown.replace(str(tmp_path), "HERE")
            assert "lines.csv" in around
            for word in ("expected", "answer.json", "suite.json", "traps", "case_0", SECRET, "void_amount"):
                assert word not in around, word
            variables = re.findall(r"^(\w+)=", shown, re.MULTILINE)
            assert not [name for name in variables if name.startswith("TRAPTASK") or name == "OLDPWD"]


def test_a_trial_finds_nothing_of_an_earlier_one_beside_it(run, secret, tmp_path):
    """Each trial has a place of its own, which is gone when it has ended."""
    agent(
        tmp_path,
        INPUTS
        + 'echo "$inputs" >> places\n[ -e "$inputs/left" ] && echo found >> places\n'
        + 'echo x > "$inputs/left"; echo x > "$inputs/../outputs/left"; echo 1\n',
    )
    measured(run)
    places = (tmp_path / "places").read_text().split()
    assert len(places) == len(set(places)) == 8 and "found" not in places
    assert not [place for place in places if Path(place).exists()]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_an_isolated_solution_finds_no_suite_and_no_earlier_run(run, secret, tmp_path):
    """With --isolate a solution works and finds neither gold nor earlier outputs, as it does without."""
    (tmp_path / "solution").mkdir()
    look = f"find {tmp_path} -type f ! -path '*/solution/*' 2> /dev/null | sed 's/^/found /' >&2\n"
    (tmp_path / "solution" / "agent.sh").write_text(look + RIGHT)
    (tmp_path / "solution" / "trap.yaml").write_text("cmd: sh agent.sh\n")
    words = ("calibrate", "--solution", "solution", "--trials", 2, "--only", "case_01", "--json")
    open_to_all, isolated = run(*words), run(*words, "--isolate")
    if "bubblewrap does not work here" in isolated.err:
        pytest.skip("bubblewrap may not be used here")
    for done in (open_to_all, isolated):
        assert json.loads(done.out)["suites"][0]["rate"] == 1.0, done.err
    with kept_here(tmp_path) as kept:
        first, second = (
            b"".join(kept.output(number, trial.stderr).read_bytes() for trial in kept.trials(number)
                     if trial.stderr.file)
            for number in (1, 2)
        )  # fmt: skip
    assert b"expected/case_01/answer.json" in first and b".trapcli/outputs/" in first
    assert second == b""


# Two runs.


def test_two_runs_are_compared_case_by_case(run, secret, tmp_path):
    """--compare A B shows both runs of the same cases and the difference; A comes first."""
    measured(run)
    agent(tmp_path, VOID_COUNTED, "other.sh")
    assert run("calibrate", "--solution", "sh other.sh", "--trials", 2).code == 0
    done = run("calibrate", "--compare", 1, 2)
    assert done.code == 0 and "Run 2 (B) against run 1 (A)" in done.out
    one, other = (
        json.loads(run("calibrate", "--compare", *pair, "--json").out)["suites"][0]["result"]
        for pair in ((1, 2), (2, 1))
    )
    assert (one["difference"], other["difference"]) == (-1.0, 1.0)


def test_what_cannot_be_compared(run, secret, tmp_path):
    """A run with itself, one number, runs without a case in common, and no runs at all are errors."""

    def refused(*words):
        done = run("calibrate", "--compare", *words)
        assert (done.code, done.out) == (2, "") and "Traceback" not in done.err
        return done.err

    assert "there are no runs here" in refused(1, 2)
    measured(run, "--trials", 1, "--only", "case_01")
    measured(run, "--trials", 1, "--only", "case_02")
    run("build", "toy", "--seed", "2", "--force")
    measured(run, "--trials", 1)
    assert "run 1 cannot be compared with itself" in refused(1, 1)
    assert "'--compare' requires 2 arguments" in refused(1)
    assert "runs 1 and 2 share no case" in refused(1, 2)
    assert "runs 1 and 3 share no case" in refused(1, 3)
    assert "has no run 9; it has 1 to 3" in refused(1, 9)
    assert "--compare goes alone; leave --trials out" in refused(1, 2, "--trials", 3)
    assert "--compare goes alone; leave FAMILY out" in refused(1, 2, "toy")
    assert "--compare goes alone; leave --resume out" in refused(1, 2, "--resume=1")
