r"""Spikes: eigenvalues that noise does not explain.

Let :math:`W=\sum_j\theta_ju_jv_j^\top+\sigma X` with noise X of :math:`p\times n` independent
entries of variance 1. The noise has its edge at :math:`\sigma^2(\sqrt n+\sqrt p)^2`. A part with
:math:`\theta\le\sigma(np)^{1/4}` leaves no trace there; a larger one (Baik, Ben Arous and Péché)
puts an eigenvalue of :math:`WW^\top` at

.. math:: \lambda(\theta)=\theta^2\Bigl(1+\frac{n\sigma^2}{\theta^2}\Bigr)
    \Bigl(1+\frac{p\sigma^2}{\theta^2}\Bigr).

Eigenvalues above what the largest one of pure noise exceeds with probability :math:`\delta` are
counted. If k parts are there, the (k+1)-st eigenvalue is at most the largest of the noise (Weyl),
so the count is too large with probability of about :math:`\delta` at most.

:source: Baik, Ben Arous and Péché (2005), "Phase transition of the largest eigenvalue for nonnull
    complex sample covariance matrices"; Benaych-Georges and Nadakuditi (2012), "The singular values
    and vectors of low rank perturbations of large rectangular random matrices", Section 3.1;
    Kritchman and Nadler (2009), "Non-parametric detection of the number of signals".
"""

import math
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    MarchenkoPastur,
    central_variance,
    ordered,
)
from corollary.theory.generalization.weight_spectra.tracy_widom import (
    largest_eigenvalue_scale,
    tracy_widom_quantile,
)

# The fitted variance has a relative deviation of sqrt(2/(np)) times this: between 1.1 and 1.35
# in drawn matrices from 8 x 8 to 512 x 1024. The law of Tracy and Widom has deviation 1.268.
FITTED, DEVIATION = 1.35, 1.268


@dataclass(frozen=True)
class Spikes:
    """The bulk of a spectrum, and what is above it."""

    variance: float  # of the noise
    edge: float  # where its bulk ends
    ceiling: float  # what its largest eigenvalue exceeds with probability delta
    values: tuple[float, ...]  # the eigenvalues above the ceiling, largest first

    def __repr__(self) -> str:
        some = ", ".join(f"{value:.4g}" for value in self.values[:5])
        more = ", ..." if self.count > 5 else ""
        found = f": {some}{more}" if self.count else ""
        return (
            f"{self.count} spikes above {self.ceiling:.4g} (noise ends at {self.edge:.4g}){found}"
        )

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.values)


def visible_from(p: int, n: int, variance: float = 1.0) -> float:
    r"""The smallest singular value :math:`\sigma(np)^{1/4}` of a part that can be seen.

    Example:
        >>> visible_from(2, 8)
        2.0
    """
    if min(p, n) < 1 or variance < 0:
        raise InputError(
            f"expected positive sizes and a positive variance, got p={p}, n={n}, "
            f"variance={variance:g}"
        )
    root: float = (p * n) ** 0.25
    return math.sqrt(variance) * root


def spike_place(theta: float, p: int, n: int, variance: float = 1.0) -> float:
    r"""Where a part of size :math:`\theta` puts an eigenvalue; the edge if it is too small.

    Example:
        >>> spike_place(6.0, 4, 9), spike_place(1.0, 4, 9)  # 36 (1 + 9/36) (1 + 4/36); the edge
        (50.0, 25.0)
    """
    if theta <= visible_from(p, n, variance):
        return MarchenkoPastur(p, n, variance).edges[1]
    return (theta**2 + n * variance) * (theta**2 + p * variance) / theta**2


def spike_size(value: float, p: int, n: int, variance: float = 1.0) -> float:
    r"""The :math:`\theta` that puts an eigenvalue here; 0 inside of the bulk.

    Example:
        >>> round(spike_size(50.0, 4, 9), 9)
        6.0
    """
    b = value - (n + p) * variance
    root = b * b - 4 * n * p * variance**2
    if b <= 0 or root < 0:
        return 0.0
    return math.sqrt((b + math.sqrt(root)) / 2)


def spike_ceiling(p: int, n: int, delta: float) -> float:
    r"""What the largest eigenvalue of noise, over its fitted variance, exceeds by chance.

    The chance is :math:`\delta`. The scale of Tracy and Widom is widened by the error of the fit,
    which matters for small matrices.

    Example:
        >>> spike_ceiling(100, 400, 0.01) > 900  # the edge of the bulk
        True
    """
    p, n = ordered(p, n)
    centre, scale = largest_eigenvalue_scale(p, n)
    fitted = FITTED * math.sqrt(2 / (n * p)) * centre / DEVIATION
    return centre + math.hypot(scale, fitted) * tracy_widom_quantile(1 - delta)


def spikes(eigenvalues: Float[Tensor, " p"], n: int, *, delta: float = 0.01) -> Spikes:
    r"""The noise of a spectrum and the eigenvalues above it.

    The variance is fitted to the middle half of what is not yet called a spike, as a matrix of
    :math:`(p-k)\times(n-k)`, until the count k stays. A matrix with spikes in more than half of its
    spectrum has no bulk to speak of; the count then stops there.

    Args:
        eigenvalues: Of W Wᵀ on the smaller side, all p of them, zeros included.
        n: The larger side of the matrix.
        delta: Probability that pure noise has a spike.

    Example:
        >>> import torch
        >>> law = MarchenkoPastur(40, 60)
        >>> bulk = law.quantile((torch.arange(40, dtype=torch.float64) + 0.5) / 40)
        >>> found = spikes(torch.cat([bulk[:-1], torch.tensor([900.0])]), 60)
        >>> found.count, round(found.variance, 1)
        (1, 1.0)
    """
    values = eigenvalues.cpu().double().sort(descending=True).values
    p, k = len(values), 0
    while True:
        rows, columns = p - k, n - k
        variance = central_variance(values[k:], columns)
        ceiling = spike_ceiling(rows, columns, delta) * variance
        found = int((values > ceiling).sum())
        if found <= k or found > p // 2:
            k = min(found, p // 2)
            break
        k = found
    edge = MarchenkoPastur(rows, columns, variance).edges[1] if variance > 0 else 0.0
    return Spikes(variance, edge, ceiling, tuple(values[:k].tolist()))
