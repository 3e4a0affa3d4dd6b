"""Superposition, affine combinations and matrices: cases by hand."""

import pytest
import torch

from corollary.claims.connectionism import affine_combinations, linear_map_matrix
from corollary.claims.connectionism.superposition import Superposition, gaps, maps
from corollary.core import Verdict, generator

F64 = torch.float64
AffineCombinations = affine_combinations.AffineCombinations
LinearMapMatrix = linear_map_matrix.LinearMapMatrix


def test_only_the_first_map_of_the_zoo_is_linear():
    claim = Superposition(n=3)
    given = claim.given(generator(0))
    assert claim.predict(given) == [1, 0, 0, 0, 0, 0, 0]


def test_with_weights_of_sum_one_the_affine_map_slips_through():
    claim = Superposition()
    given = claim.suppositions[0].without(claim.draw(0))
    found = dict(zip(maps(given), gaps(given), strict=True))
    assert found["Ax + b"] < 1e-9 < found["ReLU(Ax)"]
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


def one_dimensional(alpha, beta):
    """f(x) = x + 1 at x = 2, y = 5."""
    x, y, a, b = (torch.tensor(v, dtype=F64) for v in ([[2.0]], [[5.0]], [alpha], [beta]))
    one = torch.ones(1, dtype=F64)
    return affine_combinations.Given(one[None], one, 0.0, x, y, a, b)


@pytest.mark.parametrize("alpha, beta, gap", [(1.0, 0.0, 0), (0.0, 0.0, 1), (2.0, 3.0, 4)])
def test_the_difference_of_the_footnote_is_not_constant(alpha, beta, gap):
    """With one constant b the first case says b = 0, the second b = 1, the third b = -4."""
    result = AffineCombinations().check_given(one_dimensional(alpha, beta))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(gap)


def test_running_sums_have_the_triangle_of_ones_as_matrix():
    kernel = torch.tensor([1.0, 0.0, 0.0], dtype=F64)  # convolution with it changes nothing
    given = linear_map_matrix.Given(kernel, 2, torch.ones(1, 3, dtype=F64))
    expected = torch.tensor([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], dtype=F64)
    torch.testing.assert_close(given.A(), expected)
    assert LinearMapMatrix().measure(given) == pytest.approx([1, 2])


def test_the_matrix_has_as_many_rows_as_outputs():
    claim = LinearMapMatrix(n=12, m=7)
    assert claim.given(generator(0)).A().shape == (7, 12)
