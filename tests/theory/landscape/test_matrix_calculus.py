import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape import matrix_calculus as mc
from corollary.theory.landscape.vectorisation import kron_jacobian, product_matrix, unvec, vec


def draw(*shape: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=rng, dtype=torch.float64)


def agrees(f, at: torch.Tensor, gradient: torch.Tensor) -> None:
    at = at.clone().requires_grad_()
    (auto,) = torch.autograd.grad(f(at), at)
    torch.testing.assert_close(gradient, auto, rtol=1e-10, atol=1e-10)


A, B, C, D = draw(2, 3), draw(3, 4), draw(4, 2), draw(3, 3)
x, y, a, b = draw(4), draw(3), draw(3), draw(4)


def test_every_gradient_agrees_with_autograd():
    agrees(lambda X: X.square().sum(), A, mc.frobenius_sq(A).gradient)
    agrees(lambda X: (A @ X).trace(), draw(3, 2), mc.trace_ax(A, draw(3, 2)).gradient)
    agrees(lambda X: (A @ X.T).trace(), draw(2, 3), mc.trace_axt(A, draw(2, 3)).gradient)
    agrees(lambda X: (A @ X @ C).trace(), B, mc.trace_abc(A, B, C).gradient)
    agrees(lambda X: (C.T @ X.T @ A.T).trace(), B, mc.trace_cbtat(A, B, C.T).gradient)
    M = draw(4, 4)
    agrees(lambda X: (A @ X @ M @ X.T @ A.T).trace(), B, mc.trace_abcbtat(A, B, M).gradient)
    agrees(lambda v: v @ M @ v, x, mc.quadratic_form(x, M).in_x)
    agrees(lambda Z: x @ Z @ x, M, mc.quadratic_form(x, M).in_A)
    agrees(lambda v: (B @ v).square().sum(), x, mc.gram_form(x, B).in_x)
    agrees(lambda Z: (Z @ x).square().sum(), B, mc.gram_form(x, B).in_A)
    agrees(lambda Z: (y - Z @ x).square().sum(), B, mc.residual_sq(B, x, y).gradient)
    agrees(lambda Z: a @ Z @ b, B, mc.bilinear(a, B, b).gradient)
    agrees(lambda Z: x @ Z.T @ D @ Z @ b, B, mc.bilinear_sandwich(x, B, D, b).gradient)


def test_values_are_those_of_the_products():
    assert mc.trace_abc(A, B, C).value.item() == pytest.approx((A @ B @ C).trace().item())
    assert mc.trace_axt(A, A).value.item() == pytest.approx(A.square().sum().item())
    assert mc.quadratic_form(y, D).value.item() == pytest.approx((y @ D @ y).item())


def test_factors_that_do_not_fit_are_named():
    with pytest.raises(InputError, match="columns of A as rows of X"):
        mc.trace_ax(A, draw(2, 3))
    with pytest.raises(InputError, match=r"columns of A as rows of X\^T"):
        mc.trace_axt(A, draw(3, 2))
    with pytest.raises(InputError, match="columns of C as rows of A"):
        mc.trace_abc(A, B, draw(4, 5))
    with pytest.raises(InputError, match="y must have 3"):
        mc.residual_sq(B, x, draw(2))
    with pytest.raises(InputError, match="the same shape"):
        mc.sum_squares_slack(x, y)


def test_the_shortcut_is_refused_for_a_matrix_that_is_not_symmetric():
    with pytest.raises(InputError, match="symmetric"):
        mc.quadratic_form(y, D, symmetric=True)
    S = D + D.T
    torch.testing.assert_close(
        mc.quadratic_form(y, S, symmetric=True).in_x, mc.quadratic_form(y, S).in_x
    )


def test_the_slack_of_the_square_of_a_sum_is_the_distance():
    for u, v in ((x, b), (A, draw(2, 3) + 1), (x, x)):
        slack = mc.sum_squares_slack(u, v).item()
        assert slack == pytest.approx((u - v).square().sum().item(), abs=1e-12)


@pytest.mark.parametrize("order", ["columns", "rows"])
def test_kronecker_forms_are_the_jacobians_of_autograd(order):
    p, d = 3, 4
    J = torch.autograd.functional.jacobian(lambda w: unvec(w, p, order) @ x, vec(draw(p, d), order))
    torch.testing.assert_close(kron_jacobian(x, p, order), J)
    P = vec(A @ B @ C, order)
    torch.testing.assert_close(product_matrix(A, C, order) @ vec(B, order), P)
    torch.testing.assert_close(unvec(vec(A, order), 2, order), A)


def test_the_brackets_of_section_6_2_2_are_needed():
    """W (z^T kron I) = z^T kron W, while (W z^T) kron I has another shape or does not exist."""
    left = A @ torch.kron(x[None], torch.eye(3, dtype=torch.float64))
    torch.testing.assert_close(left, torch.kron(x[None], A))


def test_a_vector_that_does_not_fill_a_matrix_is_refused():
    with pytest.raises(InputError, match="do not fill"):
        unvec(x, 3)
