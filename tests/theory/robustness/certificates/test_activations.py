import pytest
import torch
from torch.nn import functional as F

from corollary.theory.robustness.certificates.activations import clipped_lines, kinked_lines


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
