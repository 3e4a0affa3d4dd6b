import pytest
import torch

from corollary.claims.optimization.critical_batch_size import CriticalBatchSize, Given
from corollary.core import Verdict


def test_one_dimension_without_label_noise_has_scale_two():
    # The gradient of an example is -2 w x²: E x⁴ = 3, so the variance is twice the squared mean.
    assert Given(torch.ones(1, dtype=torch.float64), 0.0, 10, 10).scale == pytest.approx(2.0)


def test_batches_that_are_read_again_break_it():
    assert CriticalBatchSize(runs=100).refute(0).fails


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_interval_has_its_level_in_two_hundred_runs(seed):
    assert CriticalBatchSize(runs=200).check(seed).verdict is Verdict.HOLDS
