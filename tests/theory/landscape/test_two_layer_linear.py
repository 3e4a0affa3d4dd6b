import pytest
import torch

from corollary.errors import InputError
from corollary.models.deep_linear import DeepLinear, DeepLinearClassifier, TwoLayerLinear
from corollary.theory.landscape.deep_linear import (
    backpropagated,
    critical_residual,
    deep_linear_loss,
    flat_loss,
    layer_gradients,
    product,
    unflattened,
)
from corollary.theory.landscape.two_layer_linear import (
    critical_map,
    enumerate_critical_points,
    explained,
    least_squares_map,
    optimal_A,
    optimal_B,
    reduced_rank_loss,
    two_layer_gradients,
    two_layer_loss,
)
from corollary.theory.prerequisites.hessians import hessian


def draw(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X, Y = draw(0, 5, 20), draw(1, 3, 20)


def test_optimal_factors_solve_their_normal_equations():
    A, B = draw(2, 3, 2), draw(3, 2, 5)
    found = optimal_B(A, X, Y)
    torch.testing.assert_close(A.T @ A @ found @ X @ X.T, A.T @ Y @ X.T)
    other = optimal_A(B, X, Y)
    torch.testing.assert_close(other @ B @ X @ X.T @ B.T, Y @ X.T @ B.T)


def test_the_hessian_in_b_is_a_kronecker_product_without_negative_eigenvalues():
    A = draw(2, 3, 2)
    H = hessian(lambda w: two_layer_loss(A, w.reshape(2, 5), X, Y), torch.zeros(10).double())
    torch.testing.assert_close(H, torch.kron((A.T @ A).contiguous(), (X @ X.T).contiguous()))
    assert torch.linalg.eigvalsh(H)[0] > -1e-9


def test_the_gradient_vanishes_at_the_closed_form_minimum():
    best = enumerate_critical_points(X, Y, 2)[0]
    S_yx, S_xx = Y @ X.T, X @ X.T
    for g in two_layer_gradients(best.A, best.B, S_yx, S_xx):
        assert g.abs().max() < 1e-10
    assert best.loss == pytest.approx(reduced_rank_loss(X, Y, 2))


def test_critical_points_have_the_losses_and_curvatures_of_baldi_and_hornik():
    found = enumerate_critical_points(X, Y, 2)
    assert [c.indices for c in found] == [(0, 1), (0, 2), (1, 2)]
    for c in found:
        assert two_layer_loss(c.A, c.B, X, Y).item() == pytest.approx(c.loss)
        torch.testing.assert_close(critical_map(c.A, X, Y), c.A @ c.B)
        assert (c.curvatures[0] < -1e-6).item() == (c.indices != (0, 1))


def test_reduced_rank_regression_is_the_best_low_rank_fit():
    """Full rank is ordinary least squares, by scipy."""
    from scipy.linalg import lstsq

    W = torch.from_numpy(lstsq(X.T.numpy(), Y.T.numpy())[0]).T
    torch.testing.assert_close(least_squares_map(X, Y), W)
    assert reduced_rank_loss(X, Y, 3) == pytest.approx(0.5 * (Y - W @ X).square().sum().item())
    values, U = explained(X, Y)
    Sigma = Y @ X.T @ torch.linalg.inv(X @ X.T) @ X @ Y.T
    torch.testing.assert_close((U * values) @ U.T, Sigma)


def test_singular_inputs_and_wrong_sizes_are_refused():
    with pytest.raises(InputError, match="span 3 of 5"):
        least_squares_map(X[:, :3], Y[:, :3])
    with pytest.raises(InputError, match="p must lie"):
        enumerate_critical_points(X, Y, 4)


def test_gradients_of_unequal_layers_agree_with_autograd():
    widths = (5, 2, 4, 3)
    model = DeepLinear(widths, rng=torch.Generator().manual_seed(0))
    auto = torch.autograd.grad(model.loss(X.T, Y.T), list(model.weights))
    for mine, theirs in zip(model.analytic_gradients(X.T, Y.T), auto, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)
    one = model.analytic_gradients(X.T[:1], Y.T[:1])
    assert all(torch.linalg.matrix_rank(g) <= 1 for g in one)
    assert deep_linear_loss(list(model.weights), X, Y).item() == pytest.approx(
        model.loss(X.T, Y.T).item()
    )


def test_two_layer_gradients_come_from_the_correlations():
    model = TwoLayerLinear(5, 4, 3, rng=torch.Generator().manual_seed(0))
    in_A, in_B = torch.autograd.grad(model.loss(X.T, Y.T), (model.A, model.B))
    mine = model.analytic_gradients(Y @ X.T, X @ X.T)
    torch.testing.assert_close(mine.in_A, in_A, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(mine.in_B, in_B, rtol=1e-10, atol=1e-10)


def test_intermediate_lines_of_the_notes_have_the_wrong_shape():
    """d(x^T B^T A^T y)/dB is A^T y x^T, m x d; the notes' x y^T A is its transpose."""
    A, x, y = draw(5, 3, 4), X[:, 0], Y[:, 0]
    B = draw(6, 4, 5).requires_grad_()
    (g,) = torch.autograd.grad(x @ B.T @ A.T @ y, B)
    torch.testing.assert_close(g, A.T @ y.outer(x))
    assert (x.outer(y) @ A).shape == g.T.shape


def test_cross_entropy_gradients_agree_with_autograd_and_obey_their_bound():
    model = DeepLinearClassifier((5, 4, 6, 3), rng=torch.Generator().manual_seed(0))
    y = torch.eye(3, dtype=torch.float64)[torch.arange(20) % 3]
    auto = torch.autograd.grad(model.loss(X.T, y), list(model.weights))
    for mine, theirs in zip(model.analytic_gradients(X.T, y), auto, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)
    expected = torch.nn.functional.cross_entropy(model(X.T), y, reduction="sum")
    assert model.loss(X.T, y).item() == pytest.approx(expected.item())
    W = [w.detach() for w in model.weights]
    a, gradients = X[:, 0], model.analytic_gradients(X.T[:1], y[:1])
    for layer, g in enumerate(gradients):
        rest = product(W[layer + 1 :]) if layer + 1 < len(W) else torch.eye(3, dtype=torch.float64)
        assert g.norm() <= 2**0.5 * torch.linalg.matrix_norm(rest, 2) * a.norm() * (1 + 1e-12)
        a = W[layer] @ a


def test_the_critical_form_holds_for_deficient_layers_and_zero_weights():
    for C in (draw(7, 3, 2), draw(8, 3, 1).expand(3, 2), torch.zeros(3, 2).double()):
        B = optimal_B(C, X, Y)
        assert critical_residual([B, C], X, Y) < 1e-8
        assert layer_gradients([B, C], X, Y)[0].norm() < 1e-8
    assert critical_residual([draw(9, 2, 5), draw(7, 3, 2)], X, Y) > 0.1


def test_zero_weights_have_negative_curvature_only_with_one_hidden_layer():
    """One: minus the largest singular value of Y X^T. Two: zero, and descent of third order."""
    for widths, lowest in (((5, 2, 3), -torch.linalg.matrix_norm(Y @ X.T, 2)), ((5, 2, 2, 3), 0.0)):
        size = sum(a * b for a, b in zip(widths, widths[1:], strict=False))
        f, zero = flat_loss(widths, X, Y), torch.zeros(size).double()
        assert torch.linalg.eigvalsh(hessian(f, zero))[0].item() == pytest.approx(float(lowest))
    way = draw(3, size)
    change = [float(f(t * way) - f(zero)) for t in (1e-2, 2e-2)]
    assert change[1] / change[0] == pytest.approx(8, rel=0.1)


def test_convexity_is_violated_along_a_segment():
    best = enumerate_critical_points(X, Y, 2)[0]
    ends = [best.A, best.B], [-best.A, -best.B]  # the same map; half way are zero weights
    half = two_layer_loss(0 * best.A, 0 * best.B, X, Y)
    assert all(half > two_layer_loss(A, B, X, Y) for A, B in ends)


def test_layers_that_do_not_multiply_are_refused():
    with pytest.raises(InputError, match="layer 2 expects 3 inputs"):
        product([draw(0, 2, 5), draw(1, 3, 3)])
    with pytest.raises(InputError, match="got none"):
        product([])
    with pytest.raises(InputError, match="two layers"):
        critical_residual([draw(0, 3, 5)], X, Y)
    with pytest.raises(InputError, match="need 10 weights"):
        unflattened(torch.zeros(9).double(), (2, 2, 3))
    with pytest.raises(InputError, match="points with 5 features"):
        DeepLinear((5, 3), rng=torch.Generator())(Y.T)
    with pytest.raises(InputError, match="two positive widths"):
        DeepLinear((5,), rng=torch.Generator())
    assert backpropagated([draw(0, 3, 5)], X, Y)[0].shape == (3, 5)
