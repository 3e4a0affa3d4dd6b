r"""Shallow networks: gradients, Gram matrices, and how nearly linear they are in their weights.

For :math:`f(W) = \sum_j a_j\sigma(w_j^\top x)` with fixed a,

.. math:: \nabla f(W) = D\,a\,x^\top, \quad D = \mathrm{diag}\,\sigma'(w_j^\top x), \qquad
          |f(W) - f_0(W)| \le \frac{\beta}{2\sqrt m}\|W - W_0\|_F^2\|x\|^2,

the bound for :math:`a_j = \pm1/\sqrt m`, a :math:`\beta`-smooth :math:`\sigma` and the
linearisation :math:`f_0` at :math:`W_0`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 2, (6.49), and Chapter 7,
    Exercise 1; Perez Jensen (2025), Deep Learning, Section 9; Du, Zhai, Poczos and Singh (2019),
    "Gradient descent provably optimizes over-parameterized neural networks".
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.kernels.empirical.ntk import empirical_ntk
from corollary.theory.kernels.empirical.products import outputs_at, pull_back, trainable

# The largest |σ''| of activations that are smooth.
SMOOTHNESS = {
    "tanh": 4 / (3 * math.sqrt(3)),
    "sigmoid": 1 / (6 * math.sqrt(3)),
    "softplus": 1 / 4,
    "sin": 1.0,
}


def shallow_gradient(
    w: Float[Tensor, "m d"],
    a: Float[Tensor, " m"],
    x: Float[Tensor, " d"],
    sigma: Callable[[Tensor], Tensor],
) -> Float[Tensor, "m d"]:
    r"""The gradient with respect to the inner weights: :math:`D a x^\top`.

    Example:
        >>> w, a = torch.zeros(2, 2), torch.tensor([1.0, -1.0])
        >>> shallow_gradient(w, a, torch.tensor([3.0, 4.0]), torch.tanh).tolist()
        [[3.0, 4.0], [-3.0, -4.0]]

    :covers: shallow-net-gradient
    """
    with torch.enable_grad():
        z = (w.detach() @ x.detach()).requires_grad_()
        (slopes,) = torch.autograd.grad(sigma(z).sum(), z)
    return torch.outer(slopes * a, x)


def linearise(
    w0: Float[Tensor, "m d"],
    a: Float[Tensor, " m"],
    x: Float[Tensor, " d"],
    sigma: Callable[[Tensor], Tensor],
) -> Callable[[Float[Tensor, "m d"]], Float[Tensor, ""]]:
    r"""The network's expansion at :math:`W_0` as a function of W.

    Example:
        >>> f = linearise(torch.zeros(1, 1), torch.ones(1), torch.ones(1), torch.tanh)
        >>> f(torch.tensor([[2.0]])).item()
        2.0
    """
    start, slope = sigma(w0 @ x) @ a, shallow_gradient(w0, a, x, sigma)
    return lambda w: start + (slope * (w - w0)).sum()


def linearisation_bound(beta: float, m: int, distance: float, length: float) -> float:
    r"""The bound :math:`\frac{\beta}{2\sqrt m}\|W - W_0\|_F^2\|x\|^2`.

    Example:
        >>> linearisation_bound(1.0, 4, 2.0, 1.0)
        1.0

    :covers: linearisation-error
    """
    if m < 1 or not beta > 0:
        raise InputError(f"width {m} and smoothness {beta} must be positive")
    return beta / (2 * math.sqrt(m)) * distance**2 * length**2


def smoothness(sigma: str) -> float:
    r"""The constant :math:`\beta` of an activation by name; an error for those that have none.

    Example:
        >>> smoothness("softplus")
        0.25
    """
    if sigma not in SMOOTHNESS:
        raise InputError(
            f"'{sigma}' is not a smooth activation with a known constant; known are "
            f"{', '.join(SMOOTHNESS)} (ReLU has a kink, so it has no such constant)"
        )
    return SMOOTHNESS[sigma]


def two_layer_gram(w: Float[Tensor, "m d"], x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    r"""The Gram matrix of a two-layer ReLU network whose first layer is trained.

    :math:`H_{ij} = \langle x_i, x_j\rangle\frac1m\sum_r 1\{w_r^\top x_i > 0, w_r^\top x_j > 0\}`.

    Example:
        >>> two_layer_gram(torch.tensor([[1.0], [-1.0]]), torch.tensor([[2.0]])).item()
        2.0

    :covers: ntk-two-layer-gram
    :erratum: [notation] Exercise 1c has >= in the indicator where the hinted derivative of ReLU is
        0 at 0; they differ on ties only, which have probability zero at initialisation.
    """
    active = (x @ w.T).clamp(0, 1).ceil()  # 1 above zero, and NaN for NaN
    return (x @ x.T) * (active @ active.T) / len(w)


class FlowStep(NamedTuple):
    """One small step of gradient flow on half the squared residual, two ways."""

    moved: Tensor  # change of the outputs under the parameter step
    kernel: Tensor  # dt K(y - f)
    loss_slope: float  # -(y - f)ᵀK(y - f)


def flow_step(
    model: nn.Module, x: Float[Tensor, "n d"], y: Float[Tensor, "n *c"], dt: float
) -> FlowStep:
    r"""A step :math:`\theta + dt\sum_i(y_i - f_i)\nabla f(x_i)` beside :math:`dt\,K(y - f)`.

    Example:
        >>> line = nn.Linear(1, 1, bias=False)
        >>> step = flow_step(line, torch.tensor([[2.0]]), torch.ones(1, 1), 0.1)
        >>> torch.allclose(step.moved, step.kernel)  # exact for linear models
        True

    :covers: function-space-gradient-flow
    :test: tests/theory/kernels/test_shallow.py
    """
    with torch.no_grad():
        f = outputs_at(model, {}, x)
    n, c = f.shape
    rest = y.reshape(n, c) - f
    pulled = pull_back(model, x, rest)
    k = empirical_ntk(model, x, mode="full")
    driven = torch.einsum("ijop,jp->io", k, rest)
    moved = {
        name: p.detach() + dt * g
        for (name, p), g in zip(trainable(model).items(), pulled, strict=True)
    }
    with torch.no_grad():
        change = outputs_at(model, moved, x) - f
    return FlowStep(change, dt * driven, -float((rest * driven).sum()))
