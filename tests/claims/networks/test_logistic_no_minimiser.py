import pytest
import torch

from corollary.claims.networks.logistic_no_minimiser import Given, LogisticNoMinimiser
from corollary.core import Verdict


def test_one_point_attains_the_bound():
    one = torch.ones(1, dtype=torch.float64)
    result = LogisticNoMinimiser().check_given(Given(one[:, None], one, one, 1.0))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx(list(result.predicted))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gamma", [0.02, 0.5])
def test_it_holds_for_drawn_clouds_and_the_loss_keeps_falling(seed, gamma):
    result = LogisticNoMinimiser(gamma=gamma).check(seed)
    assert result.verdict is Verdict.HOLDS
    losses = [m.value for m in result.measured]
    assert all(0 < b < a for a, b in zip(losses, losses[1:], strict=False))


def test_a_point_with_both_labels_stops_it():
    refuted = LogisticNoMinimiser().refute(0)
    assert refuted.fails and refuted.broken == ("u separates the points with margin γ > 0",)
