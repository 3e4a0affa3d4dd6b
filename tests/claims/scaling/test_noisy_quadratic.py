import pytest
import torch

from corollary.claims.scaling.noisy_quadratic import Given, NoisyQuadraticLoss
from corollary.core import Verdict
from corollary.theory.scaling.noisy_quadratic import SHAPES, NoisyQuadratic


def test_one_newton_step_leaves_only_the_noise():
    one = torch.ones(1, dtype=torch.float64)
    given = Given(NoisyQuadratic(one, one, one), dict.fromkeys(SHAPES, [1.0]), 0.0, 1)
    result = NoisyQuadraticLoss(d=1, batch=10).check_given(given)
    assert list(result.predicted) == pytest.approx([0.05] * len(SHAPES))
    assert result.verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE)


def test_noise_that_grows_breaks_it():
    assert NoisyQuadraticLoss(runs=500).refute(0).fails


def test_decay_beats_a_constant_rate():
    constant, *decaying = NoisyQuadraticLoss(runs=200).check(0).predicted
    assert all(loss < constant for loss in decaying)
