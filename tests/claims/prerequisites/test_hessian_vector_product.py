import pytest
import torch

from corollary.claims.prerequisites.hessian_vector_product import (
    Given,
    HessianVectorProduct,
    operations,
)
from corollary.core import Verdict
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian, hvp


def test_a_quadratic_has_its_matrix():
    H = torch.tensor([[2.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    v = torch.tensor([1.0, -1.0], dtype=torch.float64)
    result = HessianVectorProduct().check_given(Given(lambda x: 0.5 * x @ H @ x, v, v))
    assert result.verdict is Verdict.HOLDS and result.predicted == (1.0, 1.0)


def test_at_a_kink_of_the_gradient_autograd_returns_a_number_without_a_limit():
    refuted = HessianVectorProduct().refute(0)
    assert refuted.predicted == (0.0, 0.0)
    assert [m.value for m in refuted.measured] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("m", [1, 6])
def test_it_is_the_dense_hessian_times_the_vector_at_a_few_gradients(m):
    f, x, v = HessianVectorProduct(m=m).given(torch.Generator().manual_seed(m))
    dense = torch.autograd.functional.hessian(f, x)
    assert torch.allclose(hvp(f, x, v), dense @ v, atol=1e-10)
    product, one = operations(hvp, f, x, v), operations(gradient, f, x)
    assert one < product <= 4 * one
    assert operations(hessian, f, x) == len(x) * product


@pytest.mark.parametrize("seed", range(2))
def test_it_holds_for_drawn_networks(seed):
    assert HessianVectorProduct(m=3).check(seed).verdict is Verdict.HOLDS
