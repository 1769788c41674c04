"""The builtin solutions: which mistake each trial makes, and the process that makes it."""

import io
import json
import os
import subprocess
from collections import Counter

import pytest
from factories import suite_of
from hypothesis import given
from hypothesis import strategies as st
from toy_family import TOY, declare

from trapcli.building.builder import build_suite
from trapcli.calibration.solutions.builtin import (
    Builtin,
    command_for,
    mistake,
    read_builtin,
    refuse_unknown_slip,
    stream_name,
    true_rate,
)
from trapcli.core import registry
from trapcli.core.errors import TrapError
from trapcli.core.output import read_output
from trapcli.judging.judge import judge_output
from trapcli.suites.reader import read_case

SHADOWS = ("json", "os", "re", "trapcli", "families", "toy", "registry", "sitecustomize")


def written(case, inputs):
    """The case's files, as a trial gets them."""
    for file, text in case.files.items():
        path = inputs / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return inputs


def run(command, inputs, cwd, **environ):
    manifest = json.dumps({"inputs_dir": str(inputs), "outputs_dir": str(cwd)})
    env = {**os.environ, "TRAP_MANIFEST": manifest, **environ}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("solve", Builtin()),
        ("slip:void_counted", Builtin(slip="void_counted")),
        ("flaky:0.3", Builtin(chance=0.3)),
        ("flaky:.5", Builtin(chance=0.5)),
        ("flaky:0", Builtin(chance=0.0)),
        ("flaky:1:x-7", Builtin(chance=1.0, seed="x-7")),
    ],
)
def test_forms(text, wanted):
    """Each form is read as what it says."""
    assert read_builtin(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "solved",
        "solve:1",
        "slip",
        "slip:",
        "slip:a:b",
        "flaky",
        "flaky:",
        "flaky:1.1",
        "flaky:-0",
        "flaky:nan",
        "flaky:1e-3",
        "flaky:\u0663",
        "flaky:0.5:1:2",
    ],
)
def test_near_misses_are_told_the_forms(text):
    """What is no form is refused, and the forms are listed."""
    with pytest.raises(TrapError, match=r"builtin:solve, builtin:slip:MECHANISM, builtin:flaky:P or"):
        read_builtin(text)


@pytest.mark.parametrize("seed", ["", "a b", "x" * 65])
def test_bad_seed(seed):
    """A seed that could not stand in a file name or a table is refused."""
    with pytest.raises(TrapError, match="the seed"):
        read_builtin(f"flaky:0.5:{seed}")


@given(st.text())
def test_any_text_is_read_or_refused(text):
    """Nothing but TrapError is raised, whatever stands behind the colon."""
    try:
        read_builtin(text)
    except TrapError as error:
        assert "builtin:" in str(error)


def test_unknown_slip_is_refused_up_front():
    """A mechanism must be one of some family of the run; else those there are get listed."""
    slip = Builtin(slip="wrong_region")
    refuse_unknown_slip(Builtin(), ["billing"])
    with pytest.raises(TrapError, match=r"'?wrong_region'?.*billing has \w+, .*; payout has "):
        refuse_unknown_slip(slip, ["billing", "payout"])
    known = next(iter(registry.family("payout").mechanisms))
    refuse_unknown_slip(Builtin(slip=known), ["billing", "payout"])


def test_slip_is_made_where_the_case_has_it():
    """A case without the mechanism is solved: that one wrong belief does no harm there."""
    slip = Builtin(slip="a")
    assert mistake(slip, ("b", "a"), "x") == "a" and true_rate(slip, ("b", "a")) == 0.0
    assert mistake(slip, ("b",), "x") == "" and true_rate(slip, ("b",)) == 1.0
    assert mistake(Builtin(), ("a",), "x") == "" and true_rate(Builtin(), ("a",)) == 1.0


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.3, 1.0])
def test_flaky_has_its_true_rate(chance):
    """Over many trials the share without a mistake is (1 - P) ** m, and no mistake is favoured."""
    flaky, names = Builtin(chance=chance), ("a", "b", "c")
    made = Counter(mistake(flaky, names, f"t/{n}") for n in range(4000))
    rate = true_rate(flaky, names)
    assert rate == pytest.approx((1 - chance) ** 3)
    assert abs(made[""] / 4000 - rate) < 4 * (rate * (1 - rate) / 4000) ** 0.5 + 1e-9
    for name in names:
        wanted = (1 - rate) / 3
        assert abs(made[name] / 4000 - wanted) < 4 * (wanted * (1 - wanted) / 4000) ** 0.5 + 1e-9


