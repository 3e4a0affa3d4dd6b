r"""Ridge functions: a linear form followed by a function of one variable.

.. math:: f(x;\theta)=\varphi(x\cdot\theta)

It is constant on the hyperplanes orthogonal to :math:`\theta`; where :math:`\varphi` is
differentiable its input gradient is :math:`\varphi'(x\cdot\theta)\,\theta`, and the gradient of a
loss :math:`\ell` in the parameters is :math:`(\ell\circ\varphi)'(x\cdot\theta)\,x`, a multiple of
the input.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Ridge functions.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Scalar = Callable[[Tensor], Tensor]  # a function of one real variable, entry by entry


def slope_of(phi: Scalar, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Derivative of a function of one variable, entry by entry, and NaN where there is none.

    Autograd always answers, also at a kink. So the slopes and the values a few units in the last
    place to the left and to the right are compared: where either jumps, the answer is NaN.

    Example:
        >>> slope_of(torch.relu, torch.tensor([-1.0, 0.0, 2.0]))
        tensor([0., nan, 1.])
    """
    z = z.detach()
    eps = torch.finfo(z.dtype).eps
    h = 8 * eps * z.abs().clamp(min=1)
    _, here = _value_and_slope(phi, z)
    left_value, left = _value_and_slope(phi, z - h)
    right_value, right = _value_and_slope(phi, z + h)
    # Over 16 units in the last place a smooth function moves by that times its slope, no more.
    steep = (left.abs() + right.abs()) * h + eps * right_value.abs()
    broken = (right_value - left_value).abs() > 64 * (steep + h)
    bent = (right - left).abs() > eps**0.5 * (1 + left.abs() + right.abs())
    return torch.where(broken | bent | z.isnan(), torch.nan, here)


def rate_of_change(
    phi: Scalar, x: Float[Tensor, "k n"], theta: Float[Tensor, " p"]
) -> Float[Tensor, " k"]:
    r"""Length of the input gradient, :math:`|\varphi'(x\cdot\theta)|\,\|\theta\|`, per point.

    NaN marks the points where :math:`\varphi` has no derivative.

    Example:
        >>> x = torch.tensor([[1.0, 1.0], [4.0, -3.0]])
        >>> rate_of_change(torch.relu, x, torch.tensor([3.0, 4.0]))
        tensor([5., nan])

    :covers: ridge-rate-of-change
    :test: tests/theory/connectionism/test_ridge.py
    """
    length: Tensor = theta.detach().norm()
    return slope_of(phi, pre_activation(x, theta)).abs() * length


def parameter_gradient(
    phi: Scalar, x: Float[Tensor, "k n"], theta: Float[Tensor, " p"], loss: Scalar
) -> Float[Tensor, "k n"]:
    r"""Gradient of :math:`\ell(\varphi(x\cdot\theta))` in :math:`\theta`, per point.

    Each row is :math:`(\ell\circ\varphi)'(x\cdot\theta)` times the input: one number per point is
    differentiated, whatever the dimension. At a kink autograd's choice of slope is taken.

    Args:
        phi: Activation.
        x: Points.
        theta: Weights of the unit.
        loss: Takes the ``k`` outputs to ``k`` losses, entry by entry; targets go in by closure.

    Example:
        >>> x = torch.tensor([[1.0, 2.0]])
        >>> parameter_gradient(torch.relu, x, torch.tensor([1.0, 1.0]), lambda f: (f - 1) ** 2)
        tensor([[4., 8.]])

    :covers: ridge-parameter-gradient
    :test: tests/theory/connectionism/test_ridge.py
    """
    z = pre_activation(x, theta)
    _, slope = _value_and_slope(lambda t: loss(phi(t)), z)
    return slope[:, None] * x.detach()


def pre_activation(x: Float[Tensor, "k n"], theta: Float[Tensor, " p"]) -> Float[Tensor, " k"]:
    r"""The linear form :math:`x\cdot\theta` of each point, after a check of the shapes.

    Example:
        >>> pre_activation(torch.tensor([[1.0, 2.0]]), torch.tensor([3.0, 4.0]))
        tensor([11.])
    """
    if x.ndim != 2 or theta.ndim != 1 or x.shape[1] != theta.shape[0]:
        raise InputError(
            f"a ridge function needs points (k, n) and weights (n,), but x has shape "
            f"{tuple(x.shape)} and theta {tuple(theta.shape)}"
        )
    if not (torch.isfinite(x).all() and torch.isfinite(theta).all()):
        raise InputError("a ridge function needs finite points and weights, got NaN or inf")
    return (x @ theta).detach()


def _value_and_slope(phi: Scalar, z: Tensor) -> tuple[Tensor, Tensor]:
    with torch.enable_grad():
        z = z.detach().requires_grad_(True)
        value = phi(z)
        if value.shape != z.shape:
            raise InputError(
                f"the function must act entry by entry, but it maps shape {tuple(z.shape)} to "
                f"{tuple(value.shape)}"
            )
        if not value.requires_grad:  # built from comparisons: flat on each side
            return value.detach(), torch.zeros_like(z)
        (slope,) = torch.autograd.grad(value.sum(), z)
    return value.detach(), slope
