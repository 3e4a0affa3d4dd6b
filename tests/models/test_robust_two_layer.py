import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.random_two_layer import on_sphere
from corollary.models.robust_two_layer import robust_network
from corollary.theory.robustness.gradient_attacks import PGD


def data(m=25, d=150):
    rng = generator(0, "robust")
    y = 2.0 * torch.randint(2, (m,), generator=rng).double() - 1
    return on_sphere(m, d, rng=rng), y


def test_each_unit_is_one_at_its_point_and_at_most_minus_one_elsewhere():
    x, y = data()
    net, _, _ = robust_network(x, y)
    with torch.no_grad():
        units = net.units(x)
        torch.testing.assert_close(net(x), y)
    torch.testing.assert_close(units.diagonal(), torch.ones(25, dtype=torch.float64))
    off = units - 10 * torch.eye(25)
    assert float(off.max()) <= -1 + 1e-9


@pytest.mark.parametrize("share", [0.5, 0.999])
def test_no_attack_flips_a_sign_within_the_radius(share):
    x, y = data()
    net, radius, _ = robust_network(x, y)
    attack = PGD(share * radius, steps=20, norm="l2", box=None, restarts=3)
    assert attack(net, x, y, rng=generator(0, "pgd")).robust_accuracy == 1


def test_the_own_unit_switches_off_exactly_at_the_radius():
    x, y = data()
    net, radius, c = robust_network(x, y)
    assert radius == pytest.approx((1 - c) / 2 * 150**0.5)
    unit = x / x.norm(dim=1, keepdim=True)
    with torch.no_grad():
        torch.testing.assert_close(net(x - radius * unit), 0 * y, rtol=0, atol=1e-12)
        assert bool((y * net(x - 0.99 * radius * unit) > 0).all())


def test_correlations_above_the_bound_are_refused():
    x, y = data()
    with pytest.raises(InputError, match="at most c = 0.01"):
        robust_network(x, y, c=0.01)
    x[1] = x[0]
    with pytest.raises(InputError, match="equal points"):
        robust_network(x, y)
    with pytest.raises(InputError, match="length"):
        robust_network(2 * data()[0], y)
