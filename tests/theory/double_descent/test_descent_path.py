import pytest
import torch

from corollary.data.planted import planted
from corollary.errors import InputError
from corollary.theory.double_descent.bias_variance import min_norm
from corollary.theory.double_descent.descent_path import gd_path, slowest_time
from corollary.theory.optimization.gradient_descent import gradient_descent


def problem(n, p, seed=0, sigma=0.5):
    data = planted(n, p, sigma=sigma, rng=torch.Generator().manual_seed(seed))
    eta = n / float(torch.linalg.matrix_norm(data.phi, 2)) ** 2
    return data, eta


@pytest.mark.parametrize("shape", [(12, 5), (8, 8), (5, 12)])
@pytest.mark.parametrize("share", [0.5, 1.5])
def test_the_closed_form_is_what_the_steps_give(shape, share):
    data, eta = problem(*shape)
    phi, y, n = data.phi, data.y, shape[0]
    run = gradient_descent(
        lambda w: 0.5 * (phi @ w - y).square().mean(),
        torch.zeros(shape[1]).double(),
        share * eta,
        50,
    )
    path = gd_path(phi, y, share * eta, range(51))
    torch.testing.assert_close(path, run.x, rtol=1e-10, atol=1e-12)
    assert n == len(y)


@pytest.mark.parametrize("shape", [(12, 5), (5, 12)])
def test_a_long_run_ends_at_the_shortest_least_squares_solution(shape):
    data, eta = problem(*shape)
    end = gd_path(data.phi, data.y, eta, [10**7])[0]
    torch.testing.assert_close(end, min_norm(data.phi, data.y), rtol=1e-9, atol=1e-10)


def test_at_the_threshold_descent_is_slow_and_stopping_early_lowers_the_risk():
    slow, gain = [], []
    for seed in range(9):
        square, eta = problem(30, 30, seed)
        tall, other = problem(30, 10, seed)
        slow.append(slowest_time(square.phi, eta) / slowest_time(tall.phi, other))
        risks = square.risk(gd_path(square.phi, square.y, eta, [30, 10**9])) - square.bayes_risk
        gain.append(float(risks[1] / risks[0]))
    assert sorted(slow)[4] > 20
    assert sorted(gain)[4] > 5


def test_features_of_rank_one_are_handled():
    phi = torch.ones(3, 2, dtype=torch.float64)
    end = gd_path(phi, torch.ones(3).double(), 0.1, [10_000])[0]
    torch.testing.assert_close(end, torch.full((2,), 0.5, dtype=torch.float64))


def test_negative_numbers_of_steps_are_refused():
    with pytest.raises(InputError, match="negative"):
        gd_path(torch.eye(2), torch.ones(2), 0.1, [-1])
