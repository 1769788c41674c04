"""Which outputs are edits, which are not, where they break, and that nothing broken is let through."""

import json
import re
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.answers.edits.parsing import reader
from trapcli.answers.edits.parsing.reader import MAX_EDITS, read_edits
from trapcli.answers.edits.parsing.strict_json import LONGEST, MAX_DEPTH
from trapcli.core.contract import Answer, Problem
from trapcli.core.output import Output, output_of, read_output

LAMP = {"file": "goods.csv", "op": "update", "match": {"sku": "A-7"}, "set": {"price_usd": "19.50"}}
SHOP = {"file": "shops.csv", "op": "insert", "row": {"shop": "S9", "open": True, "note": None}}
RUG = {"file": "goods.csv", "op": "update", "match": {"name": "[Rug] {2}"}, "set": {"memo": 'a "]" and \\'}}
lamp, shop, rug = (json.dumps(edit) for edit in (LAMP, SHOP, RUG))


def edits(text: str) -> list[Any]:
    answer = read_edits(Output(text))
    assert isinstance(answer, Answer), answer
    return list(answer.value)


def problem(text: str) -> str:
    found = read_edits(Output(text))
    assert isinstance(found, Problem), found
    return str(found)


@pytest.mark.parametrize(
    "text",
    [
        "[{}, {}]",
        "\n\n  [{},\n   {}]  \n",
        "\u00a0[{}, {}]\u2028",
        "```json\n[{}, {}]\n```",
        "```\n\n[{},\n\n{}]\n\n```\n",
        "~~~~ JSON5\n[{}, {}]\n~~~~",
        "These are my edits:\n```json\n[{}, {}]\n```\n",
        "```json\n[{}, {}]\n```\nSKU [A-7] is done, {{see above}} [1] and [2].",
        "```json\n[{}, {}]\n``` \n```sh\nls *.csv | wc [-l]\n```",
        "Rows [3] and [A-7], [x], [see: y], [-], [true].\n[{}, {}]",
        "Of {{every shop}} {{the town}}, {{}} and {{1}}:\n[{}, {}]",
        'Between "[" and "]": [{}, {}]',
        "edits = [{}, {}];",
        "ANSWER: `[{}, {}]`",
        "1. [{}, {}]",
        '{{"edits": [{}, {}]}}',
        '```\n{{"n": 2, "edits": [{}, {}], "rows": [7], "by": {{"me": true}}, "left": []}}\n```',
        'Done. {{"edits": [{}, {}], "why": "see [1]"}} That is all.',
        '[{{"draft": "one"}}]\nNo:\n[{}, {}]',
        '[{{"draft": "one"}}, oops]\nAgain:\n[{}, {}]',
        '[{{"draft": "never closed"\nAgain:\n[{}, {}]',
        '{{"draft": [{{"file": }}], "x": 1}}\nAgain:\n[{}, {}]',
        "[{{'draft': 'one'}}]\nAgain:\n[{}, {}]",
        "[{}, {}]\nNothing remains: []",
        "[{}, {}]\nLeft: [1, 2], [[], [3]], {{}}, {{\"a\": [1]}}, [\"x\", [\"y\"]].",
        '[{}, {}]\nlog: {{"level": "info", "text": "printed [{{\\"file\\": \\"a\\"}}, and more"}}',
        '[{}, {}]\nThe set was [{{a, b}}], and [{{}}, but not [{{1}}].',
        "[{}, {}] [ [ [ [ {{ {{",
    ],
)  # fmt: skip
def test_the_array_of_edits_is_found(text: str) -> None:
    """The whole output, or the last array of objects in it; everything around it is ignored."""
    assert edits(text.format(lamp, rug)) == [LAMP, RUG]


