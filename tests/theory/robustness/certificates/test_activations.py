import pytest
import torch
from torch.nn import functional as F

from corollary.theory.robustness.certificates.activations import (
    SMOOTH,
    clipped_lines,
    elu,
    kinked_lines,
    softplus,
    tanh_gelu,
)

CURVES = SMOOTH | {"tanh GELU": tanh_gelu, "softplus 3": softplus(3.0), "ELU 0.5": elu(0.5)}


def intervals(dtype=torch.float64):
    rng = torch.Generator().manual_seed(0)
    low = 3 * torch.randn(1000, generator=rng, dtype=dtype)
    widths = torch.tensor([1e-7, 0.01, 1.0, 8.0], dtype=dtype).repeat(250)
    return low, low + widths * torch.rand(1000, generator=rng, dtype=dtype)


def gaps(lines, value, low, high):
    """How far the lines are from the function, at many places of every interval."""
    x = low + (high - low) * torch.linspace(0, 1, 801, dtype=low.dtype)[:, None]
    f = value(x)
    zero = torch.zeros_like(low)
    under = lines.low * x + (zero if lines.low_shift is None else lines.low_shift)
    over = lines.high * x + (zero if lines.high_shift is None else lines.high_shift)
    return f - under, over - f


@pytest.mark.parametrize("name", CURVES)
def test_lines_of_curves_are_on_their_sides_and_touch(name):
    low, high = intervals()
    below, above = gaps(CURVES[name].lines(low, high), CURVES[name].value, low, high)
    assert below.min() >= -1e-13 and above.min() >= -1e-13
    size = CURVES[name].value(high).abs() + 1  # the grid misses the point of touch by a little
    assert bool((below.amin(0) <= 1e-4 * size).all()) and bool((above.amin(0) <= 1e-4 * size).all())


@pytest.mark.parametrize("name", CURVES)
def test_slopes_are_derivatives_and_bends_are_where_the_curvature_changes(name):
    curve = CURVES[name]
    x = torch.linspace(-5, 5, 997, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(curve.value(x).sum(), x)
    assert torch.allclose(g, curve.slope(x), atol=1e-10)
    for k, sign in enumerate(curve.curvature):
        ends = [-30.0, *curve.bends, 30.0]
        inside = torch.linspace(ends[k] + 1e-3, ends[k + 1] - 1e-3, 400, dtype=torch.float64)
        assert bool((sign * curve.slope(inside).diff() >= -1e-15).all())


@pytest.mark.parametrize("name", CURVES)
def test_ranges_hold_all_values(name):
    low, high = intervals()
    least, most = CURVES[name].ends(low, high)
    x = low + (high - low) * torch.linspace(0, 1, 401, dtype=low.dtype)[:, None]
    f = CURVES[name].value(x)
    assert bool((least <= f).all()) and bool((f <= most).all())


@pytest.mark.parametrize("a", [0.0, 0.2, -1.0, 1.0, 1.8])
def test_lines_of_a_kink_are_on_their_sides(a):
    low, high = intervals()
    value = lambda x: torch.maximum(x, a * x) if a <= 1 else torch.minimum(x, a * x)  # noqa: E731
    below, above = gaps(kinked_lines(low, high, a), value, low, high)
    assert below.min() >= -1e-13 and above.min() >= -1e-13
    assert below.amin(0).max() <= 0.01 and above.amin(0).max() <= 1e-12


def test_lines_of_a_clamp_are_on_their_sides():
    low, high = intervals()
    below, above = gaps(clipped_lines(low, high, -0.5, 1.0), lambda x: x.clamp(-0.5, 1), low, high)
    assert below.min() >= -1e-13 and above.min() >= -1e-13
    assert below.amin(0).max() <= 0.02 and above.amin(0).max() <= 0.02


def test_the_line_above_relu_is_its_chord():
    lines = kinked_lines(torch.tensor([-1.0, 1.0, -2.0]), torch.tensor([1.0, 2.0, -1.0]), 0.0)
    assert lines.high.tolist() == [0.5, 1.0, 0.0]
    assert lines.high_shift.tolist() == pytest.approx([0.5, 0.0, 0.0], rel=1e-6)
    assert lines.high_shift[0] > 0.5  # rounded up
    assert F.relu(torch.tensor(1.0)) == 0.5 * 1.0 + 0.5
