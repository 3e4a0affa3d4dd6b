r"""The spectral density of an operator, by stochastic Lanczos quadrature.

For a random unit vector v the measure :math:`\sum_i \langle v, u_i\rangle^2 \delta_{\lambda_i}`
has the spectral density as its mean; m Lanczos steps give its Gauss quadrature, nodes
:math:`\theta_j` and weights :math:`\tau_j^2` (squared first entries of T's eigenvectors), exact
for polynomials of degree 2m - 1. Smoothed by a Gaussian,

.. math:: \phi(t) = \frac1r \sum_{l=1}^r \sum_{j=1}^m \tau_{lj}^2\,
          g_\sigma(t - \theta_{lj}),

and the probes give the band: by their scatter, and by products with each other,
:math:`v_k^\top f(A)\,v_l\approx\sum_j\langle v_k, q_{lj}\rangle\,\tau_{lj}f(\theta_{lj})` with the
Ritz vectors :math:`q_{lj}`, which tell how skewed the draws are (see
:mod:`~corollary.theory.landscape.curvature.forms`). Eigenvalues of networks spread over many orders
of magnitude, most of them near zero; the same quadrature shows them on the axis
:math:`t = \log_{10}(|\lambda| + \epsilon)`, smoothed there (:meth:`SpectralDensity.logarithmic`).

:source: Ubaru, Chen and Saad (2017), "Fast estimation of tr(f(A)) via stochastic Lanczos
    quadrature"; Ghorbani, Krishnan and Xiao (2019), "An investigation into neural net
    optimization via Hessian eigenvalue density", Section 2; Papyan (2020), "Traces of
    class/cross-class structure pervade deep learning spectra", Section C.7 (the logarithm).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.forms import trace_estimate, trace_intervals
from corollary.theory.landscape.curvature.interval import Estimate, check_level
from corollary.theory.landscape.curvature.lanczos import Krylov
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.seeding import as_generator
from corollary.theory.wording import percent, span

Sign = Literal["both", "positive", "negative"]
NEAR_ZERO = 0.01  # of the largest magnitude: what a printed density counts as near zero


@dataclass(frozen=True)
class SpectralDensity:
    """The density on a grid, with its spread, and the quadrature it was made from."""

    grid: Float[Tensor, " g"]
    density: Float[Tensor, " g"]  # integrates to 1; times p it counts eigenvalues
    low: Float[Tensor, " g"]  # pointwise interval at ``level`` over the probes
    high: Float[Tensor, " g"]
    nodes: Float[Tensor, "r m"]  # one row a probe
    weights: Float[Tensor, "r m"]  # rows sum to 1
    shared: Float[Tensor, "r r m"]  # weights of a pair of probes, at the first one's nodes
    sigma: float
    level: float
    products: int
    path: str

    def __repr__(self) -> str:
        low, high = float(self.nodes.min()), float(self.nodes.max())
        near = NEAR_ZERO * max(abs(low), abs(high))
        below, above = (percent(self.share(*side).value) for side in ((-inf, -near), (near, inf)))
        middle = percent(self.share(-near, near).value)
        return (
            f"spectral density of eigenvalues {low:.4g} to {high:.4g}: {middle} within {near:.2g} "
            "of "
            f"zero, {below} below, {above} above ({self.products} products)"
        )

    def mean_of(self, function: Callable[[Tensor], Tensor]) -> Estimate:
        r"""The average of f over the spectrum, :math:`\operatorname{tr} f(A) / p`."""
        X = _forms(function(self.nodes)[None], self.weights, self.shared)
        return trace_estimate(X[0], _overlaps(self.weights, self.shared), self.level)

    def share(self, low: float, high: float) -> Estimate:
        """The share of eigenvalues in ``[low, high]``."""
        if not low <= high:
            raise InputError(f"an interval needs low <= high, got low={low:g}, high={high:g}")
        return self.mean_of(lambda t: ((t >= low) & (t <= high)).to(t))

    def logarithmic(
        self,
        *,
        sign: Sign = "both",
        floor: float | None = None,
        sigma: float | None = None,
        points: int = 512,
    ) -> "LogDensity":
        r"""The density on the axis :math:`\log_{10}(|\lambda| + \epsilon)`, without more products.

        Lanczos' method resolves the outliers first: how the mass near zero is spread over its
        decades is known the better the more ``steps`` were taken.

        Args:
            sign: ``positive`` or ``negative`` eigenvalues alone, or ``both`` together.
            floor: :math:`\epsilon`, where what is nearly zero gathers; by default
                :math:`10^{-5}` of the largest node in magnitude.
            sigma: Width of the smoothing in decades; by default a twentieth of the axis.
            points: Of the grid.

        Example:
            >>> from corollary.theory.landscape.curvature.operator import Explicit
            >>> values = torch.tensor([0.01, 0.01, 0.01, -100.0], dtype=torch.float64).repeat(50)
            >>> found = spectral_density(Explicit(torch.diag(values)), probes=4, steps=5)
            >>> curve = found.logarithmic()
            >>> round(float(curve.grid[curve.density.argmax()]), 2)  # epsilon is 0.001
            0.01
            >>> 0.25 in found.logarithmic(sign="negative").share
            True
        """
        side = _side(sign, self.nodes)
        size = self.nodes.abs()
        floor = 1e-5 * (float(size.max()) or 1.0) if floor is None else floor
        if not 0 < floor < float("inf") or points < 2 or (sigma is not None and not sigma > 0):
            raise InputError(
                f"floor and sigma must be positive and points at least 2, got floor={floor}, "
                f"sigma={sigma}, points={points}"
            )
        t = (size + floor).log10()
        low, high = float(t.min()), float(t.max())
        sigma = 0.05 * ((high - low) or 1.0) if sigma is None else sigma
        axis = torch.linspace(low - 4 * sigma, high + 4 * sigma, points, dtype=t.dtype)
        parts = t, self.weights, self.shared
        curve = _band(axis, *parts, sigma, self.level, side)
        share = self.mean_of(lambda nodes: _side(sign, nodes))
        return LogDensity(10**axis - floor, 10**axis, *curve, share, sign, floor, sigma, self.level)


@dataclass(frozen=True)
class LogDensity:
    """Eigenvalues a decade, with their spread; made by :meth:`SpectralDensity.logarithmic`."""

    grid: Float[Tensor, " g"]  # eigenvalues' magnitudes; just below 0 where only smoothing reaches
    shifted: Float[Tensor, " g"]  # the same with the floor added, evenly spaced in its logarithm
    density: Float[Tensor, " g"]  # share of all eigenvalues for each unit of log10
    low: Float[Tensor, " g"]  # pointwise interval at ``level`` over the probes
    high: Float[Tensor, " g"]
    share: Estimate  # of all eigenvalues that have this sign: what the density integrates to
    sign: Sign
    floor: float
    sigma: float  # in decades
    level: float

    def __repr__(self) -> str:
        signs = "" if self.sign == "both" else f"{self.sign} "
        return (
            f"density of {signs}eigenvalues on a log axis, magnitudes "
            f"{span(self.grid.clamp_min(0))}, "
            f"floor {self.floor:.2g}: {percent(self.share.value)} of all eigenvalues"
        )


@of_model
def spectral_density(
    subject: Landscape | Curvature,
    *,
    probes: int = 4,
    steps: int = 40,
    points: int = 512,
    sigma: float | None = None,
    level: float = 0.95,
    rng: int | Generator = 0,
) -> SpectralDensity:
    r"""The density of eigenvalues with its spread, by ``probes * steps`` products.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
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
    A, rng = as_operator(subject), as_generator(rng)
    if probes < 2 or steps < 1 or points < 2:
        raise InputError(
            f"probes and points must be at least 2 and steps at least 1, got probes={probes}, "
            f"points={points}, steps={steps}"
        )
    check_level(level)
    start, steps = A.products, min(steps, A.size)
    nodes, weights, shared = _quadratures(A, probes, steps, rng)
    low, high = float(nodes.min()), float(nodes.max())
    if sigma is None:
        sigma = 0.01 * ((high - low) or abs(high) or 1.0)
    if not sigma > 0:
        raise InputError(f"sigma must be positive, got {sigma}")
    grid = torch.linspace(low - 5 * sigma, high + 5 * sigma, points, dtype=nodes.dtype)
    curve = _band(grid, nodes, weights, shared, sigma, level)
    rule = nodes, weights, shared
    return SpectralDensity(grid, *curve, *rule, sigma, level, A.products - start, A.path)


