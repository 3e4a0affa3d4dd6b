import pytest
import torch

from corollary.core import generator
from corollary.data.radial_shells import radial_shells
from corollary.errors import InputError
from corollary.theory.expressivity.ball_kernel import kernel_mass, unit_volume_radius
from corollary.theory.expressivity.ridge_spectrum import even_directions, ridge_support

R = unit_volume_radius(2)


@pytest.mark.parametrize("sigma", [torch.tanh, torch.sin, torch.sigmoid])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_less_than_a_thousandth_of_a_ridge_is_outside_its_tube(sigma, angle):
    theta = torch.tensor([angle, angle]).double()
    theta = torch.stack([theta[0].cos(), theta[1].sin()])
    found = ridge_support(lambda x: sigma(2 * x @ theta), 32.0)
    outside = found.outside(theta[None], R)
    assert outside / found.total < 1e-3
    assert outside <= 1 - kernel_mass(2, 32.0)  # never more than what was cut off
    across = torch.stack([-theta[1], theta[0]])
    if sigma is torch.sin:  # all of it at the two frequencies ±2 theta/(2 pi), blurred by R
        assert found.outside(across[None], 0.1) / found.total > 0.5


def test_the_energy_is_that_of_the_points():
    found = ridge_support(lambda x: torch.ones(x.shape[:-1]).double(), 32.0)
    assert found.total == pytest.approx(kernel_mass(2, 32.0), rel=1e-2)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_radial_target_has_energy_outside_any_few_tubes(m):
    shells = radial_shells(6, 3.0, alternate=True, rng=generator(0))
    found = ridge_support(shells, 12.0)
    for turn in torch.linspace(0, 1.5, 4):
        c, s = float(turn.cos()), float(turn.sin())
        directions = even_directions(m) @ torch.tensor([[c, s], [-s, c]]).double()
        assert found.outside(directions, R) / found.total > 0.05


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="step < reach"):
        ridge_support(lambda x: x[..., 0], 0.1)
    with pytest.raises(InputError, match="m=0"):
        even_directions(0)
