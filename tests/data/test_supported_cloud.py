import pytest
import torch

from corollary.data.supported_cloud import supported_cloud
from corollary.errors import InputError


@pytest.mark.parametrize("n,d", [(1, 1), (3, 2), (12, 3), (30, 6)])
def test_the_planted_vector_satisfies_the_kkt_conditions(n, d):
    cloud = supported_cloud(n, d, gamma=0.3, theta=1.5, rng=torch.Generator().manual_seed(n))
    margins = cloud.signed @ cloud.w
    torch.testing.assert_close(margins[:d], margins.new_ones(d))
    assert bool((margins[d:] >= 1.5 - 1e-12).all())
    torch.testing.assert_close(cloud.alpha @ cloud.signed, cloud.w)
    assert bool((cloud.alpha[:d] > 0).all()) and bool((cloud.alpha[d:] == 0).all())
    assert float(cloud.w.norm()) == pytest.approx(1 / 0.3)
    assert set(cloud.y.tolist()) <= {-1.0, 1.0}


def test_impossible_clouds_are_refused():
    for options in (
        {"n": 1, "d": 2},
        {"n": 3, "d": 2, "theta": 1.0},
        {"n": 3, "d": 2, "gamma": 0.0},
    ):
        with pytest.raises(InputError, match="supported cloud needs"):
            supported_cloud(**options, rng=torch.Generator())