@pytest.mark.parametrize(
    "text, where, what",
    [
        ("", "line 1, column 1", "the output is empty"),
        (" \n\t", "line 1, column", "the output is empty"),
        ("Lamp A-7 now costs 19.50.", "line 1, column 1", "there is no JSON array"),
        ("\n- A-7,Lamp,18.00\n+ A-7,Lamp,19.50\n", "line 1, column 1", "there is no JSON array"),
        ("null", "line 1, column 1", "there is no JSON array"),
        ("19.50", "line 1, column 1", "there is no JSON array"),
        (json.dumps(f"[{lamp}]"), "line 1, column 1", "a JSON string"),
        ('```\n"[]"\n```', "line 2, column 1", "a JSON string"),
        (f"[[{lamp}]]", "line 1, column 1", "inside another array"),
        (f"Final:\n[[{lamp}], [{rug}]]", "line 2, column 1", "inside another array"),
        ("[1, 2]", "line 1, column 1", "no element of the array is an edit"),
        ('["A-7", [1]]', "line 1, column 1", "no element of the array is an edit"),
        ('[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}]', "line 1, column 1", "no element"),
        ('[{"type": "text", "text": "I cannot help with that."}]', "line 1, column 1", "no element"),
        ('[{"name": "bash", "arguments": {"file": 1, "op": 2}}]', "line 1, column 1", "no element"),
        ('[{"file": "goods.csv"}, {"op": "update"}]', "line 1, column 1", "no element"),
        (f"{lamp}\n{shop}", "line 1, column 1", "an edit without an array"),
        (f"```\n{lamp}\n{shop}\n```", "line 2, column 1", "an edit without an array"),
        (f"{lamp}\nThat is all.", "line 1, column 1", "an edit without an array"),
        (f"The edit: {lamp}", "line 1, column 11", "an edit without an array"),
        (f'{{"draft": [{lamp}], "edits": [{shop}]}}', "line 1, column 1", "'draft', 'edits'"),
        (f'See {{"draft": [{lamp}], "edits": [{shop}]}}', "line 1, column 5", "'draft', 'edits'"),
        (f'{{"a": [{lamp}], "a": [{shop}]}}', "line 1, column 1", "'a' is given twice"),
        (f'{{"result": {{"edits": [{lamp}]}}}}', "line 1, column 1", "without an array of edits"),
        (f'{{"edits": [[{lamp}]]}}', "line 1, column 1", "without an array of edits"),
        ('{"sku": "A-7"}', "line 1, column 1", "without an array of edits"),
        ('{"error": "overloaded", "details": []}', "line 1, column 1", "without an array of edits"),
    ],
)
def test_other_output_is_unreadable(text: str, where: str, what: str) -> None:
    """Other JSON, several lists and prose are not an answer, and the problem says what they are."""
    found = problem(text)
    assert found.startswith(where)
    assert what in found


@pytest.mark.parametrize(
    "text, where, found",
    [
        (f"[{lamp},]", f"line 1, column {len(lamp) + 3}", "]"),
        (f"[\n  // the lamp\n  {lamp}\n]", "line 2, column 3", "// the lamp"),
        (f"[{lamp} /* and */, {rug}]", f"line 1, column {len(lamp) + 3}", "/* and"),
        ("[{'a': 1}]", "line 1, column 3", "'a': 1}]"),
        ("[{\u201ca\u201d: 1}]", "line 1, column 3", "\u201ca\u201d"),
        ("[{a: 1}]", "line 1, column 3", "a: 1}]"),
        ("[{&quot;a&quot;: 1}]", "line 1, column 3", "&quot;"),
        ('[{\\"a\\": 1}]', "line 1, column 3", '\\"a'),
        ('[{"a" 1}]', "line 1, column 7", "1}]"),
        ('[{"a": True}]', "line 1, column 8", "True}]"),
        ('[{"a": nullify}]', "line 1, column 12", "ify}]"),
        ('[{"a": 01}]', "line 1, column 9", "1}]"),
        ('[{"a": .5}]', "line 1, column 8", ".5}]"),
        ('[{"a": 5.}]', "line 1, column 9", ".}]"),
        ('[{"a": 1 000}]', "line 1, column 10", "000}]"),
        ('[{"a": 0x10}]', "line 1, column 9", "x10}]"),
        ('[{"a": 1} {"b": 2}]', "line 1, column 11", '{"b": 2}]'),
        ('[{"a": 1}}', "line 1, column 10", "}"),
        ('[{"a": "one\ntwo"}]', "line 1, column 12", ""),
        ('[\n\u00a0\u00a0{"file": 1}\n]', "line 2, column 1", ""),
        ('[{"a": "\\x41"}]', "line 1, column 9", "\\x41"),
        (f"[{lamp}", f"line 1, column {len(lamp) + 2}", ""),
        (f"```json\n[{lamp}\n```", "line 3, column 1", "```"),
        (f"[{lamp}, {rug[:40]}", f"line 1, column {len(lamp) + 42}", '"m'),
        (f'{{"edits": [{lamp}], "note": "cut of', f"line 1, column {len(lamp) + 23}", '"cut of'),
        ('{"file": "goods.csv", "op": "upd', "line 1, column 29", '"upd'),
    ],
)
def test_near_misses_of_json_are_not_repaired(text: str, where: str, found: str) -> None:
    """The problem says where reading stopped and what was found there."""
    message = problem(text)
    assert message.startswith(f"{where}: not JSON: ")
    assert f", found '{found}" in message


