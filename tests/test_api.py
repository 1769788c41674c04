"""The public API: suites as Python objects."""

import subprocess
import sys
import threading
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents import toy_only
from toy_family import TOY, Toy, build_toy

import trapcli
from trapcli.core.errors import TrapError
from trapcli.core.output import output_of


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    toy_only(monkeypatch, tmp_path / "packages")  # the judges' processes find it too


@pytest.fixture
def suite(tmp_path: Path) -> trapcli.LoadedSuite:
    return trapcli.build("toy", tmp_path / "toy", seed="random", cases=3)


def right(case: trapcli.Case) -> str:
    return str(TOY.solve(case.files))


def test_a_suite_is_built_loaded_and_judged(suite: trapcli.LoadedSuite) -> None:
    """Each case of a suite on disk has its prompt, the right answer passes, and a mistake is named."""
    loaded = trapcli.load(suite.directory)
    assert (len(loaded), loaded.family, loaded.practice) == (3, "toy", False)
    assert loaded.ids == ("case_01", "case_02", "case_03")
    for case in loaded:
        assert case.prompt().startswith("# Add up") and "lines.csv" in case.prompt()
        assert loaded.judge(case, right(case)).passed
        verdict = loaded.judge(case.id, str(TOY.solve(case.files, "void_counted")))
        assert (verdict.score, verdict.status, verdict.mistake) == (0.0, "failed", "void_counted")
        assert loaded.judge(case, b"\xff nothing").status == "unreadable"
        assert loaded.judge(case, right(case), exit_code=1).status == "crashed"
        assert loaded.judge(case, output_of(right(case)), timed_out=True).output_status == "passed"


def test_a_private_half_elsewhere_is_named(tmp_path: Path) -> None:
    """A suite whose private half is elsewhere is loaded with it, and not without."""
    build_toy(tmp_path / "public", expected=tmp_path / "private", count=2)
    assert len(trapcli.load(tmp_path / "public", tmp_path / "private")) == 2
    with pytest.raises(trapcli.TrapError, match="no private half"):
        trapcli.load(str(tmp_path / "public"))


def test_generated_cases_are_those_that_a_build_writes(tmp_path: Path) -> None:
    """In memory or on disk, one recipe gives the same cases, and an endless suite begins with them."""
    on_disk = list(trapcli.build("toy", tmp_path / "toy", seed=7, level=2, cases=3))
    in_memory = list(trapcli.generate("toy", seed=7, level=2, count=3))
    endless = list(islice(trapcli.generate("toy", seed=7, level=2), 5))
    parts = [
        [(case.id, dict(case.files), case.gold, case.known_mistakes) for case in cases]
        for cases in (on_disk, in_memory, endless[:3])
    ]
    assert parts[0] == parts[1] == parts[2]
    assert [case.id for case in endless] == ["case_01", "case_02", "case_03", "case_04", "case_05"]


def test_an_endless_suite_judges_any_case_by_its_id() -> None:
    """A case far away is generated when it is asked for; it has no length, and no ids to list."""
    endless = trapcli.generate("toy", seed=2**70)
    case = endless["case_1234"]
    assert endless.judge("case_1234", right(case)).passed and not endless.practice
    with pytest.raises(TypeError, match="endless"):
        len(endless)
    assert "endless" in repr(endless)


@pytest.mark.parametrize("id", ["case_04", "case_00", "case_1", "case_003", "case_x", "", "case_99999"])
def test_a_case_that_does_not_exist_is_an_error(id: str, suite: trapcli.LoadedSuite) -> None:
    """Ids that a suite does not have are refused, with those that it has."""
    for one in (suite, trapcli.generate("toy", count=3)):
        with pytest.raises(trapcli.TrapError, match=r"has no case .* it has case_01 to case_03"):
            one[id]


@pytest.mark.parametrize("id", [3, 0, -1, None, b"case_01", ("case_01",)])
def test_a_case_is_named_by_its_id(id: Any, suite: trapcli.LoadedSuite) -> None:
    """Anything but text says how a case is named; a case is as good as its id where one is judged."""
    for one in (suite, trapcli.generate("toy")):
        with pytest.raises(TypeError, match=r"a case is named by its id, as in suite\['case_03'\], not by"):
            one[id]
        with pytest.raises(TypeError, match=r"a case is named by its id"):
            one.judge(id, "7")
    assert suite.judge(suite["case_01"], "7").id == "case_01"


