"""The claims on convolution by hand, with broken suppositions, and drawn."""

import pytest
import torch

from corollary.claims.architectures.binomial_limit import BinomialLimit
from corollary.claims.architectures.convolution_commutes import ConvolutionCommutes
from corollary.claims.architectures.convolution_gradients import ConvolutionGradients
from corollary.claims.architectures.impulse_response import Given as Mapped
from corollary.claims.architectures.impulse_response import ImpulseResponse
from corollary.claims.architectures.kernel_flip import Given as Flipped
from corollary.claims.architectures.kernel_flip import KernelFlip
from corollary.claims.architectures.pooling_shift import PoolingShift
from corollary.claims.architectures.receptive_field_growth import ReceptiveFieldGrowth
from corollary.claims.architectures.shared_weight_gradient import SharedWeightGradient
from corollary.claims.architectures.shift_equivariance import Given as Shifted
from corollary.claims.architectures.shift_equivariance import ShiftEquivariance, circular
from corollary.core import Verdict


def values(result):
    return [m.value for m in result.measured]


def test_a_difference_filter_follows_a_shift():
    """f = (0, 1, 3, 6) moved one to the left is (1, 3, 6, 0), with differences 1, 2, 3, -6."""
    f = torch.tensor([0.0, 1.0, 3.0, 6.0], dtype=torch.float64)
    h = torch.tensor([1.0, -1.0], dtype=torch.float64)
    result = ShiftEquivariance(delta=1).check_given(Shifted(f, h, circular))
    assert result.verdict is Verdict.HOLDS
    assert values(result) == [1, 2, 3, -6]


def test_the_identity_responds_with_the_impulse():
    f = torch.tensor([3.0, 1.0, 4.0], dtype=torch.float64)
    result = ImpulseResponse().check_given(Mapped(torch.eye(3, dtype=torch.float64), f))
    assert result.verdict is Verdict.HOLDS
    assert values(result) == [3, 1, 4]


def test_a_gain_that_depends_on_the_place_is_outside_the_claim():
    T = torch.diag(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))
    result = ImpulseResponse().check_given(Mapped(T, T.diagonal().clone()))
    assert result.verdict is Verdict.INAPPLICABLE


def test_torch_takes_the_last_entry_where_convolution_takes_the_first():
    image = torch.arange(4.0, dtype=torch.float64).reshape(2, 2)
    K = torch.tensor([[0.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    given = Flipped(image, K, K.flip((0, 1)))
    assert values(KernelFlip().check_given(given)) == [3]
    unflipped = given._replace(turned=K)
    assert KernelFlip().predict(unflipped).tolist() == [0]
    assert KernelFlip().check_given(unflipped).verdict is Verdict.INAPPLICABLE


def test_three_layers_of_three_see_seven_and_strides_see_more():
    assert values(ReceptiveFieldGrowth(L=3, every=9).check()) == [3, 5, 7]
    assert values(ReceptiveFieldGrowth(L=3, every=1).check()) == [3, 7, 15]


@pytest.mark.parametrize(
    "claim",
    [
        ShiftEquivariance(n=9, m=8, delta=4),
        ImpulseResponse(N=5),
        ConvolutionCommutes(n=3, m=12),
        KernelFlip(n=5, k=4),
        SharedWeightGradient(D=5, K=2),
        ConvolutionGradients(n=1, c=1, m=1, size=5),
        ReceptiveFieldGrowth(L=4, k=2, every=1),
        BinomialLimit(doublings=5),
        PoolingShift(tiles=3, r=5, delta=4),
    ],
    ids=lambda claim: type(claim).__name__,
)
def test_it_holds_away_from_the_defaults_and_fails_without_its_supposition(claim):
    assert claim.check(1).verdict is Verdict.HOLDS
    assert claim.refute(1).fails
