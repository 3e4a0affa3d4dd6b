import pytest
import torch
from sklearn.linear_model import Ridge

from corollary.errors import InputError
from corollary.models.dropout import Dropout
from corollary.theory.regularization.dropout import (
    dropout_penalty,
    dropout_regression,
    expected_dropout_loss,
    squared_loss,
)


def problem(n=6, m=5, k=3, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=rng).double() for shape in ((k, m), (n, m), (n, k))]


@pytest.mark.parametrize("m", [1, 5, 12])
@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.9])
def test_all_masks_together_are_loss_plus_penalty(m, p):
    W, A, Y = problem(m=m)
    exact = expected_dropout_loss(W, A, Y, p)
    torch.testing.assert_close(
        exact, squared_loss(W, A, Y) + dropout_penalty(W, A, p), rtol=1e-10, atol=1e-10
    )


def test_many_units_agree_by_sampling_with_torch_dropout():
    W, A, Y = problem(m=40)
    draws = 4000
    rng = torch.Generator().manual_seed(1)
    dropped = Dropout(0.3, rng=rng)(A.expand(draws, *A.shape))
    loss = (Y - dropped @ W.T).square().sum(dim=2).mean(dim=1)
    expected = float(squared_loss(W, A, Y) + dropout_penalty(W, A, 0.3))
    assert abs(float(loss.mean()) - expected) < 4 * float(loss.std()) / draws**0.5


def test_masks_without_the_factor_are_another_loss():
    """The typo of the proof: Ber(1-p) has mean 1-p, and the outputs shrink by it."""
    W, A, Y = problem()
    plain = expected_dropout_loss(W, A, Y, 0.5, inverted=False)
    shrunk = squared_loss(0.5 * W, A, Y) + dropout_penalty(0.5 * W, A, 0.5)
    torch.testing.assert_close(plain, shrunk)
    assert abs(float(plain - expected_dropout_loss(W, A, Y, 0.5))) > 0.1


def test_linear_regression_with_dropped_inputs_is_ridge_with_the_diagonal():
    rng = torch.Generator().manual_seed(0)
    X, y = torch.randn(30, 4, generator=rng).double(), torch.randn(30, generator=rng).double()
    w, p = dropout_regression(X, y, 0.4), 0.4
    scale = X.square().sum(dim=0).sqrt()  # in these units the penalty is a multiple of ||w||^2
    theirs = Ridge(alpha=p / (1 - p), fit_intercept=False).fit((X / scale).numpy(), y.numpy())
    torch.testing.assert_close(w * scale, torch.from_numpy(theirs.coef_))
    W = w[None].clone().requires_grad_()
    (slope,) = torch.autograd.grad(expected_dropout_loss(W, X, y[:, None], p), W)
    assert float(slope.abs().max()) < 1e-10


def test_rates_and_sizes_outside_the_formula_are_refused():
    W, A, Y = problem()
    with pytest.raises(InputError, match=r"\[0, 1\)"):
        dropout_penalty(W, A, 1.0)
    W, A, Y = problem(m=17)
    with pytest.raises(InputError, match="16 units"):
        expected_dropout_loss(W, A, Y, 0.5)
    with pytest.raises(InputError, match="no column"):
        dropout_regression(torch.zeros(3, 1), torch.ones(3), 0.5)
