"""The JSON Schemas, and that what `build`, `judge` and `inspect` print about suites matches them."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import toy_only
from checkout import ROOT
from import_graph import imports, sources
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from schemas.checks import WITHOUT_KEY, Json, changed, checked, errors
from toy_family import TOY, build_toy, installed

import trapcli
from trapcli.core import registry
from trapcli.core.contract import STATUSES
from trapcli.core.errors import TrapError
from trapcli.core.output import Output, output_of
from trapcli.judging.judge import verdict_json
from trapcli.schemas import SCHEMAS, load_schema
from trapcli.suites.reader import Suite, read_case

Run = Callable[..., Any]

FOLDER = Path(trapcli.__file__).parent / "schemas"
OPEN = {"answer", "usage"}  # what is read: other keys are ignored


# The schemas themselves.


def test_every_file_is_listed_once() -> None:
    """The schemas that are listed are the files of the package."""
    assert sorted(SCHEMAS) == sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_named_and_closed(name: str) -> None:
    """Each schema is valid and titled, has its own name, and allows no unknown key in what we print."""
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"https://trapsuite.github.io/schemas/{name}/1.json"
    assert schema["title"] and schema["description"] and schema["type"] == "object"
    closed = False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
    assert closed == (name not in OPEN)
    assert ("schema" in schema["properties"]) == (name not in WITHOUT_KEY)


def undescribed(schema: Any, place: str = "") -> Iterator[str]:
    """Yield the properties without a description. Conditions (anyOf, allOf, if ...) describe nothing new."""
    for name, one in schema.get("properties", {}).items():
        if not one.get("description", "").endswith("."):
            yield f"{place}/{name}"
        yield from undescribed(one, f"{place}/{name}")
    for name, one in schema.get("$defs", {}).items():
        yield from undescribed(one, f"{place}/{name}")
    for one in (schema.get("items"), schema.get("additionalProperties"), *schema.get("oneOf", ())):
        if isinstance(one, dict):
            yield from undescribed(one, place)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_property_is_described(name: str) -> None:
    """Each property, at any depth, has a description in sentences."""
    assert [*undescribed(load_schema(name))] == []


def test_a_property_without_description_is_found() -> None:
    """The check above finds a property of the items of a property."""
    schema = {"properties": {"a": {"description": "A.", "items": {"properties": {"b": {"type": "string"}}}}}}
    assert [*undescribed(schema)] == ["/a/b"]


def references(schema: Any, base: str) -> Iterator[tuple[str, str]]:
    """Yield each reference of a schema, with the address that it is relative to."""
    if isinstance(schema, list):
        for one in schema:
            yield from references(one, base)
    elif isinstance(schema, dict):
        base = schema.get("$id", base)
        if isinstance(schema.get("$ref"), str):
            yield base, schema["$ref"]
        for one in schema.values():
            yield from references(one, base)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_loaded_schema_needs_no_other_file(name: str) -> None:
    """Whatever a schema refers to is in what `load_schema` returns, so nothing is looked up on a network."""
    schema = load_schema(name)
    known = Registry().with_resource(schema["$id"], Resource.from_contents(schema)).crawl()
    for base, reference in references(schema, ""):
        assert known.resolver(base).lookup(reference).contents


def test_a_schema_is_loaded_by_name_or_by_name_and_version() -> None:
    """What a document names can be loaded; an unknown name or version is an error that lists the names."""
    assert load_schema("run/1") == load_schema("run")
    for name in ("nothing", "run/2", "run/", "run/1/1", "", "../schemas/run"):
        with pytest.raises(TrapError, match=r"there is no JSON Schema .*; there are verdict, "):
            load_schema(name)


@pytest.mark.slow
def test_the_wheel_has_every_schema(wheel: Path) -> None:
    """An installation has the schemas too."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"trapcli/schemas/{name}.schema.json" for name in SCHEMAS} <= {*names}


@pytest.mark.slow
def test_nothing_loads_the_schemas_unasked() -> None:
    """No module imports the schemas, so that no command starts more slowly because of them."""
    graph = imports(sources(ROOT))
    assert "trapcli.schemas" in graph
    assert [name for name, imported in graph.items() if "trapcli.schemas" in imported] == []


# What `build` and `judge` print.


