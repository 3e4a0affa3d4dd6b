r"""The direction of largest margin, and with it the sharpest bound of Novikoff.

By duality the largest margin is the distance of the origin to the convex hull of the signed points
:math:`z_i = y_i x_i`,

.. math:: \max_{\|u\|=1} \min_i \langle u, z_i\rangle
          = \min_{a \ge 0,\, \sum_i a_i = 1} \Big\|\sum_i a_i z_i\Big\|,

and :math:`u` points to the nearest point of the hull. That point solves a nonnegative least
squares problem: minimise :math:`\|\sum_i a_i z_i\|^2 + (1 - \sum_i a_i)^2` over :math:`a \ge 0` and
normalise. Both sides of the duality are returned, so their gap certifies the answer.

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Vapnik and Lerner (1963), "Pattern
    recognition using generalized portrait method"; Lawson and Hanson (1974), Solving Least Squares
    Problems, Chapter 23.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.labelled import signed_points
from corollary.theory.connectionism.perceptron import radius

POSITIVE = 1e-9  # margins below this fraction of the largest length count as zero


@dataclass(frozen=True)
class MaxMargin:
    """The unit vector with the largest margin, or the proof that no margin is positive."""

    u: Float[Tensor, " k"]  # unit vector; zero if no direction separates
    margin: float  # smallest inner product of u with a signed point; 0 if none is positive
    distance: float  # distance of the origin to the hull; equals the margin at the optimum
    weights: Float[Tensor, " n"]  # a: nonnegative, sum 1, zero off the support vectors

    @property
    def gap(self) -> float:
        """Distance minus margin: how far from optimal u can be at most."""
        return self.distance - self.margin


def max_margin(
    x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"], *, bias: bool = False
) -> MaxMargin:
    """The largest margin of a hyperplane through the origin (of the augmented space with a bias).

    With ``bias`` the points are ``(x, 1)`` and ``u`` has d + 1 entries: this is the margin that
    Novikoff's theorem needs for a perceptron with a bias, not the distance in x alone.
    Cost: an active-set method; about (number of support vectors)^3 + n d a step, on the CPU.

    Example:
        >>> found = max_margin(torch.eye(4, dtype=torch.float64), torch.ones(4))
        >>> round(found.margin, 12), [round(v, 12) for v in found.u.tolist()]
        (0.5, [0.5, 0.5, 0.5, 0.5])
    """
    z = signed_points(x.detach(), y, bias=bias).cpu().double()
    u, margin, distance, a = nearest_of_hull(z.numpy())
    return MaxMargin(
        torch.from_numpy(u).to(x), margin, distance, torch.from_numpy(a).to(x.device, x.dtype)
    )


def nearest_of_hull(z: np.ndarray) -> tuple[np.ndarray, float, float, np.ndarray]:
    """Direction, margin, distance and weights for the rows of ``z``; zeros if 0 is in the hull."""
    size = float(np.sqrt((z * z).sum(axis=1).max()))
    a = _hull_weights(z[None] / (size or 1.0))[0]
    point = a @ z
    distance = float(np.linalg.norm(point))
    if distance <= POSITIVE * size:
        return np.zeros(z.shape[1]), 0.0, 0.0, a
    u = point / distance
    margin = float((z @ u).min())
    if margin <= POSITIVE * size:
        return np.zeros(z.shape[1]), 0.0, distance, a
    return u, margin, distance, a


def nearest_points(z: np.ndarray) -> np.ndarray:
    """For each cloud (trials, n, d) of points of length at most 1, its hull's nearest to 0."""
    nearest: np.ndarray = np.einsum("tn,tnd->td", _hull_weights(z), z)
    return nearest


def _hull_weights(z: np.ndarray) -> np.ndarray:
    """The weights ``a`` of the nearest point, for each cloud of points of length at most 1."""
    from scipy.optimize import nnls

    trials, n, d = z.shape
    rows = np.concatenate([z.transpose(0, 2, 1), np.ones((trials, 1, n))], axis=1)
    target = np.zeros(d + 1)
    target[d] = 1.0
    try:
        a = np.stack([nnls(matrix, target, maxiter=max(10 * n, 1000))[0] for matrix in rows])
    except RuntimeError as error:  # its limit of iterations
        raise InputError(f"the nearest point of the hull was not found ({error})") from error
    weights: np.ndarray = a / a.sum(axis=1, keepdims=True)
    return weights


def novikoff_bound(x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"], *, bias: bool = False) -> int:
    r"""The sharpest form of the mistake bound, :math:`\lfloor (R/\gamma)^2 \rfloor`.

    :math:`\gamma` is the largest margin there is. With a bias both R and the margin are those of
    the augmented points :math:`(x, 1)`, so :math:`R^2` becomes :math:`R^2 + 1`.

    Example:
        >>> novikoff_bound(torch.eye(5, dtype=torch.float64), torch.ones(5))
        5

    :source: Perez Jensen (2025), Deep Learning, Section 1.2, Theorem 1.3.
    """
    found = max_margin(x, y, bias=bias)
    if found.margin <= 0:
        raise InputError(
            "the bound needs points that a hyperplane "
            + ("" if bias else "through the origin ")
            + "separates, but none does; linear_separability(x, y) gives the proof"
        )
    r = float(radius(signed_points(x, y, bias=bias)))
    ratio = (r / found.margin) ** 2
    return math.floor(ratio * (1 + 64 * torch.finfo(torch.float64).eps * len(x)))
