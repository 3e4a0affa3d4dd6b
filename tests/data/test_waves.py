import pytest
import torch

from corollary.core import generator
from corollary.data.waves import random_wave
from corollary.errors import InputError


@pytest.mark.parametrize("d", [1, 2, 5])
def test_no_secant_is_steeper_than_the_constant(d):
    wave = random_wave(d, 2.0, rng=generator(d))
    x, y = torch.rand(2, 20_000, d, generator=generator(0), dtype=torch.float64)
    y = x + 1e-3 * (y - 0.5).sign()
    slopes = (wave(x) - wave(y)).abs() / (x - y).abs().amax(1)
    assert wave.lipschitz == pytest.approx(2.0)
    assert 0.5 < slopes.max() <= 2.0 * (1 + 1e-9)


def test_a_wave_without_variables_is_refused():
    with pytest.raises(InputError, match="d >= 1"):
        random_wave(0, 1.0, rng=generator(0))
