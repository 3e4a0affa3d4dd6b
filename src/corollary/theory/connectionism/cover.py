r"""How many labellings of s points a hyperplane through the origin can realise.

For s points in general position in :math:`\mathbb R^n` (every n or fewer of them independent)

.. math:: C(s, n) = 2\sum_{i=0}^{n-1}\binom{s-1}{i}, \qquad C(s+1, n) = C(s, n) + C(s, n-1).

All :math:`2^s` labellings are realised iff :math:`s \le n`; half of them at :math:`s = 2n`. A
hyperplane with an offset in :math:`\mathbb R^n` is one through the origin of
:math:`\mathbb R^{n+1}`, so the affine count is :math:`C(s, n+1)`.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Theorem 1.4; Cover (1965), "Geometrical
    and statistical properties of systems of linear inequalities", Theorem 1.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.max_margin import (
    POSITIVE,
    nearest_of_hull,
    nearest_points,
)


def cover_count(s: int, n: int) -> int:
    """The number of dichotomies as an exact integer, in closed form.

    Example:
        >>> cover_count(4, 3), cover_count(4, 4), cover_count(8, 4)
        (14, 16, 128)

    :covers: cover-function-counting
    :erratum: [wrong] The notes remark after Theorem 1.4 that the number of linear classifications
        decreases steeply towards 0 after s = 2n. The number never decreases (it grows like
        s^(n-1): C(8, 4) = 128, C(16, 4) = 1152); the fraction C(s, n) / 2^s falls, with value
        exactly 1/2 at s = 2n. [notation] The theorem speaks of s points while its (correct)
        formula 2 sum binom(s, i) counts for s + 1.
    """
    _check_sizes(s, n)
    return 2 * sum(comb(s - 1, i) for i in range(n))


def cover_count_recursive(s: int, n: int) -> int:
    """The same number by Cover's recursion; O(s n) additions.

    Example:
        >>> cover_count_recursive(4, 3)
        14
    """
    _check_sizes(s, n)
    row = [0] + [2] * n  # C(1, 0) = 0 and C(1, m) = 2
    for _ in range(s - 1):
        row = [0] + [row[m] + row[m - 1] for m in range(1, n + 1)]
    return row[n]


def separable_probability(s: int, n: int) -> Fraction:
    r"""The fraction :math:`p(s, n) = C(s, n)/2^s` of labellings that are separable, exactly.

    Example:
        >>> separable_probability(3, 5), separable_probability(10, 5), separable_probability(4, 1)
        (Fraction(1, 1), Fraction(1, 2), Fraction(1, 8))

    :covers: cover-capacity-transition
    """
    return Fraction(cover_count(s, n), 2**s)


def in_general_position(x: Float[Tensor, "s n"], *, tolerance: float = 1e-9) -> bool:
    """Whether every n or fewer of the points are linearly independent.

    Decided by the smallest singular value of every subset of min(s, n) normalised points, against
    ``tolerance``; the number of subsets is binom(s, n), so this is for small clouds.

    Example:
        >>> in_general_position(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        True
        >>> in_general_position(torch.tensor([[1.0, 0.0], [0.0, 1.0], [-2.0, 0.0]]))
        False
    """
    s, n = x.shape
    length = x.norm(dim=1, keepdim=True)
    if bool((length == 0).any()):
        return False
    subsets = torch.tensor(list(combinations(range(s), min(s, n))), device=x.device)
    unit = x / length
    return all(
        bool((torch.linalg.svdvals(unit[part]).amin(dim=1) > tolerance).all())
        for part in subsets.split(65536)
    )


def enumerate_dichotomies(x: Float[Tensor, "s n"]) -> Int[Tensor, "c s"]:
    r"""Every sign pattern :math:`\operatorname{sgn}(\langle w, x_i\rangle)` that some w realises.

    The cells of the version space are split point by point: a new point cuts a cell in two iff
    both signs are possible with the signs so far. Patterns come in pairs :math:`\pm y`; a zero
    point has no strict sign, so nothing is realised. Cost: at most C(s, n) small nonnegative
    least-squares problems per point.

    Example:
        >>> enumerate_dichotomies(torch.eye(2, dtype=torch.float64)).tolist()
        [[1, 1], [1, -1], [-1, -1], [-1, 1]]
    """
    points = x.detach().cpu().double().numpy()
    if not np.isfinite(points).all():
        raise InputError("points must be finite to be classified")
    if len(points) == 0 or not points.any(axis=1).all():
        return torch.empty(0, len(points), dtype=torch.int64, device=x.device)
    cells = [np.ones(1)]  # the signs of each cell so far; the first is +1, the others mirror it
    for k in range(1, len(points)):
        cells = [half for cell in cells for half in _halves(cell, points[: k + 1])]
    signs = torch.from_numpy(np.array(cells).reshape(-1, len(points))).long().to(x.device)
    return torch.cat([signs, -signs])


def separable_labellings(z: Float[Tensor, "trials s n"]) -> Bool[Tensor, " trials"]:
    """For each cloud of signed points, whether it lies in an open half-space.

    Example:
        >>> separable_labellings(torch.tensor([[[1.0], [2.0]], [[1.0], [-2.0]]])).tolist()
        [True, False]
    """
    points = z.detach().cpu().double()
    points = points / points.norm(dim=2).amax(dim=1).clamp(min=1e-300)[:, None, None]
    nearest = torch.from_numpy(nearest_points(points.numpy()))[:, :, None]
    scores = (points @ nearest).squeeze(2).amin(dim=1)
    apart: Tensor = scores > POSITIVE * nearest.norm(dim=(1, 2))
    return apart.to(z.device)


def _halves(y: np.ndarray, points: np.ndarray) -> list[np.ndarray]:
    """The one or two cells that the last point leaves of the cell with signs ``y``."""
    both = [np.append(y, sign) for sign in (1.0, -1.0)]
    return [signs for signs in both if nearest_of_hull(signs[:, None] * points)[1] > 0]


def _check_sizes(s: int, n: int) -> None:
    if s < 1 or n < 1:
        raise InputError(f"Cover's count needs s >= 1 points, n >= 1 dimensions; s={s}, n={n}")
