r"""Two correlated Gaussian classes in the plane, and the best rule for them.

.. math:: x\mid y=0\sim N\Bigl(\binom22,\begin{pmatrix}2&1\\1&2\end{pmatrix}\Bigr),\qquad
   x\mid y=1\sim N\Bigl(\binom{-1}{-1},\begin{pmatrix}2&-1\\-1&2\end{pmatrix}\Bigr),

equally likely. The Bayes rule is quadratic and right with probability about 0.946.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.7.5.
:covers: two-gaussians-dataset
"""

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Figure, Points
from corollary.errors import InputError
from corollary.theory.seeding import as_generator

MEANS = ((2.0, 2.0), (-1.0, -1.0))
COVARIANCES = (((2.0, 1.0), (1.0, 2.0)), ((2.0, -1.0), (-1.0, 2.0)))


def two_gaussians(
    n: int = 1000, *, rng: int | Generator = 0
) -> tuple[Float[Tensor, "points 2"], Float[Tensor, "points 1"]]:
    """Draw ``n`` points of each class, class 0 first, with labels 0 and 1.

    Example:
        >>> x, y = two_gaussians(3, rng=torch.Generator().manual_seed(0))
        >>> tuple(x.shape), y.flatten().tolist()
        ((6, 2), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    """
    rng = as_generator(rng)
    _check(n)
    clouds = []
    for mean, covariance in zip(MEANS, COVARIANCES, strict=True):
        root = torch.linalg.cholesky(torch.tensor(covariance, dtype=torch.float64))
        z = torch.randn(n, 2, generator=rng, device=rng.device, dtype=torch.float64)
        clouds.append(torch.tensor(mean).to(z) + z @ root.to(z).T)
    x = torch.cat(clouds)
    return x, torch.arange(2).repeat_interleave(n)[:, None].to(x)


def two_gaussians_of_the_notes(
    n: int = 1000, *, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """The same law drawn as the notes' program does; ``RandomState(0)`` is its seed.

    Example:
        >>> x, y = two_gaussians_of_the_notes(rng=np.random.RandomState(0))
        >>> x.shape, y.shape
        ((2000, 2), (2000, 1))
    """
    _check(n)
    clouds = [
        rng.multivariate_normal(mean, covariance, n)
        for mean, covariance in zip(MEANS, COVARIANCES, strict=True)
    ]
    return np.vstack(clouds), np.repeat([0.0, 1.0], n)[:, None]


def bayes_predict(x: Float[Tensor, "n 2"]) -> Bool[Tensor, " n"]:
    """Whether class 1 is the likelier one at each point.

    Example:
        >>> bayes_predict(torch.tensor([[2.0, 2.0], [-1.0, -1.0]])).tolist()
        [False, True]
    """
    return _log_density(x, 1) > _log_density(x, 0)


def scatter(x: Float[Tensor, "n 2"], y: Float[Tensor, "n 1"]) -> Figure:
    """The two clouds as a figure."""
    first, second = x[y[:, 0] == 0], x[y[:, 0] == 1]
    marks = (
        Points(first[:, 0].tolist(), first[:, 1].tolist(), "class 0", role="predicted"),
        Points(second[:, 0].tolist(), second[:, 1].tolist(), "class 1", role="measured"),
    )
    return Figure("Two Gaussian classes", x="x₁", y="x₂", marks=marks, equal=True)


def _log_density(x: Tensor, label: int) -> Tensor:
    """Up to a constant that the classes share: both covariances have determinant 3."""
    covariance = torch.tensor(COVARIANCES[label], dtype=torch.float64)
    precision: Tensor = torch.linalg.inv(covariance).to(x)
    away = x - torch.tensor(MEANS[label]).to(x)
    return -0.5 * ((away @ precision) * away).sum(dim=1)


def _check(n: int) -> None:
    if n < 1:
        raise InputError(f"each class needs n >= 1 points, got n={n}")
