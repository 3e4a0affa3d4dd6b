import numpy as np
import pytest
import torch
from scipy.integrate import dblquad, quad

from corollary.errors import InputError
from corollary.theory.approximation.fourier import centred_grid
from corollary.theory.expressivity.weighted_distance import weighted_l2


def test_all_routes_agree_with_scipy_on_the_line():
    x = centred_grid(1, 128, 1 / 8)[:, 0]
    found = weighted_l2(torch.tanh(x), torch.sin(2 * x), torch.exp(-(x**2)), 1 / 8)
    expected, _ = quad(lambda t: ((np.tanh(t) - np.sin(2 * t)) * np.exp(-(t**2))) ** 2, -8, 8)
    assert list(found) == pytest.approx([expected] * 3, rel=1e-6)


def test_all_routes_agree_with_scipy_in_the_plane():
    x = centred_grid(2, 40, 0.25)
    a, b = x[..., 0], x[..., 1]
    f, g = torch.tanh(a - b), torch.cos(a) * b
    found = weighted_l2(f, g, torch.exp(-(a**2) - b**2), 0.25)
    expected, _ = dblquad(
        lambda t, s: ((np.tanh(s - t) - np.cos(s) * t) * np.exp(-s * s - t * t)) ** 2, -4, 4, -4, 4
    )
    assert list(found) == pytest.approx([expected] * 3, rel=1e-6)


def test_equal_functions_have_no_distance():
    x = centred_grid(1, 32, 0.25)[:, 0]
    assert list(weighted_l2(x, x, torch.exp(-(x**2)), 0.25)) == [0, 0, 0]


def test_large_grids_and_different_grids_are_refused():
    x = torch.zeros(5000, dtype=torch.float64)
    with pytest.raises(InputError, match="got 5000"):
        weighted_l2(x, x, x, 0.1)
