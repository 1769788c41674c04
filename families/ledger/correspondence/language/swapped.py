"""Say from another side what the phrase books say from the customer's."""

import re

OUR_SIDE = {
    "our": "your",
    "ours": "yours",
    "us": "you",
    "we": "you",
    "your": "our",
    "yours": "ours",
    "you": "us",
}
THIRD_SIDE = {
    "our": "their",
    "ours": "theirs",
    "us": "them",
    "we": "they",
    "your": "their",
    "yours": "theirs",
    "you": "them",
}
AS_SUBJECT = "when you "  # the one place where "you" is a subject


def from_our_side(text: str) -> str:
    """Return a clause with the customer as "you" and ourselves as "we"."""
    return _swapped(text, OUR_SIDE, "we")


def from_third_side(text: str) -> str:
    """Return a clause that speaks of another house and its suppliers, both as "they"."""
    return _swapped(text, THIRD_SIDE, "they")


def _swapped(text: str, words: dict[str, str], subject: str) -> str:
    parts = text.split(AS_SUBJECT)
    swapped = [re.sub(r"\b[a-z]+\b", lambda word: words.get(word[0], word[0]), part) for part in parts]
    return f"when {subject} ".join(swapped)
