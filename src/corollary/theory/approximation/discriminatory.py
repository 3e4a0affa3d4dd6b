r"""Which measures an activation can see: the discriminatory property on finitely many points.

:math:`\sigma` is discriminatory if :math:`\int\sigma(w\cdot x+b)\,d\mu(x)=0` for all
:math:`w,b` forces :math:`\mu=0`. For a measure :math:`\mu=\sum_p\mu_p\delta_{x_p}` on given points
that is a linear system: the matrix :math:`\sigma(w_r\cdot x_p+b_r)` over many units has no null
vector. A polynomial of degree q sees only moments up to q, so on a line any :math:`k>q+1` points
carry a measure that it cannot see.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem;
    Cybenko (1989), Approximation by superpositions of a sigmoidal function, Definition 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least

Line = Callable[[Tensor], Tensor]  # entry by entry


class Probe(NamedTuple):
    """What the units see of measures on the points."""

    rank: int  # dimension of the measures that are seen
    smallest: float  # smallest singular value, as a share of the largest
    measure: Float[Tensor, " k"] | None  # a measure of total variation 1 that no unit sees


def discriminatory_probe(
    sigma: Line,
    points: Float[Tensor, "k d"],
    w: Float[Tensor, "m d"],
    b: Float[Tensor, " m"],
    *,
    rtol: float = 1e-10,
) -> Probe:
    r"""Rank and null space of :math:`\sigma(w_r\cdot x_p+b_r)`; :math:`O(mk^2)`.

    Example:
        >>> x = torch.linspace(0, 1, 3, dtype=torch.float64)[:, None]
        >>> w, b = x.new_tensor([[1.0], [2.0], [3.0], [4.0]]), x.new_tensor([0.0, 1.0, 2.0, 5.0])
        >>> seen = discriminatory_probe(lambda z: z, x, w, b)  # the second difference is unseen
        >>> seen.rank, [round(abs(v), 9) for v in seen.measure.tolist()]
        (2, [0.25, 0.5, 0.25])

    :covers: discriminatory-function
    """
    if len(w) < len(points):
        raise InputError(
            f"expected one unit per point, got {len(w)} units for {len(points)} points"
        )
    if len(torch.unique(points, dim=0)) < len(points):
        raise InputError(
            "the points must be different, because a network cannot separate equal points"
        )
    check_at_least("rtol", rtol, 0)
    matrix = sigma(w @ points.T + b[:, None])
    _, s, Vt = torch.linalg.svd(matrix, full_matrices=False)
    rank = int((s > rtol * s[0]).sum())
    unseen = None if rank == len(points) else Vt[-1] / Vt[-1].abs().sum()
    return Probe(rank, float(s[-1] / s[0]), unseen)
