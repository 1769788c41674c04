"""Read the one number in the text after `ANSWER:`, if it has exactly one reading.

The rules are in `instructions.md`. Every pattern names the ASCII digits: everything else that
Python takes for a digit is refused. The patterns run on at most a thousand characters.
"""

import re
from decimal import Decimal
from unicodedata import category

from trapcli.answers.amount.words import MARKS, objection

BLANKS = " \t\u00a0\u2000-\u200a\u202f\u205f\u3000"  # for a character class
OPENING = f"{MARKS}[~≈"  # what may touch the number in front
CLOSING = f"{MARKS}],;:.!?…。、$"  # and behind
MINUS = "-\u2212\u2013\u2010\u2011"  # hyphen-minus, minus sign, en dash, hyphen, no-break hyphen
SIGNS = f"+{MINUS}"
DASHES = f"{MINUS}\u2014\u2015"  # with em dash and bar, which are punctuation
OPERATORS = "+/\u00d7÷^"

MAX_DIGITS = 30
MAX_EXPONENT = 15  # with 30 digits: a difference to any cents below 1e18 fits into 64 digits

SPAN = re.compile(r"[0-9](?:.*[0-9])?", re.DOTALL)
BLANK = re.compile(r"\s+(?![0-9])|(?<![0-9])\s+|\s{2,}")  # all white space except what may group digits

GROUP = "[\u00a0\u2007\u2009\u202f'\u2019_]"
COMMAS = r"(?!0+,)(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})"
POINTS = r"(?!0+\.)[0-9]{1,3}(?:\.[0-9]{3})"
OTHERS = rf"(?!0+{GROUP})[0-9]{{1,3}}(?P<by>{GROUP})[0-9]{{3}}(?:(?P=by)[0-9]{{3}})*"
WITH_POINT = re.compile(rf"(?:[0-9]+|{COMMAS}|{OTHERS})?(?:\.[0-9]+)?")
WITH_COMMA = re.compile(rf"[0-9]+,[0-9]{{1,2}}|{POINTS}{{2,}}|(?:{POINTS}+|{OTHERS}),[0-9]+")
SCIENTIFIC = re.compile(r"(?P<digits>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)[eE](?P<sign>[+-]?)0*(?P<power>[0-9]+)")
PIECE = re.compile(r"[0-9](?:[0-9.,'\u2019_]*[0-9])?")

DOLLAR_BEFORE = re.compile(r"(?<![^\W_])(?:(?:U\.S\.|USD?)?\$+|USD) ?$", re.IGNORECASE)
DOLLAR_AFTER = re.compile(r"(?:US\$+|USD|dollars?)(?![^\W_])", re.IGNORECASE)

BOX = re.compile(r"(?<![^\W_])(?<![.,}])\\boxed\{([^{}]*)\}(?![^\W_])")
MATHS = re.compile(r"\\\(([^\\]*)\\\)|\\\[([^\\]*)\\\]")

REFUSED = {
    **dict.fromkeys("<>≤≥≪≫≦≧≠", "a bound is not an amount, and HTML is not read"),
    **dict.fromkeys("±∓", "a range is not an amount"),
    **dict.fromkeys("%‰‱٪﹪", "a percentage is not an amount"),
    **dict.fromkeys("\\{}", r"of LaTeX only \boxed{}, $..$, \(..\), \[..\], \$, {,} and \, are read"),
}
ANY_REFUSED = re.compile(f"[{re.escape(''.join(REFUSED))}]")


class Unreadable(Exception):
    """Nothing can be read; the message says why. `read_answer` turns it into a Problem."""


def read_number(text: str, alone: bool = False) -> Decimal:
    """Return the number in a text: finite, with at most `MAX_DIGITS` digits.

    alone: allow no words around it.

    Raises Unreadable if there is no number, more than one, or one that does not have exactly one
    reading.
    """
    line = BLANK.sub(" ", _result(_without_latex(text), alone).replace("|", " "))
    _refuse_characters(line)
    span = SPAN.search(line)
    if not span:
        raise Unreadable("there is no number in it")
    before, body, after = line[: span.start()], span[0], line[span.end() :]
    if before.endswith("."):
        before, body = before[:-1], f".{body}"
    value = _value(body)
    before, negative = _before(before)
    after = _after(after)
    if before.count("(") > before.count(")") or ")" in after.partition("(")[0]:
        raise Unreadable("a number in parentheses may be a negative one; write a minus or nothing")
    if why := objection(before, after, alone):
        raise Unreadable(why)
    return value.copy_negate() if negative and value else value


