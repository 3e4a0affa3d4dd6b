import pytest
import torch

from corollary.claims.architectures.batch_norm_direction import BatchNormDirection
from corollary.claims.architectures.batch_norm_moments import BatchNormMoments, Given
from corollary.claims.architectures.layer_norm_alone import LayerNormAlone
from corollary.claims.architectures.pooled_shifts import PooledShifts
from corollary.claims.architectures.scalar_chain_step import ScalarChain
from corollary.core import Verdict
from corollary.models.batch_norm import BatchNorm


def test_a_feature_that_varies_by_delta_keeps_half_its_variance():
    z = torch.tensor([[-0.1], [0.1]], dtype=torch.float64)  # v = delta = 0.01
    result = BatchNormMoments(delta=0.01).check_given(Given(z, BatchNorm(1, 0.01, dtype=z.dtype)))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[1] == pytest.approx(0.5), "and not 1, as the notes say"


def test_the_second_moment_gives_other_outputs_than_batch_normalisation():
    refuted = BatchNormDirection().refute(0)
    assert refuted.fails and refuted.broken == ("Σ is the covariance of x",)


@pytest.mark.parametrize(
    "claim",
    [
        BatchNormMoments(B=2, k=3),
        BatchNormDirection(n=200, d=12, mean=50.0),
        LayerNormAlone(m=2, B=4),
        PooledShifts(size=7),
        ScalarChain(L=2),
        ScalarChain(L=25),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_it_holds_at_other_sizes(claim, seed):
    assert claim.check(seed).verdict is Verdict.HOLDS


def test_steps_one_after_the_other_are_another_thing():
    refuted = ScalarChain().refute(0)
    assert refuted.fails and refuted.broken == ("all weights step at once",)
