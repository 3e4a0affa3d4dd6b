import pytest
import torch

from corollary.errors import InputError
from corollary.models.units import AffineUnit, LinearUnit, RidgeLayer, RidgeUnit, homogeneous


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def points(k=12, n=5, seed=1):
    return torch.randn(k, n, generator=rng(seed), dtype=torch.float64)


@pytest.fixture(params=[LinearUnit, AffineUnit])
def unit(request):
    return request.param(5, rng=rng())


def test_the_input_gradient_is_the_weight(unit):
    x = points().requires_grad_(True)
    (gradient,) = torch.autograd.grad(unit(x).sum(), x)
    torch.testing.assert_close(gradient, unit.theta.detach().expand_as(gradient))


def test_moving_along_the_direction_changes_the_value_by_the_rate(unit):
    x, h = points(), 2.5
    torch.testing.assert_close(unit(x + h * unit.direction()), unit(x) + h * unit.rate())
    assert unit.rate().item() == pytest.approx(unit.theta.norm().item())


def test_moving_across_the_direction_changes_nothing(unit):
    dx, u = points(seed=2), unit.direction()
    dx = dx - (dx @ u)[:, None] * u
    torch.testing.assert_close(unit(points() + dx), unit(points()))


def test_a_zero_weight_has_no_direction():
    zero = torch.zeros(3)
    for unit in (LinearUnit.of(zero), AffineUnit.of(zero, 1.0)):
        assert unit.rate() == 0
        with pytest.raises(InputError, match="no direction of change"):
            unit.direction()


def test_the_homogeneous_form_equals_the_affine_form_and_the_value_at_zero_is_b():
    unit = AffineUnit.of(points()[0], -0.7)
    x = points()
    torch.testing.assert_close(unit.to_homogeneous()(homogeneous(x)), unit(x))
    assert unit(torch.zeros(5, dtype=x.dtype)).item() == -0.7


@pytest.mark.parametrize("phi", [torch.sigmoid, torch.cos, torch.relu])
def test_a_ridge_unit_does_not_see_displacements_across_its_weights(phi):
    unit = RidgeUnit(phi, 5, rng=rng())
    u = (unit.theta / unit.theta.norm()).detach()
    dx = 10 * points(seed=2)
    dx = dx - (dx @ u)[:, None] * u
    torch.testing.assert_close(unit(points() + dx), unit(points()), rtol=0, atol=1e-10)


def test_row_j_of_a_layer_is_unit_j():
    layer, x = RidgeLayer(torch.tanh, 5, 4, rng=rng()), points()
    for j in range(4):
        torch.testing.assert_close(layer(x)[:, j], layer.unit(j)(x))


def test_a_layer_is_torchs_linear_layer_with_an_activation():
    layer, x = RidgeLayer(torch.tanh, 5, 4, rng=rng()), points()
    torch.testing.assert_close(layer(x), torch.tanh(torch.nn.functional.linear(x, layer.Theta)))


def test_the_rate_of_a_relu_unit_is_undefined_at_the_kink():
    unit = RidgeUnit.of(torch.relu, torch.tensor([3.0, 4.0]))
    rates = unit.rate_of_change(torch.tensor([[1.0, 1.0], [0.0, 0.0], [-1.0, 0.0]]))
    assert rates.isnan().tolist() == [False, True, False]
    assert rates[[0, 2]].tolist() == [5, 0]


def test_descent_on_a_ridge_unit_stays_in_the_span_of_its_inputs():
    unit, x = RidgeUnit(torch.sigmoid, 9, rng=rng()), points(4, 9)
    start = unit.theta.detach().clone()
    for t in range(40):
        gradient = unit.parameter_gradient(x[[t % 4]], lambda f: (f - 1) ** 2)
        unit.theta.data -= 0.5 * gradient[0]
    way = unit.theta.detach() - start
    coefficients = torch.linalg.lstsq(x.T, way[:, None]).solution
    torch.testing.assert_close(x.T @ coefficients, way[:, None])
    assert way.norm() > 0.1


def test_wrong_shapes_are_refused_in_one_sentence():
    unit = LinearUnit(5, rng=rng())
    with pytest.raises(InputError, match=r"expected 5 inputs per point, got shape \(2, 4\)"):
        unit(torch.zeros(2, 4, dtype=torch.float64))
    with pytest.raises(InputError, match="NaN or inf"):
        RidgeUnit.of(torch.relu, torch.tensor([1.0, torch.nan]))
    with pytest.raises(InputError, match="at least one input"):
        AffineUnit(0, rng=rng())
    with pytest.raises(InputError, match="at least one unit"):
        RidgeLayer(torch.relu, 3, 0, rng=rng())
