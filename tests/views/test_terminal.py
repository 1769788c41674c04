"""What sections, verdicts and progress look like: whole, literal, and fit for the stream."""

import io
import re
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.contract import Section, Verdict
from trapcli.views.terminal import progress, show_sections, show_verdict, trials_progress

FAMILY = SimpleNamespace(
    kinds={"moved": "a customer moved"},
    mechanisms={"late": "one period too late", "early": "one period too early"},
    view=lambda verdict: [Section("Reports", ("report", "result"), (("ledger", "differs"),))],
)
INVOICES = Section(
    "Invoices",
    ("invoice_id", "baked_customer_name", "baked_discount_applied_usd", "total"),
    (("INV-1", "Acme Holdings and Sons Limited", "1,148.00", "12.00"), ("INV-22", "B", "3.00", "1200.00")),
)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Ascii(io.TextIOWrapper):
    def __init__(self):
        super().__init__(io.BytesIO(), encoding="ascii", newline="")

    def getvalue(self):
        self.flush()
        return self.buffer.getvalue().decode("ascii")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def shown(*sections, stream=None):
    stream = stream or io.StringIO()
    show_sections(sections, stream)
    return stream.getvalue()


def on_terminal(monkeypatch, width, *sections):
    monkeypatch.setenv("COLUMNS", str(width))
    return re.sub(r"\x1b\[[0-9;]*m", "", shown(*sections, stream=Terminal()))


def test_table_in_a_file_is_one_line_a_row():
    """Away from a terminal a table has a heading and one line a row, numbers to the right."""
    assert shown(INVOICES).splitlines() == [
        "Invoices",
        "  invoice_id  baked_customer_name             baked_discount_applied_usd    total",
        "  ──────────  ──────────────────────────────  ──────────────────────────  ───────",
        "  INV-1       Acme Holdings and Sons Limited                    1,148.00    12.00",
        "  INV-22      B                                                     3.00  1200.00",
    ]


def test_sections_are_apart_and_text_is_indented():
    """Sections are separated by an empty line; text keeps its lines and stands below its title."""
    assert shown(Section("One", text="a\n\n  b\n"), Section("Two", ("x",), (("1",),), "t")) == (
        "One\n  a\n\n    b\n\nTwo\n  t\n\n  x\n  ─\n  1\n"
    )


def test_table_without_rows_says_so():
    """A table of no rows shows its columns and that there is nothing below them."""
    assert shown(Section("Suites", ("family", "path"))) == "Suites\n  family  path\n  (none)\n"


def test_rows_without_columns_are_aligned_pairs():
    """A table without a header is printed as aligned values alone."""
    assert shown(Section("", (), (("seed", "7"), ("practice", "yes")))) == "  seed      7\n  practice  yes\n"


def test_ragged_rows_lose_nothing():
    """A row with more or fewer cells than columns is shown with all that it has."""
    lines = shown(Section("", ("a", "b"), (("1", "2", "3"), ("4",)))).splitlines()
    assert lines[-2:] == ["  1  2  3", "  4"]


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_lines_fit_the_terminal(monkeypatch, width):
    """On a terminal no line is longer than the terminal is wide, and no word is lost."""
    out = on_terminal(monkeypatch, width, INVOICES, Section("Ticket", text="please move the customer " * 9))
    assert max(map(len, out.splitlines())) <= width
    for word in ("1,148.00", "1200.00", "INV-22", "Holdings", "Limited"):
        assert word in out
    assert out.split("Ticket")[1].count("customer") == 9


def test_wide_table_breaks_headers_and_texts_but_no_words(monkeypatch):
    """A table somewhat too wide wraps its texts, and its headers after underscores."""
    out = on_terminal(monkeypatch, 62, INVOICES)
    assert out.splitlines()[1:4] == [
        "  invoice_id  baked_customer_        baked_discount_    total",
        "              name                       applied_usd",
        "  ──────────  ──────────────────  ──────────────────  ───────",
    ]
    assert "  INV-1       Acme Holdings and             1,148.00    12.00\n              Sons Lim" in out


def test_table_that_cannot_fit_becomes_blocks(monkeypatch):
    """A table whose words do not fit side by side is shown as one block a row."""
    out = on_terminal(monkeypatch, 40, INVOICES)
    assert "  baked_discount_applied_usd  1,148.00\n  total                       12.00\n\n" in out


def test_very_wide_table_in_a_file_becomes_blocks():
    """Away from a terminal a table thousands of characters wide turns into whole, unbroken lines."""
    value = "x" * 5000
    assert f"  b  {value}\n" in shown(Section("", ("a", "b"), (("1", value), ("2", "short"))))


def test_markup_is_no_markup(monkeypatch):
    """Square brackets, emoji codes and URLs in a text are printed as they are."""
    text = "[red]x[/red] [/] [link=http://e.org]y :smile: \\[b]"
    section = Section(text, (text,), ((text,),), text)
    assert shown(section).count(text) == 4
    assert on_terminal(monkeypatch, 100, section).count(text) == 4


def test_control_characters_are_escaped():
    """What could steer a terminal or hide text is shown escaped, also a line end in a cell."""
    out = shown(Section("t", ("c",), (("a\x1b[2Jb\n\u202ec\ud800\x00\r",),), "x\x07\x9b"))
    assert r"a\x1b[2Jb\n\u202ec\ud800\x00\r" in out and r"x\x07\x9b" in out
    assert all(c == "\n" or c.isprintable() for c in out)


