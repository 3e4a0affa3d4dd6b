import pytest
import torch
from torch import nn

from corollary.claims.expressivity.pieces_depth import Given, PiecesDepth
from corollary.core import Verdict, generator


def test_one_unit_attains_the_bound():
    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)).double()
    for p in net.parameters():
        p.data.fill_(1.0)
    result = PiecesDepth(widths=(1,)).check_given(Given(net, (1,)))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == result.predicted[0] == 2


@pytest.mark.parametrize("widths", [(2,), (2, 2, 2, 2), (3, 3, 3), (6, 2)])
@pytest.mark.parametrize("jitter", [0.0, 0.1])
def test_it_holds_for_tent_networks_with_noise(widths, jitter):
    assert PiecesDepth(widths=widths, jitter=jitter).check(0).verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(10))
def test_it_holds_for_random_networks(seed):
    widths = (5, 4, 3)
    claim = PiecesDepth(widths=widths)
    given = claim.given(generator(seed))
    with torch.no_grad():
        for p in given.model.parameters():
            p.copy_(torch.randn(p.shape, generator=generator(seed, "w"), dtype=p.dtype))
    assert claim.check_given(given).verdict is Verdict.HOLDS


def test_clipped_units_have_one_piece_more():
    refuted = PiecesDepth(widths=(3,)).refute(0)
    assert refuted.fails
    claim = PiecesDepth(widths=(3,))
    assert claim.measure(claim.counterexample(generator(0)))[0] == 7
