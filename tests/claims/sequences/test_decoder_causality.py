import pytest
import torch

from corollary.claims.sequences.decoder_causality import DecoderCausality
from corollary.core import Verdict


def test_the_last_output_does_change():
    claim = DecoderCausality()
    given = claim.draw(0)
    changed, before = given.block(given.changed, given.memory), given.block(given.x, given.memory)
    assert not torch.allclose(changed[-1], before[-1], atol=1e-3)


@pytest.mark.parametrize("heads", [1, 4])
def test_it_holds_for_other_numbers_of_heads(heads):
    assert DecoderCausality(heads=heads, T=4).check(1).verdict is Verdict.HOLDS
