r"""Bias and variance of an estimator.

.. math:: \mathbb E\|\bar w-w_*\|_\Sigma^2=\|\mathbb E\bar w-w_*\|_\Sigma^2+
   \mathbb E\|\bar w-\mathbb E\bar w\|_\Sigma^2

where the means are over everything the estimator depends on, here design and noise.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 80.
:covers: bias-variance-decomposition
:erratum: [typo] The first line of the decomposition in the proof of Theorem 80 reads
    E ||w_bar - E w_bar||^2, the variance; it must be E ||w_bar - w_*||^2. The statement is right.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.double_descent.risk import excess_risk

Estimator = Callable[[Tensor, Tensor], Tensor]  # designs (r n p), labels (r n) to weights (r p)
Sampler = Callable[[int, Generator], tuple[Tensor, Tensor]]  # r, rng to designs and labels


@dataclass(frozen=True)
class BiasVariance:
    """The two parts of the expected excess risk."""

    bias: float  # squared distance of the mean estimate to the truth
    variance: float  # mean squared distance of the estimate to its mean
    excess: Float[Tensor, " r"]  # excess risk in each draw

    @property
    def total(self) -> float:
        """The mean excess risk, which is bias + variance."""
        return self.bias + self.variance


def decomposed(
    w: Float[Tensor, "r p"], w_star: Float[Tensor, " p"], Sigma: Float[Tensor, "p p"]
) -> BiasVariance:
    r"""Bias and variance from independent estimates, each without bias of its own.

    The distance of the mean of r draws to :math:`w_*` is too large by variance / r; this is taken
    off (so a bias may come out slightly negative) and put back into the variance, which is divided
    by r - 1: the sum is the mean excess risk, to the last digit.

    Example:
        >>> parts = decomposed(torch.tensor([[1.0], [3.0]]), torch.zeros(1), torch.eye(1))
        >>> parts.bias, parts.variance, parts.total  # 2² - 2/2, 2, (1 + 9)/2
        (3.0, 2.0, 5.0)
    """
    r = len(w)
    if r < 2:
        raise InputError(f"a variance needs at least two estimates, got {r}")
    mean = w.mean(dim=0)
    variance = float(excess_risk(w, mean, Sigma).sum()) / (r - 1)
    bias = float(excess_risk(mean, w_star, Sigma)) - variance / r
    return BiasVariance(bias, variance, excess_risk(w, w_star, Sigma))


def bias_variance(
    estimator: Estimator,
    sampler: Sampler,
    w_star: Float[Tensor, " p"],
    Sigma: Float[Tensor, "p p"],
    *,
    reps: int = 200,
    rng: Generator,
) -> BiasVariance:
    """Bias and variance of an estimator over ``reps`` draws of the training set.

    Args:
        estimator: From designs (reps, n, p) and labels (reps, n) to weights (reps, p).
        sampler: From the number of draws and a generator to designs and labels.
        w_star: The truth.
        Sigma: Second moments of the features.
        reps: Training sets.
        rng: Source of randomness.

    Example:
        >>> def sampler(r, rng):
        ...     phi = torch.randn(r, 20, 3, generator=rng)
        ...     return phi, phi.sum(dim=2)
        >>> rng = torch.Generator().manual_seed(0)
        >>> found = bias_variance(min_norm, sampler, torch.ones(3), torch.eye(3), reps=5, rng=rng)
        >>> abs(found.total) < 1e-6  # no noise
        True
    """
    designs, labels = sampler(reps, rng)
    return decomposed(estimator(designs, labels), w_star, Sigma)


def min_norm(phi: Float[Tensor, "*r n p"], y: Float[Tensor, "*r n"]) -> Float[Tensor, "*r p"]:
    r"""The shortest least-squares solution :math:`\Phi^+y` of each problem.

    Ordinary least squares for full column rank, the shortest interpolator for full row rank. Time
    :math:`O(np\min(n,p))` each.

    Example:
        >>> min_norm(torch.tensor([[1.0, 1.0]]), torch.tensor([2.0])).round(decimals=4)
        tensor([1., 1.])
    """
    # gelsd: the default gelsy gives other last bits at other addresses.
    w: Tensor = torch.linalg.lstsq(phi, y[..., None], driver="gelsd").solution[..., 0]
    return w


def ridge_estimate(
    phi: Float[Tensor, "*r n p"], y: Float[Tensor, "*r n"], lam: float | int
) -> Float[Tensor, "*r p"]:
    r"""The minimiser :math:`(\Phi^\top\Phi+n\lambda I)^{-1}\Phi^\top y` of each problem.

    Of :math:`\frac1n\|y-\Phi w\|^2+\lambda\|w\|^2`, many problems at once (for a single one by the
    SVD see :func:`corollary.theory.regularization.ridge.ridge`). For p > n the smaller system
    :math:`\Phi^\top(\Phi\Phi^\top+n\lambda I)^{-1}y` is solved.

    Example:
        >>> ridge_estimate(torch.ones(2, 1), torch.ones(2), 1.0)
        tensor([0.5000])
    """
    n, p = phi.shape[-2:]
    if not lam > 0:
        raise InputError(f"lambda must be positive, got {lam}; min_norm is its limit at 0")
    shift = n * lam * torch.eye(min(n, p), dtype=phi.dtype, device=phi.device)
    w: Tensor
    if p <= n:
        w = torch.linalg.solve(phi.mT @ phi + shift, (phi.mT @ y[..., None])[..., 0])
    else:
        w = (phi.mT @ torch.linalg.solve(phi @ phi.mT + shift, y)[..., None])[..., 0]
    return w
