import pytest
import torch

from corollary.core import generator
from corollary.data.radial_shells import radial_points, radial_shells
from corollary.errors import InputError


@pytest.mark.parametrize("n", [1, 3, 20])
def test_it_is_one_in_size_on_the_ball_and_keeps_its_value_under_rotations(n):
    shells = radial_shells(7, 2.0, rng=generator(n))
    x = radial_points(500, n, 2.0, rng=generator(n, "x"))
    y = shells(x)
    assert bool((y.abs() == 1).all())
    Q = torch.linalg.qr(torch.randn(n, n, generator=generator(n, "q")).double()).Q
    edge = (x.norm(dim=1) * 7 / 2 % 1 - 0.5).abs() > 0.5 - 1e-9  # rounding on a shell's edge
    assert torch.equal(shells(x @ Q)[~edge], y[~edge])
    assert not bool(shells(3 * x / x.norm(dim=1, keepdim=True)).any())


def test_half_of_the_edges_are_flips():
    changes = [radial_shells(41, rng=generator(s)).changes for s in range(200)]
    assert sum(changes) / 200 == pytest.approx(20, abs=1)


def test_the_flips_are_where_the_profile_changes():
    shells = radial_shells(10, 5.0, rng=generator(3))
    z = torch.linspace(0, 4.999, 5000, dtype=torch.float64)
    jumps = z[1:][shells.psi(z).diff() != 0]
    assert len(jumps) == shells.changes
    torch.testing.assert_close(jumps, shells.flips.double(), rtol=0, atol=2e-3)


def test_no_shell_is_refused():
    with pytest.raises(InputError, match="N=0"):
        radial_shells(0, rng=generator(0))
    with pytest.raises(InputError, match="k=0"):
        radial_points(0, 2, rng=generator(0))
