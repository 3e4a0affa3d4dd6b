r"""Normalisation over some axes, its gradient, and what it does to a linear unit.

.. math:: \tilde z=\frac{z-\mu}{\sigma},\qquad \sigma=\sqrt{\delta+v},

with :math:`\mu` and :math:`v` the mean and the variance over the normalised axes: those of the
batch in batch normalisation, those of one example in layer normalisation. Then :math:`\tilde z` has
mean 0 and variance :math:`v/(v+\delta)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3; Perez Jensen (2025), Deep
    Learning, Section 8.5; Ioffe and Szegedy (2015), "Batch normalization"; Ba, Kiros and Hinton
    (2016), "Layer normalization".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least


class Normalized(NamedTuple):
    """Normalised values and the statistics used; the normalised axes of these have size 1."""

    z: Float[Tensor, "..."]
    mu: Float[Tensor, "..."]
    sigma: Float[Tensor, "..."]


class BothSides(NamedTuple):
    """A batch-normalised linear unit, computed in two ways."""

    normalized: Float[Tensor, " n"]  # the values w^T x, normalised over the batch
    by_direction: Float[Tensor, " n"]  # from the direction w/|w|, mean and covariance of x
    ratio: float  # |w| / |w|_Sigma


def normalize(
    z: Float[Tensor, "..."], axes: tuple[int, ...], *, delta: float = 0.0, correction: int = 0
) -> Normalized:
    r"""Subtract the mean over ``axes`` and divide by :math:`\sqrt{v+\delta}`.

    ``correction=1`` divides the sum of squares by B - 1.

    Example:
        >>> normalize(torch.tensor([1.0, 3.0]), (0,)).z.tolist()
        [-1.0, 1.0]
    """
    check_at_least("correction", correction, 0)
    v, mu = torch.var_mean(z, dim=axes, correction=correction, keepdim=True)
    sigma = (v + delta).sqrt()
    return Normalized((z - mu) / sigma, mu, sigma)


def normalize_gradient(
    slope: Float[Tensor, "*s"], out: Normalized, axes: tuple[int, ...], *, correction: int = 0
) -> Float[Tensor, "*s"]:
    r"""The gradient in z, given the one in the normalised values.

    .. math:: \frac{\partial\ell}{\partial z_i}=\frac1\sigma\Big(g_i-\frac1B\sum_jg_j
       -\frac{\tilde z_i}{B-c}\sum_jg_j\tilde z_j\Big),

    with B values normalised together and c the correction of the variance.

    Example:
        >>> out = normalize(torch.tensor([0.0, 2.0, 4.0]), (0,), delta=1.0)
        >>> normalize_gradient(torch.ones(3), out, (0,)).tolist()  # a constant shift is removed
        [0.0, 0.0, 0.0]
    """
    count = slope.numel() // out.mu.numel()
    along = (slope * out.z).sum(axes, keepdim=True) / (count - correction)
    return (slope - slope.mean(axes, keepdim=True) - out.z * along) / out.sigma


def bn_linear_identity(w: Float[Tensor, " d"], X: Float[Tensor, "n d"]) -> BothSides:
    r"""A linear unit after batch normalisation depends on the direction of w alone.

    .. math:: \frac{w^\top x-\mathbb E\,w^\top x}{\sqrt{\operatorname{Var}w^\top x}}
       =\Big(\frac w{\|w\|}\Big)^{\!\top}(x-\mathbb Ex)\,\frac{\|w\|}{\|w\|_\Sigma},
       \qquad \|w\|_\Sigma=\sqrt{w^\top\Sigma w},\quad\Sigma=\operatorname{Cov}(x),

    with mean and covariance those of the batch (divided by n).

    Example:
        >>> both = bn_linear_identity(torch.tensor([2.0]), torch.tensor([[4.0], [6.0]]))
        >>> both.normalized.tolist(), both.by_direction.tolist(), both.ratio
        ([-1.0, 1.0], [-1.0, 1.0], 1.0)

    :covers: batchnorm-weight-direction-identity
    :test: tests/theory/architectures/test_normalization.py
    """
    centred = X - X.mean(dim=0)
    length, spread = w.norm(), (centred.T @ (centred @ w) @ w / len(X)).sqrt()
    if not bool(spread > 0):
        raise InputError(
            "w^T x is the same on the whole batch, so it cannot be divided by its standard "
            "deviation; use another w or other points"
        )
    ratio = length / spread
    by_direction = centred @ (w / length) * ratio
    return BothSides(normalize(X @ w, (0,)).z, by_direction, float(ratio))
