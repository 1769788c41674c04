"""How `inspect CASE` shows a case with everything that is private: trap, gold, and known mistakes."""

from typing import Any

from trapcli.core.contract import Case, Family, Section
from trapcli.core.family_calls import explained
from trapcli.core.output import Output, output_of
from trapcli.judging.judge import NOOP, judge_output
from trapcli.suites.layout import ANSWER
from trapcli.suites.reader import Suite, read_case
from trapcli.system.files import as_object, read_file
from trapcli.views.suite_view import origin, suite_json
from trapcli.views.view import View, described, section_json


def about_case(family: Family, suite: Suite, case_id: str) -> View:
    """Return the view of a case. The known mistakes are judged for it, by the family as installed."""
    case = read_case(suite, case_id)
    path = suite.halves.private / case_id / ANSWER
    record = as_object(read_file(path), path)
    knobs = dict(record.get("knobs") or suite.recipe.knobs)
    sections = explained(family, case, False)
    known = _judged_mistakes(family, case)
    document = {
        **suite_json(suite),
        "knobs": knobs,
        "case": case_id,
        "index": record.get("index"),
        "attempt": record.get("attempt"),
        "trap": case.trap,
        "gold": case.gold,
        "mistakes": list(case.mistakes),
        "facts": dict(case.facts),
        "known_mistakes": known,
        "files": dict(case.files),
        "sections": [section_json(section) for section in sections],
    }
    head = (
        ("family", f"{suite.family} {suite.recipe.version}: {family.title}"),
        ("suite", str(suite.directory)),
        ("trap", described(case.trap, family.traps)),
        *origin(suite, knobs),
        (
            "drawn as",
            f"index {record.get('index')} of the seed (the first is 0), attempt {record.get('attempt')}",
        ),
    )
    rows = tuple(
        (entry["name"], entry["about"], str(entry["verdict"]["score"]), entry["verdict"]["reason"])
        for entry in known
    )
    table = Section("Known mistakes, and their verdicts", ("mistake", "what it is", "score", "reason"), rows)
    return View("case/1", document, (Section(f"{suite.family} {case_id}", (), head), *sections, table))


def _judged_mistakes(family: Family, case: Case) -> list[dict[str, Any]]:
    """Return what each known mistake, and doing nothing, leads to: its output and its verdict."""
    judged = []
    for known in case.known_mistakes:
        files = {path: text.encode("utf-8", "surrogatepass") for path, text in known.files.items()}
        judged.append(_judged(family, case, known.name, output_of(known.text, files), known.text))
    noop = family.answers.noop
    judged.append(_judged(family, case, NOOP, output_of(noop), noop))
    return judged


def _judged(family: Family, case: Case, name: str, output: Output, text: str) -> dict[str, Any]:
    about = "an agent that does nothing" if name == NOOP else family.mistakes.get(name, "")
    verdict = judge_output(family, case, output)
    return {"name": name, "about": about, "output": text, "verdict": verdict.to_json()}