def test_an_object_that_is_not_a_family_is_refused() -> None:
    """A family given as an object is checked as an installed one is."""
    for wrong in (None, type(TOY), object(), SimpleNamespace(name="x")):
        with pytest.raises(TrapError, match=r"given as an object\) breaks the contract"):
            trapcli.generate(wrong)  # type: ignore[arg-type]


def test_a_suite_is_in_use_while_it_is_calibrated(suite: trapcli.LoadedSuite, tmp_path: Path) -> None:
    """A build that would replace the suite of a run is refused, until the run has ended."""
    said = []

    def agent(case: trapcli.PublicCase) -> str:
        try:
            build_toy(suite.directory, force=True, seed="2")
        except TrapError as error:
            said.append(str(error))
        return ""

    trapcli.calibrate(suite, agent, trials=1, only=["case_01"], store=tmp_path / "runs")
    assert len(said) == 1 and "in use by a run of `trapcli calibrate`" in said[0]
    build_toy(suite.directory, force=True, seed="2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 9}, "has the levels 1 to 3"),
        ({"level": 0}, "has the levels 1 to 3"),
        ({"knobs": {"lines": 1}}, "outside its range"),
        ({"knobs": {"rows": 1}}, "has no knob 'rows'"),
        ({"seed": -1}, "seed .-1.: a seed is"),
        ({"seed": "x"}, "seed .x.: a seed is"),
        ({"count": 0}, "a suite has 1 to"),
    ],
)
def test_what_cannot_be_generated_is_an_error(options: dict[str, object], message: str) -> None:
    """Levels, knobs, seeds and counts that do not exist are refused before anything is made."""
    with pytest.raises(trapcli.TrapError, match=message):
        trapcli.generate("toy", **options)  # type: ignore[arg-type]


def test_a_family_need_not_be_installed() -> None:
    """`generate` takes a family object, so that an author can try one at once."""

    class Other(Toy):
        name = "other"

    suite = trapcli.generate(Other(), count=1)
    assert suite.family == "other" and suite.judge("case_01", "no number").status == "unreadable"
    with pytest.raises(trapcli.TrapError, match="no family 'other'"):
        trapcli.generate("other")


def test_answers_that_are_files_reach_the_judge(suite: trapcli.LoadedSuite) -> None:
    """Files given to `judge` are part of the output that the answer kind reads."""
    seen: list[Any] = []

    class Watching(type(TOY.answers)):  # type: ignore[misc]
        reads_files = True

        def extract(self, output: object) -> object:
            seen.append(output)
            return super().extract(output)

    class Family(Toy):
        answers = Watching()

    generated = trapcli.generate(Family(), count=1)
    generated.judge("case_01", "1", files={"a/b.txt": b"2"})
    assert dict(seen[-1].files) == {"a/b.txt": b"2"}


@pytest.mark.slow
def test_an_agent_that_is_a_function_is_calibrated(suite: trapcli.LoadedSuite, tmp_path: Path) -> None:
    """A function is run, judged and stored like a command: it passes, errs, crashes, lies and hangs."""

    def agent(case: trapcli.PublicCase) -> str | bytes:
        assert (case.inputs_dir / "README.md").read_text() == case.files["README.md"]
        (case.outputs_dir / "usage.json").write_text('{"input_tokens": 7}')
        assert not hasattr(case, "gold") and case.prompt().startswith("# Add up")
        if case.id == "case_01":
            return right(suite[case.id])
        if case.id == "case_02":
            return str(TOY.solve(case.files, "late_counted")).encode()
        raise RuntimeError("no key")

    result = trapcli.calibrate(suite, agent, trials=2, jobs=2, store=tmp_path / "runs")
    cases = result.summary.suites[0].cases
    assert result.complete and not result.interrupted and result.rate == pytest.approx(1 / 3)
    assert [case.counts.passes for case in cases] == [2, 0, 0]
    assert [case.outcomes["crashed"] for case in cases] == [0, 0, 2]
    assert dict(cases[1].mistakes) == {"late_counted": 2}
    assert cases[0].usage.sums == {"input_tokens": 14}
    assert result.to_json()["run"] == result.number == 1
    assert result.to_json()["schema"] == "run/1"
    stderr = next((tmp_path / "runs" / "outputs" / "run_1").glob("case_03-1-*.stderr"))
    assert "RuntimeError: no key" in stderr.read_text()


