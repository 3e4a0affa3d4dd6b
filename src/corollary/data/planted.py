r"""Planted regression: labels that a known linear rule gave, with noise.

.. math:: y=w_*^\top\varphi+\epsilon,\qquad\varphi\sim N(0,\Sigma),\qquad\mathbb E\epsilon=0,\quad
   \operatorname{Var}\epsilon=\sigma^2

with noise independent of the features, so that no predictor has a risk below :math:`\sigma^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2.
:covers: planted-regression-model
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.double_descent.risk import excess_risk
from corollary.theory.landscape.random_products import entries
from corollary.theory.prerequisites.wellformed import check_symmetric
from corollary.theory.seeding import as_generator

Noise = Literal["gaussian", "rademacher", "uniform", "laplace"]


@dataclass(frozen=True)
class Planted:
    """Training sets that share a law; ``r`` of them if they were asked for."""

    phi: Float[Tensor, "*r n p"]  # features
    y: Float[Tensor, "*r n"]  # labels
    w_star: Float[Tensor, " p"]
    Sigma: Float[Tensor, "p p"]  # second moments of the features
    sigma: float  # standard deviation of the noise

    @property
    def bayes_risk(self) -> float:
        """The least mean squared error of any predictor."""
        return self.sigma**2

    def risk(self, w: Float[Tensor, "*s p"]) -> Float[Tensor, "*s"]:
        """The exact risk of linear predictors."""
        return self.bayes_risk + excess_risk(w, self.w_star, self.Sigma)


def planted(
    n: int,
    p: int,
    *,
    Sigma: Float[Tensor, "p p"] | None = None,
    w_star: Float[Tensor, " p"] | None = None,
    sigma: float = 1.0,
    noise: Noise = "gaussian",
    reps: int | None = None,
    rng: int | Generator = 0,
) -> Planted:
    """Draw normal features and noisy labels.

    Args:
        n: Points of a training set.
        p: Features.
        Sigma: Covariance of the features; the identity if absent.
        w_star: The planted rule; a random direction of length 1 if absent.
        sigma: Standard deviation of the noise.
        noise: Its law.
        reps: Number of independent training sets, which share the rule; one without this axis if
            absent.
        rng: Source of randomness.

    Example:
        >>> data = planted(5, 2, sigma=0.0, rng=torch.Generator().manual_seed(0))
        >>> bool(torch.allclose(data.phi @ data.w_star, data.y)), data.bayes_risk
        (True, 0.0)
    """
    rng = as_generator(rng)
    if n < 1 or p < 1 or (reps is not None and reps < 1) or not 0 <= sigma < float("inf"):
        raise InputError(
            f"n, p and reps must be at least 1 and sigma a finite number >= 0, got n={n}, "
            f"p={p}, reps={reps}, sigma={sigma}"
        )
    shape = (n,) if reps is None else (reps, n)
    normal = partial(torch.randn, generator=rng, device=rng.device, dtype=torch.float64)
    if w_star is None:
        w_star = normal(p)
        w_star = w_star / w_star.norm()
    phi = normal(*shape, p)
    if Sigma is None:
        Sigma = torch.eye(p, dtype=torch.float64, device=rng.device)
    else:
        phi = phi @ _root(Sigma)
    if len(w_star) != p or len(Sigma) != p:
        raise InputError(
            f"w_star and Sigma must fit p = {p}, but have sizes {len(w_star)} and {len(Sigma)}"
        )
    y = phi @ w_star + entries(noise, shape, sigma**2, rng=rng)
    return Planted(phi, y, w_star, Sigma, sigma)


def _root(Sigma: Tensor) -> Tensor:
    check_symmetric("Sigma", Sigma)
    values, vectors = torch.linalg.eigh(Sigma)
    if float(values[0]) < -1e-10 * max(float(values[-1]), 1e-300):
        raise InputError(
            f"Sigma must be positive semi-definite, but its lowest eigenvalue is {values[0]:.3g}"
        )
    root: Tensor = (vectors * values.clamp(min=0).sqrt()) @ vectors.T
    return root
