"""The number on an ANSWER: line: every spelling with one reading is read, and its near misses are not."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trapcli.answers.amount.answers import canonical, equal
from trapcli.answers.amount.reader import read_answer
from trapcli.core.contract import Answer, Problem
from trapcli.core.output import output_of


def amount_on(rest: str) -> Decimal:
    """Return the amount on a line, after cleaning."""
    answer = read_answer(output_of(f"ANSWER: {rest}"))
    assert isinstance(answer, Answer), answer
    assert isinstance(answer.value, Decimal)
    return answer.value


def message_on(rest: str) -> str:
    """Return the message on a line that cannot be read."""
    problem = read_answer(output_of(f"ANSWER: {rest}"))
    assert isinstance(problem, Problem), (rest, problem)
    assert problem.where == "line 1"
    return problem.message


READ = {
    "4012.9": """
        4012.9 4,012.9 4012.90 4012.9000 04012.9 +4012.9 $4012.9 $4,012.90 4_012.9 4'012.9 4\u2019012.9
        4.012,9 4012,9 4012,90 4.0129e3 4.0129E+03 40129e-1 US$4012.9 USD4012.9 4012.9USD 4012.9$
        4012.9dollars ~4012.9 ≈$4012.9 U.S.$4012.9 **4012.9** __4012.9__ `4012.9` ```4012.9``` "4012.9"
        '4012.9' “4012.9” [4012.9] =4012.9 Total:4012.9 $4012.9$ $$4012.9$$ \\$4012.9
        \\boxed{4012.9} 4{,}012.9 $\\boxed{\\$4{,}012.9}$ 4\\,012.9 4,\\!012.9 4012.9. 4012.9, 4012.9;
        4012.9! 4012.9... **4012.9**. 4012.9**. 4012.9—final 4012.9(net) 4012.900000000000000000000000""",
    "-77.05": """
        -77.05 \u201377.05 \u221277.05 \u201177.05 -$77.05 $-77.05 -US$77.05 -\\$77.05
        \\boxed{-77.05} **-77.05** -**77.05** Net:-77.05 -77,05 -7705e-2 (USD)=-77.05 |-77.05|""",
    "0": "0 0.00 -0.00 $0 .0 0e0 -0 00 0,00",
    "8765432": """
        8765432 8,765,432 8.765.432 8_765_432 8'765'432 8765432. 87,65,432 87,65,432.00 8.765.432,0
        8\\,765\\,432""",
    "98.765": "98.765 98.7650",
    "98765": "98,765 98,765.00 098,765 98,765. 0098765",
    "0.45": "0.45 .45 $.45 0,45 45e-2 .45e0 +.45",
}


@pytest.mark.parametrize(
    ("amount", "rest"), [(amount, rest) for amount, row in READ.items() for rest in row.split()]
)
def test_spellings_with_one_reading(amount: str, rest: str) -> None:
    """Every spelling that has one reading gives exactly its amount."""
    assert amount_on(rest) == Decimal(amount)


@pytest.mark.parametrize(
    "rest",
    [
        "4\u00a0012.90", "4\u2009012.90", "4\u202f012,90", "$ 4,012.90", "USD 4012.90",
        "4012.90 USD", "4012.90 US$", "4012.90 US dollars", "4012.90 (USD)",
        "-4012.90 + 8025.80 = 4012.90", "4012.90 (approx.)", "about 4012.90", "4012.90, all told.",
        "4012.90 ...", "The debt is $4,012.90.", "After the May credit: 4012.90", "I'm at 4012.90",
        "4012.90 - the debt", "4012.90 — of both", "owed up to June: 4012.90",
        "the top customer owes 4012.90", "$x = 4012.90$", "\\boxed{4000 + 12.90 = 4012.90}",
        "5% of 80258 = 4012.90", "a -> b = 4012.90", "4012.90 | USD |", "4012.90 [sic]", "4012.90, or so",
        "4012.90.\u2028net", "one debt, credit apart: 4012.90", "over all, 4012.90", 
        "4012.90 (rounded to cents)", "4012.90, to the nearest cent",
        "4012.90 USD (four thousand and twelve)",
        "up to 4012.90", "**4012.90**.",
    ],
)  # fmt: skip
def test_words_and_working_around_the_number(rest: str) -> None:
    """Words without digits, blanks beside the unit, and working before a last = do no harm."""
    assert amount_on(rest) == Decimal("4012.90")


REFUSED = {
    "no number in it": """
        None | n/a | TBD | NaN | sNaN | inf | -Infinity | undefined | , | . | - | $ | zero | O | [] | 4 =""",
    "more than one number, or one without exactly one reading": """
        4 012.90 | 4012 .90 | 4012. 90 | 4, 012.90 | 4 \u00a0012.90 | 4012.90 4012.90 | 4012.90 or 4000.00
        [4000.00, 4012.90] | 4000-4012.90 | 4012.90 - 4100.00 | 4012.90\u20134100
        between 4000 and 4012.90 | 4012.90 (was 4,000.00) | 4012.90 at 2026-05-31 | 2026-05-31 | 12:30
        4012.90/2 | 4*3 | 4012.90 for Q3 | case_03: 4012.90 | 4012.90 = 4000 + 12.90 | 4012.90[1]
        1 customer: 4012.90 | 4\u00a0012\u202f900 | 4\u00a001 | 4\u00a0012\u00a09.00 | 4012.90 +/- 0.50
        \\boxed{40}\\boxed{12} | 40\\boxed{12} | 4,0129.00 | 4.012.9 | 4,01,29.00 | 4012,900 | 4012,9000
        4,0129 | 0,450 | 0.450,5 | 40,12,9.5 | 4,012,9 | 4__012 | 4'0129 | 4,012'900 | 4012.90.00
        0,004,012.90 | 4,012,34,567 | 4.012.345.67 | 4,012.900,5 | 40.12,9
        4O12.90 | 0x1F4 | 0b11 | 4,012e2 | 4k5 | 4012,9e1 | 1e2e3 | 1ee3 | l2.5O3 | 1e-999999999""",
    "touches it in front": """
        O.45 | e4 | No.4012 | #4012 | --77 | +-77 | —77 | ..45 | ,450.00 | Net-77 | /77 | _x_77""",
    "touches it behind": """
        4012.9O | 4012.90k | 4012.90M | 4e | 77.05- | 77.05\u2013 | 77.05+ | 77.05,- | 77.05/mo | 77.05✓
        77.05&nbsp; | 77.txt | 77.05's""",
    "apart from the number": """
        - 77.05 | \u2013 77.05 | — 77.05 | + 77.05 | - $77.05 | - **77.05** | Net - 77.05 | / 77.05
        -\\boxed{77.05} | CA$ 4012.90""",
    "is behind the number": """
        77.05 - | 77.05 \u2013 | 77.05 -. | 77.05— | 77.05 / month | 77.05 + tax | 77.05 \u00d7 x""",
    "another currency, a unit or a sign": """
        401290 cents | 1 cent | 40 hundred | 4 thousand | 4 Million | 4.01, in thousands | 4 (thousands)
        thousand 4 | **4** thousand | 4 percent | 4, percent | percent: 4
        CR 77.05 | EUR 4012.90 | TRY 4012.90 | DR 77.05 | EUR: 4012.90 | 77.05 CR | 77.05, CR | 77.05 (CR)
        4012.90 EUR | 4012.90 (EUR) | 4012.90, EUR | 4012.90 - EUR | 4012.90 ALL | 4012.90 (K)""",
    "may be a unit": """
        4 per cent | 77.05 Dr | 77.05 credit | 4012.90 euros | 4 k | 4 bn | 4 lakh | **4** lakh
        4012.90 or more
        4012.90 net | USD 4012.90 net | 870.25 ANSWER:""",
    "in parentheses": """
        (77.05) | -(77.05) | ($77.05) | (USD 77.05) | ( 77.05 ) | (net 77.05) | 77.05 ) | (77.05
        (-77.05) net""",
    "another currency, or not one": """
        €4012.90 | £ 4012.90 | ¥4012 | 4012.90¢ | ٤٠١٢ | ४०१२ | 4012½ | 4012² | ½ | Ⅳ | ④""",
    "neither a sign nor dollars": "C$4012.90 | AU$4012",
    "a percentage": "4012.90% | 4012.90 % | % 4012.90 | 4012.90‰",
    "a bound": """
        <4012.90 | > 4012.90 | ≤4012.90 | 4012.90 < | => 4012.90 | ≠ 4012.90 | <amount> | <b>4012.90</b>
        4012.90<br>""",
    "does not give": "x != 4012.90 | x <= 4012.90 | x >= 4012.90 | x -= 4012.90 | x += 4012.90",
    "a range": "4012.90 ± | ± 4012.90 | 4012.90 ± 0.50 | ∓4012.90",
    "changes the number": """
        minus 77.05 | NEGATIVE 77.05 | not 77.05 | isn't 77.05 | isn\u2019t 77.05 | cannot be 77.05
        never 77.05""",
    "struck out": "~~4012.90~~ | ~~4000~~ 4012.90",
    "LaTeX that is not read": """
        \\frac{8}{2} | 4012.90\\n' | {4012.90} | \\text{4012.90} | 4012.90\\ | \\(4012.90 | \\(4012.9\\)
        \\[4012.9\\] | \\boxed{\\boxed{4}}""",
    "\\text is LaTeX": "\\boxed{\\text{4012.90}}",
    "not closed": "\\boxed{40 | \\boxed{40 + 12 = 52",
    "not UTF-8": "4012.90 \ufffd | \ufffd4012.90 | 4012.90 (\ufffd)",
    "more than 30": f"{'9' * 31} | {'0' * 31} | 1.{'0' * 30} | {'1' * 16}.{'1' * 16} | {'1' * 31}e-9",
    "exponent": "1e16 | 1e-16 | 1e9999",
    "at most 1000": f"{'9' * 100_000} | 4012.90 {'so ' * 400}",
}