def _quadratures(
    A: Curvature, probes: int, steps: int, rng: Generator
) -> tuple[Float[Tensor, "r m"], Float[Tensor, "r m"], Float[Tensor, "r r m"]]:
    """Nodes, weights and shared weights; chains that end early are padded with weight 0."""
    nodes, weights = torch.zeros(2, probes, steps, dtype=torch.float64)
    shared = torch.zeros(probes, probes, steps, dtype=torch.float64)
    starts = torch.empty(probes, A.size, dtype=A.dtype, device=A.device)
    for k in range(probes):
        space = Krylov(A, steps, rng=rng)
        space.look()
        starts[k] = space.Q[0]
        while space.m < steps and space.held > space.m:
            space.step()
        theta, s = (torch.from_numpy(v) for v in np.linalg.eigh(space.T[: space.m, : space.m]))
        inside = (starts[:k] @ space.Q[: space.m].T).cpu().double()
        nodes[k] = theta[-1]
        nodes[k, : space.m], weights[k, : space.m] = theta, s[0] ** 2
        shared[k, :k, : space.m] = inside @ s * s[0]
    return nodes, weights, shared


def _forms(
    values: Float[Tensor, "b r m"], weights: Float[Tensor, "r m"], shared: Float[Tensor, "r r m"]
) -> np.ndarray:
    """Products of all pairs of probes with f(A), for the values of b functions f at the nodes."""
    below = torch.einsum("klm,bkm->bkl", shared, values)
    draws = torch.einsum("km,bkm->bk", weights, values)
    return (below + below.mT + torch.diag_embed(draws)).numpy()


