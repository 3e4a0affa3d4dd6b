import itertools

import pytest
import torch

from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.energy import energy, field, flip_change


def network(n, seed=0):
    rng = torch.Generator().manual_seed(seed)
    A = torch.randn(n, n, generator=rng, dtype=torch.float64)
    return (A + A.T).fill_diagonal_(0), torch.randn(n, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_the_energy_of_every_state_is_the_double_sum(n):
    W, b = network(n)
    X = torch.tensor(list(itertools.product([-1.0, 1.0], repeat=n)), dtype=torch.float64)
    for x, value in zip(X.tolist(), energy(W, b, X).tolist(), strict=True):
        pairs = sum(W[i, j].item() * x[i] * x[j] for i in range(n) for j in range(n))
        by_hand = -0.5 * pairs + sum(b[i].item() * x[i] for i in range(n))
        assert value == pytest.approx(by_hand, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_flip_changes_the_energy_by_minus_the_change_times_the_field(seed):
    W, b = network(12, seed)
    x = random_patterns(12, rng=torch.Generator().manual_seed(seed))
    for i in range(12):
        flipped = x.clone()
        flipped[i] = -x[i]
        change = float(energy(W, b, flipped) - energy(W, b, x))
        assert change == pytest.approx(float(-(flipped[i] - x[i]) * field(W, b, x)[i]), abs=1e-11)
        assert change == pytest.approx(float(flip_change(W, b, x)[i]), abs=1e-11)