@pytest.mark.parametrize("why", REFUSED)
def test_ambiguous_numbers_are_refused(why: str) -> None:
    """A number that could be another one, or none, is not read, and the message says why."""
    for rest in re.split(" *[|\n] *", REFUSED[why].strip()):
        assert why in message_on(rest), rest


def test_a_point_is_a_decimal_point_and_a_comma_groups_three() -> None:
    """No reading is off by a factor: one point is never a group mark, and a comma before three digits is."""
    assert amount_on("98.765") == Decimal("98.765")
    assert amount_on("98,765") == 98765
    assert amount_on("98765,43") == Decimal("98765.43")
    assert amount_on("2,345,678.910") == amount_on("2.345.678,910") == Decimal("2345678.91")
    assert amount_on("87.65") == Decimal("87.65")
    assert amount_on("+1.50") == amount_on("150e-2") == amount_on("\u00a01,5\u00a0") == Decimal("1.5")


def grouped(digits: str, by: str, size: int = 3) -> str:
    """Return `digits` in a last group of three and others of `size`, separated by `by`."""
    head, tail = digits[:-3], digits[-3:]
    groups = [head[max(at - size, 0) : at] for at in range(len(head), 0, -size)]
    return by.join([*reversed(groups), tail])


GROUP_MARKS = (",", "\u00a0", "\u202f", "\u2009", "'", "\u2019", "_", "{,}", "\\,")
STYLES: list[Callable[[str, str], str]] = [
    *(lambda whole, cents, by=by: f"{grouped(whole, by)}.{cents}" for by in GROUP_MARKS),
    lambda whole, cents: f"{whole}.{cents}",
    lambda whole, cents: f"{whole}.{cents}000",
    lambda whole, cents: f"000{whole}.{cents}",
    lambda whole, cents: f"{whole},{cents}",
    lambda whole, cents: f"{grouped(whole, '.')},{cents}",
    lambda whole, cents: f"{grouped(whole, chr(0xA0))},{cents}",
    lambda whole, cents: f"{grouped(whole, ',', 2)}.{cents}",
    lambda whole, cents: f"{whole[0]}.{whole[1:]}{cents}e{len(whole) - 1}",
    lambda whole, cents: f"{whole}{cents}E-2",
]
POSITIVE = ["{}", "+{}", "${}", "US$ {}", "{} USD", "$ {}", "\\boxed{{{}}}", "~{}", "USD {}."]
NEGATIVE = [
    "-{}",
    "\u2212{}",
    "\u2013{}",
    "$-{}",
    "-${}",
    "-USD {}",
    "\\boxed{{-{}}}",
    "$-{}$",
    "-{} dollars",
]
AROUND = [
    "{}", "**{}**", "`{}`", '"{}"', "| {} |", "{}.", "it is {}", "{}, all told", "1 + 1 = {}", "{} (net)",
    "_{}_",
    "$x = {}$",
]  # fmt: skip
AMOUNTS = st.integers(-(10**14), 10**14).map(lambda cents: Decimal(cents).scaleb(-2))


