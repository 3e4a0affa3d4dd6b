r"""The normal distribution in :math:`\mathbb{R}^k`: density, moments, affine images.

.. math:: p(x)=(2\pi)^{-k/2}\det(\Sigma)^{-1/2}e^{-\frac12(x-\mu)^\top\Sigma^{-1}(x-\mu)},\qquad
    AX+b\sim N(A\mu+b,\,A\Sigma A^\top)

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.loewner import is_psd
from corollary.theory.prerequisites.wellformed import check_finite, rounding

LARGEST_GRID = 1_000_000  # points of a quadrature


@dataclass(frozen=True)
class Gaussian:
    r"""The law :math:`N(\mu,\Sigma)`; :math:`\Sigma` may be singular, but then has no density.

    Example:
        >>> law = Gaussian(torch.zeros(2), torch.eye(2))
        >>> law.affine(torch.tensor([[1.0, 1.0]]), torch.tensor([3.0])).covariance
        tensor([[2.]])

    :covers: gaussian-moments
    """

    mean: Float[Tensor, " k"]
    covariance: Float[Tensor, "p q"]  # p = q = k

    def __post_init__(self) -> None:
        check_finite("mu", self.mean)
        found = is_psd(self.covariance)
        if self.covariance.shape[0] != len(self.mean):
            raise InputError(
                f"Sigma must fit the length of mu, got shape {tuple(self.covariance.shape)} "
                f"and length {len(self.mean)}"
            )
        if not found.holds:
            raise InputError(
                "Sigma must be positive semi-definite, but it has the eigenvalue "
                f"{found.smallest:.3g}"
            )

    def log_density(self, x: Float[Tensor, "n k"]) -> Float[Tensor, " n"]:
        """The logarithm of the density; refused when Sigma is singular."""
        values = torch.linalg.eigvalsh(self.covariance)
        if float(values[0]) <= rounding(values) * float(values[-1]):
            raise InputError(
                "a normal law has a density only if det(Sigma) > 0, but Sigma is singular"
            )
        chol: Tensor = torch.linalg.cholesky(self.covariance)
        z: Tensor = torch.linalg.solve_triangular(chol, (x - self.mean).T, upper=False)
        log_det = 2 * chol.diagonal().log().sum()
        return -0.5 * (z.square().sum(dim=0) + log_det + len(self.mean) * math.log(2 * math.pi))

    def root(self) -> Float[Tensor, "k k"]:
        r"""The symmetric root of :math:`\Sigma`, also when it is singular."""
        values, vectors = torch.linalg.eigh(self.covariance)
        root: Tensor = (vectors * values.clamp(min=0).sqrt()) @ vectors.T
        return root

    def sample(self, n: int, *, rng: Generator) -> Float[Tensor, "n k"]:
        """Independent draws."""
        z = torch.randn(n, len(self.mean), generator=rng, device=rng.device, dtype=self.mean.dtype)
        return self.mean + z @ self.root()

    def affine(self, A: Float[Tensor, "p k"], b: Float[Tensor, " q"]) -> "Gaussian":
        """The law of ``AX + b``."""
        return affine_gaussian(self.mean, self.covariance, A, b)

    def expectation(self, g: Callable[[Tensor], Tensor], *, nodes: int = 3) -> Tensor:
        r""":math:`\mathbb{E}\,g(X)` by the Gauss-Hermite rule, exact for degree below ``2 nodes``.

        Cost: ``nodes**k`` evaluations, one batch.
        """
        k = len(self.mean)
        if nodes < 1 or nodes**k > LARGEST_GRID:
            raise InputError(
                f"expected between 1 and {LARGEST_GRID} quadrature points, got {nodes}^{k}"
            )
        t, w = (
            torch.from_numpy(a).to(self.mean) for a in np.polynomial.hermite_e.hermegauss(nodes)
        )
        z = torch.cartesian_prod(*([t] * k)).reshape(-1, k)
        weights = torch.cartesian_prod(*([w / w.sum()] * k)).reshape(-1, k).prod(dim=1)
        values = g(self.mean + z @ self.root())
        mean: Tensor = torch.tensordot(weights, values, dims=([0], [0]))
        return mean


def gaussian_moments(
    mu: Float[Tensor, " k"], Sigma: Float[Tensor, "p q"], *, nodes: int = 3
) -> tuple[Float[Tensor, " k"], Float[Tensor, "k k"]]:
    r"""Mean and covariance of :math:`N(\mu,\Sigma)` by quadrature: they are mu and Sigma.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> mean, cov = gaussian_moments(one, 4 * one[:, None])
        >>> round(mean.item(), 12), round(cov.item(), 12)
        (1.0, 4.0)
    """
    law = Gaussian(mu, Sigma)
    mean = law.expectation(lambda x: x, nodes=nodes)
    centred = law.expectation(
        lambda x: (x - mean)[:, :, None] * (x - mean)[:, None, :], nodes=nodes
    )
    return mean, centred


def affine_gaussian(
    mu: Float[Tensor, " k"],
    Sigma: Float[Tensor, "k k"],
    A: Float[Tensor, "p m"],
    b: Float[Tensor, " q"],
) -> Gaussian:
    r"""The law of :math:`AX+b` for :math:`X\sim N(\mu,\Sigma)`.

    It is singular where :math:`A\Sigma A^\top` is, as when A has more rows than columns.

    Example:
        >>> two = torch.tensor([[2.0]])
        >>> affine_gaussian(torch.ones(1), torch.ones(1, 1), two, torch.ones(1)).mean
        tensor([3.])

    :covers: gaussian-affine-rule
    """
    check_finite("A", A)
    check_finite("b", b)
    if A.shape != (len(b), len(mu)):
        raise InputError(f"A must be {len(b)} x {len(mu)} to go from X to b, got {tuple(A.shape)}")
    image = A @ Sigma @ A.T
    return Gaussian(A @ mu + b, (image + image.T) / 2)
