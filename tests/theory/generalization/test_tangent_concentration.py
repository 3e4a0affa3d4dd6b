import math

import pytest
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.theory.generalization.tangent_concentration import (
    gram_frobenius_bound,
    ntk_concentration_bound,
    ntk_eigen_bounds,
    ntk_summands,
    rademacher_matrix_ball,
    rademacher_matrix_bound,
    sampled_gram,
    width_for_positive_definiteness,
)
from corollary.theory.kernels.shallow import two_layer_gram
from corollary.theory.kernels.two_layer import h_infinity
from corollary.theory.networks.activations import activation


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def units(n, d, seed=0):
    x = draw(n, d, seed=seed)
    return x / x.norm(dim=1, keepdim=True)


@pytest.mark.parametrize("name", ["relu", "tanh", "sigmoid"])
def test_every_summand_is_below_both_bounds(name):
    act, X = activation(name), draw(7, 3)
    norms = ntk_summands(draw(200, 3, seed=1), X, act).flatten(1).norm(dim=1)
    sharp, loose = gram_frobenius_bound(X, act.lipschitz)
    assert float(norms.max()) <= sharp <= loose


def test_one_input_with_the_steepest_slope_attains_the_bound():
    X = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    H = ntk_summands(X, X, activation("relu"))
    assert float(H.norm()) == gram_frobenius_bound(X)[0] == gram_frobenius_bound(X)[1] == 25


def test_the_mean_of_the_summands_is_the_gram_matrix_of_the_network():
    W, X = draw(40, 3, seed=1), draw(5, 3)
    mean = ntk_summands(W, X, activation("relu")).mean(0)
    assert torch.allclose(mean, two_layer_gram(W, X))
    assert torch.allclose(mean, sampled_gram(W, X, activation("relu")))


def test_output_weights_enter_squared():
    W, X, a = draw(6, 3, seed=1), draw(5, 3), draw(6, seed=2)
    plain, weighted = (ntk_summands(W, X, activation("tanh"), b) for b in (None, a))
    assert torch.allclose(weighted, a.square()[:, None, None] * plain)
    assert not ntk_summands(W, X, activation("tanh"), 0 * a).any()


def test_the_supremum_over_the_ball_is_the_norm():
    U = draw(4, 4)
    V = draw(10_000, 4, 4, seed=1)
    V = V / V.flatten(1).norm(dim=1)[:, None, None]
    assert float((V * U).sum((1, 2)).max()) <= float(U.norm())
    assert float((U * (U / U.norm())).sum()) == pytest.approx(float(U.norm()))


def test_drawn_signs_agree_with_all_signs_and_stay_below_the_bound():
    X = units(4, 3)
    H = ntk_summands(draw(10, 3, seed=1), X, activation("relu"))
    exact = rademacher_matrix_ball(H)
    drawn = rademacher_matrix_ball(H, draws=4000, rng=torch.Generator().manual_seed(0))
    assert len(exact) == 512
    error = 4 * float(drawn.std()) / 4000**0.5
    assert float(drawn.mean()) == pytest.approx(float(exact.mean()), abs=error)
    assert float(exact.mean()) <= rademacher_matrix_bound(10, X)
    root = float(H.square().sum()) ** 0.5 / 10  # Jensen
    assert float(exact.mean()) <= root <= rademacher_matrix_bound(10, X)


def test_the_deviation_is_below_the_bound_in_all_runs_and_decays_like_one_over_root_m():
    X = units(6, 3)
    G, sizes, means = h_infinity(X), [32, 64, 128, 256, 512], []
    W = draw(100, sizes[-1], 3, seed=1)
    for m in sizes:
        gap = sampled_gram(W[:, :m], X, activation("relu")) - G
        norms = torch.linalg.matrix_norm(gap, ord=2)
        assert float(norms.max()) <= ntk_concentration_bound(X, 1.0, m, 0.05)
        means.append(float(norms.mean()))
    assert loglog_fit(sizes, means).slope == pytest.approx(-0.5, abs=0.1)


def test_eigenvalues_stay_between_their_bounds():
    X = units(4, 3)
    G = h_infinity(X)
    low, high = ntk_eigen_bounds(G, X, 1.0, 400, 0.05)
    found = torch.linalg.eigvalsh(sampled_gram(draw(100, 400, 3, seed=1), X, activation("relu")))
    assert low <= float(found[:, 0].min()) and float(found[:, -1].max()) <= high


def test_the_width_for_definiteness_is_the_smallest_that_works_and_scales_as_stated():
    X = units(4, 3)
    m = width_for_positive_definiteness(0.1, X, 1.0, 0.05)
    assert ntk_concentration_bound(X, 1.0, m, 0.05) < 0.1
    assert ntk_concentration_bound(X, 1.0, m - 1, 0.05) >= 0.1
    four = width_for_positive_definiteness(0.05, X, 1.0, 0.05)
    assert four / m == pytest.approx(4, rel=1e-3)
    with pytest.raises(InputError, match="lambda_min"):
        width_for_positive_definiteness(0.0, X, 1.0, 0.05)


def test_the_sharp_form_takes_the_gram_matrix():
    X = torch.eye(4, dtype=torch.float64)
    wide, sharp = (ntk_concentration_bound(X, 1.0, 100, 0.05, sharp=s) for s in (False, True))
    assert wide == pytest.approx(2 * sharp)
    by_hand = 4 * (2 + 6 * math.sqrt(math.log(40) / 2)) / 10
    assert wide == pytest.approx(by_hand)


@pytest.mark.parametrize("delta", [0.0, 1.0])
def test_delta_is_a_probability(delta):
    with pytest.raises(InputError, match="delta"):
        ntk_concentration_bound(torch.eye(2), 1.0, 10, delta)
