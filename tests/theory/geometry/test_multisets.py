import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.theory.geometry.multisets import (
    elementary_from_power_sums,
    multiset_from_power_sums,
    power_sums,
)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=6, unique=True))
@settings(max_examples=40, deadline=None)
def test_power_sums_give_the_multiset_back(numbers):
    x = torch.tensor(sorted(numbers), dtype=torch.float64)
    assert torch.allclose(multiset_from_power_sums(power_sums(x, len(x))), x, atol=1e-5)


def test_the_elementary_polynomials_are_the_coefficients_of_the_product():
    x = torch.tensor([2.0, -1.0, 3.0], dtype=torch.float64)
    # (t - 2)(t + 1)(t - 3) = t^3 - 4 t^2 + t + 6
    assert elementary_from_power_sums(power_sums(x, 3)).tolist() == pytest.approx([4.0, 1.0, -6.0])


def test_fewer_sums_do_not_suffice():
    """Prouhet, Tarry, Escott: {0, 3, 5, 6} and {1, 2, 4, 7} share the first two power sums."""
    a, b = torch.tensor([[0.0, 3, 5, 6], [1, 2, 4, 7]]).double()
    assert torch.equal(power_sums(a, 2), power_sums(b, 2))
    assert not torch.equal(power_sums(a, 3), power_sums(b, 3))


def test_sums_are_taken_set_by_set():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert power_sums(x, 2).tolist() == [[3.0, 5.0], [7.0, 25.0]]
    with pytest.raises(InputError):
        power_sums(x, 0)
