import pytest
import torch

from corollary.claims.geometry.oversquashing import Given, Oversquashing
from corollary.core import Verdict
from corollary.data.graphs import path_graph


def test_one_linear_layer_on_an_edge_attains_the_bound():
    W = torch.eye(1, dtype=torch.float64)[None]
    given = Given(path_graph(2), torch.zeros(2, 1, dtype=torch.float64), W, lambda z: z)
    result = Oversquashing().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([0.5, 0.5])
    assert result.predicted == pytest.approx([0.5, 0.5])


def test_beyond_k_hops_both_sides_are_zero():
    result = Oversquashing(bell=3, bridge=4, k=3).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == result.measured[0].value == 0.0


def test_steep_activations_are_refuted():
    assert Oversquashing().refute(1).broken == ("the slope of the activation is at most 1",)
