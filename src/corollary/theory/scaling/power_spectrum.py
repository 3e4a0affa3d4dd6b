r"""Regression on a power-law spectrum, where the exponents of scaling laws are known.

Features have the variances :math:`\lambda_i=i^{-a}`, and the target has the power
:math:`\lambda_iw_i^2=i^{-b}` in feature i. The test loss then falls like a power

* of the steps of gradient descent, :math:`t^{-(b-1)/a}`: after t steps the modes up to
  :math:`i\sim t^{1/a}` are learned, and the rest of the power is :math:`\sum_{j>i}j^{-b}`;
* of the samples (or of the random features), :math:`n^{-\min(b-1,\,2a)}`: n samples determine about
  n modes.

:source: Spigler, Geiger and Wyart (2020), "Asymptotic learning curves of kernel methods: empirical
    data versus teacher-student paradigm", Eq. 6; Maloney, Roberts and Sully (2022), "A solvable
    model of neural scaling laws", Section 3; Bordelon, Atanasov and Pehlevan (2024), "A dynamical
    model of neural scaling laws", Section 4.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.theory.seeding import as_generator


class PowerSpectrum(NamedTuple):
    """Variances of the features, and the weights of the target."""

    variances: Float[Tensor, " d"]
    weights: Float[Tensor, " d"]

    @property
    def powers(self) -> Float[Tensor, " d"]:
        """The power of the target in each feature."""
        return self.variances * self.weights**2


def power_spectrum(a: float, b: float, d: int) -> PowerSpectrum:
    """The first d features.

    Example:
        >>> found = power_spectrum(1.0, 2.0, 3)
        >>> [round(v, 4) for v in found.powers.tolist()]
        [1.0, 0.25, 0.1111]
    """
    i = torch.arange(1, d + 1, dtype=torch.float64)
    return PowerSpectrum(i**-a, i ** ((a - b) / 2))


def step_exponent(a: float, b: float) -> float:
    """By which power of the steps the loss of gradient descent falls."""
    return (b - 1) / a


def sample_exponent(a: float, b: float) -> float:
    """By which power of the samples the loss of the least-norm solution falls."""
    return min(b - 1, 2 * a)


def descent_losses(
    spectrum: PowerSpectrum, rate: float, steps: Sequence[int]
) -> Float[Tensor, " k"]:
    r"""The loss :math:`\sum_i\lambda_iw_i^2(1-\eta\lambda_i)^{2t}` after each number of steps.

    Example:
        >>> descent_losses(power_spectrum(1.0, 2.0, 1), 0.5, [0, 1, 2]).tolist()
        [1.0, 0.25, 0.0625]
    """
    kept = 1 - rate * spectrum.variances
    return torch.stack([(spectrum.powers * kept ** (2 * t)).sum() for t in steps])


def sample_loss(
    spectrum: PowerSpectrum, n: int, *, noise: float = 0.0, rng: int | Generator = 0
) -> float:
    """The test loss of the least-norm interpolation of n samples with Gaussian features."""
    draw = as_generator(rng)
    d = len(spectrum.variances)
    X = torch.randn(n, d, generator=draw, dtype=torch.float64) * spectrum.variances.sqrt()
    y = X @ spectrum.weights + noise * torch.randn(n, generator=draw, dtype=torch.float64)
    found = X.T @ torch.linalg.solve(X @ X.T, y)
    return float((spectrum.variances * (found - spectrum.weights) ** 2).sum())
