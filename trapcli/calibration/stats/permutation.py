"""Two permutation tests of the difference of two runs: over trials for these cases, over cases for new ones.

Both take pairs of a case's counts in run A and in run B, as `trapcli.calibration.stats.comparison`
does, and use the difference of the mean rates. They are two-sided: the p-value is the share of the
permutations whose difference is at least as far from 0 as the observed one (Fisher 1935).
Differences are whole numbers on a common scale, so that ties are exact.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb, lcm, prod
from random import Random
from sys import float_info
from typing import TypeAlias

from trapcli.calibration.stats.rates import Counts

Pairs: TypeAlias = Sequence[tuple[Counts, Counts]]  # a case's counts in run A and in run B
Steps: TypeAlias = dict[int, float]  # by what a case can add to the difference, its probability

MAX_SUMS = 50_000  # distinct differences that are still enumerated
DRAWS = 20_000  # random permutations if there are more

LEVEL = 0.05 + 1e-12  # the largest p-value that shows a difference, and what it may be rounded by


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The result of a permutation test.

    p: the p-value; more than 0.
    smallest_p: the least p-value that this number of cases and trials can give.
    exact: whether p was enumerated, not drawn.
    """

    p: float
    smallest_p: float
    exact: bool

    @property
    def significant(self) -> bool:
        """Whether p is at most 5%."""
        return self.p <= LEVEL

    @property
    def possible(self) -> bool:
        """Whether so few cases and trials can be significant at all."""
        return self.smallest_p <= LEVEL


def trial_permutation_test(both: Pairs) -> PermutationTest:
    """Test whether any of these cases has other rates in run B than in run A.

    both: at least one pair, all with trials.

    If none has, each trial of a case could as well belong to the other run: with t passes of a case
    in all, those in run B are hypergeometric. With one case this is Fisher's exact test; with
    several it is the exact form of the test of Cochran, Mantel and Haenszel (Mehta, Patel and Gray
    1985), but all cases have the same weight.
    """
    scale = _scale(both)
    steps = [_passes_in_b(a, b, scale) for a, b in both]
    least = prod(1 / comb(m + n, n) for (_, m), (_, n) in both)
    mirrored = all(m == n for (_, m), (_, n) in both)
    return _test(steps, both, min(1.0, least * (2 if mirrored else 1)))


def sign_flip_test(both: Pairs) -> PermutationTest:
    """Test whether cases of the build pass more or less often in run B than in run A.

    both: at least one pair, all with trials.

    If they do not, each case's difference is as likely to have the opposite sign (strictly so if
    both runs have equally many trials of the case).
    """
    scale = _scale(both)
    sizes = sorted(abs(_difference(a, b, scale)) for a, b in both)
    return _test([{-size: 0.5, size: 0.5} for size in sizes if size], both, 2.0 ** (1 - len(both)))


def _scale(both: Pairs) -> int:
    return lcm(*(m * n for (_, m), (_, n) in both))


def _difference(first: Counts, second: Counts, scale: int) -> int:
    (a, m), (b, n) = first, second
    return (b * m - a * n) * (scale // (m * n))


def _passes_in_b(first: Counts, second: Counts, scale: int) -> Steps:
    """Return the differences of a case, by how many of its passes are in run B."""
    (a, m), (b, n) = first, second
    passes, ways = a + b, comb(m + n, a + b)
    return {
        _difference((passes - k, m), (k, n), scale): comb(m, passes - k) * comb(n, k) / ways
        for k in range(max(0, passes - m), min(passes, n) + 1)
    }


def _test(steps: Sequence[Steps], both: Pairs, smallest: float) -> PermutationTest:
    scale = _scale(both)
    observed = abs(sum(_difference(a, b, scale) for a, b in both))
    sums = _distribution(steps)
    if sums is None:
        return PermutationTest(_drawn_p(steps, observed), max(smallest, 1 / (DRAWS + 1)), exact=False)
    far = sum(chance for total, chance in sums.items() if abs(total) >= observed)
    least = float_info.min  # products of small probabilities may round to 0
    return PermutationTest(min(1.0, max(far, least)), max(smallest, least), exact=True)


def _distribution(steps: Sequence[Steps]) -> Steps | None:
    """Return the probability of each sum of one step per case; None for more than `MAX_SUMS` sums."""
    sums: Steps = {0: 1.0}
    for step in steps:
        more: defaultdict[int, float] = defaultdict(float)
        for total, chance in sums.items():
            for size, share in step.items():
                more[total + size] += chance * share
        if len(more) > MAX_SUMS:
            return None
        sums = more
    return sums


def _drawn_p(steps: Sequence[Steps], observed: int) -> float:
    """Return p from `DRAWS` permutations of a fixed stream: (1 + far) / (1 + DRAWS).

    Davison and Hinkley 1997, "Bootstrap methods and their application". The steps are sorted, so
    that the order of the cases does not matter.
    """
    random = Random("calibrate/compare/permutations").random
    ordered = sorted(sorted(step.items()) for step in steps)
    sizes = [[size for size, _ in step] for step in ordered]
    bounds = [list(accumulate(chance for _, chance in step))[:-1] for step in ordered]
    far = 0
    for _ in range(DRAWS):
        total = sum(size[bisect(bound, random())] for size, bound in zip(sizes, bounds, strict=True))
        far += abs(total) >= observed
    return (1 + far) / (1 + DRAWS)
