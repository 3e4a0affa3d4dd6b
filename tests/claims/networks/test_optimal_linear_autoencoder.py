import pytest
import torch

from corollary.claims.networks.optimal_linear_autoencoder import Given, OptimalLinearAutoencoder
from corollary.core import Verdict


def test_points_on_the_axes_lose_the_short_ones():
    x = torch.diag(torch.tensor([3.0, 2.0, 1.0], dtype=torch.float64))
    claim = OptimalLinearAutoencoder(d=3)
    result = claim.check_given(Given(x, x, torch.eye(3).double() * 2))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([5, 1, 5, 1])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("d", "n"), [(3, 100), (8, 5), (20, 30)])
def test_it_holds_for_drawn_points(seed, d, n):
    assert OptimalLinearAutoencoder(d=d, n=n).check(seed).verdict is Verdict.HOLDS


def test_directions_of_the_centred_data_are_not_optimal():
    refuted = OptimalLinearAutoencoder().refute(2)
    assert refuted.fails and len(refuted.broken) == 1
