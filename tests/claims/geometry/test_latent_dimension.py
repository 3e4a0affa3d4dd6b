import pytest
import torch
from torch import nn

from corollary.claims.geometry.latent_dimension import Given, LatentDimension
from corollary.core import Verdict
from corollary.models.deep_sets import DeepSets


def test_a_mean_of_two_by_hand():
    """One latent number, the sum: (1/2, 1/2) and (0, 1) are one, and half of 1/2 is the floor."""
    f = DeepSets(nn.Identity(), lambda z: 0.75 * z)  # the best: 3/4 for both
    u, v = torch.tensor([[0.5, 0.5], [0.0, 1.0]], dtype=torch.float64)
    result = LatentDimension().check_given(Given(f, u, v))
    assert result.verdict is Verdict.HOLDS
    assert (result.predicted[0], result.measured[0].value) == (0.25, 0.25)


def test_different_sums_do_not_apply():
    f = DeepSets(nn.Identity(), nn.Identity())
    u, v = torch.tensor([[0.5, 0.5], [0.5, 0.6]], dtype=torch.float64)
    assert LatentDimension().check_given(Given(f, u, v)).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize(("M", "d"), [(2, 1), (4, 3)])
def test_it_holds_for_other_sizes(M, d):
    claim = LatentDimension(M=M, d=d, steps=20)
    given = claim.given(torch.Generator().manual_seed(0))
    assert (
        claim.relation.compare(claim.predict(given), claim.measure(given)).verdict.value == "holds"
    )
    assert claim.predict(given) > 0.01
