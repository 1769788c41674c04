"""Say from our side what the phrase books say from the customer's."""

import re

OTHER_SIDE = {
    "our": "your",
    "ours": "yours",
    "us": "you",
    "we": "you",
    "your": "our",
    "yours": "ours",
    "you": "us",
}
AS_SUBJECT = "when you "  # the one place where "you" is a subject


def from_our_side(text: str) -> str:
    """Return a clause with the customer as "you" and ourselves as "we"."""
    parts = text.split(AS_SUBJECT)
    swapped = [re.sub(r"\b[a-z]+\b", lambda word: OTHER_SIDE.get(word[0], word[0]), part) for part in parts]
    return "when we ".join(swapped)
