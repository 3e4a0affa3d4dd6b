import pytest
import torch

from corollary.claims.geometry.layerwise_unfolding import LayerwiseUnfolding, separability
from corollary.core import Verdict, generator


def test_a_line_separates_two_points_and_not_the_corners_of_a_square():
    x = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
    assert separability(x, torch.tensor([-1.0, 1.0]).double()) == 1.0
    corners = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    assert separability(corners, torch.tensor([1.0, 1.0, -1.0, -1.0]).double()) <= 0.75


def test_linear_layers_gain_nothing():
    claim, rng = LayerwiseUnfolding(n=100, steps=20), generator(0, "linear")
    given = claim.given(rng)._replace(nets=claim.networks("linear", rng))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    gains = claim.measure(given).measured[1].values
    assert gains == pytest.approx([0.0] * claim.runs, abs=0.03)


def test_it_holds_for_another_seed():
    assert LayerwiseUnfolding(n=160).check(7).verdict is Verdict.HOLDS