def _overlaps(weights: Float[Tensor, "r m"], shared: Float[Tensor, "r r m"]) -> np.ndarray:
    """Inner products of the probes: the forms of f = 1."""
    overlaps: np.ndarray = _forms(torch.ones_like(weights)[None], weights, shared)[0]
    return overlaps


def _band(
    grid: Float[Tensor, " g"],
    nodes: Float[Tensor, "r m"],
    weights: Float[Tensor, "r m"],
    shared: Float[Tensor, "r r m"],
    sigma: float,
    level: float,
    side: Float[Tensor, "r m"] | float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """The smoothed density with its pointwise interval: mean, low, high."""
    bump = torch.exp(-0.5 * ((grid[:, None, None] - nodes) / sigma) ** 2) * side
    X = _forms(bump / (sigma * (2 * torch.pi) ** 0.5), weights, shared)
    mean, low, high = map(torch.from_numpy, trace_intervals(X, _overlaps(weights, shared), level))
    return mean, low.clamp_min(0.0), high


def _side(sign: Sign, nodes: Tensor) -> Tensor:
    """One where a node has the sign that is asked for, else zero; zero itself is positive."""
    if sign not in ("both", "positive", "negative"):
        raise InputError(f"sign must be both, positive or negative, got '{sign}'")
    if sign == "both":
        return torch.ones_like(nodes)
    return ((nodes < 0) == (sign == "negative")).to(nodes)
