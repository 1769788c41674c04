"""The mails of a big case: composed, varied, and not to be sorted by words or length."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

import pytest

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.language.people import all_names
from families.ledger.correspondence.language.references import WEEKDAYS, Place
from families.ledger.correspondence.language.statements import sentences
from families.ledger.correspondence.render import mail_paths
from families.ledger.domain.formats import MONTHS
from trapcli.core.draw import Draw

LEAST_SKELETONS = 60
MOST_REPEATS = 3
PEOPLE = frozenset(all_names())


def carrying(case: Correspondence) -> dict[str, bool]:
    """Return path -> whether the mail must be read to know some instruction."""
    needed = {
        (one.customer, mail)
        for customer in case.customers
        for one in customer.instructions
        for mail in one.mails
    }
    return {path: place in needed for place, path in mail_paths(case).items()}


def body(text: str) -> str:
    """Return a mail without its header."""
    return text.split("\n\n", 1)[1]


def told(text: str) -> list[str]:
    """Return the sentences between greeting and farewell."""
    paragraphs = [part for part in body(text).split("\n\n")[:-1] if not part.endswith((",", ":"))]
    return [one for part in paragraphs for one in re.split(r"(?<!no\.)(?<=[.?!]) ", part)]


def skeleton(text: str, case: Correspondence) -> str:
    """Return a text with names, days, months, amounts and vouchers left out."""
    for name in re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", text):
        if name in PEOPLE:
            text = text.replace(name, "P")
    words = (*MONTHS, *WEEKDAYS, *case.frame.branches)
    text = re.sub(r"RC\d\S*\d", "V", text)
    text = re.sub("|".join(words), "W", text)
    return re.sub(r"(the )?\d[\d,.]*(st|nd|rd|th)?( of)?", "N", text)


@pytest.mark.slow
def test_each_kind_has_many_skeletons(planned: list[Correspondence]) -> None:
    """The mail that gives an instruction has at least 60 skeletons of each kind, reasons not counted."""
    found: dict[str, set[str]] = defaultdict(set)
    outsiders = all_names()[:50]
    for case in planned:
        for number, customer in enumerate(case.customers):
            vouchers = tuple(f"RC{number:02d}-{i:03d}" for i in range(len(customer.invoices)))
            by_day = {mail.day: mail for mail in customer.mails}
            for one in customer.instructions:
                mail = customer.mails[
                    one.mails[0] if one.kind in ("distrust", "conditional") else one.mails[-1]
                ]
                said = next(each for each in mail.said if each.id == one.id)
                for again in range(8):
                    place = Place(
                        Draw(f"{one.id} {again}"), case, customer, mail, vouchers, outsiders, False, by_day
                    )
                    text = max(sentences(place, said, False), key=len)
                    found[one.kind].add(
                        skeleton(re.sub(r"(, because|, as|, since|, for|;) .*", "", text), case)
                    )
    assert len(found) == 18
    assert {kind: len(texts) for kind, texts in found.items() if len(texts) < LEAST_SKELETONS} == {}


@pytest.mark.slow
def test_filler_does_not_repeat(big: Correspondence, mails: Mapping[str, str]) -> None:
    """No sentence of a mail that only chats occurs more than three times in 1,200 mails."""
    paths = mail_paths(big)
    chats = {
        paths[number, at]
        for number, customer in enumerate(big.customers)
        for at, mail in enumerate(customer.mails)
        if all(said.form == "chat" for said in mail.said)
    }
    counts = Counter(sentence for text in mails.values() for sentence in told(text))
    filler = {sentence for path in chats for sentence in told(mails[path])}
    assert len(chats) > 350
    assert [sentence for sentence in filler if counts[sentence] > MOST_REPEATS] == []


@pytest.mark.slow
def test_no_word_and_no_length_tells(big: Correspondence, mails: Mapping[str, str]) -> None:
    """No single word and no length sorts the mails into those with and without instructions."""
    carries = carrying(big)
    words = {path: set(re.findall(r"[a-z]+", body(text).lower())) for path, text in mails.items()}
    total = sum(carries.values())
    for word in set().union(*words.values()):
        having = [path for path in mails if word in words[path]]
        hits = sum(carries[path] for path in having)
        right = hits + (len(mails) - total) - (len(having) - hits)
        assert max(right, len(mails) - right) < 0.72 * len(mails), word
    lengths = {path: len(body(text).split()) for path, text in mails.items()}
    for limit in range(5, 250, 5):
        right = sum((lengths[path] > limit) == carries[path] for path in mails)
        assert max(right, len(mails) - right) < 0.72 * len(mails), limit


@pytest.mark.slow
def test_all_words_together_do_not_tell(big: Correspondence, mails: Mapping[str, str]) -> None:
    """A naive Bayes reader that learns from half of the mails is wrong about many of the others."""
    carries = carrying(big)
    words = {path: set(re.findall(r"[a-z]+", body(text).lower())) for path, text in mails.items()}
    paths = Draw("halves").shuffled(list(mails))
    learned, asked = paths[: len(paths) // 2], paths[len(paths) // 2 :]
    counts = {
        label: Counter(word for path in learned if carries[path] == label for word in words[path])
        for label in (True, False)
    }
    sizes = {label: sum(carries[path] == label for path in learned) for label in (True, False)}

    def score(path: str, label: bool) -> float:
        return math.log(sizes[label]) + sum(
            math.log((counts[label][word] + 1) / (sizes[label] + 2)) for word in words[path]
        )

    right = sum((score(path, True) > score(path, False)) == carries[path] for path in asked)
    assert right < 0.88 * len(asked)


@pytest.mark.slow
def test_a_mail_has_a_header(mails: Mapping[str, str]) -> None:
    """Every mail gives its day, which is that of its file name, its two sides and a subject."""
    for path, text in mails.items():
        day, sender, receiver, subject = text.split("\n\n")[0].split("\n")
        when = re.fullmatch(r"Date: \w+day, (\d+) (\w+) (\d+)", day)
        number = MONTHS.index(when[2]) + 1
        assert path.startswith(f"correspondence/{when[3]}-{number:02d}-{int(when[1]):02d}-"), path
        assert sum("Receivables" in side for side in (sender, receiver)) == 1
        assert len(subject) > len("Subject: ")


@pytest.mark.slow
def test_texts_are_complete(mails: Mapping[str, str]) -> None:
    """No slot, bracket or doubled mark is left in a mail, and every sentence begins with a capital."""
    for text in mails.values():
        assert not re.search(r"[\[\]{}|]|  |,,|\.\.|;\.|\?\.| ,", text), text
        for sentence in told(text):
            assert not sentence[0].islower(), sentence
