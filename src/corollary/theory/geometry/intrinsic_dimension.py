r"""How many dimensions data have.

Points near a :math:`k`-dimensional manifold in :math:`\mathbb{R}^D` look like
:math:`\mathbb{R}^k` in a small neighbourhood. Two estimates of k:

* *local PCA*: the covariance of a point and its neighbours has k large eigenvalues; those above a
  share of the largest one are counted, and the counts averaged;
* *two nearest neighbours*: the ratio :math:`\mu=r_2/r_1` of the distances to the second and the
  first neighbour has density :math:`k\mu^{-k-1}`, whatever the density of the points, so k is the
  inverse mean of :math:`\log\mu`. With :math:`r_{2s}/r_s` the same at a larger scale s, which is
  what noise asks for.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis; Facco, d'Errico,
    Rodriguez and Laio (2017), "Estimating the intrinsic dimension of datasets by a minimal
    neighborhood information"; Denti, Doimo, Laio and Mira (2022), "The generalized ratios
    intrinsic dimension estimator"; Fukunaga and Olsen (1971), "An algorithm for finding intrinsic
    dimensionality of data".
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan

_ROWS = 1024  # points whose distances to all others are held at a time


def intrinsic_dimension(
    X: Float[Tensor, "n D"],
    method: Literal["local PCA", "TwoNN"] = "TwoNN",
    *,
    scale: int | None = None,
    share: float = 0.05,
) -> float:
    """The estimated number of dimensions. O(n^2 D) time, O(n) memory.

    Args:
        X: Points, pairwise different.
        method: Local PCA or two nearest neighbours.
        scale: Neighbours to look at: the size of a neighbourhood for local PCA (30, if there are
            so many), the s of the ratio for two nearest neighbours (1). Larger ones see past
            noise, and see curvature.
        share: For local PCA, eigenvalues below this share of the largest are not counted.

    Example:
        >>> t = torch.linspace(0, 6, 200, dtype=torch.float64) ** 1.3
        >>> helix = torch.stack([t.cos(), t.sin(), t], dim=1)
        >>> intrinsic_dimension(helix, "local PCA", scale=6)
        1.0

    :covers: manifold-hypothesis
    """
    if method not in ("local PCA", "TwoNN"):
        raise InputError(f"expected method to be 'local PCA' or 'TwoNN', got {method!r}")
    size = scale if scale is not None else (1 if method == "TwoNN" else min(30, len(X) - 1))
    needed = 2 * size if method == "TwoNN" else size
    if size < 1 or needed >= len(X):
        raise InputError(f"scale={size} needs more than {needed} points, got {len(X)}")
    if method == "TwoNN":
        return _ratio_dimension(X, size)
    return float(local_pca_counts(X, size, share).double().mean())


def neighbours(X: Float[Tensor, "n D"], k: int) -> tuple[Float[Tensor, "n k"], Int[Tensor, "n k"]]:
    """Distances to the k nearest other points, ascending, and who they are.

    Example:
        >>> distance, who = neighbours(torch.tensor([[0.0], [1.0], [3.0]]), 1)
        >>> distance.flatten().tolist(), who.flatten().tolist()
        ([1.0, 1.0, 2.0], [1, 0, 1])
    """
    if not 1 <= k < len(X):
        raise InputError(f"expected k of at most {len(X) - 1} for {len(X)} points, got k={k}")
    check_no_nan("X", X)
    distances, who = [], []
    for start in range(0, len(X), _ROWS):
        d = torch.cdist(X[start : start + _ROWS], X)
        rows = torch.arange(len(d))
        d[rows, start + rows] = torch.inf
        near = d.topk(k, dim=1, largest=False)
        distances.append(near.values)
        who.append(near.indices)
    return torch.cat(distances), torch.cat(who)


def local_pca_counts(
    X: Float[Tensor, "n D"], k: int, share: float = 0.05, *, anchors: int = 200
) -> Int[Tensor, " a"]:
    """Large eigenvalues of the covariance of each of up to ``anchors`` points and k neighbours.

    Example:
        >>> grid = torch.cartesian_prod(torch.arange(5.0), torch.arange(5.0), torch.zeros(1))
        >>> local_pca_counts(grid, 8).unique().tolist()
        [2]
    """
    if not 0 <= share <= 1:
        raise InputError(f"share must lie in [0, 1], got {share:g}")
    _, who = neighbours(X, k)
    which = torch.linspace(0, len(X) - 1, min(anchors, len(X))).round().long()
    patches = torch.cat([X[which][:, None], X[who[which]]], dim=1)  # (a, k + 1, D)
    centred = patches - patches.mean(dim=1, keepdim=True)
    variances: Tensor = torch.linalg.svdvals(centred) ** 2
    return (variances >= share * variances[:, :1]).sum(dim=1)


def _ratio_dimension(X: Tensor, s: int) -> float:
    """The k of largest likelihood for the ratios of the 2s-th to the s-th distance."""
    r, _ = neighbours(X, 2 * s)
    if not bool((r[:, s - 1] > 0).all()):
        raise InputError("two points coincide; remove duplicates, or use a larger scale")
    log_mu = (r[:, 2 * s - 1] / r[:, s - 1]).double().log()
    log_mu = log_mu[log_mu > 0]
    if len(log_mu) == 0:
        raise InputError(
            "all neighbours are equally far away (a lattice), so the ratios say nothing"
        )
    if s == 1:
        return float(1 / log_mu.mean())
    from scipy.optimize import brentq

    def score(k: float) -> float:  # derivative of the mean log-likelihood
        gained = log_mu / -torch.expm1(-k * log_mu)  # log(mu) mu^k / (mu^k - 1)
        return float(1 / k + (s - 1) * gained.mean() - (2 * s - 1) * log_mu.mean())

    return float(brentq(score, 1e-3, 1e4))
