import math

import pytest
import torch
from scipy.optimize import minimize_scalar

from corollary.errors import InputError
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import (
    diagonal_scaling,
    iterations_to,
    matrix_with_spectrum,
    optimal_step,
    precondition,
    quadratic_rate,
    whitening,
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def spectrum(*values, seed=0):
    return matrix_with_spectrum(torch.tensor(values, dtype=torch.float64), rng=rng(seed))


def test_each_eigendirection_contracts_by_its_own_factor():
    Q, eta = spectrum(1.0, 4.0, 9.0), 0.15
    rate = quadratic_rate(Q, eta)
    for i in range(3):
        run = gradient_descent(lambda x: 0.5 * x @ Q @ x, rate.directions[:, i], eta, 3)
        ratios = run.f[1:] / run.f[:-1]
        torch.testing.assert_close(ratios, rate.factors[i].expand(3), rtol=1e-10, atol=1e-10)


def test_one_and_a_half_over_lambda_converges_and_a_bit_more_than_two_diverges():
    """The notes ask for less than 1/lambda."""
    Q = spectrum(1.0, 10.0)
    assert quadratic_rate(Q, 0.15).converges
    assert not quadratic_rate(Q, 0.21).converges
    f, x = lambda x: 0.5 * x @ Q @ x, torch.ones(2).double()
    assert float(gradient_descent(f, x, 0.15, 200).f[-1]) < 1e-12
    assert float(gradient_descent(f, x, 0.21, 200).f[-1]) > 1e3


@pytest.mark.parametrize("values", [(-1.0, 2.0), (0.0, 1.0)])
def test_a_matrix_that_is_not_positive_definite_is_refused(values):
    Q = torch.diag(torch.tensor(values, dtype=torch.float64))
    with pytest.raises(InputError, match="positive definite"):
        quadratic_rate(Q, 0.1)
    with pytest.raises(InputError, match="positive definite"):
        optimal_step(Q)


def test_the_best_step_is_found_by_a_search_and_lies_beyond_one_over_lambda_max():
    Q = spectrum(1.0, 10.0)
    best = optimal_step(Q)
    found = minimize_scalar(
        lambda eta: float(quadratic_rate(Q, eta).factors.max()),
        bounds=(1e-6, 0.3),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert found.x == pytest.approx(best.eta, abs=1e-7)
    assert best.eta == pytest.approx(0.182, abs=5e-4) and best.eta > 0.1
    assert best.rho == pytest.approx(0.669, abs=5e-4) and best.rho <= (1 - 1 / 10) ** 2
    assert (1 - best.kappa) ** 2 == pytest.approx(81)  # the printed bound says nothing


def test_the_worst_start_contracts_by_rho_at_each_step():
    Q = spectrum(1.0, 3.0, 25.0)
    best = optimal_step(Q)
    rate = quadratic_rate(Q, best.eta)
    start = rate.directions[:, 0] + rate.directions[:, -1]
    f = gradient_descent(lambda x: 0.5 * x @ Q @ x, start, best.eta, 20).f
    torch.testing.assert_close(f[1:] / f[:-1], torch.full((20,), best.rho).double())


def test_iterations_grow_like_the_condition_number():
    steps = [iterations_to(1e-6, optimal_step(spectrum(1.0, k)).rho) for k in (50.0, 100.0, 200.0)]
    assert steps[1] / steps[0] == pytest.approx(2, rel=0.02)
    assert steps[2] == pytest.approx(200 / 4 * math.log(1e6), rel=0.01)
    with pytest.raises(InputError):
        iterations_to(2.0, 0.5)


def test_whitening_makes_the_condition_number_one_and_one_step_enough():
    Q, q = spectrum(0.01, 1.0, 50.0), torch.ones(3).double()
    P = whitening(Q)
    assert float(torch.linalg.cond(P @ Q @ P)) == pytest.approx(1, abs=1e-8)
    g = precondition(lambda x: 0.5 * x @ Q @ x - q @ x, P)
    z = gradient_descent(g, torch.ones(3).double(), 1.0, 1).x[-1]
    torch.testing.assert_close(P @ z, torch.linalg.solve(Q, q))


def test_a_diagonal_preconditioner_cures_scales_and_not_rotations():
    scales = torch.diag(torch.tensor([1.0, 10.0, 100.0]).double())
    near = torch.eye(3).double() + 0.2 * (1 - torch.eye(3).double())
    scaled = scales @ near @ scales
    P = diagonal_scaling(scaled)
    assert torch.linalg.cond(P @ scaled @ P) < 1e-3 * torch.linalg.cond(scaled)
    turn = torch.tensor([[1.0, -1.0], [1.0, 1.0]]).double() / 2**0.5
    rotated = turn @ torch.diag(torch.tensor([1.0, 100.0]).double()) @ turn.T
    P = diagonal_scaling(rotated)
    assert float(torch.linalg.cond(P @ rotated @ P)) == pytest.approx(100)