@pytest.mark.parametrize(
    "last",
    [
        f"[{lamp},",
        f"[{lamp}, {rug}",
        '[{"file": "goods.csv", "op',
        f"[{lamp},]",
        "[{'file': 'goods.csv'}]",
        "[\n  {file: 1}]",
        "[{\u201cfile\u201d: 1}]",
        '[{\\"file\\": 1}]',
        "[{&quot;file&quot;: 1}]",
        f"[ // now right\n  {lamp}]",
        '[\u00a0{"file": 1}]',
        f'{{"edits": [{lamp}, "why": 1}}',
        f'["no", [{lamp}, oops]]',
        f"[[{lamp}]]",
        f'{{"a": [{lamp}], "b": [{lamp}]}}',
        '[{"file": 1e400, "op": 1}]',
        '[{"file": 1, "op": 2, "op": 3}]',
        '[{"file": NaN, "op": 1}]',
        '[{"a": "\\q"}]',
        f"```json\n[{lamp},\n```\nThat was it [1].",
    ],
)
def test_an_answer_that_was_taken_back_does_not_count(last: str) -> None:
    """If the last array of objects is broken or refused, an earlier good one is not read instead."""
    assert edits(f"Draft:\n[{rug}]\n") == [RUG]
    assert not problem(f"Draft:\n[{rug}]\nFinal:\n{last}").startswith("line 1,")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, expected",
    [
        ("[]", []),
        ("[\n]\n", []),
        ("```json\n[]\n```", []),
        ("Nothing is to be done: []", []),
        ("See [1] and [A-7] for why: []\n", []),
        ('{"edits": []}', []),
        ('So: {"edits": [], "why": "no invoice is touched"}.', []),
        ("[] or rather []", []),
        ("[]\n0", []),
        (f"[]\n[{lamp}]", [LAMP]),
        (f"[{lamp}]\n[]", [LAMP]),
        (f"[{lamp}]\nRest:\n[\n]", [LAMP]),
        (f"[{lamp}]\n```json\n[]\n```", []),
        (f"```json\n[{lamp}]\n```\nNo, I take it back:\n```json\n[]\n```\nSorry.", []),
        (f'```json\n[{lamp}]\n```\nNo:\n```json\n{{"edits": []}}\n```', []),
        (f'[{lamp}]\n[{{"error": {{"code": 429}}}}]', [LAMP]),
        (f'[{lamp}]\n[{{"type": "text", "text": "done"}}]\n[]', [LAMP]),
        (f"```json\n[]\n```\nBetter:\n```json\n[{lamp}]\n```", [LAMP]),
        (f"```json\n[{lamp}]\n```\n```\n[] is left\n```", [LAMP]),
        (f"```json\n[{lamp}]\n```\n```\n[]\n```\n```sh\nls\n```", []),
        (f'{{"edits": [{lamp}], "left": []}}', [LAMP]),
    ],
)
def test_an_empty_array_counts_if_there_is_no_other(text: str, expected: list[Any]) -> None:
    """An empty array is an answer if it is the only array, or alone in a code fence at the end."""
    assert edits(text) == expected


