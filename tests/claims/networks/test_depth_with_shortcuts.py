import pytest
import torch

from corollary.claims.networks.depth_with_shortcuts import DepthWithShortcuts, Stack
from corollary.core import Verdict, generator
from corollary.models.residual import ResidualMLP


def test_deep_plain_networks_train_worse_and_residual_ones_better():
    result = DepthWithShortcuts(runs=6).check(1, draw=False)
    assert result.verdict is Verdict.HOLDS
    plain, depths = result.counterexamples
    assert plain.fails and depths.fails
    assert "shortcuts carry the points through the second network" in plain.broken


def test_depths_that_hardly_differ_are_not_compared():
    claim = DepthWithShortcuts(L=4, runs=2, steps=10)
    assert claim.check_given(claim.draw(0)).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("shortcut", [False, True])
def test_each_network_of_a_stack_is_a_residual_mlp(shortcut):
    rng = generator(0, "alone")
    stack = Stack(3, DepthWithShortcuts(runs=2), rng)
    stack.shortcut = float(shortcut)
    x = torch.randn(5, 2, 2, generator=rng, dtype=torch.float64)
    for run in range(2):
        net = ResidualMLP(2, 16, 3, 1, "tanh", shortcut=shortcut, rng=rng)
        with torch.no_grad():
            net.first.W.copy_(stack.first[run].T)
            net.last.W.copy_(stack.last[run].T)
            for layer, W in zip(net.hidden, stack.W[:, run], strict=True):
                getattr(layer, "block", layer).affine.W.copy_(W.T)
            for bias in (p for name, p in net.named_parameters() if name.endswith("b")):
                bias.zero_()
        torch.testing.assert_close(stack(x)[:, run], net(x[:, run])[:, 0])
