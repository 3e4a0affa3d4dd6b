import pytest
import torch

from corollary.claims.robustness.trained_robustness import Given, TrainedRobustness, _middle
from corollary.core import Verdict

SMALL = TrainedRobustness(d=100, sizes=(2, 3, 4, 6), width=10, steps=100, draws=2)


def test_draws_are_joined_by_their_geometric_mean():
    medians = torch.tensor([[0.1, 0.4], [0.4, 0.1]], dtype=torch.float64)
    assert _middle(medians) == pytest.approx([0.2, 0.2])


def test_the_construction_is_outside_the_claim_and_hardly_depends_on_m():
    given = Given((1, 2), trained=False)
    assert SMALL.check_given(given).verdict is Verdict.INAPPLICABLE
    values = SMALL.measure(given).values
    assert max(values) < 1.5 * min(values)
