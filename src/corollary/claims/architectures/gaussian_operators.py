r"""Two integral operators on Gaussians, by the trapezoidal rule.

An integral operator :math:`(Tf)(u)=\int H(u,t)f(t)\,dt` is on a grid a matrix times a vector. For
the normal density :math:`\varphi_s` of variance s the kernels :math:`e^{-2\pi itu}` and
:math:`\varphi_r(u-t)` give the Fourier transform and the convolution,

.. math:: \int e^{-2\pi itu}\varphi_s(t)\,dt=e^{-2\pi^2su^2},\qquad
   \int\varphi_r(u-t)\varphi_s(t)\,dt=\varphi_{r+s}(u),

and the rule is exact up to rounding, as both are smooth and have died out at the ends of the grid.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Definitions 4.1 to 4.3; Lucchi (2025),
    Foundations of Deep Learning, Sections 10.1.1 and 10.1.2; Trefethen and Weideman (2014), "The
    exponentially convergent trapezoidal rule".
:kind: identity
:covers: integral-operator, continuous-convolution
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, option, uniform
from corollary.theory.architectures.integral_operators import (
    fourier_kernel,
    integral_operator,
    numerical_convolve,
)

POINTS = torch.linspace(0, 1, 9, dtype=torch.float64)  # where both results are read


class Given(NamedTuple):
    t: Float[Tensor, " n"]  # a uniform grid about 0
    s: float  # variances of the two densities
    r: float


def density(t: Tensor, variance: float) -> Tensor:
    """The normal density of mean 0."""
    return torch.exp(-(t**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


class GaussianOperators(Claim[Given]):
    reach: float = option(8.0, low=7.0, high=20.0)  # end of the grid
    step: int = option(16, low=16, high=64)  # points of the grid from 0 to 1, times 8

    relation = equals(ulps=2**14, scale=1.0)  # sums of some hundred terms of size one
    supposes = Suppose(
        "the densities are negligible at the ends of the grid",
        lambda g: 1e-9 - density(g.t[-1], max(g.s, g.r)),
        "A grid that ends at 1 cuts off the tails of the densities.",
        t=lambda g: g.t[g.t.abs() <= 1],
    )
    symbols = "closed form", "matrix times vector"
    rows = tuple(
        f"{what} at {u:g}" for what in ("transform", "convolution") for u in POINTS.tolist()
    )
    shows = Along("The transform at 0 to 1, then the convolution", x="number of the comparison")

    def given(self, rng: Generator) -> Given:
        n = round(self.reach) * self.step
        s, r = (0.3 + 0.7 * uniform(rng, 2)).tolist()
        return Given(torch.arange(-n, n + 1, dtype=torch.float64) / self.step, s, r)

    def predict(self, given: Given) -> Tensor:
        spectrum = torch.exp(-2 * math.pi**2 * given.s * POINTS**2)
        return torch.cat([spectrum, density(POINTS, given.s + given.r)])

    def measure(self, given: Given) -> Tensor:
        t, s, r = given
        operator = integral_operator(fourier_kernel, t, POINTS)
        spectrum = (operator @ density(t, s).to(operator.dtype)).real
        both = numerical_convolve(lambda t: density(t, s), lambda t: density(t, r), t)
        at = (t[:, None] - POINTS).abs().argmin(dim=0)  # the grid contains the points
        return torch.cat([spectrum, both[at]])
