r"""Polynomials as sums of powers of linear forms: ridge functions are dense.

.. math:: x^\alpha=\frac1{k!}\sum_{0\le p\le\alpha}(-1)^{k-|p|}\prod_i\binom{\alpha_i}{p_i}\,
   \bigl((p-\tfrac\alpha2)\cdot x\bigr)^k,\qquad k=|\alpha|

(a k-fold difference of :math:`t\mapsto(t\cdot x)^k`). For :math:`\alpha=(1,1)` it reads
:math:`x_1x_2=\frac14[(x_1+x_2)^2-(x_1-x_2)^2]`. So ridge functions contain all polynomials, and
their span is dense in :math:`C(K)` for compact :math:`K`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 21; Vostrecov and Kreines
    (1961), Approximation of continuous functions by superpositions of plane waves; Perez Jensen
    (2025), Deep Learning, Section 2.4, Lemma 2.6.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


class RidgeSum(NamedTuple):
    r""":math:`\sum_jc_j(\theta_j\cdot x)^k`."""

    directions: Float[Tensor, "m n"]
    weights: Float[Tensor, " m"]
    degree: int

    def __call__(self, x: Tensor) -> Tensor:
        """The value at points (n, d)."""
        return (x @ self.directions.T).pow(self.degree) @ self.weights


def monomial_as_ridge_sum(alpha: Sequence[int]) -> RidgeSum:
    r"""The monomial :math:`x^\alpha` as an exact sum of k-th powers of linear forms.

    At most :math:`\lceil\frac12\prod_i(\alpha_i+1)\rceil` directions: opposite ones are merged.

    Example:
        >>> ridge = monomial_as_ridge_sum((1, 1))
        >>> (2 * ridge.directions).tolist(), ridge.weights.tolist()  # x1 x2, two squares
        ([[-1.0, -1.0], [-1.0, 1.0]], [1.0, -1.0])

    :covers: ridge-function-theorem
    :test: tests/theory/approximation/test_ridge_sums.py
    """
    k = sum(alpha)
    if k < 1 or min(alpha) < 0:
        raise InputError(f"the exponents must be >= 0 and not all 0, got alpha={tuple(alpha)}")
    merged: dict[tuple[float, ...], float] = {}
    for p in itertools.product(*(range(a + 1) for a in alpha)):
        c = (-1.0) ** (k - sum(p)) * math.prod(
            math.comb(a, i) for a, i in zip(alpha, p, strict=True)
        )
        theta = tuple(i - a / 2 for i, a in zip(p, alpha, strict=True))
        opposite = tuple(-t for t in theta)
        if opposite in merged:  # (-theta . x)^k is (-1)^k (theta . x)^k
            merged[opposite] += (-1.0) ** k * c
        else:
            merged[theta] = merged.get(theta, 0.0) + c
    kept = {t: c for t, c in merged.items() if any(t) and c}
    directions = torch.tensor(list(kept), dtype=torch.float64)
    weights = torch.tensor(list(kept.values()), dtype=torch.float64) / math.factorial(k)
    return RidgeSum(directions, weights, k)


def exponents(n: int, k: int) -> list[tuple[int, ...]]:
    r"""All multi-indices of length n and degree k; there are :math:`\binom{n+k-1}{k}`.

    Example:
        >>> exponents(2, 2)
        [(2, 0), (1, 1), (0, 2)]
    """
    if n == 1:
        return [(k,)]
    return [(i, *rest) for i in range(k, -1, -1) for rest in exponents(n - 1, k - i)]


def ridge_coefficients(directions: Float[Tensor, "m n"], k: int) -> Float[Tensor, "m q"]:
    r"""Row j: the coefficients of :math:`(\theta_j\cdot x)^k` in the monomials of degree k.

    Full column rank means that these powers span all homogeneous polynomials of degree k; generic
    directions do as soon as there are :math:`\binom{n+k-1}{k}` of them.

    Example:
        >>> ridge_coefficients(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), 2).tolist()
        [[1.0, 2.0, 1.0], [1.0, -2.0, 1.0]]
    """
    n = directions.shape[1]
    columns = []
    for alpha in exponents(n, k):
        count = math.factorial(k) // math.prod(math.factorial(a) for a in alpha)
        columns.append(count * directions.pow(directions.new_tensor(alpha)).prod(1))
    return torch.stack(columns, 1)


def ridge_polynomial_basis(
    coefficients: Float[Tensor, " q"], directions: Float[Tensor, "m n"], k: int
) -> RidgeSum:
    r"""A homogeneous polynomial of degree k as a sum of powers of the given linear forms.

    Args:
        coefficients: Before the monomials, in the order of :func:`exponents`.
        directions: Linear forms.
        k: Degree.

    Raises:
        InputError: if the powers of these forms do not span the polynomials of degree k.

    Example:
        >>> forms = torch.tensor([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
        >>> ridge = ridge_polynomial_basis(forms.new_tensor([0.0, 1.0, 0.0]), forms, 2)
        >>> [round(c, 12) + 0.0 for c in ridge.weights.tolist()]  # x1 x2
        [0.25, -0.25, 0.0]
    """
    matrix = ridge_coefficients(directions, k)
    rank = int(torch.linalg.matrix_rank(matrix))
    if rank < matrix.shape[1]:
        raise InputError(
            f"these {len(directions)} forms give {rank} of {matrix.shape[1]} dimensions of "
            f"the polynomials of degree {k}; use at least {matrix.shape[1]} generic forms"
        )
    solved = torch.linalg.lstsq(matrix.T, coefficients[:, None], driver="gelsd").solution
    return RidgeSum(directions, solved[:, 0], k)


def ridge_features(
    directions: Float[Tensor, "m n"], degree: int, x: Float[Tensor, "k n"]
) -> Float[Tensor, "k q"]:
    r"""Chebyshev polynomials :math:`T_0,T_1(\theta_j\cdot x),\dots` of unit forms at points.

    Constants once, then degrees 1 to ``degree`` of each form, scaled to [-1, 1] on these points.
    """
    if degree < 1:
        raise InputError(f"the degree must be at least 1, got {degree}")
    z = x @ (directions / directions.norm(dim=1, keepdim=True)).T
    z = z / z.abs().max().clamp(min=1e-300)
    rows = [torch.ones_like(z), z]
    for _ in range(degree - 1):
        rows.append(2 * z * rows[-1] - rows[-2])
    return torch.cat([rows[0][:, :1], *rows[1 : degree + 1]], 1)


def ridge_fit(
    y: Float[Tensor, " k"], directions: Float[Tensor, "m n"], degree: int, x: Float[Tensor, "k n"]
) -> Float[Tensor, " k"]:
    """Values at the points of the best sum of ridge polynomials, in the squared error.

    Example:
        >>> x = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [2.0, 1.0]])
        >>> forms = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
        >>> fitted = ridge_fit(x[:, 0] * x[:, 1], forms, 2, x)
        >>> [round(v, 3) for v in fitted.tolist()]
        [1.0, -1.0, -1.0, 2.0]
    """
    features = ridge_features(directions, degree, x)
    solved = torch.linalg.lstsq(features, y[:, None], rcond=1e-12, driver="gelsd")
    weights: Tensor = solved.solution[:, 0]
    return features @ weights
