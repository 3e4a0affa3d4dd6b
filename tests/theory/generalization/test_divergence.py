import math

import mpmath
import pytest
import torch
from scipy.optimize import brentq
from torch.distributions import (
    Bernoulli,
    Categorical,
    MultivariateNormal,
    Normal,
    kl_divergence,
)

from corollary.errors import InputError
from corollary.theory.generalization.change_of_measure import (
    dv_gap,
    dv_gap_gaussian,
    gibbs_tilt,
)
from corollary.theory.generalization.divergence import (
    kl_bernoulli,
    kl_discrete,
    kl_gaussian,
    kl_gaussian_full,
    kl_inverse,
    kl_inverse_grad,
)


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def laws(n, k, seed=0):
    return draw(n, k, seed=seed).softmax(1)


def test_all_three_divergences_are_those_of_torch():
    P, Q = laws(50, 4, 1), laws(50, 4, 2)
    assert torch.allclose(kl_discrete(P, Q), kl_divergence(Categorical(P), Categorical(Q)))
    q, p = P[:, 0], Q[:, 0]
    assert torch.allclose(kl_bernoulli(q, p), kl_divergence(Bernoulli(q), Bernoulli(p)))
    means, s = draw(2, 6, seed=3), draw(2, 6, seed=4).exp()
    theirs = kl_divergence(Normal(means[0], s[0].sqrt()), Normal(means[1], s[1].sqrt())).sum()
    assert torch.allclose(kl_gaussian(means[0], s[0], means[1], s[1]), theirs)


def test_the_divergence_is_positive_but_for_equal_laws_and_not_symmetric():
    P, Q = laws(200, 3, 1), laws(200, 3, 2)
    assert bool((kl_discrete(P, Q) > 0).all())
    assert torch.allclose(kl_discrete(P, P), torch.zeros(200, dtype=torch.float64), atol=1e-15)
    assert kl_bernoulli(0.1, 0.5) == pytest.approx(0.3681, abs=1e-4)
    assert kl_bernoulli(0.5, 0.1) == pytest.approx(0.5108, abs=1e-4)


def test_mass_outside_the_support_costs_infinitely_much():
    assert kl_bernoulli(0.5, 0.0) == math.inf and kl_bernoulli(0.5, 1.0) == math.inf
    assert kl_bernoulli(0.0, 0.0) == 0.0
    one = torch.tensor([1.0, 0.0], dtype=torch.float64)
    assert kl_discrete(one.flip(0), one).item() == math.inf