@pytest.mark.slow
def test_a_function_that_takes_too_long_is_timed_out(suite: trapcli.LoadedSuite, tmp_path: Path) -> None:
    """At its limit a function's trial has timed out, and what it returns later does not count."""
    hold = threading.Event()

    def agent(case: trapcli.PublicCase) -> str:
        hold.wait(30)
        return right(suite[case.id])

    result = trapcli.calibrate(suite, agent, trials=1, timeout=0.2, only=["case_02"], store=tmp_path / "runs")
    hold.set()
    (case,) = result.summary.suites[0].cases
    assert (case.case, case.outcomes["timed_out"]) == ("case_02", 1)


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, 42, ["ANSWER: 1"]])
def test_a_function_must_return_text(value: object, suite: trapcli.LoadedSuite, tmp_path: Path) -> None:
    """Anything but text or bytes is a crash of the agent, not an answer."""
    agent: Any = lambda case: value  # noqa: E731
    result = trapcli.calibrate(suite, agent, trials=1, only=["case_01"], store=tmp_path / "runs")
    assert result.summary.suites[0].cases[0].outcomes["crashed"] == 1


def test_a_run_that_measures_nothing_says_why(suite: trapcli.LoadedSuite, tmp_path: Path) -> None:
    """A function that always raises stops the run, with its traceback; label and tags are recorded."""

    def agent(case: trapcli.PublicCase) -> str:
        raise KeyError("API_KEY")

    result = trapcli.calibrate(suite, agent, trials=2, store=tmp_path / "runs", label="x", tags={"a": "1"})
    assert "KeyError: 'API_KEY'" in result.stopped and not result.succeeded and not result.complete
    configuration = result.to_json()["plan"]["configuration"]
    assert (configuration["label"], configuration["tags"]) == ("x", {"a": "1"})
    result = trapcli.calibrate(suite, agent, trials=2, store=tmp_path / "runs", keep_going=True)
    assert result.complete and not result.stopped


@pytest.mark.slow
def test_a_command_and_the_self_check_are_calibrated(suite: trapcli.LoadedSuite, tmp_path: Path) -> None:
    """A command is a solution too; without a solution suite and judge are checked."""
    options: dict[str, Any] = {"trials": 1, "store": tmp_path / "runs"}
    assert trapcli.calibrate(suite, "echo nothing", **options).rate == 0.0
    with pytest.raises(TypeError, match="not int"):
        trapcli.calibrate(suite, 5, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="suite on disk"):
        trapcli.calibrate(trapcli.generate("toy"), "echo", **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not NoneType"):
        suite.judge("case_01", None)  # type: ignore[arg-type]
    with pytest.raises(trapcli.TrapError, match="runs in this process"):
        trapcli.calibrate(suite, lambda case: "", isolate=True, **options)
    with pytest.raises(trapcli.TrapError, match="has that case"):
        trapcli.calibrate(suite.directory, "echo", only=["case_09"], **options)


@pytest.mark.usefixtures("unmeasured")
def test_importing_the_package_is_cheap_and_typed() -> None:
    """`import trapcli` loads next to nothing; every public name is listed, loads and is documented."""
    code = (
        "import sys; import trapcli; "
        "print(sorted(n for n in sys.modules if n.startswith('trapcli') or n in ('click', 'rich', 'json')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['trapcli', 'trapcli.system', 'trapcli.system.package']"
    for name in trapcli.__all__:
        assert name in dir(trapcli)
        assert name == "__version__" or (getattr(trapcli, name).__doc__ or "").strip()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trapcli.nothing  # noqa: B018
    assert (Path(trapcli.__file__).parent / "py.typed").exists()
