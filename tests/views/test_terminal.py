"""What sections and verdicts look like: whole, literal, and fit for the stream."""

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from trapcli.core.contract import Section, Verdict
from trapcli.views.terminal import show_sections, show_verdict

FAMILY = SimpleNamespace(
    name="toy",
    traps={"moved": "a customer moved"},
    mistakes={"late": "one period too late", "early": "one period too early"},
    answers=SimpleNamespace(
        view=lambda verdict: [Section("Reports", ("report", "result"), (("ledger", "differs"),))]
    ),
)
INVOICES = Section(
    "Invoices",
    ("invoice_id", "baked_customer_name", "baked_discount_applied_usd", "total"),
    (("INV-1", "Acme Holdings and Sons Limited", "1,148.00", "12.00"), ("INV-22", "B", "3.00", "1200.00")),
)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> Any:
        return True


class Ascii(io.TextIOWrapper):
    def __init__(self) -> None:
        self.written = io.BytesIO()
        super().__init__(self.written, encoding="ascii", newline="")

    def getvalue(self) -> Any:
        self.flush()
        return self.written.getvalue().decode("ascii")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def shown(*sections: Any, stream: Any = None) -> Any:
    stream = stream or io.StringIO()
    show_sections(sections, stream)
    return stream.getvalue()


def on_terminal(monkeypatch: pytest.MonkeyPatch, width: Any, *sections: Any) -> Any:
    monkeypatch.setenv("COLUMNS", str(width))
    return re.sub(r"\x1b\[[0-9;]*m", "", shown(*sections, stream=Terminal()))


def test_table_in_a_file_is_one_line_a_row() -> None:
    """Away from a terminal a table has a heading and one line a row, numbers to the right."""
    assert shown(INVOICES).splitlines() == [
        "Invoices",
        "  invoice_id  baked_customer_name             baked_discount_applied_usd    total",
        "  ──────────  ──────────────────────────────  ──────────────────────────  ───────",
        "  INV-1       Acme Holdings and Sons Limited                    1,148.00    12.00",
        "  INV-22      B                                                     3.00  1200.00",
    ]


def test_sections_are_apart_and_text_is_indented() -> None:
    """Sections are separated by an empty line; text keeps its lines, below its title."""
    assert shown(Section("One", text="a\n\n  b\n"), Section("Two", ("x",), (("1",),), "t")) == (
        "One\n  a\n\n    b\n\nTwo\n  t\n\n  x\n  ─\n  1\n"
    )


def test_table_without_rows_shows_that() -> None:
    """A table of no rows shows its columns and that there is nothing below them."""
    assert shown(Section("Suites", ("family", "path"))) == "Suites\n  family  path\n  (none)\n"


def test_rows_without_columns_are_aligned_pairs() -> None:
    """A table without a header is printed as aligned values alone."""
    assert shown(Section("", (), (("seed", "7"), ("practice", "yes")))) == "  seed      7\n  practice  yes\n"


def test_ragged_rows_lose_nothing() -> None:
    """A row with more or fewer cells than columns is shown with all its cells."""
    lines = shown(Section("", ("a", "b"), (("1", "2", "3"), ("4",)))).splitlines()
    assert lines[-2:] == ["  1  2  3", "  4"]


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_lines_fit_the_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """On a terminal no line is longer than the terminal is wide, and no word is lost."""
    out = on_terminal(monkeypatch, width, INVOICES, Section("Ticket", text="please move the customer " * 9))
    assert max(map(len, out.splitlines())) <= width
    for word in ("1,148.00", "1200.00", "INV-22", "Holdings", "Limited"):
        assert word in out
    assert out.split("Ticket")[1].count("customer") == 9


def test_wide_table_breaks_headers_and_texts_but_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table somewhat too wide wraps its texts, and its headers after underscores."""
    out = on_terminal(monkeypatch, 62, INVOICES)
    assert [line.rstrip() for line in out.splitlines()[1:4]] == [
        "  invoice_id  baked_customer_        baked_discount_    total",
        "              name                       applied_usd",
        "  ──────────  ──────────────────  ──────────────────  ───────",
    ]
    assert "  INV-1       Acme Holdings and             1,148.00    12.00\n              Sons Lim" in out


def test_table_that_cannot_fit_becomes_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is shown as one block a row if its words do not fit side by side."""
    out = on_terminal(monkeypatch, 40, INVOICES)
    assert "  baked_discount_applied_usd  1,148.00\n  total                       12.00\n\n" in out


def test_very_wide_table_in_a_file_becomes_blocks() -> None:
    """Away from a terminal a table thousands of characters wide turns into whole, unbroken lines."""
    value = "x" * 5000
    assert f"  b  {value}\n" in shown(Section("", ("a", "b"), (("1", value), ("2", "short"))))


def test_markup_is_printed_literally(monkeypatch: pytest.MonkeyPatch) -> None:
    """Square brackets, emoji codes and URLs in a text are printed as they are."""
    text = "[red]x[/red] [/] [link=http://e.org]y :smile: \\[b]"
    section = Section(text, (text,), ((text,),), text)
    assert shown(section).count(text) == 4
    assert on_terminal(monkeypatch, 100, section).count(text) == 4


