import pytest
import torch

from corollary.data.textures import PATTERNS, placed_patterns, stripes
from corollary.errors import InputError


def rng():
    return torch.Generator().manual_seed(0)


def test_stripes_change_in_one_direction_only():
    x, y = stripes(40, 9, channels=3, noise=0.0, rng=rng())
    assert x.shape == (40, 3, 9, 9) and set(y.tolist()) == {0, 1}
    assert bool((x[y == 1].diff(dim=3) == 0).all()) and bool((x[y == 1].diff(dim=2) != 0).any())


def test_patterns_lie_where_they_were_asked_for_and_go_round_the_edge():
    x, y = placed_patterns(60, 8, where=(6, 7), noise=0.0, rng=rng())
    assert bool((x[..., 2:6] == 0).all()), "columns 6, 7, 0 and 1"
    torch.testing.assert_close(x.sum(dim=(1, 2, 3)), PATTERNS.sum(dim=(1, 2))[y])


def test_wrong_sizes_are_refused():
    with pytest.raises(InputError, match="size >= 4"):
        placed_patterns(3, 3, rng=rng())
    with pytest.raises(InputError, match="n >= 1"):
        stripes(0, rng=rng())
