"""The spectral density on a logarithmic axis against exact eigenvalues."""

import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape.curvature import Explicit, spectral_density

F64 = torch.float64


def diagonal(values):
    return Explicit(torch.diag(torch.as_tensor(values, dtype=F64)))


def mass(curve, low=0.0, high=math.inf):
    """The integral of the density over the axis."""
    t = curve.shifted.log10()
    inside = (curve.shifted >= low) & (curve.shifted <= high)
    return float((curve.density * inside).sum() * (t[1] - t[0]))


def test_each_sign_has_its_share_of_the_mass():
    found = spectral_density(diagonal([1.0] * 60 + [10.0] * 20 + [-0.1] * 20), probes=30, steps=5)
    both = found.logarithmic()
    parts = {sign: found.logarithmic(sign=sign) for sign in ("positive", "negative")}
    assert mass(both) == pytest.approx(1, abs=1e-3)
    assert float(both.share.value) == pytest.approx(1)
    for sign, share in (("positive", 0.8), ("negative", 0.2)):
        assert mass(parts[sign]) == pytest.approx(parts[sign].share.value, abs=1e-3)
        assert abs(parts[sign].share.value - share) < 2 * parts[sign].share.half_width
    total = sum(curve.density for curve in parts.values())
    assert torch.allclose(total, both.density, atol=1e-12)


def test_peaks_stand_at_the_decades_of_the_eigenvalues():
    found = spectral_density(diagonal([1e-3] * 50 + [1.0] * 50), probes=20, steps=4)
    curve = found.logarithmic(floor=1e-6, sigma=0.1)
    for place in (1e-3, 1.0):
        near = (curve.shifted > place / 3) & (curve.shifted < 3 * place)
        top = float(curve.grid[near][curve.density[near].argmax()])
        assert top == pytest.approx(place, rel=0.05)
        assert mass(curve, place / 5, 5 * place) == pytest.approx(0.5, abs=0.1)


def test_a_whole_krylov_space_gives_the_exact_smoothed_density():
    values = torch.logspace(-4, 1, 12, dtype=F64)
    found = spectral_density(diagonal(values), probes=200, steps=12)
    curve = found.logarithmic(floor=1e-9, sigma=0.5)
    t = curve.shifted.log10()
    bumps = torch.exp(-0.5 * ((t[:, None] - values.log10()) / 0.5) ** 2)
    exact = bumps.mean(1) / (0.5 * (2 * torch.pi) ** 0.5)
    inside = (curve.low <= exact) & (exact <= curve.high)
    assert float((curve.density - exact).abs().max()) < 0.15 * float(exact.max())
    assert float(inside.double().mean()) > 0.6  # pointwise 95 %, and neighbours go together


def test_no_products_are_spent_and_zeros_gather_at_the_floor():
    A = diagonal([0.0] * 50 + [1.0])
    found = spectral_density(A, probes=4, steps=2)
    before = A.products
    curve = found.logarithmic(floor=1e-4, sigma=0.2)
    assert A.products == before
    top = float(curve.shifted[curve.density.argmax()])
    assert top == pytest.approx(1e-4, rel=0.05)


@pytest.mark.parametrize("options", [{"floor": 0.0}, {"sigma": -1.0}, {"points": 1}])
def test_options_that_make_no_sense_are_refused(options):
    found = spectral_density(diagonal([0.0, 1.0]), probes=2)
    with pytest.raises(InputError):
        found.logarithmic(**options)