def test_control_characters_are_escaped() -> None:
    """What could steer a terminal or hide text is shown escaped, also a line end in a cell."""
    out = shown(Section("t", ("c",), (("a\x1b[2Jb\n\u202ec\ud800\x00\r",),), "x\x07\x9b"))
    assert r"a\x1b[2Jb\n\u202ec\ud800\x00\r" in out and r"x\x07\x9b" in out
    assert all(c == "\n" or c.isprintable() for c in out)


def test_ascii_stream_gets_ascii() -> None:
    """On a stream that holds only ASCII lines are dashes and other characters are escaped."""
    out = shown(Section("Café", ("a",), (("日本",),)), stream=Ascii())
    assert out == "Caf\\xe9\n  a\n  ------------\n  \\u65e5\\u672c\n"


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour is used on a terminal, not in a file, and not with NO_COLOR set."""
    assert "\x1b[" in shown(INVOICES, stream=Terminal())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in shown(INVOICES)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(INVOICES, stream=Terminal())


def test_invisible_texts_are_escaped() -> None:
    """A text of marks without width, which a terminal would hide, is shown escaped."""
    out = shown(Section("", ("\u0301",), (("\U0001f3fb",),), "\u0301"))
    assert out == "  \\u0301\n\n  \\u0301\n  ──────────\n  \\U0001f3fb\n"


def test_wide_characters_keep_columns_aligned() -> None:
    """Characters that take two cells are counted as two."""
    lines = shown(Section("", ("n", "v"), (("日本", "x"), ("ab", "y")))).splitlines()
    assert lines[-2:] == ["  日本  x", "  ab    y"]


texts = st.text(max_size=40).filter(lambda text: all(map(cell_len, text.splitlines())))
tables = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(texts, min_size=n, max_size=n).map(tuple),
        st.lists(st.lists(texts, min_size=n, max_size=n).map(tuple), min_size=1, max_size=4).map(tuple),
    )
)


def visible(text: Any) -> Any:
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return sorted(c for c in escaped if not c.isspace() and c != "─")


@pytest.mark.slow
@given(tables, texts, st.integers(20, 150))
def test_nothing_is_lost_at_any_width(table: Any, text: Any, width: Any) -> None:
    """Whatever the table and the width, everything given is printed, character for character."""
    columns, rows = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        out = on_terminal(patch, width, Section("", columns, rows, text))
    plain = shown(Section("", columns, rows, text))
    cells = visible("".join(c for row in rows for c in row))
    head = visible("".join(columns))
    body = visible(text.replace("\n", "").replace("\t", ""))
    assert visible(plain.replace("\n", "")) == sorted(cells + head + body)
    as_table, as_blocks = sorted(cells + head + body), sorted(cells + head * len(rows) + body)
    assert visible(out.replace("\n", "")) in (as_table, as_blocks)


def test_verdict_shows_status_reason_mistake_and_notes() -> None:
    """A verdict begins with status and reason; trap and mistake, the answer kind's view and notes follow."""
    verdict = Verdict(
        "failed", "1 of 4 reports differ", "r", 0.5, ("edit 2: unseen [b]",), {}, "late",
        id="case_03", family="billing", trap="moved",
    )  # fmt: skip
    stream = io.StringIO()
    show_verdict(FAMILY, verdict, stream)
    assert stream.getvalue().splitlines() == [
        "FAILED case_03: 1 of 4 reports differ",
        "  trap            moved: a customer moved",
        "  mistake         late: one period too late",
        "  partial credit  0.50",
        "",
        "Reports",
        "  report  result",
        "  ──────  ───────",
        "  ledger  differs",
        "",
        "Notes",
        "  - edit 2: unseen [b]",
    ]


@pytest.mark.parametrize(
    ("status", "word", "colour"),
    [("passed", "PASSED", "1;32"), ("failed", "FAILED", "1;31"), ("timed_out", "TIMED OUT", "1;33")],
)
def test_status_is_coloured(status: str, word: str, colour: str) -> None:
    """On a terminal the status has a colour of its own."""
    stream = Terminal()
    show_verdict(FAMILY, Verdict(status, "why", id="case_1"), stream)
    assert stream.getvalue().startswith(f"\x1b[{colour}m{word} case_1\x1b[0m: why\n")


def test_long_reason_wraps_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reason longer than the terminal is wide is wrapped, not cut."""
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    show_verdict(FAMILY, Verdict("passed", "one two three four five six seven eight"), stream)
    assert "seven eight" in stream.getvalue() and "…" not in stream.getvalue()


def test_a_closed_pipe_is_left_to_the_program() -> None:
    """A reader that went away raises BrokenPipeError; rich itself would exit."""

    class Closed(io.StringIO):
        def write(self, text: Any) -> Any:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        show_sections([INVOICES], Closed())


def test_a_width_of_zero_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """COLUMNS=0 changes nothing where lines do not wrap."""
    monkeypatch.setenv("COLUMNS", "0")
    out = io.StringIO()
    show_sections([Section("Title", ("a",), (("cell",),))], out)
    assert "cell" in out.getvalue()
