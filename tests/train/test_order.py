import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.train.order import batch_indices, permutation, steps_in_epoch


@given(
    n=st.integers(1, 60), size=st.integers(1, 70), seed=st.integers(0, 9), epoch=st.integers(0, 5)
)
def test_the_batches_of_an_epoch_show_every_row_once(n, size, seed, epoch):
    parts = [batch_indices(n, size, seed, epoch, t) for t in range(steps_in_epoch(n, size))]
    assert sorted(torch.cat(parts).tolist()) == list(range(n))
    assert all(len(part) == min(size, n) for part in parts[:-1])


def test_a_batch_is_the_same_whatever_was_asked_before():
    alone = batch_indices(100, 7, seed=3, epoch=5, step=9)
    torch.manual_seed(1)
    permutation(100, 3, 4), torch.rand(5)
    assert torch.equal(batch_indices(100, 7, seed=3, epoch=5, step=9), alone)


def test_seeds_and_epochs_give_other_orders():
    orders = [permutation(50, seed, epoch) for seed in range(4) for epoch in range(4)]
    assert len({tuple(order.tolist()) for order in orders}) == 16


def test_every_row_comes_first_equally_often():
    first = torch.stack(
        [permutation(5, seed, epoch)[0] for seed in range(40) for epoch in range(50)]
    )
    counts = torch.bincount(first, minlength=5).double()
    chi_square = float(((counts - 400) ** 2 / 400).sum())
    assert chi_square < 23.5  # 4 degrees of freedom: exceeded by chance once in 10,000


def test_the_full_batch_keeps_the_order_of_the_data():
    assert batch_indices(4, None, seed=0, epoch=7, step=0).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("n", "size", "step", "words"),
    [
        (0, 2, 0, "empty"),
        (5, 0, 0, "batch_size"),
        (5, -1, 0, "batch_size"),
        (5, 2, 3, "steps 0 to 2"),
    ],
)
def test_impossible_sizes_are_named(n, size, step, words):
    with pytest.raises(InputError, match=words):
        batch_indices(n, size, seed=0, epoch=0, step=step)
