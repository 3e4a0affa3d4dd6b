"""Probabilities of sequences."""

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.sequences.factorization import (
    all_sequences,
    sequence_log_prob,
    teacher_forced_loss,
)


def drawn():
    rng = torch.Generator().manual_seed(0)
    logits = torch.randn(4, 5, 3, generator=rng, dtype=torch.float64)
    return logits, torch.randint(3, (4, 5), generator=rng)


def test_the_logarithm_is_minus_the_cross_entropy_of_torch():
    logits, y = drawn()
    wanted = -torch.nn.functional.cross_entropy(logits.mT, y, reduction="none").sum(1)
    torch.testing.assert_close(sequence_log_prob(logits, y), wanted)


def test_places_past_the_length_do_not_count():
    logits, y = drawn()
    lengths = torch.tensor([0, 1, 3, 5])
    found = sequence_log_prob(logits, y, lengths)
    for row, n in enumerate(lengths.tolist()):
        torch.testing.assert_close(found[row], sequence_log_prob(logits[row, :n], y[row, :n]))
    total, count = teacher_forced_loss(logits, y, lengths)
    assert count == 9
    torch.testing.assert_close(total, -found.sum())


def test_independent_tokens_have_probabilities_that_sum_to_one():
    logits, _ = drawn()
    y = all_sequences(3, 5)
    assert len(y) == 3**5 and len(y.unique(dim=0)) == 3**5
    p = sequence_log_prob(logits[0].expand(len(y), 5, 3), y).exp()
    assert abs(p.sum().item() - 1) < 1e-12


def test_misfits_are_refused():
    logits, y = drawn()
    with pytest.raises(InputError, match="tokens"):
        sequence_log_prob(logits, y + 1)
    with pytest.raises(InputError, match="lengths"):
        sequence_log_prob(logits, y, torch.tensor([0, 1, 2, 6]))
    with pytest.raises(InputError, match="K\\^n"):
        all_sequences(10, 7)
