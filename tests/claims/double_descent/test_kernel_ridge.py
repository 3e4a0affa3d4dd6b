import pytest
import torch

from corollary.claims.double_descent.kernel_ridge import Given, KernelRidgeRegression
from corollary.core import Verdict


def test_one_point_by_hand():
    """One point: alpha = y/(1 + lambda), and f(x0) is the same."""
    x = torch.zeros(1, 1, dtype=torch.float64)
    one = torch.ones(1, dtype=torch.float64)
    result = KernelRidgeRegression(lam=0.25).check_given(Given(x, one, x, one[None]))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(0.8)


@pytest.mark.parametrize("lam", [1e-3, 0.1, 1.0])
def test_it_holds_for_any_regulariser(lam):
    assert KernelRidgeRegression(lam=lam).check(2).verdict is Verdict.HOLDS


def test_with_the_printed_inner_product_the_minimiser_is_another_function():
    """Erratum: integrals of f g are not the inner product of the space."""
    assert KernelRidgeRegression().refute(0).fails
