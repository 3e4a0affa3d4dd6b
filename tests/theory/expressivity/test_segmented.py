from itertools import combinations

import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.expressivity.sawtooth import sawtooth_values
from corollary.theory.expressivity.segmented import best_segments, line_errors, pieces_needed


def middles(n):
    return (torch.arange(n, dtype=torch.float64) + 0.5) / n


def polyfit_error(x, y):
    if len(x) <= 2:
        return 0.0
    return float(((np.polyval(np.polyfit(x, y, 1), x) - y) ** 2).sum())


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_all_ways_to_cut_nine_points(seed):
    rng = torch.Generator().manual_seed(seed)
    x = torch.rand(9, generator=rng, dtype=torch.float64).sort().values
    y = torch.randn(9, generator=rng, dtype=torch.float64)
    found = best_segments(x, y, 4)
    for t in range(1, 5):
        best = min(
            sum(
                polyfit_error(x[i:j].numpy(), y[i:j].numpy())
                for i, j in zip((0, *cut), (*cut, 9), strict=True)
            )
            for cut in combinations(range(1, 9), t - 1)
        )
        assert float(found.errors[t - 1]) * 9 == pytest.approx(best, abs=1e-10)
    assert float((found.fitted - y).square().mean()) == pytest.approx(float(found.errors[-1]))


def test_line_errors_are_those_of_numpy():
    x, y = middles(12), torch.sin(7 * middles(12))
    cost = line_errors(x, y)
    assert float(cost[2, 9]) == pytest.approx(polyfit_error(x[2:10].numpy(), y[2:10].numpy()))
    assert cost[5, 3] == torch.inf and cost[4, 5] == 0


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_sawtooth_needs_all_its_pieces(k):
    x = middles(4 * 2**k)
    y = sawtooth_values(x, k)
    assert pieces_needed(x, y, 1e-6) == 2**k
    assert best_segments(x, y, 2**k).starts.tolist() == list(range(0, 4 * 2**k, 4))


def test_errors_never_grow_with_pieces_and_spare_pieces_stay_unused():
    x = middles(16)
    found = best_segments(x, (x - 0.5).abs(), 16)
    assert bool((found.errors.diff() <= 0).all())
    torch.testing.assert_close(found.fitted, (x - 0.5).abs())


def test_wrong_arguments_are_named():
    x = middles(4)
    with pytest.raises(InputError, match="ascend"):
        best_segments(x.flip(0), x, 1)
    with pytest.raises(InputError, match="pieces=5"):
        best_segments(x, x, 5)
    with pytest.raises(InputError, match="got 3000"):
        best_segments(middles(3000), middles(3000), 2)
    with pytest.raises(InputError, match="negative"):
        pieces_needed(x, x, -1.0)
