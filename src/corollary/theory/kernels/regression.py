r"""Least squares in a feature space, by the kernel alone.

The minimum-norm minimiser of :math:`\frac12\|\Phi\theta - y\|^2` is
:math:`\theta = \Phi^\top K^{-1}y` with :math:`K = \Phi\Phi^\top` invertible, so
:math:`f(x) = K(x, X)K^{-1}y`; with a ridge :math:`\lambda` K becomes :math:`K + \lambda I`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.1, Theorem 53; Perez Jensen
    (2025), Deep Learning, Section 9; Schölkopf, Herbrich and Smola (2001), "A generalized
    representer theorem".
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


@dataclass(frozen=True)
class KernelFit:
    """Coefficients of the training kernels, and how well the problem was posed."""

    alpha: Float[Tensor, "n *k"]
    condition: float  # of K + ridge; the answer has lost that many digits
    rank: int  # n, unless a singular K was pseudo-inverted

    def __call__(self, k: Float[Tensor, "m n"]) -> Float[Tensor, "m *k"]:
        """Predictions from the kernel of new inputs with the training inputs."""
        return k @ self.alpha


def kernel_regression(
    k: Float[Tensor, "n n"],
    y: Float[Tensor, "n *k"],
    *,
    ridge: float = 0.0,
    singular: Literal["raise", "pinv"] = "raise",
) -> KernelFit:
    r"""Solve :math:`(K + \lambda I)\alpha = y`; time :math:`O(n^3)`.

    Args:
        k: Gram matrix of the training inputs.
        y: Targets, one column or several.
        ridge: The regulariser.
        singular: For a K without inverse: an error, or the minimum-norm least squares solution.

    Example:
        >>> fit = kernel_regression(2 * torch.eye(2), torch.tensor([2.0, 4.0]))
        >>> fit.alpha.tolist(), fit.condition
        ([1.0, 2.0], 1.0)

    :covers: kernel-least-squares
    """
    if k.shape[0] != len(y):
        raise InputError(
            f"expected one target per input, got {len(y)} targets for {k.shape[0]} inputs"
        )
    if len(y) == 0:
        raise InputError("kernel regression needs at least one input")
    if not ridge >= 0:
        raise InputError(f"the ridge must be at least 0, got {ridge}")
    values, vectors = torch.linalg.eigh(k)
    shifted = values + ridge
    cut = float(shifted[-1]) * len(y) * torch.finfo(k.dtype).eps
    kept = shifted > max(cut, 0.0)
    rank = int(kept.sum())
    if rank < len(y) and singular == "raise":
        raise InputError(
            f"K of {len(y)} inputs has rank {rank}; inputs repeat, or there are fewer "
            "features than inputs; add a ridge, or pass singular='pinv' for the minimum-norm "
            "solution"
        )
    inverse = torch.where(kept, 1 / torch.where(kept, shifted, torch.ones_like(shifted)), 0.0)
    alpha = vectors @ (inverse.reshape(-1, *(1,) * (y.ndim - 1)) * (vectors.T @ y))
    condition = float(shifted[-1] / shifted[kept][0]) if rank else float("inf")
    return KernelFit(alpha, condition, rank)


def representer_coefficients(
    k: Float[Tensor, "n n"], y: Float[Tensor, " n"], lam: float
) -> Float[Tensor, " n"]:
    r"""Coefficients of the minimiser of :math:`\frac12\sum_i(f(x_i)-y_i)^2 + \frac\lambda2\|f\|^2`.

    Example:
        >>> representer_coefficients(torch.eye(1), torch.ones(1), 1.0).tolist()
        [0.5]
    """
    if not lam > 0:
        raise InputError(f"the regulariser must be positive, got {lam}")
    return kernel_regression(k, y, ridge=lam).alpha


def outside_span(theta: Float[Tensor, " p"], phi: Float[Tensor, "n p"]) -> float:
    r"""The length of what :math:`\theta` has outside the span of the training features.

    Example:
        >>> outside_span(torch.tensor([3.0, 4.0]), torch.tensor([[1.0, 0.0]]))
        4.0
    """
    return float((theta - torch.linalg.pinv(phi) @ (phi @ theta)).norm())
