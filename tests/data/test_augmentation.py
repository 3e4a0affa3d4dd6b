import pytest
import torch

from corollary.data.augmentation import augmented, crops, flips, jitters, quarter_turns
from corollary.errors import InputError
from corollary.theory.regularization.ridge import ridge

PICTURE = torch.arange(9.0).reshape(1, 3, 3)


def seen(transforms):
    return {tuple(f(PICTURE).flatten().tolist()) for f in transforms}


def test_k_transformations_of_n_rows_are_k_n_rows_with_their_labels():
    x, y = augmented(torch.rand(5, 1, 3, 3), torch.arange(5), quarter_turns())
    assert len(x) == 20 and y.tolist() == 4 * list(range(5))


@pytest.mark.parametrize(
    "group, order", [(flips(), 4), (quarter_turns(), 4), (quarter_turns(mirrored=True), 8)]
)
def test_flips_and_turns_are_groups(group, order):
    products = {tuple(f(g(PICTURE)).flatten().tolist()) for f in group for g in group}
    assert products == seen(group) and len(seen(group)) == order


def test_crops_keep_the_size_and_hold_the_picture_itself():
    windows = crops(1)
    assert len(windows) == 9 and torch.equal(windows[4](PICTURE), PICTURE)
    assert windows[0](PICTURE)[0].tolist() == [[0, 0, 0], [0, 0, 1], [0, 3, 4]]


def test_noise_has_the_size_asked_for():
    noisy = jitters(0.5, 2, rng=torch.Generator().manual_seed(0))
    off = noisy[1](torch.zeros(10_000)) - noisy[0](torch.zeros(10_000))
    assert float(off.std()) == pytest.approx(0.5, rel=0.03)


def test_least_squares_on_all_flips_is_invariant():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(30, 3, 3, generator=g, dtype=torch.float64)
    y = torch.randn(30, generator=g, dtype=torch.float64)
    turned, labels = augmented(x, y, flips())
    w = ridge(turned.flatten(1), labels, 0.0).reshape(3, 3)
    for f in flips():
        torch.testing.assert_close(f(w), w)


def test_empty_lists_and_negative_sizes_are_refused():
    with pytest.raises(InputError, match="at least one"):
        augmented(torch.ones(2, 2), torch.ones(2), [])
    with pytest.raises(InputError, match="pad"):
        crops(-1)
    with pytest.raises(InputError, match="sigma"):
        jitters(-1.0, 2, rng=torch.Generator())
