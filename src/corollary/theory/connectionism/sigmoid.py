r"""The logistic sigmoid, its derivatives of every order, its inverse, and the hyperbolic tangent.

.. math:: \sigma(z)=\frac{1}{1+e^{-z}},\qquad \sigma(-z)=1-\sigma(z),\qquad
   \sigma'=\sigma(1-\sigma)\le\tfrac14,\qquad \tanh z = 2\sigma(2z)-1.

Each derivative is a polynomial in :math:`\sigma` itself: :math:`\sigma^{(k)}=P_k(\sigma)` with
:math:`P_0(s)=s` and :math:`P_{k+1}(s)=s(1-s)P_k'(s)`, so :math:`\sigma` is smooth.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.3; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Proposition 3; Perez Jensen (2025), Deep Learning,
    Sections 2.1 and 2.4; Mathematical Foundations of Deep Learning (slides), Activation Functions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


@dataclass(frozen=True)
class Squashing:
    """An activation with what theory asks of it: derivative, Lipschitz constant and range."""

    name: str
    function: Callable[[Tensor], Tensor]
    derivative: Callable[[Tensor], Tensor]
    lipschitz: float  # the largest slope, attained at 0
    range: tuple[float, float]  # open interval

    def __call__(self, z: Tensor) -> Tensor:
        """The activation at each entry."""
        return self.function(z)


def sigmoid(z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""The logistic function :math:`1/(1+e^{-z})`, without overflow at any finite ``z``.

    This is torch's own operation, smooth to every order under autograd; a form written with
    :math:`e^{-|z|}` would avoid overflow too, but autograd gives it slope 0 at the origin.

    Example:
        >>> sigmoid(torch.tensor([-1000.0, 0.0, 1000.0]))
        tensor([0.0000, 0.5000, 1.0000])

    :covers: sigmoid-activation
    :erratum: [possible OCR artefact] A footnote of Perez Jensen (2025), Section 5, reads
        sigma'(z) < 1/4; the bound is attained, sigma'(0) = 1/4, so it is at most 1/4.
    """
    return torch.sigmoid(z)


def sigmoid_derivative(z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""The slope :math:`\sigma(z)\sigma(-z)`, which keeps its digits in both tails.

    Example:
        >>> sigmoid_derivative(torch.tensor([0.0, 1e4]))
        tensor([0.2500, 0.0000])
    """
    return torch.sigmoid(z) * torch.sigmoid(-z)


@lru_cache(maxsize=64)
def sigmoid_derivative_polynomial(k: int) -> tuple[int, ...]:
    r"""Coefficients of :math:`P_k`, lowest power first: :math:`\sigma^{(k)}=P_k(\sigma)`.

    The coefficient of :math:`s^{j+1}` is :math:`(-1)^j\,j!\,S(k+1,j+1)` with the Stirling numbers
    of the second kind. Costs :math:`O(k^2)` operations on integers of :math:`O(k\log k)` digits.

    Example:
        >>> sigmoid_derivative_polynomial(1), sigmoid_derivative_polynomial(2)
        ((0, 1, -1), (0, 1, -3, 2))

    :covers: sigmoid-derivatives
    :test: tests/theory/connectionism/test_sigmoid.py
    """
    if k < 0:
        raise InputError(f"the order of a derivative must be at least 0, got {k}")
    p: tuple[int, ...] = (0, 1)
    for _ in range(k):
        slope = [i * c for i, c in enumerate(p)][1:]
        rising, falling = [0, *slope, 0], [0, 0, *slope]  # s P'(s) and s² P'(s)
        p = tuple(a - b for a, b in zip(rising, falling, strict=True))
    return p


def sigmoid_nth_derivative(z: Float[Tensor, "..."], k: int) -> Float[Tensor, "..."]:
    r"""The derivative :math:`\sigma^{(k)}(z)` from its polynomial.

    For :math:`k\ge1` it is even or odd in ``z``; evaluating at :math:`-|z|`, where
    :math:`\sigma\le\tfrac12`, avoids the cancellation of :math:`1-\sigma` in the right tail.

    Example:
        >>> sigmoid_nth_derivative(torch.tensor([0.0]), 3)
        tensor([-0.1250])
    """
    s = torch.sigmoid(z if k == 0 else -z.abs())
    value = torch.zeros_like(s)
    for c in reversed(sigmoid_derivative_polynomial(k)):
        value = value * s + c
    return torch.where((z > 0) & (k % 2 == 0) & (k > 0), -value, value)


def tanh(z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""The hyperbolic tangent, :math:`(e^z-e^{-z})/(e^z+e^{-z})=2\sigma(2z)-1`.

    Example:
        >>> z = torch.tensor([0.5, 1e4], dtype=torch.float64)
        >>> torch.allclose(tanh(z), 2 * sigmoid(2 * z) - 1, rtol=1e-15, atol=0)
        True

    :covers: tanh-activation
    """
    return torch.tanh(z)


def tanh_derivative(z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""The slope :math:`1-\tanh^2 z`, computed as :math:`4\sigma(2z)\sigma(-2z)`.

    Example:
        >>> tanh_derivative(torch.tensor([0.0]))
        tensor([1.])
    """
    return 4 * sigmoid_derivative(2 * z)


def logit(
    t: Float[Tensor, "..."], *, ends: Literal["refuse", "infinite"] = "refuse"
) -> Float[Tensor, "..."]:
    r"""The inverse of the sigmoid, :math:`\ln(t/(1-t))` for :math:`t\in(0,1)`.

    Args:
        t: Probabilities.
        ends: ``"infinite"`` takes 0 and 1 to minus and plus infinity instead of refusing them.

    Example:
        >>> logit(torch.tensor([0.5]))
        tensor([0.])

    :covers: logit-inverse
    """
    inside = (t > 0) & (t < 1) if ends == "refuse" else (t >= 0) & (t <= 1)
    if not bool(inside.all()):
        bad = t[~inside].flatten()[0].item()
        hint = "; pass ends='infinite' for the end points" if bad in (0.0, 1.0) else ""
        raise InputError(f"logit needs numbers strictly between 0 and 1, got {bad:g}{hint}")
    return torch.log(t) - torch.log1p(-t)


SIGMOID = Squashing("sigmoid", sigmoid, sigmoid_derivative, 0.25, (0.0, 1.0))
TANH = Squashing("tanh", tanh, tanh_derivative, 1.0, (-1.0, 1.0))
