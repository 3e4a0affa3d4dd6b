import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.grids import values_on_grid
from corollary.theory.optimization.objectives import (
    huber,
    least_squares,
    log_sum_exp,
    quadratic,
    ridge_logistic,
    sine_valley,
    waves,
)
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.smoothness import smoothness_constant


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


A = draw(7, 2)
ALL = [
    quadratic(A.T @ A, draw(2)),
    least_squares(A, draw(7, seed=1)),
    ridge_logistic(A, (draw(7, seed=1) > 0).double(), 0.1),
    huber(2),
    log_sum_exp(A),
    sine_valley(2),
    waves(A, draw(7, seed=1), draw(7, seed=2).abs()),
]


@pytest.mark.parametrize("o", ALL, ids=lambda o: o.name)
def test_constants_are_right(o):
    points = 2 * draw(25, 2, seed=5)
    assert smoothness_constant(o.f, points).value <= o.L * (1 + 1e-9)
    values = torch.vmap(o.f)(points)
    assert float(values.min()) >= o.minimum - 1e-12
    if not o.minimiser.isnan().any():
        assert float(o.f(o.minimiser)) == pytest.approx(o.minimum, abs=1e-12)
        assert float(gradient(o.f, o.minimiser).norm()) < 1e-9
    eigenvalues = torch.linalg.eigvalsh(torch.stack([hessian(o.f, x) for x in points]))
    assert o.mu == 0 or float(eigenvalues.min()) >= o.mu * (1 - 1e-9)
    assert o.pl >= o.mu


def test_smoothness_is_attained_where_it_can_be():
    assert smoothness_constant(ALL[0].f, draw(3, 2)).value == pytest.approx(ALL[0].L)
    assert smoothness_constant(sine_valley().f, torch.zeros(2, 1).double()).curvature == 8.0


def test_what_is_not_positive_is_refused():
    with pytest.raises(InputError, match="positive definite"):
        quadratic(-torch.eye(2))
    with pytest.raises(InputError, match="amplitudes"):
        waves(A, A[:, 0], -torch.ones(7).double())
    with pytest.raises(InputError, match="at least 2"):
        values_on_grid(sine_valley().f, (0.0, 1.0), (0.0, 1.0), n=1)


def test_a_grid_has_x_across_and_y_up():
    values = values_on_grid(lambda v: 10 * v[1] + v[0], (0.0, 2.0), (5.0, 6.0), n=3)
    assert values[0].tolist() == [50.0, 51.0, 52.0] and values[:, 0].tolist() == [50.0, 55.0, 60.0]