@pytest.mark.slow
@given(AMOUNTS, st.sampled_from(STYLES), st.sampled_from(range(9)), st.sampled_from(AROUND))
def test_every_accepted_style_reads_back(
    amount: Decimal, style: Callable[[str, str], str], sign: int, around: str
) -> None:
    """An amount written in any accepted style is read back exactly."""
    whole, cents = f"{abs(amount):f}".split(".")
    signed = (NEGATIVE if amount < 0 else POSITIVE)[sign].format(style(whole, cents))
    assert amount_on(around.format(signed)) == amount


@pytest.mark.slow
@given(AMOUNTS, st.data())
def test_a_changed_digit_is_another_amount(amount: Decimal, data: st.DataObject) -> None:
    """A digit put in, left out or replaced never gives an equal amount, unless the value stays the same."""
    text = f"{amount:f}"
    at = data.draw(st.integers(0, len(text) - 1))
    digit = data.draw(st.sampled_from("0123456789"))
    replaced = text[:at] + digit + text[at + 1 :]
    for changed in (text[:at] + digit + text[at:], text[:at] + text[at + 1 :], replaced):
        answer = read_answer(output_of(f"ANSWER: {changed}"))
        if isinstance(answer, Answer) and equal(answer.value, amount):
            assert Decimal(changed) == amount
    if text[at].isdigit() and digit != text[at]:
        assert not equal(amount_on(replaced), amount)


