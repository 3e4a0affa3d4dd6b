import itertools

import pytest
import torch

from corollary.data.patterns import random_patterns
from corollary.errors import InputError
from corollary.theory.connectionism.hopfield.capacity import bit_error_limit, hopfield_capacity
from corollary.theory.connectionism.hopfield.dense import (
    dense_bit_error,
    dense_capacity,
    dense_energy,
    dense_field,
)
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_counts


@pytest.mark.parametrize("power", [2, 3, 4])
def test_the_field_is_what_plus_one_saves_over_minus_one(power):
    P = random_patterns(5, 6, rng=torch.Generator().manual_seed(power))
    X = torch.tensor(list(itertools.product([-1.0, 1.0], repeat=6)), dtype=torch.float64)
    for i in range(6):
        up, down = X.clone(), X.clone()
        up[:, i], down[:, i] = 1, -1
        saved = dense_energy(P, down, power) - dense_energy(P, up, power)
        assert torch.equal(saved, dense_field(P, X, power)[:, i])


def test_the_exponential_field_has_the_sign_of_what_plus_one_saves():
    P = random_patterns(7, 9, rng=torch.Generator().manual_seed(0))
    X = torch.tensor(list(itertools.product([-1.0, 1.0], repeat=9)), dtype=torch.float64)
    for i in range(9):
        up, down = X.clone(), X.clone()
        up[:, i], down[:, i] = 1, -1
        saved = dense_energy(P, down, None) - dense_energy(P, up, None)
        clear = saved.abs() > 1e-9
        assert torch.equal(sign(saved)[clear], sign(dense_field(P, X, None)[:, i])[clear])


def test_power_two_is_hopfields_field():
    rng = torch.Generator().manual_seed(1)
    P, X = random_patterns(8, 40, rng=rng), random_patterns(20, 40, rng=rng)
    assert torch.equal(dense_field(P, X, 2), 4 * X @ hebbian_counts(P))


def test_laws_for_power_two_are_hopfields():
    assert dense_bit_error(100, 30, 2) == pytest.approx(bit_error_limit(0.3))
    assert dense_capacity(1000, 2) == pytest.approx(hopfield_capacity(1000))


@pytest.mark.parametrize("power", [1, 0, -2])
def test_a_power_below_two_is_refused(power):
    with pytest.raises(InputError, match="at least 2"):
        dense_capacity(10, power)