@pytest.fixture
def toy(run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any) -> Suite:
    """A suite of the toy family in traps/toy."""
    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    return build_toy(tmp_path / "traps" / "toy")


def outputs_of(suite: Suite) -> dict[str, str]:
    """Return for some statuses an output that gets it for case_01."""
    case = read_case(suite, "case_01")
    right = str(TOY.solve(case.files))
    return {"passed": right, "failed": case.known_mistakes[0].text, "unreadable": "none", "empty": ""}


@pytest.mark.slow
def test_builds(run: Run, toy: Suite) -> None:
    """`build --json` matches its schema, for a seed that is given and for one that is drawn."""
    for words, seed in (("--seed", 7), "7"), (("--seed", "random"), None), (("--all", "--cases", 2), "1"):
        family = () if "--all" in words else ("toy",)
        document = checked(run("build", *family, *words, "--json", "--force").out, "build")
        assert document["suites"][0]["seed"] == seed
    assert errors("build", changed(document, "suites/0/digest", "abc"))
    assert errors("build", changed(document, "suites/0/practice", ...))


@pytest.mark.parametrize("status", ["passed", "failed", "unreadable", "empty"])
def test_verdicts(run: Run, toy: Suite, status: str) -> None:
    """`judge --json` matches its schema, whatever the answer is."""
    judged = run("judge", "--case", "case_01", "--json", "-", input=outputs_of(toy)[status])
    verdict = checked(judged.out, "verdict")
    assert verdict["status"] == status
    assert errors("verdict", {**verdict, "score": 1 - verdict["score"]})


def test_verdicts_of_many_answers(run: Run, toy: Suite, tmp_path: Path) -> None:
    """Each line is a verdict with the answer's line or file, never with both; the last one sums them up."""
    answers: list[Json] = [{"case": "case_01", "output": one} for one in outputs_of(toy).values()]
    answers += [{**answers[0], "exit_code": -11}, {**answers[0], "timed_out": True, "files": {"a": "b"}}]
    answers.append({"case": "case_02", "output": "", "exit_code": None, "timed_out": None, "other": 1})
    assert [errors("answer", answer) for answer in answers] == [[]] * len(answers)
    text = "".join(json.dumps(answer) + "\n" for answer in answers)
    lines = run("judge", "--answers", "-", "--json", input=text).out.splitlines()
    verdicts = [checked(line, "verdict") for line in lines[:-1]]
    summary = checked(lines[-1], "batch")
    assert summary["statuses"]["empty"] == 2 and summary["ignored_keys"] == {"other": 1}
    assert errors("batch", {**summary, "problems": [{"line": 1, "file": "a", "what": "b"}]})
    assert {one["status"] for one in verdicts} == {*STATUSES}
    assert [one["line"] for one in verdicts] == [*range(1, len(answers) + 1)]
    assert errors("verdict", {**verdicts[0], "file": "case_01.txt"})
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "case_01.txt").write_text("7")
    (tmp_path / "answers" / "case_99.txt").write_text("7")
    line, last = run("judge", "--answers", "answers", "--json").out.splitlines()
    assert checked(line, "verdict")["file"] == "case_01.txt"
    assert checked(last, "batch")["problems"][0]["file"] == "case_99.txt"


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names())
def test_verdicts_of_every_family(name: str) -> None:
    """What any installed family adds to a verdict fits in, for known mistakes and for a no-op agent."""
    family = registry.family(name)
    suite = trapcli.generate(name, count=1)
    case = suite["case_01"]
    solved = family.solve(case.files)
    outputs = [solved if isinstance(solved, Output) else output_of(solved), output_of(family.answers.noop)]
    outputs += [output_of(known.text) for known in case.known_mistakes]
    verdicts = [checked(verdict_json(suite.judge(case, output)), "verdict") for output in outputs]
    assert verdicts[0]["score"] == 1.0
    assert {*case.mistakes} <= {one["mistake"] for one in verdicts}
    if family.answers.noop:
        assert verdicts[1]["mistake"] == "noop"