PIECES = st.sampled_from([
    *"0123456789.,'\u2019_-\u2013—\u2212+$€%()[]{}<>=~|*`#/\\: \t\n\u00a0\u2009½٣é",
    "ANSWER:", "ANSWER", "answer:", "12", "345", "e5", "USD", "\\boxed{", "\\(", "{,}",
    "not", "k", "CR", "up to", "```", "1. ",
])  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join)


@pytest.mark.slow
@given(TEXTS | TEXTS.map(lambda rest: f"ANSWER: {rest}") | st.text())
@example("ANSWER: \ud800")
@example("ANSWER: 5 \ud800")
@example("ANSWER:" + "\\boxed{" * 140)
def test_any_text_gives_an_amount_or_a_reason(text: str) -> None:
    """Whatever the text is, reading gives a bounded finite amount or a short message, and never raises."""
    answer = read_answer(output_of(text))
    if isinstance(answer, Answer):
        assert answer.value.is_finite() and abs(answer.value) < 10**46
        assert equal(answer.value, Decimal(canonical(answer.value)))
    else:
        assert 0 < len(answer.message) < 300


@pytest.mark.slow
@given(TEXTS, TEXTS)
def test_prose_before_the_line_is_ignored(before: str, rest: str) -> None:
    """The reading of an ANSWER: line does not depend on the text above it."""
    alone = read_answer(output_of(f"ANSWER:{rest}"))
    below = read_answer(output_of(f"{before}\nANSWER:{rest}"))
    if isinstance(alone, Answer):
        assert isinstance(below, Answer) and below.value == alone.value
    else:
        assert isinstance(below, Problem) and below.message == alone.message
