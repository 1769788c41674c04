"""Read the amount on the `ANSWER:` line of an output, if it has exactly one reading; see `rules.md`."""

import re
from decimal import Decimal
from typing import TypeAlias
from unicodedata import category

from trapcli.core.contract import Answer, Problem
from trapcli.core.output import Output
from trapcli.core.shorten import quoted

IGNORED = "has ANSWER: too and is ignored: the last line that starts with it counts, one in capitals first"
LONGEST = 1000  # characters after the colon, so that no pattern takes long
MAX_DIGITS = 30
MAX_EXPONENT = 15  # with 30 digits: a difference to any cents below 1e18 fits into 64 digits

BLANKS = " \t\u00a0\u2000-\u200a\u202f\u205f\u3000"  # for a character class
MARKS = "*_`\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"  # emphasis, code, quotation marks
DECORATION = rf"[{BLANKS}{MARKS}|>#+\-•‣◦▪●]*+"
ITEM = rf"(?:[0-9]{{1,9}}[.)][{BLANKS}]++{DECORATION})?"
FLAGS = re.ASCII | re.IGNORECASE | re.MULTILINE
LINE = re.compile(rf"^{DECORATION}{ITEM}(ANSWER)[{BLANKS}*_`]*+:", FLAGS)
Lines: TypeAlias = tuple[re.Match[str] | None, re.Match[str] | None]
MENTION = re.compile(rf"\bANSWER[{BLANKS}*_`]*+:", FLAGS)

GROUP = "[\u00a0\u2007\u2009\u202f'\u2019_]"
COMMAS = r"(?!0+,)(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})"  # also lakh and crore
POINTS = r"(?!0+\.)[0-9]{1,3}(?:\.[0-9]{3})"
OTHERS = rf"(?!0+{GROUP})[0-9]{{1,3}}(?P<by>{GROUP})[0-9]{{3}}(?:(?P=by)[0-9]{{3}})*"
WITH_POINT = re.compile(rf"(?:[0-9]+|{COMMAS}|{OTHERS})?(?:\.[0-9]+)?")
WITH_COMMA = re.compile(rf"[0-9]+,[0-9]{{1,2}}|{POINTS}{{2,}}|(?:{POINTS}+|{OTHERS}),[0-9]+")
SCIENTIFIC = re.compile(r"(?P<digits>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)[eE](?P<power>[+-]?[0-9]{1,4})")
SPAN = re.compile(r"\.?[0-9](?:.*[0-9])?", re.DOTALL)
BLANK = re.compile(r"\s+(?![0-9])|(?<![0-9])\s+|\s{2,}")  # all white space except what may group digits

