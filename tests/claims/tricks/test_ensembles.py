import pytest

from corollary.claims.tricks.augmentation_invariance import AugmentationInvariance
from corollary.claims.tricks.dropout_geometric_mean import DropoutGeometricMean
from corollary.claims.tricks.dropout_linear_mean import DropoutLinearMean
from corollary.core import Verdict


@pytest.mark.parametrize("keep", [0.2, 1.0])
def test_the_geometric_mean_is_the_scaled_softmax_regression(keep):
    assert DropoutGeometricMean(n=4, keep=keep).check(1).verdict is Verdict.HOLDS


def test_a_hidden_layer_breaks_both_identities():
    assert DropoutGeometricMean().refute(0).fails
    assert DropoutLinearMean().refute(0).fails


@pytest.mark.parametrize("p", [0.0, 0.7])
def test_the_mean_of_a_linear_network_is_the_scaled_one(p):
    assert DropoutLinearMean(n=3, h=3, p=p).check(1).verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_to_all_flips_is_invariant_and_to_three_of_them_is_not(seed):
    assert AugmentationInvariance(s=3).check(seed).verdict is Verdict.HOLDS
    assert AugmentationInvariance().refute(seed).broken == ("the transformations form a group",)
