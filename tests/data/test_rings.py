import pytest
import torch

from corollary.data.rings import rings
from corollary.errors import InputError


@pytest.mark.parametrize("n", [2, 7, 100])
def test_radii_and_labels_are_as_promised(n):
    x, y = rings(n, 0.3, inner=1.0, outer=2.5, rng=torch.Generator().manual_seed(3))
    r = x.norm(dim=1)
    assert x.shape == (n, 2) and int((y < 0).sum()) == n // 2
    assert bool(((r - torch.where(y < 0, 1.0, 2.5)).abs() <= 0.3 + 1e-12).all())


def test_the_same_seed_gives_the_same_rings():
    a, b = (rings(20, rng=torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(a[0], b[0]) and torch.equal(a[1], b[1])


@pytest.mark.parametrize(
    "bad", [{"noise": -0.1}, {"noise": 1.0}, {"inner": 3.0}, {"noise": torch.nan}]
)
def test_impossible_rings_are_refused(bad):
    with pytest.raises(InputError, match="0 <= noise < inner < outer"):
        rings(10, **bad, rng=torch.Generator())


def test_one_point_is_no_pair_of_rings():
    with pytest.raises(InputError, match="at least 2 points"):
        rings(1, rng=torch.Generator())
