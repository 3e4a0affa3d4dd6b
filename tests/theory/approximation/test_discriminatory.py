import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.discriminatory import discriminatory_probe


def line(k):
    return torch.linspace(0, 1, k, dtype=torch.float64)[:, None]


@pytest.mark.parametrize("sigma", [torch.sigmoid, torch.tanh, torch.relu])
@pytest.mark.parametrize("d", [1, 2])
def test_the_null_space_is_trivial_for_activations_that_are_not_polynomials(sigma, d):
    points = torch.rand(7, d, generator=generator(3), dtype=torch.float64)
    seen = discriminatory_probe(sigma, points, *random_units(300, d, 60.0, rng=generator(1)))
    assert (seen.rank, seen.measure) == (7, None)
    assert seen.smallest > 1e-6


@pytest.mark.parametrize("q", [1, 2, 3])
def test_a_polynomial_leaves_a_measure_that_annihilates_all_units(q):
    w, b = random_units(100, 1, 3.0, rng=generator(0))
    seen = discriminatory_probe(lambda z: z**q + z, line(6), w, b)
    assert seen.rank == q + 1
    assert seen.measure.abs().sum() == pytest.approx(1.0)
    values = (w @ line(6).T + b[:, None]) ** q @ seen.measure
    assert values.abs().max() < 1e-12
    moments = [(line(6)[:, 0] ** j) @ seen.measure for j in range(q + 1)]
    assert moments == pytest.approx([0.0] * (q + 1), abs=1e-12)


def test_equal_points_and_too_few_units_are_refused():
    w, b = random_units(10, 1, 3.0, rng=generator(0))
    with pytest.raises(InputError, match="different"):
        discriminatory_probe(torch.tanh, torch.zeros(2, 1).double(), w, b)
    with pytest.raises(InputError, match="one unit per point"):
        discriminatory_probe(torch.tanh, line(11), w, b)
