import pytest
import torch

from corollary.claims.networks.linear_composition import Given, LinearComposition
from corollary.core import Verdict
from corollary.models.mlp import MLP


def identity_network(phi: str) -> Given:
    """Two layers that do nothing, asked at points of both signs."""
    net = MLP([2, 2, 2], phi, rng=torch.Generator())
    with torch.no_grad():
        for layer in net.layers:
            layer.affine.W.copy_(torch.eye(2))
            layer.affine.b.zero_()
    return Given(net, torch.tensor([[1.0, -2.0]], dtype=torch.float64))


def test_two_identities_are_one():
    result = LinearComposition().check_given(identity_network("linear"))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [1.0, -2.0]


def test_with_relu_between_the_layers_it_does_not_apply():
    claim, given = LinearComposition(), identity_network("relu")
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("widths", [(3, 3), (4, 1, 4), (5, 9, 9, 9, 9, 2)])
def test_it_holds_for_drawn_networks(seed, widths):
    assert LinearComposition(widths=widths).check(seed).verdict is Verdict.HOLDS
    assert widths == (3, 3) or LinearComposition(widths=widths).refute(seed).fails
