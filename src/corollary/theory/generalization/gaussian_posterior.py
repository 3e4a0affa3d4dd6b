r"""Divergence of a normal posterior over weights from an isotropic normal prior.

For :math:`Q=N(\theta,\mathrm{diag}(s))`, :math:`P=N(\theta_0,\lambda I)` in p dimensions

.. math:: \mathrm{KL}(Q\|P)=\frac12\Bigl[\frac{\sum_is_i+\|\theta-\theta_0\|^2}\lambda-p
    +p\ln\lambda-\sum_i\ln s_i\Bigr],\qquad
    \lambda^*=\frac{\sum_is_i+\|\theta-\theta_0\|^2}p .

The best :math:`\lambda^*` depends on the data, so it is rounded to a grid
:math:`\lambda_j=ce^{-j/b}`, and the bound pays :math:`2\ln j+\ln(\pi^2/6)` for the choice, which
is :math:`\ln(1/w_j)` for the weights :math:`w_j=6/(\pi j)^2` that sum to 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.2; Dziugaite and Roy (2017),
    "Computing nonvacuous generalization bounds for deep (stochastic) neural networks with many
    more parameters than training data", Section 3.
"""

import math
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

GRID_TOP = 1.0  # c: the largest prior variance on the grid
GRID_FINENESS = 100.0  # b: steps of one hundredth in ln(lambda)


def kl_gaussian_posterior(
    theta: Float[Tensor, " p"],
    s: Float[Tensor, " p"],
    theta0: Float[Tensor, " p"],
    lam: float | int | Float[Tensor, ""],
) -> Float[Tensor, ""]:
    r"""The divergence; ``s`` and ``lam`` are variances.

    Example:
        >>> import torch
        >>> one = torch.ones(2, dtype=torch.float64)
        >>> kl_gaussian_posterior(3 * one, one, one, 1.0).item()  # half of 2 * 2^2
        4.0

    :covers: gaussian-posterior-kl
    """
    _check_variances(s, lam)
    p = s.numel()
    log_lam = lam.log() if isinstance(lam, Tensor) else math.log(lam)
    moved = s.sum() + (theta - theta0).square().sum()
    return (moved / lam - p + p * log_lam - s.log().sum()) / 2


def optimal_lambda(
    theta: Float[Tensor, " p"], s: Float[Tensor, " p"], theta0: Float[Tensor, " p"]
) -> float:
    r"""The prior variance with the smallest divergence, :math:`\lambda^*`.

    Example:
        >>> import torch
        >>> optimal_lambda(torch.tensor([3.0, 0.0]), torch.ones(2), torch.zeros(2))
        5.5
    """
    _check_variances(s, 1.0)
    return float(s.sum() + (theta - theta0).square().sum()) / s.numel()


class GridVariance(NamedTuple):
    """A prior variance that was on the grid before the data were seen, and its price."""

    lam: float
    j: int
    price: float  # nats that the choice adds to the divergence


def grid_variance(
    lam: float | int, *, c: float | int = GRID_TOP, b: float | int = GRID_FINENESS
) -> tuple[GridVariance, GridVariance]:
    r"""The two grid points :math:`ce^{-j/b}`, :math:`j\ge1`, next to ``lam``; take the better one.

    Example:
        >>> above, below = grid_variance(math.exp(-0.015))
        >>> above.j, below.j, round(below.price, 4)  # 2 ln 2 + ln(pi^2 / 6)
        (1, 2, 1.884)
    """
    if not (lam > 0 and c > 0 and b > 0):
        raise InputError(f"lam, c and b must be positive, got lam={lam:g}, c={c:g}, b={b:g}")
    j = max(math.floor(b * math.log(c / lam)), 1)
    above, below = (
        GridVariance(c * math.exp(-i / b), i, 2 * math.log(i) + math.log(math.pi**2 / 6))
        for i in (j, j + 1)
    )
    return above, below


def _check_variances(s: Tensor, lam: float | int | Tensor) -> None:
    if not bool((s > 0).all()):
        raise InputError("posterior variances must be positive, but one is zero, negative or NaN")
    lam = float(lam.detach()) if isinstance(lam, Tensor) else lam
    if not lam > 0:
        raise InputError(f"the prior variance must be positive, got {lam:g}")
