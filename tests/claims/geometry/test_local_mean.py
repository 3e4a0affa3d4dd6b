import pytest
import torch

from corollary.claims.geometry.local_mean import Given, LocalMean
from corollary.core import Verdict


def test_a_fourth_power_by_hand():
    """On the line the mean of (x ± r)^4 gives 12 x^2 + 2 r^2: the error is 2 r^2."""
    x = torch.tensor([[1.0]], dtype=torch.float64)
    given = Given(lambda x: x[:, 0] ** 4, x, 12.0)
    result = LocalMean(d=1, frames=1).check_given(given)
    assert result.verdict is Verdict.HOLDS
    errors = LocalMean(d=1, frames=1).measure(given, torch.Generator()).values
    assert errors == pytest.approx([2 * r**2 for r in (0.025, 0.05, 0.1, 0.2)], rel=1e-6)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_it_holds_in_other_dimensions(d):
    assert LocalMean(d=d).check(1).verdict is Verdict.HOLDS


def test_the_tip_of_a_cone_is_refuted():
    assert LocalMean().refute(0).fails
