import torch

from corollary.claims.connectionism.version_space import Given, VersionSpace
from corollary.core import Verdict


def test_the_first_quadrant_is_a_quarter_of_all_directions():
    e = torch.eye(2, dtype=torch.float64)
    result = VersionSpace().check_given(Given(e, e.new_ones(2)))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == 0.25


def test_opposite_points_with_one_label_leave_nothing():
    x = torch.tensor([[1.0, 0], [-1, 0]], dtype=torch.float64)
    assert VersionSpace().check_given(Given(x, x.new_ones(2))).verdict is Verdict.INAPPLICABLE
