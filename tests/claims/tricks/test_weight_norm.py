import pytest

from corollary.claims.tricks.weight_norm_growth import WeightNormGrowth
from corollary.claims.tricks.weight_norm_whitened import WeightNormWhitened
from corollary.core import Verdict


@pytest.mark.parametrize("seed", range(3))
def test_lengths_grow_by_the_squares_of_the_steps(seed):
    result = WeightNormGrowth(steps=20).check(seed)
    lengths = [r.value for r in result.measured]
    assert result.verdict is Verdict.HOLDS and lengths == sorted(lengths)


@pytest.mark.parametrize("d", [2, 8])
def test_weights_of_whitened_inputs_are_a_normalised_batch(d):
    assert WeightNormWhitened(d=d).check(0).verdict is Verdict.HOLDS
