import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.stochastic.linear_systems import (
    contraction,
    sgd_floor,
    step_limits,
    sum_of_squares,
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def system(n, d, noise=0.0):
    X = torch.randn(n, d, generator=rng(), dtype=torch.float64)
    w = torch.randn(d, generator=rng(1), dtype=torch.float64)
    return X, X @ w + noise * torch.randn(n, generator=rng(2), dtype=torch.float64)


def test_the_mean_of_the_functions_is_half_the_squared_residual():
    X, y = system(20, 3, noise=1.0)
    w = torch.ones(3, dtype=torch.float64)
    assert float(sum_of_squares(X, y).value(w)) == pytest.approx(float((X @ w - y).norm() ** 2 / 2))


def test_the_inequality_holds_exactly_averaged_over_the_rows():
    X, y = system(20, 3, noise=1.0)
    o, eta = sum_of_squares(X, y), step_limits(X).floor
    w = torch.randn(300, 3, generator=rng(3), dtype=torch.float64)
    g = o.components(w)
    after = (w[:, None] - eta * g - o.minimiser).square().sum(dim=-1).mean(dim=-1)
    floor = eta**2 * g.square().sum(dim=-1).mean(dim=-1)
    assert bool((after >= floor * (1 - 1e-12)).all())


def test_without_a_solution_the_error_stops_at_a_plateau():
    X, y = system(20, 3, noise=1.0)
    found = sgd_floor(X, y, step_limits(X).floor / 4, steps=1000, runs=200, rng=rng(4))
    o, eta = sum_of_squares(X, y), step_limits(X).floor / 4
    floor = eta**2 * float(o.components(o.minimiser).square().sum(dim=-1).mean())
    mean = found.error.mean(dim=1)
    assert not found.consistent
    assert float(mean[-1]) == pytest.approx(float(mean[len(mean) // 2]), rel=0.5)
    assert float(mean[-30:].min()) > floor > 0


def test_with_a_solution_the_error_falls_to_rounding_though_the_notes_say_it_cannot():
    X, y = system(20, 3)
    eta = step_limits(X).floor
    found = sgd_floor(X, y, eta, steps=2000, points=4, rng=rng(5))
    assert found.consistent and float(found.error[-1, 0]) < 1e-28


def test_in_many_dimensions_the_same_rule_diverges_and_a_shorter_step_converges():
    X, y = system(200, 50)
    limits = step_limits(X)
    assert limits.floor > limits.convergence
    long = sgd_floor(X, y, limits.floor, steps=200, rng=rng(6))
    short = sgd_floor(X, y, limits.convergence / 2, steps=1200, rng=rng(6))
    assert not float(long.error[-1, 0]) < 1e3 * float(long.error[0, 0])
    assert contraction(X, limits.convergence / 2) < 1 < contraction(X, limits.floor)
    assert float(short.error[-1, 0]) < 1e-3 * float(short.error[0, 0])


def test_the_contraction_bounds_every_expected_step():
    X, y = system(20, 3)
    o, eta = sum_of_squares(X, y), 0.7 * step_limits(X).convergence
    w = o.minimiser + torch.randn(300, 3, generator=rng(7), dtype=torch.float64)
    step = w[:, None] - eta * o.components(w) - o.minimiser
    after = step.square().sum(dim=-1).mean(dim=-1)
    before = (w - o.minimiser).square().sum(dim=-1)
    assert bool((after <= contraction(X, eta) * before * (1 + 1e-9)).all())


def test_rows_of_zeros_are_refused():
    with pytest.raises(InputError, match="non-zero row"):
        step_limits(torch.zeros(3, 2, dtype=torch.float64))