def test_streams_tell_every_trial_apart():
    """Run, suite, case and trial each give another stream; with a seed the run plays no part."""
    one, other = suite_of(seed="1"), suite_of(seed="2")
    flaky, seeded = Builtin(chance=0.5), Builtin(chance=0.5, seed="s")
    calls = [("r", one, "case_01", 1), ("q", one, "case_01", 1), ("r", other, "case_01", 1),
             ("r", one, "case_02", 1), ("r", one, "case_01", 2)]  # fmt: skip
    assert len({stream_name(flaky, *call) for call in calls}) == 5
    assert len({stream_name(seeded, *call) for call in calls}) == 4
    assert stream_name(flaky, "s", one, "case_01", 1) != stream_name(seeded, "s", one, "case_01", 1)


@pytest.mark.parametrize("name", ["billing", "payout", "ledger-close", "ledger-audit"])
def test_process_prints_what_the_family_does(name, tmp_path):
    """In a directory full of modules that shadow ours, the process solves, and slips, as in this process."""
    for shadow in SHADOWS:
        (tmp_path / f"{shadow}.py").write_text("raise SystemExit('shadowed')")
    family = registry.family(name)
    case = family.generate("5", family.knobs(), 0)
    inputs = written(case, tmp_path / "inputs")
    (inputs / ".hidden").write_bytes(b"\xff")
    (inputs / "__pycache__").mkdir()
    (inputs / "__pycache__/report.pyc").write_bytes(b"\xff")
    slip = case.mechanisms[-1]
    wanted = {Builtin(): family.solve(case.files), Builtin(slip=slip): family.slip(case.files, slip)}
    for builtin, text in wanted.items():
        done = run(command_for(builtin, name, case.mechanisms, "x"), inputs, tmp_path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == text


def test_family_of_another_package(tmp_path, monkeypatch):
    """A family that this process finds on its path is found by the process, and its answers are judged."""
    monkeypatch.syspath_prepend(str(declare(tmp_path / "metadata")))
    monkeypatch.setattr(registry, "_declared", lambda: {"toy": "toy_family:TOY"})
    suite = build_suite(TOY, seed="9", knobs=TOY.knobs(), count=2, target=tmp_path / "suite")
    for case_id in suite.cases:
        case = read_case(suite, case_id)
        for builtin, status in [(Builtin(), "passed"), (Builtin(slip="late_counted"), "failed")]:
            command = command_for(builtin, "toy", case.mechanisms, "x")
            done = run(command, suite.directory / "inputs" / case_id, tmp_path)
            assert done.returncode == 0, done.stderr
            assert judge_output(TOY, case, read_output(io.BytesIO(done.stdout))).status == status


def test_family_that_does_not_load(tmp_path):
    """The process ends with one line and exit code 2 when its family is not there."""
    done = run(command_for(Builtin(), "nowhere", (), "x"), tmp_path, tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"builtin: there is no family 'nowhere'") and done.stderr.count(b"\n") == 1


def test_installed_program_in_a_directory_that_shadows_it(installed, tmp_path):
    """From a wheel the command works as well, wherever it is started and with PYTHONPATH set."""
    (tmp_path / "trapcli.py").write_text("raise SystemExit('shadowed')")
    code = (
        "from trapcli.calibration.solutions.builtin import *; import json; "
        "print(json.dumps(command_for(Builtin(), 'ledger-close', (), 'x')))"
    )
    python = installed.parent / "python"
    command = json.loads(subprocess.run([python, "-P", "-c", code], capture_output=True, check=True).stdout)
    family = registry.family("ledger-close")
    case = family.generate("5", family.knobs(), 0)
    inputs = written(case, tmp_path / "inputs")
    done = run(command, inputs, tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == family.solve(case.files)


def test_process_loads_only_what_it_needs(tmp_path):
    """Neither the program's commands nor calibration's other modules are imported, nor another family."""
    family = registry.family("billing")
    case = family.generate("5", family.knobs(), 0)
    inputs = written(case, tmp_path / "inputs")
    program, *words = command_for(Builtin(), "billing", (), "x")
    words[2] += "; print(*sys.modules, file=sys.stderr)"
    done = run([program, *words], inputs, tmp_path)
    loaded = done.stderr.decode().split()
    assert "families.billing.solver" in loaded
    assert not {"click", "rich", "yaml", "subprocess", "tempfile", "trapcli.suites.reader"} & {*loaded}
    calibration = [name for name in loaded if name.startswith("trapcli.calibration.")]
    assert calibration == ["trapcli.calibration.solutions.builtin"]
    assert {name.split(".")[1] for name in loaded if name.startswith("families.")} == {"billing"}