@pytest.mark.parametrize("text", ["values[] of it", "f(x)[]", "a[0][]", '["[]"] or so', '{"a": "[]"} or so'])
def test_other_empty_brackets_are_not_an_array(text: str) -> None:
    """Brackets after a name or inside a string are not an answer."""
    problem(text)


@pytest.mark.parametrize("text", [lamp, f"\n{lamp}\n", f"```json\n{lamp}\n```", f"```\n{lamp}\n```\n\n"])
def test_one_edit_alone_counts_as_an_array(text: str) -> None:
    """An object with file and op needs no brackets if nothing else is printed."""
    assert edits(text) == [LAMP]


def test_other_elements_are_kept_for_their_note() -> None:
    """An array with an edit is an array of edits; its other elements keep their positions."""
    text = f'[{{"a": 1}}, {lamp}, "x", [{{"b": 2}}], null]'
    for printed in (text, f"So: {text}"):
        assert edits(printed) == [{"a": 1}, LAMP, "x", [{"b": 2}], None]


def test_earlier_arrays_are_noted() -> None:
    """A note says how many arrays of edits were ignored; other arrays are not counted."""
    answer = read_edits(Output(f'[{shop}]\n[1]\n[{rug}]\n[{{"a": 1}}]\n[{lamp}]'))
    assert isinstance(answer, Answer)
    assert answer.notes == ("2 earlier arrays of edits are ignored: the last one counts",)


@pytest.mark.parametrize(
    "literal, value",
    [
        ("148", 148),
        ("-0", 0),
        ("148.0", Decimal("148.0")),
        ("1.48e2", Decimal("148")),
        ("9.870000001", Decimal("9.870000001")),
        ("-0.00", Decimal("-0.00")),
        ("0.1", Decimal("0.1")),
        ("9" * 30, int("9" * 30)),
        ("1." + "9" * 29, Decimal("1." + "9" * 29)),
        ("1E40", Decimal("1e40")),
        ("1e-40", Decimal("1e-40")),
        ("0e0", Decimal(0)),
    ],
)
def test_numbers_are_exact(literal: str, value: int | Decimal) -> None:
    """A number is read as int or Decimal with all its decimal places, never as a float."""
    for text in (f'[{{"file": 1, "op": 2, "a": {literal}}}]', f'x [{{"file": 1, "op": 2, "a": {literal}}}]'):
        (edit,) = edits(text)
        assert edit["a"] == value
        assert type(edit["a"]) is type(value)
        assert str(edit["a"]) == str(value) or "e" in literal.lower()


@pytest.mark.parametrize(
    "literal, what",
    [
        ("1e400", "too large or too small to be an amount"),
        ("-1e-400", "too large or too small to be an amount"),
        ("1e3000000", "too large or too small to be an amount"),
        ("1e999999999999999999999999", "too large or too small to be an amount"),
        ("1e41", "too large or too small to be an amount"),
        ("9" * 31, "more than 30 digits"),
        ("0." + "1" * 30, "more than 30 digits"),
        ("1" * 30 + "e1", ""),
        ("1" * 31 + "e1", "more than 30 digits"),
        ("7" * 100_000, "more than 30 digits"),
    ],
)
def test_numbers_beyond_exact_arithmetic_are_refused(literal: str, what: str) -> None:
    """A number is checked before it is converted, and the problem quotes it."""
    text = f'\n[{{"n": 1, "text": "{literal[:99]}"}},\n{{"file": 1, "op": {literal}}}\n]'
    if what:
        assert problem(text).startswith(f"line 2, column 1: '{literal[:20]}")
        assert what in problem(text)
    else:
        assert len(edits(text)) == 2


@pytest.mark.parametrize(
    "edit",
    [
        '{"op": "update", "op": "insert"}',
        '{"set": {"price_usd": 1, "price_usd": 1}}',
        '{"set": [{"a": {"b": 0, "b": 0}}]}',
        '{"a": 1, "\\u0061": 2}',
    ],
)
def test_a_key_given_twice_is_refused(edit: str) -> None:
    """An object with a repeated key is refused, however deeply it is nested."""
    for text in (f"[\n{lamp},{edit}]", f"So:\n[{lamp}, {edit}]"):
        assert re.match("line [12], column 1: the key", problem(text))
        assert problem(text).endswith("is given twice in one object")


