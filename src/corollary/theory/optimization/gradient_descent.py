r"""Gradient descent with a fixed step, with everything it passed.

.. math:: x_{k+1}=x_k-\eta\nabla f(x_k),\qquad\eta>0 .

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.1 and 5.2; Perez Jensen (2025),
    Deep Learning, Section 3.2; Cauchy (1847), "Méthode générale pour la résolution des systèmes
    d'équations simultanées".
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient, scalar
from corollary.theory.prerequisites.wellformed import check_finite, check_positive

Regime = Literal["monotone", "oscillating", "marginal", "diverging"]
Callback = Callable[[int, Tensor], None]


class Descent(NamedTuple):
    """A trajectory; entry k is that of iterate k, entry 0 the start."""

    x: Float[Tensor, "k d"]
    f: Float[Tensor, " k"]
    gradient_norm: Float[Tensor, " k"]
    diverged: bool  # it left the finite numbers and was cut there


def gradient_descent(
    f: Function,
    x0: Float[Tensor, " d"],
    eta: float,
    steps: int,
    *,
    tol: float | None = None,
    callback: Callback | None = None,
) -> Descent:
    r"""Run ``steps`` steps of gradient descent, and record them.

    Args:
        f: Differentiable by autograd.
        x0: The start.
        eta: The step size.
        steps: How many at most.
        tol: Stop at the first gradient no longer than this; without it no step is left out.
        callback: Called with k and :math:`x_k` at each iterate.

    Example:
        >>> run = gradient_descent(lambda x: 0.5 * (x**2).sum(), torch.ones(1), eta=0.5, steps=3)
        >>> run.x[:, 0].tolist()
        [1.0, 0.5, 0.25, 0.125]

    :covers: gradient-descent
    """
    check_finite("x0", x0)
    check_positive("eta", eta)
    if steps < 1:
        raise InputError(f"steps must be at least 1, got {steps}")
    x, xs, values, norms, diverged = x0.detach(), [], [], [], False
    for k in range(steps + 1):
        value = scalar(f, x).detach()
        g = gradient(f, x) if bool(torch.isfinite(value)) else x * float("nan")
        size = g.norm()
        if not bool(torch.isfinite(size)):
            diverged = True
            break
        xs.append(x)
        values.append(value)
        norms.append(size)
        if callback is not None:
            callback(k, x)
        if tol is not None and float(size) <= tol:
            break
        x = x - eta * g
        if not bool(torch.isfinite(x).all()):
            diverged = True
            break
    if not xs:
        raise InputError(
            "f must be finite with a finite gradient at the start, got NaN or infinity"
        )
    return Descent(torch.stack(xs), torch.stack(values), torch.stack(norms), diverged)


def step_regime(eta: float, L: float) -> Regime:
    r"""What a step size does to the stiffest direction of an L-smooth quadratic.

    Monotone up to :math:`1/L`, oscillating but converging below :math:`2/L`, diverging above.

    Example:
        >>> [step_regime(eta, L=1.0) for eta in (1.0, 1.9, 2.0, 2.1)]
        ['monotone', 'oscillating', 'marginal', 'diverging']
    """
    check_positive("eta", eta)
    check_positive("L", L)
    if eta <= 1 / L:
        return "monotone"
    if eta == 2 / L:
        return "marginal"
    return "oscillating" if eta < 2 / L else "diverging"
