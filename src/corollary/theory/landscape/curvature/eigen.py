r"""The k extreme eigenpairs of an operator, each with its residual.

If :math:`\|A v - \theta v\| = r` for a unit vector, some eigenvalue lies within r of
:math:`\theta`; nothing is returned as converged before r is small. That says nothing about
eigenvalues that were not seen, so after convergence a fresh random direction is followed for some
steps: a further copy of a multiple eigenvalue, invisible to the first chain, shows up there.

:source: Parlett (1980), "The symmetric eigenvalue problem", Theorem 4.5.1 (the residual).
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.hessian import hessian
from corollary.theory.landscape.curvature.lanczos import Krylov, Ritz
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.prerequisites.wellformed import check_at_least
from corollary.theory.seeding import as_generator

Which = Literal["largest", "smallest", "magnitude"]
LONGEST = 10  # times the steps of a second look, while its outcome is open
SHOWN = 10  # eigenvalues of a printed result
SETTLED = 0.01  # relative residual from which on a look has seen its largest eigenvalue


@dataclass(frozen=True)
class EigenPairs:
    """Eigenvalues with their error bars and vectors."""

    values: Float[Tensor, " k"]  # in the order asked for
    residuals: Float[Tensor, " k"]  # an eigenvalue lies within this distance of each value
    vectors: Float[Tensor, "p k"]
    converged: Bool[Tensor, " k"]  # residual at most tol times |value|, or rounding
    products: int  # with the operator
    path: str

    def __repr__(self) -> str:
        pairs = [f"{v:.5g} ± {r:.1g}" for v, r in zip(self.values, self.residuals, strict=True)]
        shown = pairs if len(pairs) <= SHOWN else [*pairs[:SHOWN], "..."]
        left = int((~self.converged).sum())
        spent = f"{self.products} products" + (f"; {left} not converged" if left else "")
        return f"{len(pairs)} eigenvalues: {', '.join(shown)} ({spent})"


def as_operator(subject: Landscape | Curvature) -> Curvature:
    """An operator as it is, a landscape as its Hessian."""
    if isinstance(subject, Curvature):
        return subject
    if isinstance(subject, Landscape):
        return hessian(subject)
    raise InputError(
        f"expected a Landscape or an operator, got type {type(subject).__name__}; create one "
        "with Landscape(module, loss, data)"
    )


@of_model
def top_eigenpairs(
    subject: Landscape | Curvature,
    k: int = 10,
    *,
    which: Which = "largest",
    tol: float = 1e-4,
    look: int = 4,
    max_products: int | None = None,
    basis: int | None = None,
    rng: int | Generator = 0,
) -> EigenPairs:
    r"""The k largest (smallest, largest in magnitude) eigenvalues, each with its residual.

    Runs until every residual is at most ``tol`` times its eigenvalue (or rounding), then follows
    a fresh random direction for ``look`` steps, and on until it is clear whether it leads into the
    top k; whatever enters them is converged too, and the look repeated. In a large space a copy of
    a multiple eigenvalue may still hide from all looks. If the budget ends first a warning says so,
    and ``converged`` which ones.
    Cost: one product per step and O(p) work for each basis vector; memory ``basis`` vectors.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        k: How many.
        which: End of the spectrum.
        tol: Relative residual.
        look: Steps of the second look, at least; 0 trusts the first chain (multiple eigenvalues
            then count once).
        max_products: Budget; by default ``20 k + 200``.
        basis: Vectors held before a restart; by default ``3 k + 60``, or what 2 GiB can hold.
        rng: Seed or generator of the start vectors.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> A = Explicit(torch.diag(torch.tensor([3.0, 3.0, 1.0, 0.5, -4.0], dtype=torch.float64)))
        >>> [round(v, 6) for v in top_eigenpairs(A, 3).values.tolist()]
        [3.0, 3.0, 1.0]
    """
    A, rng = as_operator(subject), as_generator(rng)
    if not 1 <= k <= A.size:
        raise InputError(f"k must lie between 1 and the dimension {A.size}, got {k}")
    if which not in ("largest", "smallest", "magnitude"):
        raise InputError(f"which must be largest, smallest or magnitude, got '{which}'")
    check_at_least("tol", tol, 0)
    check_at_least("look", look, 0)
    budget = max_products or 20 * k + 200
    space = Krylov(A, _capacity(A, k, basis), rng=rng)
    start, looks, seen = A.products, 0, np.full(k, -np.inf)
    while True:
        ritz, done = _advance(space, k, which, tol, start + budget)
        order = _order(ritz.values, which)[:k]
        values = np.sort(_height(ritz.values[order], which))
        small = max(tol * np.abs(values).max(), space.eps * space.scale) if len(values) else 0.0
        settled = len(values) == len(seen) and np.allclose(values, seen, rtol=0, atol=small)
        over = space.m >= A.size or A.products >= start + budget
        if not done or over or look == 0 or (looks > 0 and settled):
            return _pairs(space, ritz, order, tol, A.products - start)
        seen, looks = values, looks + 1
        _second_look(space, look, k, which, space.m + start + budget - A.products)


def _capacity(A: Curvature, k: int, basis: int | None) -> int:
    if basis is not None:
        return max(basis, k + 3)
    fitting = (2 << 30) // (A.size * torch.finfo(A.dtype).bits // 8)
    return max(min(3 * k + 60, fitting), 2 * k + 10)


def _advance(space: Krylov, k: int, which: Which, tol: float, limit: int) -> tuple[Ritz, bool]:
    """Grow the space until the top k have converged or the budget is spent."""
    due = k  # the next size at which to compare; comparing costs O(m^3)
    while True:
        if space.m >= max(due, 1) or space.full or space.A.products >= limit:
            due = space.m + 1 + space.m // 20
            ritz = space.ritz()
            order = _order(ritz.values, which)[:k]
            if bool(np.all(_fine(space, ritz, order, tol))):
                return ritz, True
            if space.A.products >= limit:
                return ritz, False
            if space.full and space.m < space.A.size:
                space.restart(_order(ritz.values, which)[: k + (space.capacity - k) // 3])
                due = space.m + 1
        if not space.step():
            return space.ritz(), True


def _second_look(space: Krylov, steps: int, k: int, which: Which, limit: int) -> None:
    """Follow a random direction until it is clear that it leads to nothing among the top k."""
    if space.capacity - space.m < steps and not space.whole:
        keep = _order(space.ritz().values, which)
        space.restart(keep[: max(k, min(len(keep), space.capacity - steps - 1))])
    if space.held >= space.most and not space.whole:  # make room for one more frontier vector
        space.restart(_order(space.ritz().values, which)[: space.m - 1])
    space.look()
    values = space.ritz().values
    last = _height(values[_order(values, which)[:k]], which).min() if len(values) >= k else np.inf
    begin, left = space.m, space.A.size - space.m
    # A small rest is gone through to its end: a draw is orthogonal to the ends of earlier chains,
    # and they are a large part of it.
    least = left if left <= LONGEST * steps else steps
    while not space.full and (
        space.m < begin + least
        or (space.m < min(begin + LONGEST * steps, limit) and _may_rise(space, begin, last, which))
    ):
        if not space.step():
            break


def _may_rise(space: Krylov, begin: int, last: float, which: Which) -> bool:
    """Whether the chain from ``begin`` on, which is below the last of the top k, may pass it."""
    chain = slice(begin, space.m)
    values, s = np.linalg.eigh(space.T[chain, chain])
    heights = _height(values, which)
    best = int(heights.argmax())
    height = float(heights[best])
    residual = float(np.linalg.norm(space.T[space.m : space.held, chain] @ s[:, best]))
    return bool(height < last < height + residual and residual > SETTLED * abs(last))


def _height(values: np.ndarray, which: Which) -> np.ndarray:
    """What is larger the further out a value is."""
    if which == "magnitude":
        sizes: np.ndarray = np.abs(values)
        return sizes
    return values if which == "largest" else -values


def _fine(space: Krylov, ritz: Ritz, order: np.ndarray, tol: float) -> np.ndarray:
    rounding = 10 * space.eps * space.scale * math.sqrt(space.m)
    limit = np.maximum(tol * np.abs(ritz.values[order]), rounding)
    fine: np.ndarray = ritz.residuals[order] <= limit
    return fine


def _order(values: np.ndarray, which: Which) -> np.ndarray:
    return np.argsort(-_height(values, which), kind="stable")


def _pairs(space: Krylov, ritz: Ritz, order: np.ndarray, tol: float, products: int) -> EigenPairs:
    fine = _fine(space, ritz, order, tol)
    if not fine.all():
        warnings.warn(
            f"{int((~fine).sum())} of {len(order)} eigenvalues have not converged to a "
            f"relative residual of {tol:g} in {products} products; see their residuals, and "
            "raise max_products or tol",
            RuntimeWarning,
            stacklevel=3,
        )
    like: dict[str, Any] = {"dtype": space.A.dtype, "device": space.A.device}
    return EigenPairs(
        torch.tensor(ritz.values[order].copy(), **like),
        torch.tensor(ritz.residuals[order].copy(), **like),
        space.vectors(ritz.coefficients[:, order]),
        torch.from_numpy(fine.copy()),
        products,
        space.A.path,
    )
