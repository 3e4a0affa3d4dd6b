r"""Norms of vectors and the operator norms they induce.

.. math:: \|A\|_p=\sup_{x\ne0}\frac{\|Ax\|_p}{\|x\|_p},\qquad \|A\|_2=\sigma_1(A),\quad
    \|A\|_1=\max_j\sum_i|A_{ij}|,\quad \|A\|_\infty=\max_i\sum_j|A_{ij}|

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, Definition 2, (1.1)-(1.3).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite

ORDERS = (1, 2, math.inf)


class OperatorNorm(NamedTuple):
    """The norm and a vector that attains it."""

    value: float
    maximiser: Tensor  # x with ||Ax|| = value * ||x||


class AxiomViolation(NamedTuple):
    """Which axiom of a norm fails, and for what."""

    axiom: str
    witness: tuple[Tensor, ...]


def vector_norm(v: Float[Tensor, "... d"], p: int | float = 2) -> Float[Tensor, "..."]:
    """The 1-, 2- or infinity-norm along the last axis.

    Example:
        >>> [vector_norm(torch.tensor([3.0, -4.0]), p).item() for p in ORDERS]
        [7.0, 5.0, 4.0]
    """
    _check_order(p)
    check_finite("v", v)
    norms: Tensor = torch.linalg.vector_norm(v, ord=p, dim=-1)
    return norms


def operator_norm(A: Float[Tensor, "m n"], p: int | float = 2) -> OperatorNorm:
    r"""The norm induced by :math:`\|\cdot\|_p` on both sides, with a maximiser.

    For :math:`p=1` the maximiser is a basis vector (the heaviest column), for :math:`p=\infty` the
    signs of the heaviest row, for :math:`p=2` the first right singular vector.

    Example:
        >>> A = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
        >>> operator_norm(A, 1).value, operator_norm(A, math.inf).value
        (5.0, 3.0)

    :covers: operator-norm
    """
    _check_order(p)
    check_finite("A", A)
    if p == 2:
        _, s, Vt = torch.linalg.svd(A, full_matrices=False)
        return OperatorNorm(float(s[0]), Vt[0])
    sums = A.abs().sum(dim=0 if p == 1 else 1)
    best = int(sums.argmax())
    if p == 1:
        x = torch.zeros_like(A[0])
        x[best] = 1.0
    else:
        x = torch.where(A[best] < 0, -1.0, 1.0).to(A)
    return OperatorNorm(float(sums[best]), x)


def norm_violation(
    p: Callable[[Tensor], Tensor],
    dim: int,
    *,
    samples: int = 1000,
    tol: float = 1e-9,
    rng: Generator,
) -> AxiomViolation | None:
    r"""Look for vectors on which ``p`` is not a norm; ``None`` if the search finds none.

    Drawn vectors, sparse ones and basis vectors are tried, so that a form that ignores a
    coordinate is found. A search can refute the axioms, never prove them.

    Args:
        p: Takes an ``(n, dim)`` batch to n numbers.
        dim: Number of coordinates.
        samples: Pairs to try.
        tol: Relative error that is put down to rounding.
        rng: Draws the vectors.

    Example:
        >>> found = norm_violation(lambda v: v[:, 0].abs(), 3, rng=torch.Generator())
        >>> found.axiom
        'p(v) = 0 only for v = 0'

    :covers: norm-axioms-vector-norms
    """
    if dim < 1 or samples < 1:
        raise InputError(f"expected dim >= 1 and samples >= 1, got dim={dim}, samples={samples}")
    u, v, a = _trial_vectors(dim, samples, rng)
    pu, pv, sums = p(u), p(v), p(u + v)
    size = pu.abs() + pv.abs() + 1e-300
    zero = p(torch.zeros_like(u[:1]))
    scaled = (p(a[:, None] * v) - a.abs() * pv).abs()
    trials = (
        ("p(v) >= 0", pv < 0, (v,)),
        ("p(0) = 0", zero != 0, (torch.zeros_like(u[:1]),)),
        ("p(v) = 0 only for v = 0", (pv <= 1e-300) & (v != 0).any(dim=1), (v,)),
        ("p(a v) = |a| p(v)", scaled > tol * size * (1 + a.abs()), (a, v)),
        ("p(u + v) <= p(u) + p(v)", sums > (pu + pv) + tol * size, (u, v)),
    )
    for axiom, bad, witness in trials:
        if bool(bad.any()):
            i = int(bad.nonzero()[0])
            return AxiomViolation(axiom, tuple(w[i] for w in witness))
    return None


def _trial_vectors(dim: int, samples: int, rng: Generator) -> tuple[Tensor, Tensor, Tensor]:
    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

    e = torch.eye(dim, dtype=torch.float64, device=rng.device)
    keep = torch.rand(samples, dim, generator=rng, device=rng.device) < 0.5
    u = torch.cat([e, draw(samples, dim)])
    v = torch.cat([e.roll(1, 0), draw(samples, dim) * keep])
    return u, v, 3 * draw(len(u))


def _check_order(p: int | float) -> None:
    if p not in ORDERS:
        raise InputError(f"p must be 1, 2 or infinity, got {p:g}")