def test_ascii_stream_gets_ascii():
    """On a stream that holds only ASCII lines are dashes and other characters are escaped."""
    out = shown(Section("Café", ("a",), (("日本",),)), stream=Ascii())
    assert out == "Caf\\xe9\n  a\n  ------------\n  \\u65e5\\u672c\n"


def test_colour_only_on_a_terminal(monkeypatch):
    """Colour is used on a terminal, not in a file, and not with NO_COLOR set."""
    assert "\x1b[" in shown(INVOICES, stream=Terminal())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in shown(INVOICES)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(INVOICES, stream=Terminal())


def test_wide_characters_keep_columns_aligned():
    """Characters that take two cells are counted as two."""
    lines = shown(Section("", ("n", "v"), (("日本", "x"), ("ab", "y")))).splitlines()
    assert lines[-2:] == ["  日本  x", "  ab    y"]


texts = st.text(max_size=40)
tables = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(texts, min_size=n, max_size=n).map(tuple),
        st.lists(st.lists(texts, min_size=n, max_size=n).map(tuple), min_size=1, max_size=4).map(tuple),
    )
)


def visible(text):
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return sorted(c for c in escaped if not c.isspace() and c != "─")


@given(tables, texts, st.integers(20, 150))
def test_nothing_is_lost_at_any_width(table, text, width):
    """Whatever the table and the width, all that was given is printed, character for character."""
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


def test_verdict_says_status_reason_slip_and_notes():
    """A verdict begins with its status and reason, then slip and trap, the family's view, the notes."""
    verdict = Verdict(
        "failed", "1 of 4 reports differ", "r", 0.5, ("edit 2: unseen [b]",), {}, ("late", "other"),
        "case_03", "billing", "moved",
    )  # fmt: skip
    stream = io.StringIO()
    show_verdict(FAMILY, verdict, stream)
    assert stream.getvalue().splitlines() == [
        "FAILED case_03: 1 of 4 reports differ",
        "  trap     moved: a customer moved",
        "  slip     late: one period too late",
        "  slip     other",
        "  partial  0.50",
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
def test_status_is_coloured(status, word, colour):
    """On a terminal the status stands out in its own colour."""
    stream = Terminal()
    show_verdict(FAMILY, Verdict(status, "why", id="case_1"), stream)
    assert stream.getvalue().startswith(f"\x1b[{colour}m{word} case_1\x1b[0m: why\n")


def test_long_reason_wraps_whole(monkeypatch):
    """A reason longer than the terminal is wide is wrapped, not cut."""
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    show_verdict(FAMILY, Verdict("passed", "one two three four five six seven eight"), stream)
    assert "seven eight" in stream.getvalue() and "…" not in stream.getvalue()


def test_progress_is_silent_away_from_a_terminal(monkeypatch):
    """Where stderr is no terminal progress prints nothing, whatever it is told."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("cases", 3) as advance:
        advance(1)
        advance(3, 3)
    assert stream.getvalue() == ""


def test_progress_shows_label_and_count_on_a_terminal(monkeypatch):
    """On a terminal progress shows its label as it is, and how many of how many are done."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("[b]cases", 3) as advance:
        advance(3)
    assert "[b]cases" in stream.getvalue() and "3/3" in stream.getvalue()


def test_progress_takes_a_total_late(monkeypatch):
    """A total that was unknown at first is shown once it is told."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("cases", None) as advance:
        advance(2, 5)
    assert "2/5" in stream.getvalue()


def test_closed_pipe_is_the_programs_business():
    """A reader that went away is told as BrokenPipeError, not as an exit."""

    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        show_sections([INVOICES], Closed())


def test_no_width_hides_all(monkeypatch):
    """COLUMNS=0 changes nothing where lines do not wrap."""
    monkeypatch.setenv("COLUMNS", "0")
    out = io.StringIO()
    show_sections([Section("Title", ("a",), (("cell",),))], out)
    assert "cell" in out.getvalue()


def plainly(stream):
    """What was drawn, without the control sequences of the terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())


def test_trials_progress_shows_done_running_failed_time_left_and_a_live_rate(monkeypatch):
    """The bar of a run tells trials done of all, those that run, failed ones, the rate so far, time left."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "150")
    with trials_progress() as show:
        show(0, 40, 4, 0, 0)
        show(30, 40, 4, 21, 9)
    drawn = plainly(stream)
    assert "30/40 4 running, 9 failed, rate 0.70" in drawn
    assert re.search(r"rate 0\.70 +\S+ left", drawn)


@pytest.mark.parametrize(("passed", "failed", "rate"), [(0, 0, None), (0, 1, "0.00"), (1, 0, "1.00")])
def test_trials_progress_has_a_rate_as_soon_as_a_trial_counts(monkeypatch, passed, failed, rate):
    """Before the first counted trial there is no rate, and trials without a verdict are in none."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "150")
    with trials_progress() as show:
        show(passed + failed + 2, 40, 1, passed, failed)
    drawn = plainly(stream)
    assert f"{passed + failed + 2}/40" in drawn.replace(" ", "") and f"{failed} failed" in drawn
    assert (f"rate {rate}" in drawn) if rate else "rate" not in drawn


def test_trials_progress_honours_no_color(monkeypatch):
    """With NO_COLOR the bar moves, but in no colour."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("NO_COLOR", "1")
    with trials_progress() as show:
        show(3, 40, 1, 3, 0)
    assert not re.search(r"\x1b\[[0-9;]*(3|4|9|10)[0-8][;m]", stream.getvalue())
    assert "3 failed" not in plainly(stream) and "1 running" in plainly(stream)
