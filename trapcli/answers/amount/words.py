"""The words around a number: most are harmless; some make it another number, or none.

`instructions.md` says which. Texts have at most a thousand characters, and single blanks.
"""

import re

MARKS = "*_`\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"  # emphasis, code, quotation marks
AROUND = f" ()[]~≈{MARKS}"  # what may separate a word from the number next to it


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
DOLLARS = _set("us usd dollar dollars")

CHANGING = _set(
    """not cannot minus negative cent cents hundred hundreds thousand thousands million millions
    billion billions trillion trillions lakh lakhs crore crores k m mm mn mio bn percent pct"""
)
SIDES = _set("cr dr")
SIDE_BEFORE = re.compile(r"(?<![^\W_])(?:credit|debit)$")
SIDE_AFTER = re.compile(r"(?:credit|debit)(?![^\W_])")

COMPARED = "(?:more|less|fewer|greater|higher|lower|larger|smaller)"
PLACED = "(?:over|under|above|below)"
BOUND = re.compile(r"(?<![^\W_])at (?:most|least)(?![^\W_])")
BOUND_BEFORE = re.compile(rf"(?<![^\W_])(?:{COMPARED} than|up to|{PLACED})$")
BOUND_AFTER = re.compile(rf"(?:or|and) (?:{COMPARED}|{PLACED})(?![^\W_])")

# ISO 4217 without small currencies; codes that are also words count only in capitals, next to the number.
CODES = _set(
    """aed aud bdt bgn bhd brl btc cad chf clp cnh cny crc czk dkk egp eth eur gbp ghs hkd hrk huf idr
    ils inr isk jmd jod jpy kes krw kwd kzt lkr mxn myr ngn nok npr nzd omr php pkr pln qar rmb rsd rub
    sar sek sgd thb twd tzs uah ugx uyu vnd xaf xof zar zmw"""
)
WORDLIKE_CODES = _set("ALL AMD ARS BAM BOB COP CUP DOP GEL LAK MAD MOP MUR PEN RON SOS TOP TRY")
CODE_BEFORE = re.compile(r"(?<![^\W_])[A-Z]{3}$")
CODE_AFTER = re.compile(r"[A-Z]{3}(?![^\W_])")
MONEY = _set(
    """baht bitcoin bitcoins cedi cedis dinar dinars dirham dirhams euro euros forint franc francs koruna
    kr krona krone kroner kronor lira naira pence peso pesos pound pounds renminbi ringgit riyal riyals
    rouble roubles rs ruble rubles rupee rupees rupiah shekel shekels sterling yen yuan zloty"""
)
OTHER_DOLLARS = _set(
    """australian bahamian barbadian bermudian canadian fijian guyanese jamaican kong liberian namibian
    singapore taiwan trinidad zealand"""
)
DOLLAR_OF = re.compile(r"(?<![^\W\d_])([^\W\d_]+)\$")


def objection(before: str, after: str, alone: bool) -> str:
    """Return why the words around a number leave it without exactly one reading; "" if they do no harm.

    alone: allow no words except those for dollars.
    """
    near, far = before.rstrip(AROUND), after.lstrip(AROUND)
    line = f"{near} 0 {far}".replace("\u2019", "'").lower()
    words = WORD.findall(line)
    if not words:
        return ""
    for word in words:
        if word in CHANGING or word.endswith("n't"):
            return f"'{word}' changes the number"
    before, _, after = line.partition(" 0 ")
    if not SIDES.isdisjoint(words) or SIDE_BEFORE.search(before[-10:]) or SIDE_AFTER.match(after):
        return "credit or debit with the number may be its sign; write a minus or nothing"
    if BOUND.search(line) or BOUND_BEFORE.search(before[-15:]) or BOUND_AFTER.match(after):
        return "a bound is not an amount"
    if other := _other_currency(words, line) or _code_beside(near, far):
        return f"'{other}' is another currency"
    if alone and not DOLLARS.issuperset(words):
        return "there are words with it"
    return ""


def _other_currency(words: list[str], line: str) -> str:
    """Return the first word for a currency other than the US dollar, or ""."""
    for word in words:
        if word in CODES or word in MONEY:
            return word
        if word in OTHER_DOLLARS and not {"dollar", "dollars"}.isdisjoint(words):
            return f"{word} dollar"
    if "$" in line:
        for place in DOLLAR_OF.findall(line):
            if place not in DOLLARS:
                return f"{place}$"
    return ""


def _code_beside(near: str, far: str) -> str:
    """Return a code that is also a word, if it is next to the number in capitals, or ""."""
    for match in (CODE_BEFORE.search(near[-4:]), CODE_AFTER.match(far)):
        if match and match[0] in WORDLIKE_CODES:
            return match[0]
    return ""
