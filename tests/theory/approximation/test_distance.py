import math

import pytest
import torch
from scipy import integrate

from corollary.errors import InputError, NotFiniteError
from corollary.theory.approximation.distance import (
    best_uniform,
    class_error,
    error,
    quadrature,
    quadrature_between,
)

LINE = [(0.0, 1.0)]


def zero(x):
    return torch.zeros_like(x[:, 0])


def wave(x):
    return torch.sin(5 * x[:, 0]) + x[:, 0]


@pytest.mark.parametrize("p", [1, 2, 3.5])
def test_the_distance_is_the_integral_of_scipy(p):
    other, _ = integrate.quad(lambda t: abs(math.sin(5 * t) + t) ** p, 0, 1, limit=200)
    assert error(wave, zero, LINE, p) == pytest.approx(other ** (1 / p), rel=1e-5)


def test_known_integrals_in_the_plane_are_reproduced():
    product = error(lambda x: x[:, 0] * x[:, 1], zero, [(0.0, 1.0), (0.0, 2.0)], 1)
    assert product == pytest.approx(1.0, rel=1e-9)


def test_the_sup_is_found_between_the_points_of_the_first_grid():
    peak = 0.123456789
    found = error(lambda x: -((x[:, 0] - peak) ** 2), lambda x: 0 * x[:, 0] - 1, LINE, math.inf)
    assert found == pytest.approx(1.0, abs=1e-12)
    narrow = error(lambda x: torch.exp(-1e5 * (x[:, 0] - peak) ** 2), zero, LINE, math.inf)
    assert narrow == pytest.approx(1.0, abs=1e-9)


def test_on_a_probability_space_the_distance_grows_with_p():
    values = [error(wave, zero, LINE, p) for p in (1, 2, 4, 8, math.inf)]
    assert values == sorted(values)


@pytest.mark.parametrize(("power", "p"), [(-1.0, 1), (-0.5, 2)])
def test_a_function_without_an_integral_is_reported(power, p):
    with pytest.raises(NotFiniteError, match="not integrable"):
        error(lambda x: x[:, 0] ** power, zero, LINE, p)


def test_an_integrable_singularity_is_not_reported():
    assert error(lambda x: x[:, 0] ** -0.5, zero, LINE, 1) == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize("box", [[], [(1.0, 0.0)], [(0.0, math.inf)]])
def test_a_box_without_finite_ends_is_refused(box):
    with pytest.raises(InputError, match="finite ends"):
        error(wave, zero, box)


def test_an_order_below_one_is_refused():
    with pytest.raises(InputError, match="at least 1"):
        error(wave, zero, LINE, 0.5)
    with pytest.raises(InputError, match="p = 2 and p = infinity"):
        class_error(wave, lambda x: x, LINE, 3)


def test_the_quadrature_weights_add_up_to_the_volume():
    assert quadrature([(0.0, 2.0), (-1.0, 1.0)], 3)[1].sum() == pytest.approx(4.0)
    x, w = quadrature_between([[0.0, 0.3, 1.0]], nodes=3)
    assert (w @ (x[:, 0] - 0.3).clamp(min=0)) == pytest.approx(0.7**2 / 2, abs=1e-15)


def test_the_best_uniform_fit_beats_least_squares_and_alternates():
    x = torch.linspace(-1, 1, 201, dtype=torch.float64)
    A = x[:, None] ** torch.arange(3)
    fit = best_uniform(A, x.abs())
    squares = torch.linalg.lstsq(A, x.abs()[:, None]).solution[:, 0]
    assert fit.error == pytest.approx(0.125, abs=1e-9)  # x² + 1/8
    assert (A @ squares - x.abs()).abs().max() > 0.18
    assert fit.coefficients.tolist() == pytest.approx([0.125, 0.0, 1.0], abs=1e-6)


def test_parallel_columns_do_no_harm_to_the_best_uniform_fit():
    x = torch.linspace(-1, 1, 101, dtype=torch.float64)
    A = (x[:, None] ** torch.arange(3)).repeat(1, 60)
    assert best_uniform(A, x.abs()).error == pytest.approx(0.125, abs=1e-9)
    nothing = best_uniform(torch.zeros(3, 2, dtype=torch.float64), x[:3])
    assert nothing.error == 1.0
