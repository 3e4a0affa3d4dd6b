r"""Why scores are divided by the root of the dimension.

For independent q and k with independent entries of mean 0 and variance 1,

.. math:: \operatorname{Var}(q\cdot k)=d,\qquad \operatorname{Var}(q\cdot k/\sqrt d)=1 .

Without the division the softmax over n keys saturates. Its Jacobian
:math:`\operatorname{diag}(p)-pp^\top` is of order one only while the two largest scores are within
a few units of each other. Their gap is :math:`\sqrt d` times that of n normal variables, whose
density at zero is

.. math:: c_n=n(n-1)\int\varphi(x)^2\,\Phi(x)^{n-2}\,dx,

and with gap g the Jacobian has norm :math:`2\sigma(g)\sigma(-g)`, of integral 1 over
:math:`g>0`; hence

.. math:: E\,\|J\|_F\approx c_n/\sqrt d\qquad(d\to\infty).

:source: Perez Jensen (2025), Deep Learning, Section 6.1; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.1; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need",
    Section 3.2.1. The rate is ours.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.networks.softmax import softmax, softmax_jacobian


class Saturation(NamedTuple):
    """What the softmax of random scores is like in one dimension d."""

    d: int
    variance: float  # of the scores
    jacobian: float  # mean Frobenius norm of the softmax's Jacobian
    entropy: float  # mean, in nats


def attention_scores(d: int, n: int, r: int, *, rng: Generator) -> Float[Tensor, "r2 n"]:
    """Products of each of r normal queries with each of r sets of n normal keys, a set a row.

    Rows that share a query or keys are almost independent in high dimension. O(d n r^2) time.

    Example:
        >>> attention_scores(16, 3, 5, rng=torch.Generator().manual_seed(0)).shape
        torch.Size([25, 3])
    """
    if min(d, n, r) < 1:
        raise InputError(f"d, n, r >= 1 are needed, got {d}, {n}, {r}")
    normal = partial(torch.randn, generator=rng, device=rng.device, dtype=torch.float64)
    q, k = normal(r, d), normal(r * n, d)
    return (q @ k.T).view(r * r, n)


def jacobian_norms(scores: Float[Tensor, "*r n"]) -> Float[Tensor, "*r"]:
    """The Frobenius norm of the softmax's Jacobian at each row of scores.

    Example:
        >>> jacobian_norms(torch.zeros(2)).item()  # [[1, -1], [-1, 1]] / 4
        0.5
    """
    norms: Tensor = torch.linalg.matrix_norm(softmax_jacobian(softmax(scores)))
    return norms


def attention_saturation(
    dims: Sequence[int], *, n: int = 8, r: int = 60, scaled: bool = False, rng: Generator
) -> list[Saturation]:
    r"""Variance, Jacobian and entropy of attention over n keys, in each dimension.

    Args:
        dims: Dimensions of queries and keys.
        n: Keys.
        r: Queries, and sets of keys: r^2 softmaxes in each dimension.
        scaled: Divide the scores by :math:`\sqrt d`.
        rng: Draws.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> narrow, wide = attention_saturation([4, 1024], rng=rng)
        >>> narrow.entropy > 10 * wide.entropy
        True

    :covers: attention-variance-scaling
    :test: tests/theory/sequences/test_saturation.py
    """
    out = []
    for d in dims:
        scores = attention_scores(d, n, r, rng=rng) / (d**0.5 if scaled else 1.0)
        entropy = torch.special.entr(softmax(scores)).sum(dim=1).mean()
        mean = jacobian_norms(scores).mean()
        out.append(Saturation(d, float(scores.square().mean()), float(mean), float(entropy)))
    return out


def gap_density(n: int) -> float:
    r"""The density at zero of the gap between the two largest of n normal variables, :math:`c_n`.

    Example:
        >>> round(gap_density(2), 6)  # |N(0, 2)| has density 1 / sqrt(pi) at zero
        0.56419
    """
    if n < 2:
        raise InputError(f"a gap needs n >= 2 variables, but n is {n}")
    x = torch.linspace(-9, 9, 4001, dtype=torch.float64)
    density = torch.exp(-x.square()) / (2 * torch.pi)  # phi squared
    value = torch.trapezoid(density * torch.special.ndtr(x) ** (n - 2), x)
    return float(n * (n - 1) * value)
