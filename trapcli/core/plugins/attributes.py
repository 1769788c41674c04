"""Whether an object has the attributes of a family, each of the right type."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from trapcli.core.errors import TrapError
from trapcli.core.knobs import parse_knobs
from trapcli.core.shorten import one_line

TEXTS = ("name", "title", "version")
MAPPINGS = ("traps", "mistakes")
METHODS = ("generate", "solve", "check", "explain")
ANSWER_METHODS = ("instructions", "rules", "extract", "judge", "view")
REST = ("knobs", "levels", "cases", "answers")
MISSING = object()


def attribute_problems(family: Any) -> Iterator[str]:
    """Yield what is missing or of the wrong type, one line each. Reading an attribute may raise anything."""
    if isinstance(family, type):
        yield f"the family is the class {family.__name__}; give an instance of it"
        return
    names = (*TEXTS, *MAPPINGS, *METHODS, *REST)
    values = {name: getattr(family, name, MISSING) for name in names}
    if all(value is MISSING for value in values.values()):
        yield f"it is {one_line(repr(family), 60)}, not a family"
        return
    for name, value in values.items():
        if value is MISSING:
            yield f"`{name}` is missing"
        elif name in TEXTS:
            yield from _text_problems(name, value)
        elif name in MAPPINGS:
            yield from _mapping_problems(name, value)
        elif name in METHODS and not callable(value):
            yield f"`{name}` must be a method, not {one_line(repr(value), 60)}"
    cases = values["cases"]
    if cases is not MISSING and (not isinstance(cases, int) or isinstance(cases, bool) or cases < 1):
        yield f"`cases` must be a whole number from 1, not {one_line(repr(cases), 60)}"
    if values["answers"] is not MISSING:
        yield from _answer_problems(values["answers"])
    if MISSING not in (values["knobs"], values["levels"]):
        yield from _knob_problems(family, values["knobs"], values["levels"])


def _text_problems(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"`{name}` must be of type str, not {one_line(repr(value), 60)}"
    elif not _is_line(value):
        yield f"`{name}` must be one line of text, not {one_line(repr(value), 60)}"


def _mapping_problems(name: str, mapping: object) -> Iterator[str]:
    if not isinstance(mapping, Mapping):
        yield f"`{name}` must map names to one-line descriptions"
        return
    for key, text in mapping.items():
        if not (_is_line(key) and _is_line(text)):
            shown = one_line(repr(text), 60)
            yield f"`{name}`: {one_line(repr(key), 60)} needs a description of one line, not {shown}"
    if name == "traps" and not mapping:
        yield "`traps` is empty: a family has at least one trap"


def _is_line(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.isprintable()


def _answer_problems(answers: Any) -> Iterator[str]:
    if answers is None:
        yield "`answers` is missing: AmountAnswers(), EditsAnswers(...) or an answer kind of your own"
        return
    for name in ANSWER_METHODS:
        if not callable(getattr(answers, name, None)):
            yield f"`answers.{name}` is missing"
    if not isinstance(getattr(answers, "noop", None), str):
        yield "`answers.noop` must be text"
    if not isinstance(getattr(answers, "reads_files", None), bool):
        yield "`answers.reads_files` must be True or False"


def _knob_problems(family: Any, knobs: Any, levels: Any) -> Iterator[str]:
    if not (isinstance(knobs, type) and is_dataclass(knobs) and knobs.__dataclass_params__.frozen):  # type: ignore[attr-defined]
        yield "`knobs` must be a frozen dataclass"
        return
    undeclared = False
    for field in fields(knobs):
        low, high, about = (field.metadata.get(key) for key in ("low", "high", "help"))
        if not (type(low) is type(high) is type(field.default) is int and low <= field.default <= high):
            undeclared = True
            yield f"knob {field.name!r}: declare it with knob(default, low, high, help), default in range"
        elif not _is_line(about):
            yield f"knob {field.name!r}: its help must be one line of text, not {one_line(repr(about), 60)}"
    if not isinstance(levels, Sequence) or not levels or not all(isinstance(one, Mapping) for one in levels):
        yield "`levels` must be a sequence of mappings, knob name -> value, with at least one level"
    elif not undeclared:
        for number, values in enumerate(({}, *levels)):
            try:
                parse_knobs(family, values)
            except TrapError as error:
                yield f"level {number}: {error}"
