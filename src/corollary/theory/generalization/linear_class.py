r"""Linear predictors of bounded norm: their Rademacher complexity between two lengths.

For :math:`\{x\mapsto\langle w,x\rangle:\|w\|\le W\}` and points with :math:`\|x_i\|\le D`

.. math:: \frac1{\sqrt2}\frac Wm\Bigl(\sum_i\|x_i\|^2\Bigr)^{1/2}\le
   \hat{\mathcal R}_S=\frac Wm\,\mathbb E_\sigma\Bigl\|\sum_i\sigma_ix_i\Bigr\|\le
   \frac Wm\Bigl(\sum_i\|x_i\|^2\Bigr)^{1/2}\le\frac{DW}{\sqrt m},

with equality on the right of the complexity for orthogonal points, and on its left for two equal
ones.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 63; Latala and Oleszkiewicz (1994), "On
    the best constant in the Khinchin-Kahane inequality" (the lower bound).
:covers: rademacher-linear-class
:erratum: [typo] The first line of (8.25) has the supremum inside the sum over the points. That
    expression is (W/m) sum_i |x_i| and does not decay: for unit vectors and W = 1 it is 1, against
    at most 0.032 at m = 1000. The next line has the supremum over the whole sum.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.generalization.conditions import Number, check_nonnegative, check_sample
from corollary.theory.generalization.rademacher import sign_suprema, sign_vectors
from corollary.theory.prerequisites.wellformed import check_finite


def linear_suprema(
    x: Float[Tensor, "m d"], W: Number, signs: Float[Tensor, "s m"]
) -> Float[Tensor, " s"]:
    r"""The suprema :math:`\frac Wm\|\sum_i\sigma_ix_i\|`, one for each row of signs.

    Example:
        >>> linear_suprema(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), 2.0, torch.ones(1, 2)).tolist()
        [5.0]
    """
    check_finite("x", x)
    check_nonnegative("W", W)
    return sign_suprema(lambda sigma: W * (sigma @ x).norm(dim=1), signs)


def linear_complexity(x: Float[Tensor, "m d"], W: Number) -> float:
    """The empirical complexity over all 2^m signs, for up to 20 points.

    Example:
        >>> round(linear_complexity(torch.eye(4, dtype=torch.float64), 1.0), 9)  # orthogonal
        0.5
    """
    return float(linear_suprema(x, W, sign_vectors(len(x), dtype=x.dtype).to(x.device)).mean())


def linear_complexity_bound(x: Float[Tensor, "m d"], W: Number) -> float:
    r"""The bound :math:`\frac Wm(\sum_i\|x_i\|^2)^{1/2}` from the points themselves.

    Example:
        >>> linear_complexity_bound(torch.eye(4), 1.0)
        0.5
    """
    check_finite("x", x)
    check_nonnegative("W", W)
    return W / len(x) * float(torch.linalg.matrix_norm(x))


def linear_complexity_radius(D: Number, W: Number, m: int) -> float:
    r"""The bound :math:`DW/\sqrt m` for points no longer than D.

    Example:
        >>> linear_complexity_radius(1.0, 1.0, 4)
        0.5
    """
    check_nonnegative("D", D)
    check_nonnegative("W", W)
    check_sample("m", m)
    return D * W / math.sqrt(m)


def supremum_inside(x: Float[Tensor, "m d"], W: Number) -> float:
    r"""What the misprinted line computes: the mean of :math:`W\|x_i\|`, which does not decay.

    Example:
        >>> supremum_inside(torch.eye(4), 1.0)
        1.0
    """
    return W * float(x.norm(dim=1).mean())
