import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from corollary.errors import InputError
from corollary.models.scratch import GD, MLP


def limit(optimizer, gradient, w, steps=3000):
    for _ in range(steps):
        w = optimizer.moved(w, gradient(w))
    return w


def test_on_a_parabola_the_forms_end_where_the_formulas_say():
    start, gradient = np.zeros(1), lambda w: w - 1
    assert limit(GD(0.1, 0.1), gradient, start) == pytest.approx(1 / 1.1)
    assert limit(GD(0.1, 0.1, decoupled=True), gradient, start) == pytest.approx(0.5)


@pytest.mark.parametrize("decoupled", [False, True])
def test_the_fixed_point_is_the_ridge_solution(decoupled):
    rng = np.random.default_rng(0)
    X, y, eta, decay = rng.standard_normal((30, 4)), rng.standard_normal(30), 0.01, 0.05
    penalty = decay / eta if decoupled else decay
    ridge = Ridge(alpha=penalty, fit_intercept=False).fit(X, y).coef_
    found = limit(GD(eta, decay, decoupled=decoupled), lambda w: X.T @ (X @ w - y), np.zeros(4))
    np.testing.assert_allclose(found, ridge, atol=1e-8)


def test_the_forms_coincide_when_the_decoupled_decay_is_the_step_times_the_other():
    rng = np.random.default_rng(0)
    W, dW = rng.standard_normal((2, 5))
    a = GD(0.3, 0.2).moved(W, dW)
    np.testing.assert_allclose(GD(0.3, 0.06, decoupled=True).moved(W, dW), a, atol=1e-15)


def test_the_coupled_form_is_torchs_sgd():
    W, dW = torch.tensor([1.0, -2.0]).double(), torch.tensor([0.5, 3.0]).double()
    p = torch.nn.Parameter(W.clone())
    p.grad = dW.clone()
    torch.optim.SGD([p], lr=0.1, weight_decay=0.2).step()
    np.testing.assert_allclose(GD(0.1, 0.2).moved(W.numpy(), dW.numpy()), p.detach().numpy())


def test_biases_are_not_decayed():
    net = MLP([2, 1], rng=np.random.default_rng(0))
    (layer,) = net.linear
    layer.b, layer.dW, layer.db = np.ones(1), np.zeros((2, 1)), np.zeros(1)
    before = layer.W.copy()
    GD(0.5, 0.2).step(net)
    np.testing.assert_allclose(layer.W, 0.9 * before)
    assert layer.b.tolist() == [1]


def test_bad_steps_are_refused():
    with pytest.raises(InputError, match="lr > 0 and weight_decay >= 0, got lr=0, weight_decay=0"):
        GD(0.0)
    with pytest.raises(InputError, match="got lr=0.1, weight_decay=-1"):
        GD(0.1, -1.0)
