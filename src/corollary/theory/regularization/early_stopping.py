r"""Early stopping beside the squared penalty, eigenvector by eigenvector.

For a quadratic risk with Hessian :math:`H=Q\Lambda Q^\top` and minimiser :math:`w^*`, descent from
0 and the penalty :math:`\frac\lambda2\|w\|^2` both shrink :math:`w^*` along the eigenvectors:

.. math:: Q^\top w_k=\bigl[I-(I-\eta\Lambda)^k\bigr]Q^\top w^*,\qquad
   Q^\top w_\lambda=\bigl[I-\lambda(\Lambda+\lambda I)^{-1}\bigr]Q^\top w^* .

At :math:`\tau=1/(\eta\lambda)` steps the two agree up to :math:`O((\lambda_i/\lambda)^2)` in the
flat directions: with :math:`x=\lambda_i/\lambda` and a small step they are :math:`1-e^{-x}` and
:math:`x/(1+x)`, whose difference is :math:`x^2/2` to leading order.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.3, Problem 2, (11.30)-(11.31);
    Perez Jensen (2025), Deep Learning, Section 8.3; Goodfellow, Bengio and Courville (2016), Deep
    Learning, Section 7.8.
:covers: early-stopping-l2-equivalence
:erratum: [wrong] Perez Jensen (2025), Section 8.3, gives the stopping time t = eta/mu; it is
    1/(eta mu). With eta = 0.1, mu = 0.5 and an eigenvalue 0.01 descent has gone 0.0198 of the way
    after 20 steps, ridge goes 0.0196, and the printed time 0.2 gives 0.0002. The claim
    early_stopping has it as its counterexample. [typo] Lucchi (2025), Problem 2d, pairs the penalty
    lambda ||w||^2 with (11.31), which is that of (lambda/2) ||w||^2: replace lambda by 2 lambda.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_positive, check_symmetric, rounding


class Filter(NamedTuple):
    """How much of the minimiser is kept along each eigenvector."""

    eigenvalues: Float[Tensor, " d"]  # ascending
    directions: Float[Tensor, "d d"]  # eigenvectors as columns
    kept: Float[Tensor, " d"]  # 0: nothing yet, 1: all of it

    def apply(self, w: Float[Tensor, " d"]) -> Float[Tensor, " d"]:
        """The filtered minimiser."""
        return self.directions @ (self.kept * (self.directions.T @ w))


def early_stopping_filter(H: Float[Tensor, "d d"], eta: float, k: int | float) -> Filter:
    r"""What k steps of descent from 0 have found: :math:`1-(1-\eta\lambda_i)^k`.

    A k that is no whole number is the interpolation of the same formula, for steps up to
    :math:`1/\lambda_{\max}`.

    Example:
        >>> H = torch.diag(torch.tensor([1.0, 2.0], dtype=torch.float64))
        >>> early_stopping_filter(H, eta=0.25, k=2).kept.tolist()
        [0.4375, 0.75]
    """
    values, Q = _spectrum(H)
    check_positive("eta", eta)
    top = float(values[-1])
    if k < 0 or (k != int(k) and eta * top > 1):
        raise InputError(f"k must be a whole number of steps, at least 0, got {k:g}")
    if eta * top > 2:
        raise InputError(
            f"eta must be at most 2/lambda_max = {2 / top:.4g}, above which descent diverges, "
            f"got {eta:.4g}"
        )
    return Filter(values, Q, 1 - (1 - eta * values) ** k)


def ridge_filter(H: Float[Tensor, "d d"], lam: float) -> Filter:
    r"""What the penalty :math:`\frac\lambda2\|w\|^2` leaves: :math:`\lambda_i/(\lambda_i+\lambda)`.

    Example:
        >>> H = torch.diag(torch.tensor([1.0, 3.0], dtype=torch.float64))
        >>> ridge_filter(H, lam=1.0).kept.tolist()
        [0.5, 0.75]
    """
    values, Q = _spectrum(H)
    check_positive("lam", lam)
    return Filter(values, Q, values / (values + lam))


def matched_time(eta: float, lam: float) -> float:
    r"""The number of steps :math:`1/(\eta\lambda)` that stands for the penalty.

    Example:
        >>> matched_time(eta=0.5, lam=0.25)
        8.0
    """
    check_positive("eta", eta)
    check_positive("lam", lam)
    return 1 / (eta * lam)


def _spectrum(H: Tensor) -> tuple[Tensor, Tensor]:
    check_symmetric("H", H)
    values, Q = torch.linalg.eigh((H + H.T) / 2)
    if float(values[0]) < -rounding(H) * float(values.abs().max()):
        raise InputError(
            f"H must be positive semi-definite, but its smallest eigenvalue is {values[0]:.3g}"
        )
    return values.clamp(min=0), Q
