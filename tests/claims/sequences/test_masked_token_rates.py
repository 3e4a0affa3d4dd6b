import pytest
import torch

from corollary.claims.sequences.masked_token_rates import SHARES, Given, MaskedTokenRates
from corollary.core import Verdict


def test_four_tokens_by_hand():
    """One masked, one replaced, one kept, one left alone, between [CLS] and [SEP]."""
    ids = torch.tensor([[2, 7, 8, 9, 6, 3]])
    inputs = torch.tensor([[2, 4, 5, 9, 6, 3]])
    labels = torch.tensor([[-100, 7, 8, 9, -100, -100]])
    counts = MaskedTokenRates().measure(Given(ids, inputs, labels, 10, SHARES))
    assert [(c.hits, c.trials) for c in counts] == [(1, 4), (1, 4), (1, 4), (0, 2)]


def test_the_rates_are_those_of_the_notes_up_to_a_token_drawn_twice():
    claim = MaskedTokenRates(vocab=1005)
    given = claim.given(torch.Generator().manual_seed(0))
    assert claim.predict(given) == pytest.approx([0.12, 0.015, 0.015, 0], abs=2e-5)


def test_masking_alone_is_another_recipe():
    refuted = MaskedTokenRates().refute(1)
    assert refuted.fails


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("vocab", [8, 500])
def test_it_holds_for_drawn_texts(seed, vocab):
    assert MaskedTokenRates(vocab=vocab).check(seed).verdict is Verdict.HOLDS
