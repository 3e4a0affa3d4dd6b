import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape.random_products import (
    entries,
    gaussian_fourth_moment,
    layer_gradient_second_moment,
)
from corollary.theory.tricks.initialisation import (
    kaiming_std,
    layer_gains,
    lecun_std,
    xavier_std,
)


@pytest.mark.parametrize("n, m", [(3, 5), (64, 64), (100, 1)])
def test_xaviers_gains_add_up_to_two_and_are_one_only_in_square_layers(n, m):
    gains = layer_gains(n, m, xavier_std(n, m))
    assert gains.forward == pytest.approx(2 * n / (n + m))
    assert gains.backward == pytest.approx(2 * m / (n + m))
    assert (gains.forward == pytest.approx(1)) == (n == m)


def test_relu_halves_the_mean_square_of_a_centred_normal_number():
    z = torch.randn(200_000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert float(z.relu().square().mean()) == pytest.approx(0.5, rel=0.02)
    assert 8 * kaiming_std(8) ** 2 == pytest.approx(2) and 8 * lecun_std(8) ** 2 == pytest.approx(1)
    leaky = torch.nn.functional.leaky_relu(z, 0.3).square().mean()
    assert 8 * kaiming_std(8, slope=0.3) ** 2 * float(leaky) == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("gain", [0.5, 1.0, 2.0])
def test_log_gradients_are_straight_in_depth_with_the_slope_of_theory(gain):
    d, depths = 30, (20, 40)
    one, two = (layer_gradient_second_moment(d, L, 1, gain / d, rho=1.0, gamma=0.0) for L in depths)
    slope = math.log(two / one) / 20
    assert slope == pytest.approx(math.log((gain / d) ** 2 * d * (d + 2)), abs=0.01)


def test_at_xaviers_variance_the_growth_shows_when_depth_is_the_width():
    d = L = 8
    assert gaussian_fourth_moment(d, 1 / d, L) == pytest.approx(math.exp(2 * L / d), rel=0.25)
    rng, draws = torch.Generator().manual_seed(0), 20_000
    h = torch.zeros(draws, d, 1, dtype=torch.float64)
    h[:, 0] = 1
    for _ in range(L):
        h = entries("gaussian", (draws, d, d), 1 / d, rng=rng) @ h
    fourth = float(h.square().sum(dim=(1, 2)).square().mean())
    assert fourth == pytest.approx(gaussian_fourth_moment(d, 1 / d, L), rel=0.25)


def test_sizes_below_one_are_refused():
    with pytest.raises(InputError, match="at least 1"):
        xavier_std(0, 3)
