import pytest
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.theory.prerequisites.hessians import hessian, hvp


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


W = normal(6, 4, seed=7)


def f(x):
    return torch.tanh(W @ x).square().sum() + torch.exp(x[0] * x[1])


@pytest.mark.parametrize(("mode", "tol"), [("autograd", 1e-8), ("finite_difference", 1e-5)])
def test_both_modes_agree_with_the_dense_hessian_of_torch(mode, tol):
    x, v = normal(4), normal(4, seed=1)
    dense = torch.autograd.functional.hessian(f, x)
    assert torch.allclose(hvp(f, x, v, mode=mode), dense @ v, atol=tol, rtol=0)
    assert torch.allclose(hessian(f, x), dense, atol=1e-12)


def test_the_forward_quotient_converges_linearly_until_rounding():
    x, v = normal(4), normal(4, seed=1)
    exact = hvp(f, x, v)
    t = [10.0**-j for j in range(6, 1, -1)]
    off = [float((hvp(f, x, v, mode="finite_difference", step=s) - exact).norm()) for s in t]
    assert loglog_fit(t, off).slope == pytest.approx(1, abs=0.1)
    tiny = float((hvp(f, x, v, mode="finite_difference", step=1e-13) - exact).norm())
    assert tiny > 10 * off[0]


def test_second_order_taylor_leaves_less_than_the_square():
    x, v = normal(4), normal(4, seed=1)
    (g,) = torch.autograd.grad(f(y := x.clone().requires_grad_()), y)
    t = [10.0**-j for j in range(3, 0, -1)]
    rest = [abs(float(f(x + s * v) - f(x) - s * g @ v - s * s / 2 * v @ hvp(f, x, v))) for s in t]
    assert rest[0] / t[0] ** 2 < rest[1] / t[1] ** 2 < rest[2] / t[2] ** 2


def test_affine_and_constant_functions_have_no_curvature():
    x = normal(3)
    assert hvp(lambda x: 2 * x.sum(), x, x).tolist() == [0.0] * 3
    assert hvp(lambda x: torch.tensor(1.0), x, x).tolist() == [0.0] * 3


def test_bad_input_is_named():
    with pytest.raises(InputError, match="v must have the shape of x"):
        hvp(f, normal(4), normal(3))
    with pytest.raises(InputError, match="v must be finite"):
        hvp(f, normal(4), normal(4) * torch.nan)
