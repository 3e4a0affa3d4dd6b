import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.convexity import (
    convexity_probe,
    first_order_convexity_gap,
    set_convexity_probe,
    strong_convexity_constant,
)
from corollary.theory.optimization.objectives import ridge_logistic


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


A = draw(6, 2)
CONVEX = {
    "quadratic": lambda x: x @ A.T @ A @ x,
    "log-sum-exp": lambda x: torch.logsumexp(A @ x, dim=0),
    "length": lambda x: (x.square().sum() + 1e-300).sqrt(),
    "sum of moduli": lambda x: x.abs().sum(),
    "affine": lambda x: x.sum() + 1,
}
NOT_CONVEX = {
    "cube": lambda x: (x**3).sum(),
    "sine": lambda x: torch.sin(3 * x).sum(),
    "two-layer linear loss": lambda x: (x[0] * x[1] - 1) ** 2,
    "saddle": lambda x: x[0] ** 2 - x[1] ** 2,
}
BOX = torch.full((2,), -2.0).double(), torch.full((2,), 2.0).double()


@pytest.mark.parametrize("name", CONVEX)
def test_no_violation_is_found_for_convex_functions(name):
    assert convexity_probe(CONVEX[name], *BOX, rng=rng()) is None


@pytest.mark.parametrize("name", NOT_CONVEX)
def test_a_witness_proves_that_a_function_is_not_convex(name):
    f = NOT_CONVEX[name]
    x, y, a, excess = convexity_probe(f, *BOX, rng=rng())
    assert float(f(a * x + (1 - a) * y) - a * f(x) - (1 - a) * f(y)) == pytest.approx(excess)
    assert excess > 0


@pytest.mark.parametrize("name", [*CONVEX, *NOT_CONVEX])
def test_chords_and_tangents_agree_on_convexity(name):
    f = (CONVEX | NOT_CONVEX)[name]
    pairs = 2 * draw(200, 2, 2, seed=3)
    gaps = [first_order_convexity_gap(f, x, xp) for x, xp in pairs]
    below = min(gaps) < -1e-9
    assert below is (convexity_probe(f, *BOX, rng=rng()) is not None)


def test_discs_are_convex_and_rings_are_not():
    assert set_convexity_probe(lambda x: x.norm(dim=1) <= 1, *BOX, rng=rng()) is None
    x, y, a, _ = set_convexity_probe(lambda x: x.norm(dim=1) >= 1, *BOX, rng=rng())
    assert x.norm() >= 1 and y.norm() >= 1 and (a * x + (1 - a) * y).norm() < 1


def test_strong_convexity_of_a_quadratic_is_its_smallest_eigenvalue():
    Q = A.T @ A
    found = strong_convexity_constant(lambda x: 0.5 * x @ Q @ x, draw(3, 2))
    assert found.value == pytest.approx(float(torch.linalg.eigvalsh(Q)[0]))


def test_a_ridge_makes_logistic_regression_strongly_convex():
    x, y = draw(20, 3), (draw(20) > 0).double()
    loss = ridge_logistic(x, y, lam=0.2)
    found = strong_convexity_constant(loss.f, 30 * draw(10, 3, seed=1)).value
    assert 0.2 * (1 - 1e-9) <= found < 0.25  # nearly the ridge alone, far out


def test_a_quartic_has_no_strong_convexity_around_zero():
    points = torch.linspace(-1, 1, 5, dtype=torch.float64)[:, None]
    assert strong_convexity_constant(lambda x: (x**4).sum(), points).value == 0.0


def test_negative_curvature_is_found_with_its_direction():
    found = strong_convexity_constant(NOT_CONVEX["saddle"], draw(2, 2))
    assert found.value == pytest.approx(-2)
    assert float(found.direction[1].abs()) == pytest.approx(1)


def test_the_second_derivative_of_the_sine_valley_reaches_minus_four():
    at = torch.tensor([[math.pi / 2]], dtype=torch.float64)
    f = strong_convexity_constant(lambda x: (x**2 + 3 * torch.sin(x) ** 2).sum(), at)
    assert f.value == pytest.approx(-4)


def test_a_box_without_room_is_refused():
    with pytest.raises(InputError, match="low < high"):
        convexity_probe(CONVEX["affine"], BOX[1], BOX[0], rng=rng())
