"""Random choices are the same everywhere and spread as they should be."""

from collections import Counter

import pytest

from trapcli.core.draw import Draw


def test_choices_are_fixed_for_ever() -> None:
    """The first choices of a stream are these, on every Python and machine."""
    draw = Draw("family/1/7/0")
    assert [draw.below(1000) for _ in range(5)] == FIRST
    assert Draw("family/1/7/0").shuffled("abcdef") == SHUFFLED
    assert Draw("family/1/7/0").stream("x").between(1, 10**9) == STREAM


FIRST = [515, 748, 994, 625, 916]
SHUFFLED = list("acbefd")
STREAM = 673429371


def test_streams_do_not_disturb_each_other() -> None:
    """Drawing from a stream below leaves the one above where it was, and names tell streams apart."""
    one, other = Draw("a"), Draw("a")
    one.stream("b").shuffled(range(9))
    assert one.below(10**9) == other.below(10**9)
    assert Draw("a").stream("b").below(10**9) == Draw("a/b").below(10**9) != Draw("a/c").below(10**9)


def test_choices_are_even() -> None:
    """Each of six outcomes comes up about as often as any (chi-square, 1 in 1,000)."""
    draw = Draw("dice")
    counts = Counter(draw.between(1, 6) for _ in range(6000))
    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 20.5
    assert 400 < sum(draw.chance(0.5) for _ in range(1000)) < 600


def test_shuffling_keeps_all_and_sampling_none_twice() -> None:
    """A shuffle is a permutation, a sample has different positions, and too large a sample is refused."""
    draw = Draw("s")
    assert sorted(draw.shuffled(range(20))) == list(range(20))
    assert len(set(draw.sample(range(20), 7))) == 7
    assert draw.sample([], 0) == []
    with pytest.raises(ValueError, match="cannot draw 3 of 2"):
        draw.sample("ab", 3)
