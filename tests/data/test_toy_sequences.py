"""Toy tasks on sequences."""

import pytest
import torch

from corollary.data.toy_sequences import copy_pairs, lagged_cue, parity_bits, reversal_pairs
from corollary.errors import InputError


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_pairs_are_what_they_say_and_use_all_tokens():
    x, y = reversal_pairs(50, 7, 5, rng=rng())
    assert torch.equal(y.flip(1), x) and x.unique().tolist() == [0, 1, 2, 3, 4]
    x, y = copy_pairs(50, 7, 5, rng=rng())
    assert torch.equal(x, y) and x is not y


def test_parity_changes_exactly_at_the_ones():
    x, y = parity_bits(20, 30, rng=rng())
    changes = torch.diff(y, dim=1, prepend=torch.zeros(20, 1).long()).abs()
    assert torch.equal(changes, x[..., 0].long())


def test_the_cue_is_balanced_and_noise_has_its_size():
    x, y = lagged_cue(4000, 10, noise=0.5, rng=rng())
    assert abs(y.double().mean().item() - 0.5) < 0.04
    assert abs(x[:, 1:, 1].std().item() - 0.5) < 0.02
    assert not x[:, 0, 1].any()


def test_the_same_seed_gives_the_same_task():
    assert torch.equal(lagged_cue(4, 5, rng=rng(3)).x, lagged_cue(4, 5, rng=rng(3)).x)


@pytest.mark.parametrize(
    "draw",
    [
        lambda r: copy_pairs(0, 3, 2, rng=r),
        lambda r: reversal_pairs(2, 3, 0, rng=r),
        lambda r: parity_bits(2, 0, rng=r),
    ],
)
def test_tasks_without_size_are_refused(draw):
    with pytest.raises(InputError, match="at least 1"):
        draw(rng())
