import pytest
import torch

from corollary.claims.geometry.oversmoothing_rate import Given, OversmoothingRate
from corollary.core import Verdict
from corollary.data.graphs import path_graph


def test_on_a_path_of_three_the_rate_is_one_half():
    X = torch.tensor([[1.0], [0.2], [-0.5]], dtype=torch.float64)
    result = OversmoothingRate().check_given(Given(path_graph(3), X))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_features(seed):
    assert OversmoothingRate(d=1).check(seed).verdict is Verdict.HOLDS


def test_two_components_are_refuted():
    assert OversmoothingRate().refute(0).broken == ("the graph is connected",)
