import pytest
import torch

from corollary.claims.landscape.balancedness import Balancedness
from corollary.claims.landscape.balancedness import Given as Start
from corollary.claims.landscape.cross_entropy_deep_linear import CrossEntropyDeepLinear
from corollary.claims.landscape.deep_linear_gradient import DeepLinearGradient
from corollary.claims.landscape.end_to_end_flow import EndToEndFlow
from corollary.claims.landscape.forward_norm_growth import ForwardNormGrowth
from corollary.claims.landscape.kronecker_jacobian import KroneckerJacobian
from corollary.claims.landscape.layer_flow import LayerFlow
from corollary.claims.landscape.layer_gradient_moment import LayerGradientMoment
from corollary.claims.landscape.matrix_gradients import MatrixGradients
from corollary.claims.landscape.matrix_sensing import MatrixSensingMean
from corollary.claims.landscape.random_fourth_moment import RandomFourthMoment
from corollary.claims.landscape.random_gram_moment import RandomGramMoment
from corollary.claims.landscape.random_second_moment import RandomSecondMoment
from corollary.claims.landscape.singular_modes import SingularModes
from corollary.claims.landscape.squared_norm_sum import Given as Pair
from corollary.claims.landscape.squared_norm_sum import SquaredNormSum
from corollary.claims.landscape.svd_alignment import SvdAlignment
from corollary.core import Verdict
from corollary.theory.landscape.linear_flow import aligned_svd, layer_flow

CLAIMS = [
    MatrixGradients(p=3, m=2, n=5),
    KroneckerJacobian(p=2, d=3, order="rows"),
    SquaredNormSum(d=3),
    RandomSecondMoment(d=3, e=5, s2=0.5),
    ForwardNormGrowth(gain=0.5, law="uniform"),
    RandomFourthMoment(d=3, draws=40_000),
    RandomGramMoment(d=3, m=2),
    LayerGradientMoment(d=5, L=3, gain=0.8),
    DeepLinearGradient(d=4, L=4, gain=1.2),
    CrossEntropyDeepLinear(d=3, L=4),
    MatrixSensingMean(d=3, L=2),
    Balancedness(d=3, L=2),
    SvdAlignment(d=3, L=2),
    LayerFlow(d=3, L=4),
    EndToEndFlow(d=2, L=2),
    SingularModes(d=2),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("seed", range(2))
def test_it_holds_at_other_sizes_and_fails_without_its_hypothesis(claim, seed):
    assert claim.check(seed).verdict is Verdict.HOLDS
    refuted = claim.refute(seed)
    assert refuted.fails
    assert refuted.broken


def test_equal_vectors_give_nothing_away_and_orthogonal_ones_all():
    one, up = torch.tensor([1.0, 0.0]).double(), torch.tensor([0.0, 1.0]).double()
    result = SquaredNormSum().check_given(Pair(one, torch.stack([one, up, -one]), 2.0))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([0.0, 2.0, 4.0] * 2)


def test_the_printed_factor_gives_other_velocities():
    """With V_{k-1} in the last place, as in Problem 1d), no layer after the first is right."""
    layers, target = LayerFlow().draw(0).layers, LayerFlow().draw(0).target
    V, flow = aligned_svd(layers).V, layer_flow(layers, target)
    for k in range(1, len(flow)):
        printed = flow[k] @ V[k] @ V[k - 1].T
        assert (printed - flow[k]).norm() > 0.5 * flow[k].norm()


def test_two_numbers_keep_the_difference_of_their_squares():
    """Layers 1 and 2 and target 5: 4 - 1 = 3 for all times, and not 0 as (6.48) says."""
    one = torch.ones(1, 1, dtype=torch.float64)
    result = Balancedness(d=2, L=2).check_given(Start(5 * one, [one, 2 * one], 0.0))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == pytest.approx([3.0, 3.0])


def test_half_of_the_lemma_is_true_in_every_layer():
    predicted = LayerGradientMoment().check(0).predicted
    assert predicted == pytest.approx([0.5] * 4)
