import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from corollary.errors import InputError
from corollary.theory.approximation.fourier import centred_grid, transform
from corollary.theory.expressivity.ball_kernel import (
    ball_kernel,
    ball_volume,
    kernel_mass,
    unit_volume_radius,
)


def test_volumes_are_the_known_ones():
    known = [1, 2, math.pi, 4 * math.pi / 3, math.pi**2 / 2, 8 * math.pi**2 / 15]
    assert [ball_volume(n) for n in range(6)] == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_square_of_the_kernel_is_a_density(n):
    """The tail beyond T is n/(2 pi^2 R T) up to O(1/T^2): added, the mass is one."""
    T, R = 200.0, unit_volume_radius(n)
    assert kernel_mass(n, T) + n / (2 * math.pi**2 * R * T) == pytest.approx(1, abs=2e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_mass_is_what_scipy_integrates(n):
    def shell(r):
        value = float(ball_kernel(torch.tensor([r], dtype=torch.float64), n))
        return n * ball_volume(n) * value**2 * r ** (n - 1)

    expected, _ = quad(shell, 0, 3, limit=200)
    assert kernel_mass(n, 3.0) == pytest.approx(expected, rel=1e-8)


def test_the_unit_ball_of_the_notes_gives_no_density():
    assert kernel_mass(3, 500.0, 1.0) == pytest.approx(4 * math.pi / 3, rel=1e-2)
    assert kernel_mass(3, 500.0, 1.0) > 4


def test_it_is_a_sinc_on_the_line_and_not_in_space():
    r = torch.linspace(0.01, 5, 200, dtype=torch.float64)
    torch.testing.assert_close(ball_kernel(r, 1), torch.sinc(r), rtol=0, atol=1e-13)
    k = 2 * math.pi * unit_volume_radius(3) * r
    spatial = 3 * (k.sin() - k * k.cos()) / k**3  # 1 at the origin
    torch.testing.assert_close(ball_kernel(r, 3), spatial, rtol=0, atol=1e-12)
    assert float((ball_kernel(r, 3) - torch.sinc(k / math.pi)).abs().max()) > 0.1


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_at_the_origin_it_is_the_volume(n):
    r = torch.tensor([0.0, 1e-9, 1e-4], dtype=torch.float64)
    torch.testing.assert_close(ball_kernel(r, n), torch.ones(3).double(), rtol=1e-4, atol=0)


def test_its_transform_in_the_plane_is_the_indicator_of_the_ball():
    x = centred_grid(2, 512, 0.25)
    found = transform(ball_kernel(x.norm(dim=-1), 2), 0.25)
    norm, R = found.w.norm(dim=-1), unit_volume_radius(2)
    inside, outside = found.values.real[norm < 0.9 * R], found.values.real[norm > 1.1 * R]
    assert float((inside - 1).abs().max()) < 0.05  # what the end of the grid cuts off
    assert float(outside.abs().max()) < 0.05


def test_its_transform_on_the_line_is_the_indicator_of_the_interval():
    """The integral of cos(2 pi w x) sinc(x), by scipy's rule for oscillating tails."""
    for w, expected in ((0.25, 1.0), (0.75, 0.0)):
        parts = [
            quad(lambda x: 1 / (math.pi * x), 1, math.inf, weight="sin", wvar=math.pi * c)[0]
            for c in (1 + 2 * w, 1 - 2 * w)
        ]
        near = quad(lambda x, w: np.sinc(x) * math.cos(2 * math.pi * w * x), 0, 1, args=(w,))
        assert 2 * near[0] + sum(parts) == pytest.approx(expected, abs=1e-6)


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="R > 0"):
        ball_kernel(torch.zeros(1), 2, -1.0)
    with pytest.raises(InputError, match="n=0"):
        unit_volume_radius(0)
    with pytest.raises(InputError, match="negative"):
        ball_volume(-1)