def _without_latex(text: str) -> str:
    """Return the line without the LaTeX that cannot change a number."""
    if "\\" not in text and "{" not in text:
        return text
    line = text.replace("\\$", "$").replace("{,}", ",").replace("\\,", "\u2009")
    line = BOX.sub(r"\1", line)
    if "\\boxed" in line:
        raise Unreadable(r"a \boxed{ is not closed, or touches something")
    return MATHS.sub(r" \1\2 ", line)


def _result(line: str, alone: bool) -> str:
    """Return the part after the last `=`; the part before it may show the working."""
    if "=" not in line:
        return line
    if alone:
        raise Unreadable("there is an = in it")
    working, _, result = line.rpartition("=")
    if working.endswith(("<", ">", "!", *SIGNS)):
        raise Unreadable(f"'{working[-1]}=' does not give an amount")
    return result


def _refuse_characters(line: str) -> None:
    """Raise Unreadable if a character anywhere on the line rules out an amount, or would go unread."""
    if "~~" in line:
        raise Unreadable("it is struck out")
    if match := ANY_REFUSED.search(line):
        raise Unreadable(REFUSED[match[0]])
    for character in "" if line.isascii() else line:
        general = category(character)
        if general == "Sc" and character != "$":
            raise Unreadable(f"'{character}' is another currency or unit")
        if general[0] == "N" and not character.isascii():
            raise Unreadable(f"'{character}' is not one of the digits 0 to 9")


def _value(body: str) -> Decimal:
    """Return the number that begins with the line's first digit, or a point, and ends with its last digit."""
    if WITH_POINT.fullmatch(body):
        spelled = re.sub(r"[^0-9.]", "", body)
    elif WITH_COMMA.fullmatch(body):
        spelled = re.sub(r"[^0-9,]", "", body).replace(",", ".")
    elif match := SCIENTIFIC.fullmatch(body):
        if len(match["power"]) > 2 or int(match["power"]) > MAX_EXPONENT:
            raise Unreadable(f"its exponent is beyond {MAX_EXPONENT}")
        spelled, body = body, match["digits"]
    else:
        raise Unreadable(_misread(body))
    digits = sum(map(str.isdigit, body))
    if digits > MAX_DIGITS:
        raise Unreadable(f"the number has {digits} digits; at most {MAX_DIGITS} are read")
    return Decimal(spelled)


def _misread(body: str) -> str:
    """Return why the body is not a number."""
    pieces = PIECE.findall(body)
    if len(pieces) > 1 and re.search(r"[^0-9A-Za-z.,'\u2019_]", body):
        return f"it has more than one number: {', '.join(pieces[:4])}"
    if re.search("[A-Za-z]", body):
        return "there are letters in the number"
    return "its points, commas and groups do not have exactly one reading"


def _before(before: str) -> tuple[str, bool]:
    """Return the text before the number, its sign and its dollars, and whether the sign is a minus."""
    left, sign = _signed(before)
    dollars = DOLLAR_BEFORE.search(left[-20:])
    if dollars:
        left = left[: len(left) - len(dollars[0])]
        if sign:
            left = left.rstrip(OPENING)
        else:
            left, sign = _signed(left)
    edge = left[-1:]
    if edge == "$":
        raise Unreadable("dollars other than US$ are another currency")
    if edge and edge not in " :(":
        raise Unreadable(f"'{edge}' touches the number")
    far = left.rstrip(f" {OPENING}")[-1:]
    if far and far in DASHES + OPERATORS:
        raise Unreadable(f"'{far}' is apart from the number and may be its sign; let it touch the number")
    return left, sign in MINUS if sign else False


def _signed(left: str) -> tuple[str, str]:
    """Return the text before a sign that touches, without decoration, and the sign, or "" if none touches."""
    left = left.rstrip(OPENING)
    if left and left[-1] in SIGNS:
        return left[:-1].rstrip(OPENING), left[-1]
    return left, ""


def _after(after: str) -> str:
    """Return the text after the number, its closing marks and its dollars."""
    rest = after.lstrip(CLOSING)
    if dollars := DOLLAR_AFTER.match(rest):
        rest = rest[dollars.end() :].lstrip(CLOSING)
    edge = rest[:1]
    touching = after[: len(after) - len(rest)][-1:] in ("", *".'\u2019_")
    if edge and edge not in " ()—" and (touching or not edge.isalpha()):
        raise Unreadable(f"'{edge}' touches the number")
    far = rest.lstrip()
    ends = not far.strip(f" .{DASHES}{MARKS}")
    if far and (far[0] in OPERATORS or (far[0] in DASHES and ends)):
        raise Unreadable(f"'{far[0]}' behind the number may be its sign, or part of a sum")
    return rest
