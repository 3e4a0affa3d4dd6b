"""The limits are where torch's own optimizers turn unstable."""

import pytest
import torch
from torch.optim import SGD, Adagrad, Adam, AdamW, RMSprop, Rprop

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature import Explicit
from corollary.theory.optimization.stability import (
    Preconditioned,
    reach,
    stability_ratio,
    stability_scale,
)

SPECTRUM = torch.tensor([0.3, 2.0, 7.0], dtype=torch.float64)
SQUARES = torch.tensor([4.0, 0.25, 1.0], dtype=torch.float64)  # v of the adaptive methods
STILL = 1 - 1e-9  # a decay of the second moments so slow that they do not move


def frozen(optimizer, key):
    """An adaptive method whose second moments stay at SQUARES."""
    (p,) = optimizer.param_groups[0]["params"]
    state = {key: SQUARES.clone(), "step": torch.tensor(1e12)}
    if key == "exp_avg_sq":
        state["exp_avg"] = torch.zeros(3, dtype=torch.float64)
    if optimizer.param_groups[0].get("momentum"):
        state["momentum_buffer"] = torch.zeros(3, dtype=torch.float64)
    optimizer.state[p] = state
    return optimizer


METHODS = {
    "gradient descent": lambda p, lr: SGD(p, lr=lr),
    "momentum": lambda p, lr: SGD(p, lr=lr, momentum=0.9),
    "dampening": lambda p, lr: SGD(p, lr=lr, momentum=0.8, dampening=0.3),
    "nesterov": lambda p, lr: SGD(p, lr=lr, momentum=0.9, nesterov=True),
    "penalty": lambda p, lr: SGD(p, lr=lr, weight_decay=0.7),
    "rmsprop": lambda p, lr: frozen(RMSprop(p, lr=lr, alpha=STILL), "square_avg"),
    "rmsprop with momentum": lambda p, lr: frozen(
        RMSprop(p, lr=lr, alpha=STILL, momentum=0.6), "square_avg"
    ),
    "adam": lambda p, lr: frozen(Adam(p, lr=lr, betas=(0.9, STILL)), "exp_avg_sq"),
    "adamw": lambda p, lr: frozen(
        AdamW(p, lr=lr, betas=(0.7, STILL), weight_decay=0.0), "exp_avg_sq"
    ),
}


def grows(method, lr, steps=2000):
    """Whether a run on the quadratic grows a thousandfold, from so small that moments stay."""
    p = torch.full((3,), 1e-9, dtype=torch.float64, requires_grad=True)
    optimizer = method([p], lr)
    for _ in range(steps):
        p.grad = SPECTRUM * p.detach()
        optimizer.step()
        if float(p.detach().norm()) > 1e-6:
            return True
    return False


@pytest.mark.parametrize("name", METHODS)
def test_a_run_is_stable_just_below_the_limit_and_unstable_just_above(name):
    p = torch.zeros(3, dtype=torch.float64)
    unit = stability_ratio(Explicit(torch.diag(SPECTRUM)), METHODS[name]([p], 1.0), [p])
    limit = 1 / unit.value
    assert not grows(METHODS[name], 0.98 * limit)
    assert grows(METHODS[name], 1.02 * limit)


def test_groups_with_their_own_learning_rates_are_judged_together():
    a, b = torch.zeros(1), torch.zeros(1)
    optimizer = SGD([{"params": [a], "lr": 1.0}, {"params": [b], "lr": 0.01}], lr=1.0)
    ratio = stability_ratio(Explicit(torch.diag(torch.tensor([1.0, 100.0]))), optimizer, [a, b])
    assert ratio.value == pytest.approx(0.5)


def test_parameters_the_optimizer_does_not_own_do_not_count():
    a, b = torch.zeros(1), torch.zeros(1)
    D, _ = stability_scale(SGD([a], lr=1.0), [a, b])
    assert D.tolist() == [0.5, 0.0]


def test_centred_rmsprop_divides_by_the_spread_of_the_gradients():
    p = torch.zeros(1)
    optimizer = RMSprop([p], lr=1.0, centered=True, eps=0.0)
    optimizer.state[p] = {"square_avg": torch.tensor([5.0]), "grad_avg": torch.tensor([1.0])}
    assert stability_scale(optimizer, [p])[0].item() == pytest.approx(1 / (2 * 2))


def test_what_is_not_known_is_refused():
    w = [torch.zeros(1)]
    with pytest.raises(NotApplicableError, match="Rprop is not known"):
        reach(Rprop(w))
    with pytest.raises(NotApplicableError, match="no step yet"):
        stability_scale(Adam(w), w)
    assert reach(Adagrad(w)) == 2.0


def test_the_preconditioned_map_is_symmetric():
    A = torch.randn(4, 4, dtype=torch.float64)
    A, D = A + A.T, torch.rand(4, dtype=torch.float64)
    dense = Preconditioned(Explicit(A), D, torch.ones(4)).dense()
    expected = D.sqrt().diag() @ (A + torch.eye(4)) @ D.sqrt().diag()
    torch.testing.assert_close(dense, expected)
