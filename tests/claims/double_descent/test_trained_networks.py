"""Networks that learn their features, around the interpolation threshold."""

import pytest
import torch

from corollary.claims.double_descent.trained_networks import (
    CLASSES,
    Stack,
    TrainedNetworks,
    threshold,
    trained,
)
from corollary.core import Verdict, generator

pytest.importorskip("sklearn")


@pytest.mark.parametrize("n, d", [(50, 4), (100, 10), (110, 30)])
def test_at_the_threshold_there_are_as_many_parameters_as_equations(n, d):
    h = threshold(n, d)
    net = Stack(1, d, h, torch.Generator().manual_seed(0))
    p = sum(parameter.numel() for parameter in net.parameters())
    assert abs(p - n * CLASSES) <= (d + 1 + CLASSES) / 2


def test_networks_beside_each_other_do_not_meet():
    rng = torch.Generator().manual_seed(0)
    net, x = Stack(3, 4, 5, rng), torch.randn(7, 3, 4, generator=rng)
    alone = torch.relu(x[:, 1] @ net.W[1] + net.b[1]) @ net.A[1] + net.c[1]
    torch.testing.assert_close(net(x)[:, 1], alone)


def test_wide_networks_fit_more_than_narrow_ones():
    given = TrainedNetworks(n=50, d=5, runs=2, steps=100).given(generator(0, "short"))
    narrow, wide = (trained(given, h, generator(0)) for h in (2, 64))
    assert max(wide.train) < min(narrow.train)
    assert all(0 <= share <= 1 for share in [*narrow.wrong, *wide.wrong])


def test_with_a_penalty_the_claim_does_not_apply():
    claim = TrainedNetworks(n=50, d=20, runs=2, steps=100)
    given = claim.given(generator(0, "short"))._replace(penalty=0.01)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.slow
def test_the_peak_is_at_the_threshold():
    claim = TrainedNetworks()
    result = claim.check(0)
    assert result.verdict is Verdict.HOLDS, result.sentence
    assert result.counterexample.fails
    (test, _, line), _ = (figure.marks for figure in result.figures)
    assert max(zip(test.y, test.x, strict=True))[1] == line.value