def test_pinsker_holds_for_coins():
    q, p = torch.rand(2, 5000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert bool((kl_bernoulli(q, p) >= 2 * (q - p).square() - 1e-15).all())


@pytest.mark.parametrize("q", [0.0, 1e-6, 0.01, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("c", [1e-6, 1e-3, 0.1, 1.0, 5.0])
def test_the_inverse_is_the_root_that_scipy_finds(q, c):
    last = 1 - 2.0**-53
    within = kl_bernoulli(q, last) <= c  # then the root rounds to 1
    root = 1.0 if within else brentq(lambda p: kl_bernoulli(q, p) - c, max(q, 1e-300), last)
    assert kl_inverse(q, c) == pytest.approx(root, abs=1e-10)
    assert kl_inverse(torch.tensor(q, dtype=torch.float64), c).item() == pytest.approx(
        root, abs=1e-10
    )


def test_the_inverse_has_the_right_ends():
    assert kl_inverse(0.3, 0.0) == 0.3 and kl_inverse(1.0, 2.0) == 1.0
    assert kl_inverse(0.3, math.inf) == 1.0 and kl_inverse(0.1, 100.0) == 1.0
    many = kl_inverse(
        torch.tensor([0.3, 1.0, 0.3], dtype=torch.float64),
        torch.tensor([0.0, 2.0, math.inf], dtype=torch.float64),
    )
    assert many.tolist() == [0.3, 1.0, 1.0]
    assert kl_inverse(0.2, 1e-40) == pytest.approx(0.2)


def exact_inverse(q, c):
    """Bisection with ninety digits."""
    q, c = mpmath.mpf(q), mpmath.mpf(c)
    low, high = q, mpmath.mpf(1)
    for _ in range(240):
        p = (low + high) / 2
        kl = (q * mpmath.log(q / p) if q else 0) + (1 - q) * mpmath.log((1 - q) / (1 - p))
        low, high = (low, p) if kl > c else (p, high)
    return low


@pytest.mark.parametrize("q", [0.0, 1e-18, 1e-6, 0.01, 0.3, 0.9, 1 - 1e-9])
@pytest.mark.parametrize("c", [1e-30, 1e-16, 1e-9, 1e-3, 0.2, 3.0, 30.0])
def test_the_inverse_is_rounded_up_and_by_little(q, c):
    with mpmath.workdps(90):
        root = exact_inverse(q, c)
        for found in (kl_inverse(q, c), kl_inverse(torch.tensor(q, dtype=torch.float64), c).item()):
            # d = p - q is made larger by 1e-14, and the sum is rounded to the next number above
            assert root <= found <= root * (1 + mpmath.mpf("2.2e-14"))


@pytest.mark.parametrize("q, c", [(0.05, 0.1), (0.3, 0.02), (0.7, 0.5)])
def test_the_slopes_of_the_inverse_are_those_of_differences(q, c):
    _, in_q, in_c = kl_inverse_grad(q, c)
    h = 1e-6
    assert in_q == pytest.approx((kl_inverse(q + h, c) - kl_inverse(q - h, c)) / (2 * h), rel=1e-5)
    assert in_c == pytest.approx((kl_inverse(q, c + h) - kl_inverse(q, c - h)) / (2 * h), rel=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: kl_bernoulli(1.1, 0.5),
        lambda: kl_inverse(0.1, -1.0),
        lambda: kl_inverse(-0.1, 1.0),
        lambda: kl_inverse(torch.tensor([0.1]), math.nan),
    ],
)
def test_what_is_no_probability_or_no_divergence_is_refused(wrong):
    with pytest.raises(InputError):
        wrong()


def test_variances_must_be_positive():
    z = torch.zeros(1)
    with pytest.raises(InputError, match="var_p"):
        kl_gaussian(z, z, z, z + 1)


def covariances(n, d, seed):
    root = draw(n, d, d, seed=seed)
    return root @ root.mT + 0.1 * torch.eye(d, dtype=torch.float64)


def test_the_divergence_of_full_normal_laws_is_that_of_torch():
    m, S = draw(2, 40, 6, seed=1), [covariances(40, 6, seed) for seed in (2, 3)]
    theirs = kl_divergence(*(MultivariateNormal(a, b) for a, b in zip(m, S, strict=True)))
    assert torch.allclose(kl_gaussian_full(m[0], S[0], m[1], S[1]), theirs, rtol=1e-10)


def test_with_diagonal_covariances_it_is_the_divergence_of_diagonal_laws():
    m, s = draw(2, 6, seed=3), draw(2, 6, seed=4).exp()
    full = kl_gaussian_full(m[0], s[0].diag(), m[1], s[1].diag())
    assert torch.allclose(full, kl_gaussian(m[0], s[0], m[1], s[1]), rtol=1e-13)


def test_for_nearly_equal_laws_it_keeps_its_digits():
    """Half of tr(E²)/2 to leading order for covariances I + E and I, by fifty digits of mpmath."""
    E = 1e-6 * covariances(1, 4, 5)[0]
    eye = torch.eye(4, dtype=torch.float64)
    z = torch.zeros(4, dtype=torch.float64)
    with mpmath.workdps(50):
        M = mpmath.matrix((eye + E).tolist())
        exact = (sum(M[i, i] for i in range(4)) - 4 - mpmath.log(mpmath.det(M))) / 2
    # a part 1e-6 of each entry is left of its 16 digits, and the divergence is its square
    assert float(kl_gaussian_full(z, eye + E, z, eye)) == pytest.approx(float(exact), rel=1e-9)


def test_the_divergence_of_full_normal_laws_has_the_right_gradient():
    root = draw(3, 3, seed=1).requires_grad_()
    m = draw(2, 3, seed=2).requires_grad_()
    eye = torch.eye(3, dtype=torch.float64)
    law = lambda r, m: kl_gaussian_full(m[0], r @ r.T + eye, m[1], 2 * eye)  # noqa: E731
    assert torch.autograd.gradcheck(law, (root, m))


@pytest.mark.parametrize(
    "wrong, said",
    [
        ([[1.0, 2.0], [2.0, 1.0]], "cov_p to be positive definite"),
        ([[1.0, 0.5], [0.0, 1.0]], "cov_p to be a symmetric matrix"),
        ([[math.nan, 0.0], [0.0, 1.0]], "finite"),
    ],
)
def test_what_is_no_covariance_is_refused(wrong, said):
    z = torch.zeros(2)
    with pytest.raises(InputError, match=said):
        kl_gaussian_full(z, torch.tensor(wrong), z, torch.eye(2))


def test_the_gap_of_the_change_of_measure_is_positive_and_zero_at_the_tilt():
    P, Q, phi = laws(500, 5, 1), laws(500, 5, 2), 3 * draw(500, 5)
    assert bool((dv_gap(P, Q, phi) > 0).all())
    assert float(dv_gap(P, gibbs_tilt(P, phi), phi).abs().max()) < 1e-12


def test_a_law_outside_of_the_other_is_refused():
    P, Q = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
    with pytest.raises(InputError, match="absolutely continuous"):
        dv_gap(P, Q, torch.zeros(2, dtype=torch.float64))


def test_normal_laws_have_no_gap_exactly_when_one_is_the_moved_other():
    m, s, v = draw(4, seed=1), draw(4, seed=2).exp(), draw(4, seed=3)
    assert dv_gap_gaussian(m, s, m + s * v, s, v) == pytest.approx(0, abs=1e-12)
    assert dv_gap_gaussian(m, s, m, 2 * s, v) > 0