def test_the_same_key_in_two_objects_is_allowed() -> None:
    """Match and set may name the same column, and all edits have the same keys."""
    edit = {"file": "x", "op": "update", "match": {"a": 1}, "set": {"a": 2}}
    assert edits(json.dumps([edit, edit])) == [edit, edit]


def test_lone_surrogates_are_replaced() -> None:
    """Lone surrogates, which JSON can spell but UTF-8 cannot, become U+FFFD; pairs are characters."""
    text = '[{"file": "a\\udc00", "op": ["\\ud83d\\ude00 \\uD83D", {"b": "\\\\ud800"}]}]'
    right = [{"file": "a\ufffd", "op": ["\U0001f600 \ufffd", {"b": "\\ud800"}]}]
    assert edits(text) == edits("x " + text) == right


def test_only_the_first_edits_count() -> None:
    """More edits than any case needs are dropped, and a note says which."""
    for count, note in [
        (MAX_EDITS, ()),
        (MAX_EDITS + 1, "edit 5001 was dropped"),
        (MAX_EDITS + 15, "edits 5001 to 5015 were dropped"),
    ]:
        printed = json.dumps([{"file": k, "op": k} for k in range(count)])
        for text in (printed, f"x{printed}"):
            answer = read_edits(Output(text))
            assert isinstance(answer, Answer)
            assert answer.value == tuple({"file": k, "op": k} for k in range(MAX_EDITS))
            assert answer.notes == (note and (f"{note}: no more than 5000 are read",))


def test_edits_that_are_dropped_must_be_json() -> None:
    """Dropped elements may be any JSON values, but the array must not be broken."""
    first = [lamp] * MAX_EDITS
    assert len(edits(f"[{', '.join([*first, '5', '[[]]'])}]")) == MAX_EDITS
    assert "found 'oops]'" in problem(f"[{', '.join([*first, 'oops'])}]")


@pytest.mark.parametrize("around", ["{}", "x {}", f"[{lamp}]\n{{}}"])
def test_nesting_is_bounded(around: str) -> None:
    """Nesting beyond a fixed depth is refused."""
    for depth, readable in [(MAX_DEPTH - 2, True), (MAX_DEPTH - 1, False), (300, False), (100_000, False)]:
        text = around.replace("{}", '[{"file": 1, "op": ' + "[" * depth + "]" * depth + "}]")
        if readable:
            assert len(edits(text)) == 1
        else:
            assert f"nested more than {MAX_DEPTH} deep" in problem(text)


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, "[ " * 50_000, '{"a":' * 50_000, '[{"a":' * 50_000]
)
def test_a_hundred_thousand_brackets_are_unreadable(text: str) -> None:
    """Brackets without end give a problem, never an error."""
    assert "nested more than" in problem(text) or "found" in problem(text)


def test_an_endless_array_is_refused() -> None:
    """An array of more than a million characters is not read; one of a few less is."""
    text = '[{"file": 1, "op": "%s"}]'
    assert "it has more than 1,000,000 characters" in problem(text % ("x" * LONGEST))
    assert len(edits(text % ("x" * (LONGEST - len(text))))) == 1
    assert len(edits(f"[{rug}] and " + text % ("x" * 5000))) == 1


def test_searching_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """After too many values reading gives up, and the problem says where."""
    text = "[[]] " * 100 + f"[{lamp}]"
    assert edits(text) == [LAMP]
    monkeypatch.setattr(reader, "MOST_VALUES", 100)
    assert problem(text).startswith("line 1, column 500: too many arrays")


def test_a_long_log_hides_no_answer() -> None:
    """Thousands of other values before the answer make no difference."""
    log = '{"t": 1, "ctx": {"at": [1, [2]]}}\n[INFO] x[0] {y} [{"z": 1}] [[1], {"w": []}] {"v": [{\'u\n'
    assert edits(log * 3000 + f"[{lamp}]") == [LAMP]