MINUS = "-\u2212\u2013\u2010\u2011"  # hyphen-minus, minus sign, en dash, hyphen, no-break hyphen
SIGN = f"[{MINUS}+]?"
OPEN = rf"[{MARKS}\[~≈]*"  # what may touch the number in front, and behind:
CLOSE = rf"[{MARKS}\],;:.!?…。、$]*"
BEFORE = re.compile(
    rf"(?:^|(?<=[ :(])){OPEN}({SIGN}){OPEN}(?:(?:U\.?S\.?)?\$+ ?|USD?\$* ?)?{OPEN}({SIGN}){OPEN}$",
    re.ASCII | re.IGNORECASE,
)
BEHIND = re.compile(
    rf"({CLOSE})((?: ?\(?(?:US\$|USD|(?:US )?dollars?)\)?(?![^\W_])){CLOSE})?([ (—].*)?",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
APART = re.compile(rf"(?:[{MINUS}+—/\u00d7\u00f7^]|\w\$)$")
SIGN_BEHIND = re.compile(rf"[+/\u00d7\u00f7^]|[{MINUS}—][{MINUS}—{MARKS} .]*$")
SCALE = "(?i:cents?|percent|(?:hundred|thousand|million|billion)s?)"
UNIT = f"((?!USD)[A-Z]{{3}}|[CD]R|K|{SCALE})"  # next to the number, also across punctuation
UNIT_BEFORE = re.compile(rf"\b{UNIT}:?$")
UNIT_BEHIND = re.compile(rf"[{MINUS}—:,;. (]*(?:in )?\b{UNIT}\b")
BOX = re.compile(r"\\boxed\{([^{}]*)\}")
LATEX = re.compile(r"\\(?!boxed)[A-Za-z]*|\\boxed|[{}]")
REFUSED = {  # anywhere on the line
    re.compile("[<>≤≥≪≫≦≧≠]"): "a bound is not an amount, and HTML is not read",
    re.compile("[±∓]"): "a range is not an amount",
    re.compile("[%‰‱٪﹪]"): "a percentage is not an amount",
    re.compile("~~"): "it is struck out",
    re.compile("\ufffd"): "it has a byte that is not UTF-8",
    re.compile(r"\b(?:minus|negative|not|never|cannot)\b|n['\u2019]t\b", re.I): "a word changes the number",
}
ANY_REFUSED = re.compile("|".join(pattern.pattern for pattern in REFUSED), re.IGNORECASE)


class Unreadable(Exception):
    """Nothing can be read; the message says why. `read_answer` turns it into a Problem."""


def read_answer(output: Output) -> Answer | Problem:
    """Return the amount (a finite Decimal) that an output answers, or why there is none."""
    text = output.text
    line, above = _last_line(text)
    if not line:
        at = text.rfind("ANSWER")
        what = "; this one has the word, but does not start with ANSWER:" if at >= 0 else ""
        return Problem(f"there is no ANSWER: line{what}", _place(text, at) if what else "")
    others = filter(None, (above, MENTION.search(text, line.end())))
    try:
        value = _amount(text, line.end())
    except Unreadable as error:
        return Problem(str(error), _place(text, line.end()))
    return Answer(value, tuple(f"{_place(text, other.end())} {IGNORED}" for other in others))


def _last_line(text: str) -> Lines:
    """Return the beginning of the line that counts, in capitals if one is, and of the one above it."""
    found: dict[bool, Lines] = {True: (None, None), False: (None, None)}
    for match in LINE.finditer(text):
        capitals = match[1] == "ANSWER"
        found[capitals] = match, found[capitals][0]
    return found[True] if found[True][0] else found[False]


def _place(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"


def _amount(text: str, at: int) -> Decimal:
    """Return the amount on the rest of a line, or if nothing follows, alone on the next line with text."""
    rest, _, below = text[at:].partition("\n")
    alone = not rest.strip(f"{MARKS}|# \t\u00a0")
    rest = (below.lstrip().partition("\n")[0] if alone else rest).strip()
    if not rest:
        raise Unreadable("nothing follows ANSWER:")
    try:
        return _read_number(rest, alone)
    except Unreadable as error:
        where = "nothing follows ANSWER:, and the next line, " if alone else ""
        raise Unreadable(f"{where}{quoted(rest)} is not an amount: {error}") from None


def _read_number(rest: str, alone: bool) -> Decimal:
    """Return the one number in a text, with its sign; alone: allow no words except those for dollars."""
    if len(rest) > LONGEST:
        raise Unreadable(f"it has {len(rest)} characters; at most {LONGEST} are read")
    working, equals, result = _without_latex(rest).rpartition("=")  # what is before the last = may be working
    if equals and (alone or working.endswith(("<", ">", "!", "+", *MINUS))):
        raise Unreadable("its = does not give an amount")
    line = BLANK.sub(" ", result.replace("|", " ")).strip()
    if ANY_REFUSED.search(line):
        raise Unreadable(next(why for pattern, why in REFUSED.items() if pattern.search(line)))
    for sign in (
        "" if line.isascii() else line
    ):  # Sc is the general category of currencies; Nd, Nl and No are those of digits
        if not sign.isascii() and category(sign) in ("Sc", "Nd", "Nl", "No"):
            raise Unreadable(f"'{sign}' is another currency, or not one of the digits 0 to 9")
    span = SPAN.search(line)
    if not span:
        raise Unreadable("there is no number in it")
    value, sign = _value(span[0]), _sign_before(line[: span.start()], alone)
    _check_behind(line[span.end() :], alone)
    return value.copy_negate() if sign in MINUS and value else value


def _without_latex(text: str) -> str:
    """Return the line without the LaTeX that cannot change a number."""
    if not LATEX.search(text):
        return text
    line = text.replace("\\$", "$").replace("{,}", ",").replace("\\!", "").replace("\\,", "\u2009")
    line = BOX.sub(r" \1 ", line)
    if line.count("{") != line.count("}"):
        raise Unreadable("a brace is not closed")
    if unread := [name for name in LATEX.findall(line) if name != "\\boxed"]:
        raise Unreadable(f"{max(unread, key=len)} is LaTeX that is not read")
    return line


def _value(body: str) -> Decimal:
    """Return the number that a text, from the line's first digit to its last, spells."""
    if WITH_POINT.fullmatch(body):
        spelled = digits = re.sub(r"[^0-9.]", "", body)
    elif WITH_COMMA.fullmatch(body):
        spelled = digits = re.sub(r"[^0-9,]", "", body).replace(",", ".")
    elif match := SCIENTIFIC.fullmatch(body):
        if abs(int(match["power"])) > MAX_EXPONENT:
            raise Unreadable(f"its exponent is beyond {MAX_EXPONENT}")
        spelled, digits = body, match["digits"]
    else:
        raise Unreadable("it has more than one number, or one without exactly one reading")
    if len(digits.replace(".", "")) > MAX_DIGITS:
        raise Unreadable(f"the number has more than {MAX_DIGITS} digits")
    return Decimal(spelled)


def _sign_before(before: str, alone: bool) -> str:
    """Return the sign that touches the number or its dollars; Unreadable if that is not clear."""
    found = BEFORE.search(before)
    if not found or (found[1] and found[2]):
        raise Unreadable("what touches it in front is neither a sign nor dollars")
    words = before[: found.start()].rstrip()
    if APART.search(words):
        raise Unreadable("a sign, or dollars that are not US dollars, are apart from the number")
    if words.count("(") > words.count(")"):
        raise Unreadable("a number in parentheses may be a negative one; write a minus or nothing")
    if unit := UNIT_BEFORE.search(words):
        raise Unreadable(f"'{unit[1]}' may be another currency, a unit or a sign")
    if alone and words.strip(MARKS):
        raise Unreadable("there are words with it")
    return found[1] or found[2] or "+"


def _check_behind(after: str, alone: bool) -> None:
    """Raise Unreadable if what is behind the number may change it, such as a unit or a sign."""
    found = BEHIND.fullmatch(after)
    if not found:
        raise Unreadable("what touches it behind is not punctuation")
    marks, dollars, rest = found[1], found[2], (found[3] or "").strip()
    if SIGN_BEHIND.match(rest):
        raise Unreadable("a sign or an operator is behind the number")
    if ")" in rest.partition("(")[0]:
        raise Unreadable("a number in parentheses may be a negative one; write a minus or nothing")
    if code := UNIT_BEHIND.match(rest):
        raise Unreadable(f"'{code[1]}' may be another currency, a unit or a sign")
    if (unit := re.match(r"[^\W\d_]+", rest)) and not dollars and not set(marks) & set(",;:.!?…$"):
        raise Unreadable(f"'{unit[0]}' may be a unit; only dollars are read")
    if alone and rest:
        raise Unreadable("there are words with it")
