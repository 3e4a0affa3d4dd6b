"""The lower inverse against mpmath, SciPy and exact binomial tails."""

import math

import mpmath
import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import binom

from corollary.errors import InputError
from corollary.theory.generalization.divergence import kl_inverse
from corollary.theory.generalization.kl_lower import ERROR, kl_inverse_lower, lower_divergence


def exact(q, p):
    """The divergence of two doubles, to a hundred digits."""
    q, p = mpmath.mpf(q), mpmath.mpf(p)
    rest = (1 - q) * mpmath.log((1 - q) / (1 - p)) if q < 1 else 0
    return q * mpmath.log(q / p) + rest


def coins(n, seed):
    """Ordinary coins, very unfair ones, and pairs from far apart to neighbouring numbers."""
    rng = np.random.default_rng(seed)
    q = np.concatenate(
        [
            rng.uniform(size=n),
            10 ** rng.uniform(-30, 0, n),
            1 - 10 ** rng.uniform(-16, -1, n),
            np.ones(n // 4),
        ]
    )
    near, far = 1 - 10 ** rng.uniform(-16, 0, len(q)), 10 ** rng.uniform(-100, 0, len(q))
    p = np.minimum(q * np.where(rng.random(len(q)) < 0.5, near, far), np.nextafter(q, 0))
    return q, p, 10 ** rng.uniform(-40, 2.5, len(q))


def test_the_divergence_has_the_error_that_is_paid_for():
    q, p, _ = coins(300, 0)
    found = lower_divergence(q, p).tolist()
    with mpmath.workdps(200):
        errors = [abs(d / exact(a, b) - 1) for d, a, b in zip(found, q, p, strict=True)]
    assert max(errors) < ERROR / 2


def test_it_is_a_lower_bound_to_the_last_digit_and_no_looser_than_rounding():
    q, _, c = coins(300, 1)
    low = kl_inverse_lower(torch.tensor(q), torch.tensor(c)).tolist()
    with mpmath.workdps(200):
        for a, b, limit in zip(q, low, c, strict=True):
            assert b == 0 or exact(a, b) >= limit
            if b > 1e-290:  # eight units further up the divergence is too small
                up = b * (1 + 8 * mpmath.mpf(2) ** -52 + 8 * ERROR * limit * (1 - b) / (a - b))
                assert up >= a or exact(a, up) < limit


@pytest.mark.parametrize("q", [1e-6, 0.01, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("c", [1e-3, 0.1, 1.0, 5.0])
def test_it_is_the_root_that_scipy_finds_and_the_mirror_image_of_the_upper_one(q, c):
    gap = lambda u: rel_entr(q, math.exp(u)) + rel_entr(1 - q, -math.expm1(u)) - c  # noqa: E731
    if gap(-700.0) > 0:
        root = math.exp(brentq(gap, -700.0, math.log(q), xtol=1e-14))
        assert kl_inverse_lower(q, c) == pytest.approx(root, rel=1e-9)
    assert kl_inverse_lower(q, c) == pytest.approx(1 - kl_inverse(1 - q, c), abs=1e-10)


@pytest.mark.parametrize("N, eps", [(20, 0.1), (200, 0.01)])
def test_a_share_of_successes_is_below_it_as_seldom_as_chernoff_says(N, eps):
    """For every true p, the exact probability that the bound from k of N is above p."""
    k = np.arange(N + 1)
    low = kl_inverse_lower(torch.tensor(k / N), math.log(1 / eps) / N).numpy()
    for p in np.linspace(0.001, 0.999, 200):
        assert binom.pmf(k, N, p)[low > p].sum() <= eps


def test_the_ends_are_exact():
    assert kl_inverse_lower(0.3, 0.0) == 0.3 and kl_inverse_lower(0.0, 2.0) == 0.0
    assert kl_inverse_lower(0.3, math.inf) == 0.0 and kl_inverse_lower(1e-300, 1e-5) == 0.0
    assert kl_inverse_lower(1e-10, 1e300) == 0.0
    assert kl_inverse_lower(0.2, 1e-40) == np.nextafter(0.2, 0.0)
    assert kl_inverse_lower(1.0, 3.0) == pytest.approx(math.exp(-3), rel=1e-12)
    both = kl_inverse_lower(torch.tensor([[0.3], [0.0]]), torch.tensor([0.0, math.inf]))
    assert both.tolist() == [[pytest.approx(0.3), 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    "q, c", [(1.1, 1.0), (-0.1, 1.0), (0.1, -1.0), (math.nan, 1.0), (0.1, math.nan)]
)
def test_what_is_no_probability_or_no_divergence_is_refused(q, c):
    with pytest.raises(InputError, match="expected q in"):
        kl_inverse_lower(q, c)
