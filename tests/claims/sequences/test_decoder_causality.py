import pytest
import torch

from corollary.claims.sequences.decoder_causality import DecoderCausality
from corollary.core import Verdict, generator


def test_the_listing_of_the_notes_changes_its_first_output():
    claim = DecoderCausality()
    given = claim.counterexample(generator(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    d = given.x.shape[1]
    first = torch.tensor(claim.measure(given)[:d]) - torch.tensor(claim.predict(given)[:d])
    assert float(first.abs().max()) > 1e-3
    assert claim.refute(0).fails


def test_the_last_output_does_change():
    claim = DecoderCausality()
    x, last, memory, block = claim.given(generator(0))
    changed = block(torch.cat([x[:-1], last[None]]), memory)[-1]
    assert not torch.allclose(changed, block(x, memory)[-1], atol=1e-3)


@pytest.mark.parametrize("heads", [1, 4])
def test_it_holds_for_other_numbers_of_heads(heads):
    assert DecoderCausality(heads=heads, T=4).check(1).verdict is Verdict.HOLDS