def traptask(suite: Suite, directory: Path, output: str, exit_code: int) -> dict[str, str]:
    """Return the variable in which trap-cli hands the run of a case to a judge."""
    (directory / "stdout").write_text(output)
    (directory / "meta.json").write_text(json.dumps({"exit_code": exit_code, "duration": 1.5}))
    manifest = {
        "inputs_dir": str(suite.directory / "inputs" / "case_01"),
        "expected_dir": str(suite.directory / "expected" / "case_01"),
        "outputs_dir": str(directory),
        "run": {"stdout": str(directory / "stdout"), "meta": str(directory / "meta.json")},
    }
    return {"TRAPTASK_MANIFEST": json.dumps(manifest)}


def test_verdicts_and_the_grade_for_trap_cli(run: Run, toy: Suite, tmp_path: Path) -> None:
    """The short verdicts, the full ones beside them, and the grade of a run match their schemas."""
    ends = {**dict.fromkeys(outputs_of(toy), 0), "crashed": 3, "timed_out": 124}
    results: list[Json] = [{"case_id": "case_05", "exit_code": 0, "metrics": None, "judge_exit_code": 1}]
    for status, exit_code in ends.items():
        output = outputs_of(toy).get(status, "none")
        done = run("judge", env=traptask(toy, tmp_path, output, exit_code))
        short = checked(done.out, "traptask-verdict")
        assert short["status"] == checked(done.err, "verdict")["status"] == status
        assert errors("traptask-verdict", {**short, "schema": "traptask-verdict/1"})
        results.append({"case_id": "case_01", "duration": 2.5, "metrics": short, "cost": {"cost_usd": 0.5}})
    for graded in (results, results[:1], []):
        grade = checked(run("judge", env={"TRAPTASK_MANIFEST": json.dumps(graded)}).out, "traptask-grade")
        assert grade["total"] == len(graded)
        assert errors("traptask-grade", changed(grade, "statuses", {"judge_error": 1}))


# What `inspect` prints about suites.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "whole", "public"),
    [
        ([], "overview", "overview"),
        (["toy"], "family", "family"),
        (["traps/toy"], "suite", "public-suite"),
        (["case_02"], "case", "public-case"),
    ],
)
def test_what_inspect_prints(run: Run, toy: Suite, words: list[str], whole: str, public: str) -> None:
    """Overview, family, suite and case match their schemas, with what is private and without it."""
    document = checked(run("inspect", *words, "--json").out, whole)
    checked(run("inspect", *words, "--public", "--json").out, public)
    if public != whole:
        assert errors(public, {**document, "schema": f"{public}/1"})


@pytest.mark.slow
def test_cases(run: Run, toy: Suite) -> None:
    """A case has verdicts that name no schema, and facts with any keys; a prompt matches its schema too."""
    case = checked(run("inspect", "case_01", "--json").out, "case")
    assert errors("case", changed(case, "facts/other", 7)) == []
    for place, value in {
        "known_mistakes/0/verdict/status": "killed",
        "known_mistakes/0/verdict/schema": "verdict/1",
        "known_mistakes/0/about": ...,
        "sections/0/rows/0/0": 7,
        "seed": 7,
        "index": -1,
    }.items():
        assert errors("case", changed(case, place, value)), place
    checked(run("inspect", "case_01", "--prompt", "--json").out, "prompt")


@pytest.mark.slow
def test_what_inspect_prints_if_things_are_broken(
    run: Run, toy: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A family that does not load, a suite without its private half and unreadable runs have their places."""
    build_toy(tmp_path / "traps" / "b").halves.private.rename(tmp_path / "gone")
    (tmp_path / "traps" / "b" / "traptask.yaml").write_text("tag: [")
    build_toy(tmp_path / "traps" / "c").halves.private.rename(tmp_path / "away")
    (tmp_path / ".trapcli").write_text("not a directory")
    checked(run("inspect", "toy", "--json").out, "family")
    installed(monkeypatch, gone="no_such_module:X")
    document = checked(run("inspect", "--json").out, "overview")
    assert document["problems"] and "problem" in document["families"][0]
    known = {one["path"]: one for one in document["suites"]}
    assert "seed" in known["traps/toy"] and "problem" in known["traps/b"] and "problem" in known["traps/c"]
    place = next(n for n, one in enumerate(document["suites"]) if "seed" in one)
    for key in ("seed", "knobs", "practice", "cases", "version", "family", "path"):
        assert errors("overview", changed(document, f"suites/{place}/{key}", ...)), key
