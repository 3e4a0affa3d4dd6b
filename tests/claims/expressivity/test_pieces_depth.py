import pytest
import torch

from corollary.claims.expressivity.pieces_depth import PiecesDepth
from corollary.core import Verdict, generator


def test_one_unit_attains_the_bound():
    claim = PiecesDepth()
    result = claim.check_given(claim.tight())
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == result.predicted[0] == 2


@pytest.mark.parametrize("widths", [(2,), (2, 2, 2, 2), (6, 2)])
@pytest.mark.parametrize("jitter", [0.0, 0.1])
def test_it_holds_for_tent_networks_with_noise(widths, jitter):
    assert PiecesDepth(widths=widths, jitter=jitter).check(0, draw=False).verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_random_networks(seed):
    claim = PiecesDepth(widths=(5, 4, 3))
    given = claim.draw(seed)
    for p in given.model.parameters():
        p.data = torch.randn(p.shape, generator=generator(seed, "w"), dtype=p.dtype)
    assert claim.check_given(given).verdict is Verdict.HOLDS


def test_clipped_units_have_one_piece_more():
    clipped = PiecesDepth(widths=(3,)).check(0, draw=False).counterexample
    assert clipped.fails and clipped.measured[0].value == 7
