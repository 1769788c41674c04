"""How large a difference two runs must have before `trapcli inspect run --compare` is likely to show it."""

from collections.abc import Sequence
from math import comb, fsum, prod, sqrt

from trapcli.calibration.stats.permutation import LEVEL
from trapcli.calibration.stats.quantiles import NORMAL_80, NORMAL_975
from trapcli.calibration.stats.rates import Cases, cases_with_trials, mean_of_rates, noise_variances

# Continuity correction, in steps of one trial; the test at 5% rejects less than 5%, since its p-value
# moves in steps too. With it simulated power is nearest 80% (tests/benchmarks/rates/power.py).
STEPS = 0.6

ROUNDING = 1e-12  # of a mean rate that is 1/2


def minimum_detectable_difference(cases: Cases) -> float | None:
    """Return the least difference of the mean rate that a second run on these cases shows with 80% power.

    It is computed for the test that decides on these cases, `trial_permutation_test`, for a second
    run with as many trials of each case, as if this run's rates were the true ones. See
    `detectable_difference`. None for no case, and for too few trials.
    """
    known = cases_with_trials(cases)
    rate = mean_of_rates(known) if known else 0.0
    swapped = [(trials - passes, trials) for passes, trials in known]
    if abs(rate - 1 / 2) < ROUNDING:
        found = [_toward_passes(known), _toward_passes(swapped)]
        both = [difference for difference in found if difference is not None]
        return max(both) if len(both) == len(found) else None
    return _toward_passes(known if rate < 1 / 2 else swapped) if known else None


def _toward_passes(known: Cases) -> float | None:
    if _smallest_p(known) > LEVEL:
        return None
    return detectable_difference(
        [
            (trials, 1 - passes / trials, noise)
            for (passes, trials), noise in zip(known, noise_variances(known), strict=True)
        ]
    )


def detectable_difference(cases: Sequence[tuple[int, float, float]]) -> float | None:
    """Return the difference of the mean rate that is shown with 80% power if all cases get better alike.

    cases: trials of a case, the probability x that one fails, and the variance v of its pass rate.

    Every case moves the same share f of its way to 1; for a mean rate above 1/2, failures and passes
    are to be swapped, since a change toward 1/2 needs more. The difference is D = f * (mean of x),
    more than 0, and f is the least for which (None if even f = 1 is too little)

        D >= STEPS w + z sqrt(N(f)) + z80 sqrt(W(0) + W(f))

        w     = (sum of 1/n) / C^2, a step of the difference, for C cases of n trials
        W(f)  = sum of (1-f) ((1-f) v + f x/n) / C^2, the variance of the mean rate after the change
        N(f)  = 2 W(f/2) + sum of (f x)^2 / (2n (2n-1)) / C^2, the variance of D over permutations

    That is the sample size of a stratified comparison (Woolson, Bean and Rojas 1986; for one case
    Fleiss, "Statistical methods for rates and proportions"), with the test's own variance.
    """
    square = len(cases) ** 2
    room = fsum(x for _, x, _ in cases) / len(cases)
    step = fsum(1 / n for n, _, _ in cases) / square

    def variance(share: float) -> float:
        stay = 1 - share
        return fsum(stay * (stay * v + share * x / n) for n, x, v in cases) / square

    def is_detected(share: float) -> bool:
        apart = fsum((share * x) ** 2 / (2 * n * (2 * n - 1)) for n, x, _ in cases) / square
        test = NORMAL_975 * sqrt(2 * variance(share / 2) + apart)
        return share * room >= STEPS * step + test + NORMAL_80 * sqrt(variance(0) + variance(share))

    low, high = 0.0, 1.0
    if not is_detected(high):
        return None
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high * room


def _smallest_p(known: Cases) -> float:
    """Return the p-value of `trial_permutation_test` if all trials of the second run pass."""
    return 2 * prod(comb(trials, passes) / comb(2 * trials, trials + passes) for passes, trials in known)
