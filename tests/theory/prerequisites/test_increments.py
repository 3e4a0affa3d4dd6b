import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.increments import (
    line_integral_increment,
    mvt_point,
    second_order_increment,
)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


W = normal(5, 3, seed=3)
SMOOTH = {
    "cubic": lambda x: (x**3).sum() + x[0] * x[1] * x[2],
    "exp": lambda x: torch.exp(0.5 * x.sum()),
    "network": lambda x: torch.tanh(0.5 * W @ x).sum(),
}
ONE = torch.ones(1, dtype=torch.float64)


@pytest.mark.parametrize("name", SMOOTH)
def test_integrals_reproduce_the_increments_of_value_and_gradient(name):
    f, x, y = SMOOTH[name], normal(3), 0.7 * normal(3, seed=1)
    increment = f(x + y) - f(x)
    assert float(line_integral_increment(f, x, y) - increment) == pytest.approx(0, abs=1e-10)
    rise = gradient(f, x + y) - gradient(f, x)
    assert torch.allclose(line_integral_increment(f, x, y, order=1), rise, atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("seed", range(3))
def test_the_mean_value_is_attained_inside(name, seed):
    f, x, y = SMOOTH[name], normal(3, seed=seed), normal(3, seed=seed + 9)
    c, slope, increment = mvt_point(f, x, y)
    assert 0 < c < 1
    assert slope == pytest.approx(increment, rel=1e-9, abs=1e-12)
    assert float(gradient(f, x + c * y) @ y) == pytest.approx(increment, rel=1e-9, abs=1e-12)


def test_a_linear_function_has_its_slope_everywhere():
    assert mvt_point(lambda x: 3 * x.sum(), ONE, ONE).slope == pytest.approx(3)


def test_the_modulus_has_no_mean_value_on_minus_one_to_one():
    with pytest.raises(InputError, match="f has a kink there"):
        mvt_point(lambda x: x.abs().sum(), -ONE, 2 * ONE)


def test_a_jump_of_the_slope_that_skips_the_mean_is_reported():
    with pytest.raises(InputError, match="kink|no mean value"):
        mvt_point(lambda x: torch.where(x > 0, 3 * x, x).sum(), -ONE, 2 * ONE)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_second_order_expansion_is_exact(name):
    f, x, y = SMOOTH[name], normal(3), 0.7 * normal(3, seed=1)
    assert second_order_increment(f, x, y) == pytest.approx(float(f(x + y)), abs=1e-10)


def test_the_weight_one_half_of_the_notes_is_wrong_on_the_cube_and_right_on_the_square():
    def half(t):
        return 0.5

    cube = second_order_increment(lambda x: (x**3).sum(), ONE, ONE, weight=half)
    assert cube == pytest.approx(8.5)
    assert second_order_increment(lambda x: (x**3).sum(), ONE, ONE) == pytest.approx(8.0)
    square = second_order_increment(lambda x: (x**2).sum(), ONE, ONE, weight=half)
    assert square == pytest.approx(4.0)


def test_a_jump_of_the_gradient_breaks_the_expansion():
    """|x| from -1 to 1: no curvature is seen, so the expansion says -1 in place of 1."""
    assert second_order_increment(lambda x: x.abs().sum(), -ONE, 2 * ONE) == pytest.approx(-1.0)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="y must have the shape of x"):
        mvt_point(SMOOTH["exp"], normal(3), normal(2))
    with pytest.raises(InputError, match="at least one node"):
        line_integral_increment(SMOOTH["exp"], normal(3), normal(3), nodes=0)
