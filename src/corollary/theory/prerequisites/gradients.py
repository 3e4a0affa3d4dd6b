r"""Gradients: by difference quotients, by autograd, and along a direction.

.. math:: \partial_if(x)=\lim_{h\to0}\frac{f(x+he_i)-f(x)}{h},\qquad
    \partial_uf(x)=\nabla f(x)^\top u

A function ``f`` takes a vector of d numbers to one number. Derivatives of vectors are in the
numerator layout throughout: row i, column j holds :math:`\partial f_i/\partial x_j`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.1, (1.8)-(1.11).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, check_positive

Function = Callable[[Tensor], Tensor]
Scheme = Literal["forward", "central"]


class OneSided(NamedTuple):
    """The difference quotients from the left and from the right."""

    left: float
    right: float
    differentiable: bool  # they agree, to what the step can tell


def gradient(f: Function, x: Float[Tensor, " d"]) -> Float[Tensor, " d"]:
    """The gradient by autograd; zero where ``f`` does not use ``x``.

    Example:
        >>> gradient(lambda x: (x**2).sum(), torch.tensor([1.0, -3.0]))
        tensor([ 2., -6.])
    """
    check_finite("x", x)
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        value = scalar(f, x)
        if not value.requires_grad:
            return torch.zeros_like(x)
        (g,) = torch.autograd.grad(value, x, materialize_grads=True)
    return g


def numerical_gradient(
    f: Function, x: Float[Tensor, " d"], *, scheme: Scheme = "central", step: float | None = None
) -> Float[Tensor, " d"]:
    r"""The gradient by difference quotients: what a formula is checked against.

    The error is :math:`O(h)` for ``forward`` and :math:`O(h^2)` for ``central``, plus
    :math:`\varepsilon|f|/h` of rounding; the default step balances the two. Cost: d + 1 or 2d
    evaluations.

    Example:
        >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64)
        >>> numerical_gradient(lambda x: x[0] * x[1], x).round(decimals=9)
        tensor([2., 1.], dtype=torch.float64)

    :covers: numerical-gradient
    """
    check_finite("x", x)
    h = default_step(x, scheme) if step is None else step
    check_positive("step", h)
    with torch.no_grad():
        moves = h * torch.eye(len(x)).to(x)
        ahead = torch.stack([scalar(f, x + e) for e in moves])
        if scheme == "forward":
            return (ahead - scalar(f, x)) / h
        return (ahead - torch.stack([scalar(f, x - e) for e in moves])) / (2 * h)


def directional_derivative(
    f: Function,
    x: Float[Tensor, " d"],
    u: Float[Tensor, " k"],
    *,
    scheme: Literal["autograd", "forward", "central"] = "autograd",
    step: float | None = None,
) -> float:
    r"""The slope of :math:`t\mapsto f(x+tu)` at 0, which is :math:`\nabla f(x)^\top u`.

    Example:
        >>> x, u = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 3.0])
        >>> directional_derivative(lambda x: (x**2).sum(), x, u)
        12.0
    """
    same_length("u", u, x)
    if scheme == "autograd":
        return float(gradient(f, x) @ u)
    line = numerical_gradient(lambda t: f(x + t[0] * u), x.new_zeros(1), scheme=scheme, step=step)
    return float(line[0])


def one_sided_slopes(
    f: Function, x: Float[Tensor, " d"], u: Float[Tensor, " k"], *, step: float | None = None
) -> OneSided:
    r"""Whether f has one slope at x along u: left and right quotients are compared.

    Where f is twice differentiable they differ by :math:`O(h)`; at a kink they keep apart. A jump
    in the slope below about a thousandth of the slope is not seen.

    Example:
        >>> zero, one = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
        >>> one_sided_slopes(lambda x: x.abs().sum(), zero, one)
        OneSided(left=-1.0, right=1.0, differentiable=False)
    """
    same_length("u", u, x)
    h = default_step(x, "forward") if step is None else step
    check_positive("step", h)
    with torch.no_grad():
        here, ahead, behind = (float(scalar(f, x + t * u)) for t in (0.0, h, -h))
    left, right = (here - behind) / h, (ahead - here) / h
    rounding = 8 * torch.finfo(x.dtype).eps * max(abs(here), abs(ahead), abs(behind)) / h
    agree = abs(right - left) <= 1e-3 * max(abs(left), abs(right)) + rounding + 1e3 * h
    return OneSided(left, right, agree)


def default_step(x: Float[Tensor, " d"], scheme: Scheme) -> float:
    r"""Balances truncation and rounding: the root of epsilon (forward), its cube root (central)."""
    root: float = torch.finfo(x.dtype).eps ** (1 / 2 if scheme == "forward" else 1 / 3)
    return root * max(float(x.abs().max()), 1.0)


def scalar(f: Function, x: Tensor) -> Tensor:
    """``f(x)``, refused when it is not one number."""
    value = f(x)
    if value.numel() != 1:
        raise InputError(f"f must return one number, got shape {tuple(value.shape)}")
    return value.reshape(())


def same_length(name: str, u: Tensor, x: Tensor) -> None:
    """Refuse a direction or increment that does not fit the point."""
    check_finite(name, u)
    check_finite("x", x)
    if u.shape != x.shape:
        raise InputError(
            f"{name} must have the shape of x, got {tuple(u.shape)} and {tuple(x.shape)}"
        )