def test_cleaning_comes_first() -> None:
    """Colours, marks, Windows line endings and drafts in thinking do not hide the answer."""
    raw = f"\ufeff<think>[{shop}]</think>\r\n\x1b[36m[\r\n{lamp}]\x1b[0m<|im_end|>\r\n".encode()
    answer = read_edits(read_output(BytesIO(b"caf\xe9 " + raw)))
    assert isinstance(answer, Answer) and answer.value == (LAMP,)


def test_a_tag_inside_of_json_is_data() -> None:
    """Nothing is dropped from an output that is JSON as a whole."""
    for text in ("strip <think> tags", "a</think>b", "<think>a</think>", "<|im_end|>"):
        edit = {**LAMP, "set": {"memo": text}}
        printed = json.dumps([edit])
        for form in (printed, f"```json\n{printed}\n```", json.dumps({"edits": [edit]}, indent=1)):
            answer = read_edits(output_of(form))
            assert isinstance(answer, Answer) and answer.value == (edit,)


NAMES = st.text(st.characters(codec="utf-8"), max_size=8)
NUMBERS = st.integers(-(10**12), 10**12) | st.decimals("-1e9", "1e9", places=3).map(float)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
EDITS = OBJECTS.map(lambda values: {"file": "x", "op": "update", **values})
ARRAYS: st.SearchStrategy[list[Any]] = st.just([]) | st.tuples(EDITS, st.lists(OBJECTS, max_size=5)).map(
    lambda parts: [parts[0], *parts[1]]
)
PROSE = st.text(st.characters(codec="utf-8", exclude_characters="[]{}`~"), max_size=30)
Form = dict[str, Any]
FORMS: list[Form] = [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False, "indent": "\t"}]


@pytest.mark.slow
@given(ARRAYS, st.sampled_from(FORMS), PROSE, PROSE)
def test_what_json_prints_is_read_back(array: list[Any], how: Form, before: str, after: str) -> None:
    """An array of objects is read back: bare, fenced, wrapped or in prose, with any spacing."""
    printed = json.dumps(array, **how)
    forms = [
        printed,
        f"```json\n{printed}\n```",
        json.dumps({"edits": array}, **how),
        f"{before}\n{printed}\n{after}",
        f"{before}\n```\n{printed}\n```\n{after}",
        f"{before}\n{json.dumps({'n': 1, 'edits': array}, **how)}\n{after}",
    ]
    for form in forms:
        assert edits(form) == json.loads(printed, parse_float=Decimal)


@pytest.mark.slow
@given(ARRAYS.filter(bool), st.sampled_from(FORMS), st.data())
def test_a_truncated_array_is_not_read(array: list[Any], how: Form, data: st.DataObject) -> None:
    """An array that ends early, even by one character, gives no edits."""
    printed = json.dumps(array, **how)
    for end in (len(printed) - 1, data.draw(st.integers(1, len(printed) - 1))):
        problem(printed[:end])
        problem(f"```json\n{printed[:end]}")


TOKENS = st.lists(
    st.sampled_from(
        [
            *("[", "]", "{", "}", ":", ",", '"', "\\", '\\"', "[{", "}]", "[]", "[[", "{}"),
            *("1", "-", "1.5", "e5", "0", "true", "NaN", "x", "'", " ", "\u00a0", "\n", "```", "```json\n"),
            *('{"a":', '"a":', '"[{"', '"c"', '{"a":1}', '[{"file":2,"op":3}]', '"file":1,"op":', "//"),
            *("\\ud800", "\ud800"),
        ]
    ),
    max_size=25,
).map("".join)


@pytest.mark.slow
@given(TOKENS | st.text())
def test_any_text_is_an_answer_or_a_problem(text: str) -> None:
    """Any text gives edits, or a problem with a place and a message."""
    found = read_edits(Output(text))
    assert isinstance(found, Answer | Problem)
    if isinstance(found, Problem):
        assert re.match(r"line \d+, column \d+$", found.where)
        assert found.message
    else:
        assert isinstance(found.value, tuple)
