r"""How far two functions are from each other, and a function from a class.

.. math:: \mathrm{err}_p(f,g)=\Bigl(\int_S|f-g|^p\Bigr)^{1/p},\qquad
   \mathrm{err}_\infty(f,g)=\sup_S|f-g|,\qquad
   \mathrm{err}(f,\mathcal{G})=\inf\{\mathrm{err}(f,g):g\in\mathcal{G}\}

A function takes points ``(n, d)`` to n values, each from its own row; a box has one pair of ends
for each axis.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.1.
:covers: lp-approximation-error
:erratum: [typo] Section 3.1 prints the class error as inf{g in G : err(f, g)}; inf{err(f, g) : g in
    G} is meant. The l^p norm named there is the L^p norm of functions, and for p = infinity the
    sup is printed where L^infinity uses the essential sup (the same for continuous functions).
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.approximation.grids import Function, box_grid
from corollary.theory.prerequisites.wellformed import check_no_nan

Box = Sequence[tuple[float, float]]
LARGEST_RULE = 2_000_000  # points of a quadrature rule


class Fit(NamedTuple):
    """The member of a linear class that is closest to a target on given points."""

    coefficients: Float[Tensor, " m"]
    error: float  # its error on these points


def error(f: Function, g: Function, box: Box, p: float | int = 2, *, rtol: float = 1e-6) -> float:
    r"""The :math:`L^p` distance of two functions on a box, :math:`1\le p\le\infty`.

    Finite p: Gauss rules on ever more panels until two answers agree to ``rtol``. Infinite p: the
    largest difference on a grid that is refined around its best point, a lower bound of the sup.

    Raises:
        NotFiniteError: if the integral grows at every refinement, as for a function without one.

    Example:
        >>> zero = lambda x: 0 * x[:, 0]
        >>> round(error(lambda x: x[:, 0], zero, [(0.0, 1.0)], p=2), 6)  # 1 / sqrt(3)
        0.57735
        >>> error(lambda x: x[:, 0], zero, [(0.0, 1.0)], p=math.inf)
        1.0
    """
    if not p >= 1:
        raise InputError(f"the order p must be at least 1, got {p:g}")
    if not box or not all(a < b and math.isfinite(a) and math.isfinite(b) for a, b in box):
        raise InputError(f"every axis of the box needs finite ends low < high, got {list(box)}")

    def difference(x: Tensor) -> Tensor:
        return (f(x) - g(x)).abs()

    if math.isinf(p):
        return _largest(difference, box)
    norm: float = _integral(lambda x: difference(x) ** p, box, rtol) ** (1 / p)
    return norm


def quadrature(
    box: Box, panels: int, nodes: int = 4
) -> tuple[Float[Tensor, "n d"], Float[Tensor, " n"]]:
    """Points and weights of the product Gauss rule with equal panels on each axis.

    Example:
        >>> x, w = quadrature([(0.0, 2.0)], 1, nodes=1)
        >>> x.tolist(), w.tolist()
        ([[1.0]], [2.0])
    """
    return quadrature_between([np.linspace(a, b, panels + 1).tolist() for a, b in box], nodes)


def quadrature_between(
    edges: Sequence[Sequence[float]], nodes: int = 4
) -> tuple[Float[Tensor, "n d"], Float[Tensor, " n"]]:
    """The product Gauss rule with panels between the given edges of each axis.

    Put an edge at every kink or jump of the integrand, and the rule converges as for a smooth one.

    Example:
        >>> x, w = quadrature_between([[0.0, 1.0, 3.0]], nodes=1)
        >>> x.tolist(), w.tolist()
        ([[0.5], [2.0]], [1.0, 2.0])
    """
    t, v = np.polynomial.legendre.leggauss(nodes)
    axes, weights = [], []
    for ends in edges:
        start = np.asarray(ends, dtype=np.float64)
        half = np.diff(start)[:, None] / 2
        axes.append(torch.from_numpy((start[:-1, None] + half * (t + 1)).ravel()))
        weights.append(torch.from_numpy((half * v).ravel()))
    x = torch.cartesian_prod(*axes).reshape(-1, len(axes))
    return x, torch.cartesian_prod(*weights).reshape(-1, len(axes)).prod(1)


def class_error(
    f: Function,
    basis: Callable[[Tensor], Tensor],
    box: Box,
    p: float | int = 2,
    *,
    points: int = 400,
) -> Fit:
    r"""Distance of ``f`` from the span of ``basis``, which takes (n, d) points to (n, m) values.

    p = 2: weighted least squares on a Gauss rule. p = inf: the linear program of
    :func:`best_uniform` on a grid (a lower bound of the distance, the sharper the finer).

    Example:
        >>> affine = lambda x: torch.cat([torch.ones_like(x), x], 1)
        >>> square = lambda x: x[:, 0] ** 2
        >>> round(class_error(square, affine, [(0.0, 1.0)], p=2).error, 6)  # 1 / sqrt(180)
        0.074536
        >>> round(class_error(square, affine, [(0.0, 1.0)], p=math.inf, points=401).error, 6)
        0.125
    """
    if p == 2:
        x, w = quadrature(box, max(1, round(points ** (1 / len(box)) / 4)))
        A, y = basis(x) * w.sqrt()[:, None], f(x) * w.sqrt()
        c = torch.linalg.lstsq(A, y[:, None], rcond=1e-13, driver="gelsd").solution[:, 0]
        return Fit(c, float((A @ c - y).norm()))
    if math.isinf(p):
        low, high = map(torch.tensor, zip(*box, strict=True))
        x = low + (high - low) * box_grid(len(box), max(2, round(points ** (1 / len(box)))))
        return best_uniform(basis(x), f(x))
    raise InputError(
        f"the distance from a class is implemented for p = 2 and p = infinity, got p = {p:g}"
    )


def best_uniform(A: Float[Tensor, "n m"], y: Float[Tensor, " n"]) -> Fit:
    r"""Minimise :math:`\max_i|(Ac-y)_i|` over :math:`c`, as a linear program.

    The columns are first replaced by an orthonormal basis of their span, so that thousands of
    nearly parallel columns are no burden. ``error`` is computed from the member that was found.

    Example:
        >>> A = torch.ones(3, 1, dtype=torch.float64)
        >>> fit = best_uniform(A, A.new_tensor([0.0, 1.0, 4.0]))
        >>> round(fit.coefficients.item(), 9), round(fit.error, 9)
        (2.0, 2.0)
    """
    from scipy.optimize import linprog

    U, s, Vt = torch.linalg.svd(A, full_matrices=False)
    rank = int((s > 1e-12 * s[0]).sum()) if len(s) and s[0] > 0 else 0
    if rank == 0:
        return Fit(A.new_zeros(A.shape[1]), float(y.abs().max()))
    scale = float(y.abs().max()) or 1.0
    Q = (U[:, :rank] * len(y) ** 0.5).numpy()
    target, one = (y / scale).numpy(), np.ones((len(y), 1))
    cost = np.append(np.zeros(rank), 1.0)
    G, h = np.block([[Q, -one], [-Q, -one]]), np.concatenate([target, -target])
    found = linprog(cost, A_ub=G, b_ub=h, bounds=[(None, None)] * rank + [(0, None)])
    if found.status != 0:
        raise NotFiniteError(f"the linear program of the best uniform fit failed: {found.message}")
    inner = torch.from_numpy(found.x[:rank]).to(A) * (scale * len(y) ** 0.5)
    c = Vt[:rank].T @ (inner / s[:rank])
    return Fit(c, float((U[:, :rank] @ inner - y).abs().max()))


def _integral(h: Function, box: Box, rtol: float) -> float:
    values: list[float] = []
    panels = 4
    while (4 * panels) ** len(box) <= LARGEST_RULE:
        x, w = quadrature(box, panels)
        values.append(float(h(x) @ w))
        if not math.isfinite(values[-1]):
            raise NotFiniteError(
                "the function is NaN or infinite inside the box, so it has no integral"
            )
        if len(values) > 1 and abs(values[-1] - values[-2]) <= rtol * abs(values[-1]):
            break
        panels *= 2
    steps = [abs(b - a) for a, b in zip(values, values[1:], strict=False)]
    grows = len(steps) > 2 and steps[-1] > rtol * abs(values[-1]) and steps[-1] > 0.97 * steps[-2]
    if grows and steps[-2] > 0.97 * steps[-3]:
        raise NotFiniteError(
            f"the integral grows at every refinement (last values {values[-2]:.4g} and "
            f"{values[-1]:.4g}); the function is not integrable to this power on the box"
        )
    return values[-1]


def _largest(h: Function, box: Box) -> float:
    d = len(box)
    low = torch.tensor([a for a, _ in box], dtype=torch.float64)
    high = torch.tensor([b for _, b in box], dtype=torch.float64)
    n = max(5, min(4001, round(200_000 ** (1 / d))))
    best, around = 0.0, 0.0
    for _ in range(6):  # each round looks at the two cells around the best point
        x = low + (high - low) * box_grid(d, n)
        values = h(x)
        check_no_nan("the values of f - g", values)
        place = int(values.argmax())
        best = max(best, float(values[place]))
        around = (high - low) / (n - 1)
        low, high = torch.maximum(low, x[place] - around), torch.minimum(high, x[place] + around)
        n = max(5, min(201, n))
    return best
