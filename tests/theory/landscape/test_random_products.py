import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape.random_products import (
    KURTOSIS,
    cross_entropy_gradient_bound,
    deep_linear_gradient_bound,
    entries,
    forward_second_moment,
    fourth_moment,
    gaussian_fourth_moment,
    gram_fourth_moment,
    layer_gradient_second_moment,
    second_moment,
)


def within(draws: torch.Tensor, value: float, errors: float = 4.0) -> bool:
    """The mean of the draws is within some standard errors of the value."""
    return abs(draws.mean().item() - value) < errors * (draws.std() / len(draws) ** 0.5).item()


@pytest.mark.parametrize("law", KURTOSIS)
def test_entries_have_their_variance_and_kurtosis(law):
    w = entries(law, (200_000,), 0.5, rng=torch.Generator().manual_seed(1))
    assert within(w, 0.0)
    assert within(w.square(), 0.5) or law == "rademacher"
    assert within(w.pow(4) / 0.25, KURTOSIS[law]) or law == "rademacher"
    if law == "rademacher":
        assert torch.allclose(w.square(), torch.tensor(0.5).double())


@pytest.mark.parametrize("law", KURTOSIS)
def test_second_and_fourth_moments_hold_for_every_law(law):
    rng = torch.Generator().manual_seed(2)
    W = entries(law, (20_000, 3, 4), 0.7, rng=rng)
    A, B = torch.arange(6.0).reshape(2, 3).double(), torch.ones(4, 2).double()
    assert within((A @ W @ B).square().sum(dim=(1, 2)), second_moment(A, B, 0.7))
    xi = torch.tensor([2.0, 1.0, 0.0], dtype=torch.float64)
    V = entries(law, (40_000, 3, 3), 0.7, rng=rng)
    assert within((V @ xi).square().sum(dim=1).square(), fourth_moment(xi, 0.7, KURTOSIS[law]))


def test_gaussian_chains_multiply():
    rng = torch.Generator().manual_seed(3)
    a = torch.ones(50_000, 3, 1).double()
    for t in range(1, 4):
        a = entries("gaussian", (50_000, 3, 3), 0.3, rng=rng) @ a
        length = a.square().sum(dim=(1, 2)) / 3
        assert within(length, forward_second_moment(3, 0.3, t))
        assert within(length.square(), gaussian_fourth_moment(3, 0.3, t), 5)


def test_the_gram_moment_is_exact_and_its_bound_attained_for_one_unit():
    for d in (1, 2, 5):
        assert gram_fourth_moment(d, 2.0, 1) == pytest.approx(4.0 * d**2 * (2 * d + 1))
        assert gram_fourth_moment(d, 2.0, 0) == pytest.approx(d)
    assert gram_fourth_moment(1, 0.5, 3) == gram_fourth_moment(1, 0.5, 3, exact=False)
    assert (gram_fourth_moment(6, 1.0, 1), gram_fourth_moment(6, 1.0, 1, exact=False)) == (468, 768)


@pytest.mark.parametrize(
    ("d", "L", "k", "s2", "exact", "bound"),
    [(3, 4, 2, 0.4, 5.42, 11.5), (5, 3, 1, 0.2, 151.2, 367), (4, 3, 3, 0.3, 27.4, 89)],
)
def test_layer_gradients_have_the_exact_mean_and_half_the_lemma(d, L, k, s2, exact, bound):
    """One input and target a case, drawn once; the draws of the layers are the measurement."""
    rng = torch.Generator().manual_seed(d * L + k)
    n = 60_000
    x, y = torch.randn(2, d, 1, generator=rng, dtype=torch.float64)
    W = [entries("gaussian", (n, d, d), s2, rng=rng) for _ in range(L)]
    u = x.expand(n, d, 1)
    for layer in W[: k - 1]:
        u = layer @ u
    out = W[k - 1] @ u
    for layer in W[k:]:
        out = layer @ out
    delta = out - y
    for layer in reversed(W[k:]):
        delta = layer.mT @ delta
    norms = delta.square().sum(dim=(1, 2)) * u.square().sum(dim=(1, 2))
    rho, gamma = x.square().sum().item() ** 2, (x.square().sum() * y.square().sum()).item()
    mean = layer_gradient_second_moment(d, L, k, s2, rho=rho, gamma=gamma)
    lemma = layer_gradient_second_moment(d, L, k, s2, rho=rho, gamma=gamma, exact=False)
    assert within(norms, mean, 5)
    assert lemma == pytest.approx(2 * mean)
    assert lemma <= deep_linear_gradient_bound(d, L, s2, rho=rho, gamma=gamma) * (1 + 1e-12)
    assert exact < bound  # the published triples are ordered as here


def test_the_first_term_dominates_far_below_the_range_of_the_notes():
    """The comment after Theorem 52 asks for sigma^4 > d(d + 2) = 120; 0.25 is enough."""
    for L in (1, 2, 5):
        both = deep_linear_gradient_bound(10, L, 0.5, rho=1.0, gamma=1.0)
        second = 2 * 5.0 ** (L - 1)
        assert (both - second) / second == pytest.approx(10 / 3 * 6.0**L)


def test_the_cross_entropy_bound_is_stable_in_depth_at_variance_one_over_d():
    bounds = [cross_entropy_gradient_bound(8, L, 1 / 8, x_sq=3.0) for L in (1, 5, 50)]
    assert bounds == [48.0] * 3


def test_uncorrelated_factors_are_not_enough():
    """Lemma 48 as printed: scalars z u and z v are uncorrelated, and the mean is E z^4."""
    rng = torch.Generator().manual_seed(5)
    z = torch.where(torch.rand(100_000, generator=rng) < 0.5, 0.2, 1.8).double().sqrt()
    u, v, w = (entries("rademacher", (100_000,), 1.0, rng=rng) for _ in range(3))
    A, B = z * u, z * v
    assert abs((A * B).mean().item()) < 0.02
    square = (A * w * B).square().mean().item()
    assert square == pytest.approx(1.64, abs=0.02)
    assert abs(square - 1.0) > 0.5


def test_wrong_sizes_are_refused():
    with pytest.raises(InputError, match="d >= 1"):
        forward_second_moment(0, 1.0, 1)
    with pytest.raises(InputError, match="k must lie"):
        layer_gradient_second_moment(2, 3, 4, 1.0, rho=1.0, gamma=1.0)
