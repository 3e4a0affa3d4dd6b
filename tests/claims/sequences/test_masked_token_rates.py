import pytest
import torch

from corollary.claims.sequences.masked_token_rates import MaskedTokenRates, fates


def test_four_tokens_by_hand():
    """One masked, one replaced, one kept, one left alone, between [CLS] and [SEP]."""
    ids = torch.tensor([[2, 7, 8, 9, 6, 3]])
    inputs = torch.tensor([[2, 4, 5, 9, 6, 3]])
    labels = torch.tensor([[-100, 7, 8, 9, -100, -100]])
    counts = fates(ids, inputs, labels)
    assert [(c.hits, c.trials) for c in counts] == [(1, 4), (1, 4), (1, 4), (0, 2)]


def test_the_rates_are_those_of_the_notes_up_to_a_token_drawn_twice():
    claim = MaskedTokenRates(vocab=1005)
    given = claim.given(torch.Generator().manual_seed(0))
    assert claim.predict(given) == pytest.approx([0.12, 0.015, 0.015, 0], abs=2e-5)
