r"""Entropy, cross-entropy and divergence of probability vectors, in nats.

.. math:: H(y)=-\sum_j y_j\ln y_j,\qquad
   \mathrm{KL}(y\|\nu)=\sum_j y_j\ln\frac{y_j}{\nu_j}
   =-\sum_j y_j\ln\nu_j-H(y)\ge0.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5; Gibbs (1902), Elementary
    Principles in Statistical Mechanics.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def entropy(y: Float[Tensor, "*n k"]) -> Float[Tensor, "*n"]:
    r"""The entropy :math:`H(y)`, with :math:`0\ln0=0`.

    Example:
        >>> round(entropy(torch.tensor([0.25, 0.25, 0.25, 0.25])).exp().item(), 6)
        4.0
    """
    check_probabilities(y, "y")
    return -torch.xlogy(y, y).sum(dim=-1)


def kl(y: Float[Tensor, "*n k"], nu: Float[Tensor, "*n k"]) -> Float[Tensor, "*n"]:
    r"""The divergence :math:`\mathrm{KL}(y\|\nu)`; infinite where ``nu`` misses mass of ``y``.

    Example:
        >>> round(kl(torch.tensor([1.0, 0.0]), torch.tensor([0.5, 0.5])).exp().item(), 6)
        2.0
    """
    check_probabilities(y, "y")
    check_probabilities(nu, "nu")
    return (torch.xlogy(y, y) - torch.xlogy(y, nu)).sum(dim=-1)


def check_probabilities(p: Float[Tensor, "..."], name: str) -> None:
    """Raise unless each row of the last axis is a probability vector."""
    if p.ndim == 0 or p.numel() == 0:
        raise InputError(f"{name} must hold probability vectors, got shape {tuple(p.shape)}")
    if not bool((p >= 0).all()):
        raise InputError(f"{name} must have no negative entry and no NaN, got {_first(p)}")
    total = p.sum(dim=-1)
    off = (total - 1).abs() > 64 * torch.finfo(p.dtype).eps * p.shape[-1] ** 0.5 + 1e-6
    if bool(off.any()):
        raise InputError(
            f"each row of {name} must sum to 1, but one sums to {total[off].flatten()[0]:g}"
        )


def _first(p: Tensor) -> str:
    return f"{p[~(p >= 0)].flatten()[0].item():g}"
