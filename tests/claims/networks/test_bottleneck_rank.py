import pytest
import torch

from corollary.claims.networks.bottleneck_rank import BottleneckRank, Given
from corollary.core import Verdict
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.theory.networks.activations import LINEAR


def test_a_factor_of_smaller_rank_lowers_the_bound():
    model = LinearAutoencoder(4, 2, rng=torch.Generator().manual_seed(0))
    with torch.no_grad():
        model.C[1] = 2 * model.C[0]
    result = BottleneckRank().check_given(Given(torch.eye(4).double(), [model], LINEAR))
    assert result.verdict is Verdict.HOLDS
    assert (result.measured[0].value, result.predicted[0]) == (1.0, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_random_codes_attain_the_bound(seed):
    result = BottleneckRank(d=6).check(seed)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == list(result.predicted) == [1, 2, 3, 4, 5] * 2


def test_few_points_may_have_a_smaller_rank():
    result = BottleneckRank(d=6, n=2).check(0)
    assert result.verdict is Verdict.HOLDS
    assert max(m.value for m in result.measured[:5]) == 2


def test_a_non_linearity_breaks_it():
    refuted = BottleneckRank().refute(0)
    assert refuted.fails and refuted.broken == ("encoder and decoder are linear",)
