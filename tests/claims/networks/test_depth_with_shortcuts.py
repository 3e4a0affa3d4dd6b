import pytest
import torch

from corollary.claims.networks.depth_with_shortcuts import (
    DepthWithShortcuts,
    depth_sweep,
    networks,
)
from corollary.core import Verdict, generator
from corollary.theory.networks.logistic import logistic_loss
from corollary.train import fit


@pytest.mark.parametrize("seed", [1, 2])
def test_deep_plain_networks_train_worse_and_residual_ones_better(seed):
    claim = DepthWithShortcuts(runs=2)
    assert claim.check(seed).verdict is Verdict.HOLDS
    given = claim.given(generator(seed, claim.name()))
    plain, residual = depth_sweep(given, False), depth_sweep(given, True)
    assert (plain[1:] > plain[:-1]).all() and (residual[1:] < residual[:-1]).all()
    assert plain[-1].min() == pytest.approx(0.693, abs=0.01), "stuck at ln 2: nothing is learned"


def test_two_plain_networks_gain_nothing_from_depth():
    refuted = DepthWithShortcuts().refute(1)
    assert refuted.fails and refuted.broken == ("the second network has shortcuts",)


def test_depths_that_hardly_differ_are_not_compared():
    claim = DepthWithShortcuts(depths=(2, 4), runs=1, steps=10)
    assert claim.check_given(claim.given(generator(0, "near"))).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("shortcut", [False, True])
def test_networks_trained_together_end_where_each_of_them_ends_alone(shortcut):
    given = DepthWithShortcuts(depths=(3,), runs=2, steps=10).given(generator(0, "alone"))
    nets, x, y = networks(given, 3, shortcut)
    for run, net in enumerate(nets):
        fit(
            net,
            (x[:, run], y[:, run]),
            lambda z, target: logistic_loss(z[:, 0], target),
            lambda p: torch.optim.SGD(p, lr=given.eta),
            steps=10,
        )
        alone = logistic_loss(net(x[:, run])[:, 0].detach(), y[:, run])
        torch.testing.assert_close(depth_sweep(given, shortcut)[0, run], alone)
