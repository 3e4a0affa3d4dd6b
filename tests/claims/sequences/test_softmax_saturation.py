import pytest
import torch

from corollary.claims.sequences.softmax_saturation import Given, SoftmaxSaturation
from corollary.core import Verdict, generator
from corollary.theory.sequences.saturation import gap_density


def test_the_level_of_the_decay_is_the_density_of_the_gap():
    claim = SoftmaxSaturation(n=2)
    series = claim.measure(claim.given(generator(0)))
    level = [v * d**0.5 for d, v in zip(series.sizes, series.values, strict=True)]
    assert level[-1] == pytest.approx(gap_density(2), rel=0.15)


def test_two_equal_scores_pass_the_whole_gradient_in_any_dimension():
    dims = (4, 8, 16, 32)
    given = Given(dims, tuple(torch.zeros(3, 2, dtype=torch.float64) for _ in dims))
    assert SoftmaxSaturation().measure(given).values == pytest.approx([0.5] * 4)


@pytest.mark.parametrize("n", [2, 8])
def test_it_holds_for_few_and_many_keys(n):
    assert SoftmaxSaturation(n=n).check(2).verdict is Verdict.HOLDS
