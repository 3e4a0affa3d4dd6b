import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression as Sklearn

from corollary.data.separable import separable_cloud
from corollary.errors import InputError
from corollary.models.logistic_regression import LogisticRegression
from corollary.theory.networks.logistic import logistic_loss
from corollary.train import Measure, fit


def noisy(n: int = 200, d: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(n, d, generator=rng, dtype=torch.float64)
    p = torch.sigmoid(x @ torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64))
    return x, (torch.rand(n, generator=rng, dtype=torch.float64) < p).double()


@pytest.mark.parametrize("bias", [False, True])
def test_the_formula_is_the_gradient_of_autograd(bias):
    x, y = noisy()
    model = LogisticRegression(3, bias=bias, rng=torch.Generator().manual_seed(1))
    (expected,) = torch.autograd.grad(model.loss(x, y), model.w)
    torch.testing.assert_close(model.gradient(x, y), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("bias", [False, True])
def test_gradient_descent_ends_where_scikit_learn_does(bias):
    x, y = noisy()
    model = LogisticRegression(3, bias=bias)
    fit(model, (x, y), logistic_loss, lambda p: torch.optim.SGD(p, lr=3.0), steps=600)
    theirs = Sklearn(C=np.inf, fit_intercept=bias, tol=1e-10).fit(x.numpy(), y.numpy())
    np.testing.assert_allclose(model.w.detach().numpy(), theirs.coef_[0], atol=1e-4)
    probabilities = theirs.predict_proba(x.numpy())[:, 1]
    np.testing.assert_allclose(model.probabilities(x).detach().numpy(), probabilities, atol=1e-4)


def test_stochastic_gradients_lower_the_loss():
    x, y = noisy()
    model = LogisticRegression(3)
    start = model.loss(x, y).item()
    fit(model, (x, y), logistic_loss, lambda p: torch.optim.SGD(p, lr=0.1), epochs=5, batch_size=1)
    assert model.loss(x, y).item() < 0.8 * start


def test_on_separable_points_the_weights_grow_with_the_logarithm_of_time():
    x, y, _ = separable_cloud(30, 3, 0.3, rng=torch.Generator().manual_seed(0))
    model = LogisticRegression(3)
    norm = Measure(every=1, norm=lambda m: m.w.norm())
    history = fit(
        model,
        (x, (1 + y) / 2),
        logistic_loss,
        lambda p: torch.optim.SGD(p, lr=10.0),
        steps=1600,
        callbacks=[norm],
    )
    at = [history["norm"][t - 1] for t in (100, 200, 400, 800, 1600)]
    growth = [b - a for a, b in zip(at, at[1:], strict=False)]
    assert min(growth) > 0.5, "each doubling of the time adds about as much"
    assert max(growth) < 2 * min(growth)


def test_inputs_and_labels_that_do_not_fit_are_refused():
    x, y = noisy()
    model = LogisticRegression(3)
    with pytest.raises(InputError, match="labels 0 or 1, got 2"):
        model.loss(x, 2 * y)
    with pytest.raises(InputError, match="points with 3 features"):
        model(x[:, :2])
    with pytest.raises(InputError, match="d >= 1"):
        LogisticRegression(0)
