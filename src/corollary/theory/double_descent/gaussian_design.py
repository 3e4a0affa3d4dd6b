r"""Least squares with random features: exact risk left and right of the interpolation threshold.

Given the design, ordinary least squares has no bias and the variance
:math:`\sigma^2\operatorname{tr}\Sigma(\Phi^\top\Phi)^{-1}`. With normal features and
:math:`w_*` planted,

==================  ======================================  ======================================
.                   :math:`p\le n-2`                        :math:`p\ge n+2`, :math:`\Sigma=I`
==================  ======================================  ======================================
bias                0                                       :math:`(1-\frac np)^2\|w_*\|^2`
spread of design    0                                       :math:`\frac np(1-\frac np)\|w_*\|^2`
noise               :math:`\sigma^2\frac p{n-p-1}`          :math:`\sigma^2\frac n{p-n-1}`
==================  ======================================  ======================================

and no finite mean for :math:`p=n-1,n,n+1`. Bias and spread of the design together,
:math:`(1-n/p)\|w_*\|^2`, are what is left without noise; variance in the sense of Theorem 80 is
spread and noise.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 81 and Figure 13.2;
    Belkin, Hsu and Xu (2020), "Two models of double descent for weak features", Theorem 1; Hastie,
    Montanari, Rosset and Tibshirani (2022), "Surprises in high-dimensional ridgeless least squares
    interpolation".
:erratum: [typo] The proof of Theorem 81 calls the computed quantity E ||E w_bar - w_*||^2, the
    bias, which is 0 here; it is the variance E ||w_bar - E w_bar||^2.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, check_symmetric


@dataclass(frozen=True)
class GaussianRisk:
    """The parts of the expected excess risk."""

    bias: float  # squared distance of the mean estimate to the truth
    design: float  # variance because the design is random, without noise
    noise: float  # variance because the labels are noisy

    @property
    def variance(self) -> float:
        """Spread of the estimate around its mean."""
        return self.design + self.noise

    @property
    def without_noise(self) -> float:
        """Excess risk for clean labels: the bias given the design, on average over it."""
        return self.bias + self.design

    @property
    def total(self) -> float:
        """Expected excess risk."""
        return self.bias + self.design + self.noise


def ols_variance(
    phi: Float[Tensor, "*r n p"], Sigma: Float[Tensor, "p p"], sigma2: float
) -> Float[Tensor, "*r"]:
    r"""The variance :math:`\frac{\sigma^2}n\operatorname{tr}\Sigma\bar\Sigma^{-1}` given a design.

    :math:`\bar\Sigma=\Phi^\top\Phi/n` must be invertible; its mean over designs is Theorem 81.

    Example:
        >>> ols_variance(2 * torch.eye(3), torch.eye(3), 4.0)
        tensor(3.)

    :covers: ols-variance-trace
    :test: tests/theory/double_descent/test_gaussian_design.py
    :erratum: [missing hypothesis] Theorem 81 inverts Phi^T Phi / n without saying that p <= n and
        rank p are needed, although the figure discussed next runs to p > n: for n = 10, p = 40 the
        matrix has rank 10, and p/(n-p-1) = -1.29 is no variance; the shortest solution has
        n/(p-n-1) = 0.345. [notation] Phi is drawn with phi(x_i) as columns but typed n x p; here
        they are rows.
    """
    check_finite("phi", phi)
    check_symmetric("Sigma", Sigma)
    _check_noise(sigma2)
    n, p = phi.shape[-2:]
    if p > n:
        raise InputError(
            f"with p = {p} > n = {n} the normal matrix has no inverse; for the minimum-norm "
            "solution see min_norm_risk"
        )
    R = torch.linalg.qr(phi, mode="r").R
    if bool((R.diagonal(dim1=-2, dim2=-1) == 0).any()):
        raise InputError(
            f"a design has rank below p = {p}, because its columns are linearly dependent"
        )
    # tr Sigma (R^T R)^{-1} = |root R^{-1}|^2 for Sigma = root^T root
    values, vectors = torch.linalg.eigh(Sigma)
    root = (vectors * values.clamp(min=0).sqrt()).T.expand(*phi.shape[:-2], p, p)
    half: Tensor = torch.linalg.solve_triangular(R, root, upper=True, left=False)
    return sigma2 * half.square().sum(dim=(-2, -1))


def gaussian_ols_variance(n: int, p: int, sigma2: float = 1.0) -> float:
    r"""Its mean :math:`\sigma^2p/(n-p-1)` over normal designs, whatever :math:`\Sigma` they have.

    Infinite for p = n - 1 and p = n.

    Example:
        >>> gaussian_ols_variance(40, 10), gaussian_ols_variance(40, 39)
        (0.3448275862068966, inf)
    """
    _check_sizes(n, p)
    _check_noise(sigma2)
    if p > n:
        raise InputError(
            f"ordinary least squares needs p <= n, got p = {p}, n = {n}; for the minimum-norm "
            "solution see min_norm_risk"
        )
    if p < n - 1:
        return sigma2 * p / (n - p - 1)
    return math.inf if sigma2 else 0.0


def min_norm_risk(n: int, p: int, norm2: float, sigma2: float) -> GaussianRisk:
    r"""The parts of the risk of :math:`\Phi^+y` for standard normal features, any n and p.

    Args:
        n: Training points.
        p: Parameters.
        norm2: :math:`\|w_*\|^2`.
        sigma2: Variance of the noise.

    Example:
        >>> parts = min_norm_risk(10, 40, 16.0, 1.0)
        >>> parts.bias, parts.design, round(parts.noise, 4)  # 9/16, 3/16 of 16, and 10/29
        (9.0, 3.0, 0.3448)

    :covers: min-norm-overparametrized-risk
    """
    _check_sizes(n, p)
    _check_noise(sigma2)
    if not 0 <= norm2 < math.inf:
        raise InputError(f"norm2 must be a finite number >= 0, got {norm2}")
    if p <= n:
        return GaussianRisk(0.0, 0.0, gaussian_ols_variance(n, p, sigma2))
    seen = n / p
    noise = sigma2 * n / (p - n - 1) if p > n + 1 else math.inf if sigma2 else 0.0
    return GaussianRisk((1 - seen) ** 2 * norm2, seen * (1 - seen) * norm2, noise)


def weak_feature_risk(n: int, p: int, w_star: Float[Tensor, " d"], sigma2: float) -> GaussianRisk:
    r"""The risk when only the first p of d standard normal coordinates are used.

    The omitted ones act as noise: with :math:`\tau^2=\sum_{i>p}w_{*i}^2` the risk is that of
    :func:`min_norm_risk` for the first p with :math:`\sigma^2+\tau^2` for :math:`\sigma^2`, and
    :math:`\tau^2` more bias.

    Example:
        >>> parts = weak_feature_risk(10, 2, torch.ones(4), 1.0)
        >>> parts.bias, round(parts.noise, 4)  # 2, and (1 + 2) 2/7
        (2.0, 0.8571)
    """
    if not 1 <= p <= len(w_star):
        raise InputError(f"p must lie between 1 and d = {len(w_star)}, got {p}")
    omitted = float(w_star[p:].square().sum())
    parts = min_norm_risk(n, p, float(w_star[:p].square().sum()), sigma2 + omitted)
    return GaussianRisk(parts.bias + omitted, parts.design, parts.noise)


def _check_sizes(n: int, p: int) -> None:
    if n < 1 or p < 1:
        raise InputError(f"n and p must be at least 1, got n={n}, p={p}")


def _check_noise(sigma2: float) -> None:
    if not 0 <= sigma2 < math.inf:
        raise InputError(f"sigma2 must be a finite number >= 0, got {sigma2}")
