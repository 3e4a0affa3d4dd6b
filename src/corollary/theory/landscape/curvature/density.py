r"""The spectral density of an operator, by stochastic Lanczos quadrature.

For a random unit vector v the measure :math:`\sum_i \langle v, u_i\rangle^2 \delta_{\lambda_i}`
has the spectral density as its mean; m Lanczos steps give its Gauss quadrature, nodes
:math:`\theta_j` and weights :math:`\tau_j^2` (squared first entries of T's eigenvectors), exact
for polynomials of degree 2m - 1. Smoothed by a Gaussian,

.. math:: \phi(t) = \frac1r \sum_{l=1}^r \sum_{j=1}^m \tau_{lj}^2\,
          g_\sigma(t - \theta_{lj}),

and the scatter over the r probes gives the band.

:source: Ubaru, Chen and Saad (2017), "Fast estimation of tr(f(A)) via stochastic Lanczos
    quadrature"; Ghorbani, Krishnan and Xiao (2019), "An investigation into neural net
    optimization via Hessian eigenvalue density", Section 2.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.eigen import as_operator, default_rng
from corollary.theory.landscape.curvature.interval import Estimate, student
from corollary.theory.landscape.curvature.lanczos import Krylov
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature


@dataclass(frozen=True)
class SpectralDensity:
    """The density on a grid, with its spread, and the quadrature it was made from."""

    grid: Float[Tensor, " g"]
    density: Float[Tensor, " g"]  # integrates to 1; times p it counts eigenvalues
    low: Float[Tensor, " g"]  # pointwise interval at ``level`` over the probes
    high: Float[Tensor, " g"]
    nodes: Float[Tensor, "r m"]  # one row a probe
    weights: Float[Tensor, "r m"]  # rows sum to 1
    sigma: float
    level: float
    products: int
    path: str

    def mean_of(self, function) -> Estimate:
        r"""The average of f over the spectrum, :math:`\operatorname{tr} f(A) / p`."""
        draws = (self.weights * function(self.nodes)).sum(1)
        half = student(self.level, len(draws) - 1) * float(draws.std()) / len(draws) ** 0.5
        mean = float(draws.mean())
        return Estimate(mean, mean - half, mean + half, self.level)

    def share(self, low: float, high: float) -> Estimate:
        """The share of eigenvalues in ``[low, high]``."""
        return self.mean_of(lambda t: ((t >= low) & (t <= high)).to(t))


def spectral_density(
    subject: Landscape | Curvature,
    *,
    probes: int = 4,
    steps: int = 40,
    points: int = 512,
    sigma: float | None = None,
    level: float = 0.95,
    rng: Generator | None = None,
) -> SpectralDensity:
    r"""The density of eigenvalues with its spread, by ``probes * steps`` products.

    Args:
        subject: A landscape (its Hessian is meant) or an operator.
        probes: Random vectors, at least 2.
        steps: Lanczos steps of each.
        points: Grid points, from below the smallest node to above the largest.
        sigma: Width of the smoothing; by default a hundredth of the spectrum's.
        level: Of the pointwise interval.
        rng: Of the random vectors.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> eigenvalues = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=torch.float64).repeat(50)
        >>> found = spectral_density(Explicit(torch.diag(eigenvalues)), probes=20, steps=5)
        >>> 0.25 in found.share(0.5, 1.5)
        True
    """
    A, rng = as_operator(subject), default_rng(rng)
    if probes < 2 or steps < 1 or points < 2:
        raise InputError(
            "probes and points must be at least 2 and steps at least 1, but they are "
            f"{probes}, {points} and {steps}"
        )
    start, steps = A.products, min(steps, A.size)
    rules = [_quadrature(A, steps, rng) for _ in range(probes)]
    nodes, weights = (torch.tensor(np.array(part)) for part in zip(*rules, strict=True))
    low, high = float(nodes.min()), float(nodes.max())
    if sigma is None:
        sigma = 0.01 * ((high - low) or abs(high) or 1.0)
    if not sigma > 0:
        raise InputError(f"sigma must be positive, but it is {sigma}")
    grid = torch.linspace(low - 5 * sigma, high + 5 * sigma, points, dtype=nodes.dtype)
    curves = torch.stack([_smooth(grid, n, w, sigma) for n, w in zip(nodes, weights, strict=True)])
    mean = curves.mean(0)
    half = student(level, probes - 1) * curves.std(0) / probes**0.5
    return SpectralDensity(
        grid, mean, (mean - half).clamp_min(0.0), mean + half, nodes, weights,
        sigma, level, A.products - start, A.path,
    )  # fmt: skip


def _quadrature(A: Curvature, steps: int, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights from one probe; a chain that ends early is padded with weight 0."""
    space = Krylov(A, steps, rng=rng)
    space.look()
    while space.m < steps and space.held > space.m:
        space.step()
    theta, s = np.linalg.eigh(space.T[: space.m, : space.m])
    spare = steps - space.m
    return np.pad(theta, (0, spare), mode="edge"), np.pad(s[0] ** 2, (0, spare))


def _smooth(grid: Tensor, nodes: Tensor, weights: Tensor, sigma: float) -> Tensor:
    bump = torch.exp(-0.5 * ((grid[:, None] - nodes) / sigma) ** 2)
    return bump @ weights / (sigma * (2 * torch.pi) ** 0.5)
