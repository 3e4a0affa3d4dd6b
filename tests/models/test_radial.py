import pytest
import torch

from corollary.core import generator
from corollary.data.radial_shells import radial_points, radial_shells
from corollary.errors import InputError
from corollary.models.radial import RadialNetwork, radial_error_bound


@pytest.mark.parametrize("n", [1, 3, 10])
@pytest.mark.parametrize("seed", [0, 1])
def test_away_from_the_flips_it_is_the_target(n, seed):
    shells = radial_shells(8, rng=generator(seed))
    net = RadialNetwork(shells, n, K=60, delta=0.002)
    x = radial_points(3000, n, rng=generator(seed, "x"))
    gap = (x.square().sum(1)[:, None] - shells.flips.double() ** 2).abs().amin(dim=1)
    far = gap > net.blur
    assert int(far.sum()) > 2000
    with torch.no_grad():
        out = net(x)
    torch.testing.assert_close(out[far], shells(x)[far], rtol=0, atol=1e-8)
    assert float(out.abs().max()) <= 1 + 1e-8


def test_the_width_is_polynomial_in_the_dimension():
    shells = radial_shells(6, alternate=True, rng=generator(0))
    assert RadialNetwork(shells, 5, 40, 0.01).widths == (200, 10)


def test_finer_networks_have_a_smaller_bound():
    shells = radial_shells(6, alternate=True, rng=generator(0))
    bounds = [
        radial_error_bound(RadialNetwork(shells, 4, K, d), shells)
        for K, d in ((20, 0.02), (80, 0.004))
    ]
    assert bounds[1] < bounds[0] / 3


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="K >= 2"):
        RadialNetwork(radial_shells(2, rng=generator(0)), 2, 1, 0.1)
