r"""Parseval's identity for a weighted distance in Fourier space.

If :math:`f\varphi` and :math:`g\varphi` are square integrable, the squared distance of f and g
under the density :math:`\varphi^2` is a distance of transforms,

.. math:: \int (f - g)^2\varphi^2\,dx = \|\widehat{f\varphi} - \widehat{g\varphi}\|^2
          = \|\hat f * \hat\varphi - \hat g * \hat\varphi\|^2 ,

even where f and g have no transforms of their own but distributions. What a network cannot say in
frequencies, it cannot learn in :math:`L^2(\varphi^2)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step I; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: identity
:uses: convolution_theorem, fourier_conventions
:covers: eldan-shamir-parseval
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.approximation.fourier import centred_grid, transform
from corollary.theory.expressivity.weighted_distance import weighted_l2

REACH = {1: (256, 1 / 16), 2: (48, 1 / 4)}  # grid points along an axis and their distance
Function = Callable[[Tensor], Tensor]


class Given(NamedTuple):
    f: Function
    g: Function
    phi: Function  # root of a density


def left_at_the_ends(self: "WeightedParseval", given: Given) -> tuple[bool, str]:
    """The largest value of f φ and g φ near the ends of the grid."""
    x = centred_grid(self.d, *REACH[self.d])
    edge = (x.abs().amax(dim=-1) >= 0.95 * x.abs().max()) & (x.norm(dim=-1) > 0)
    top = max(float((u(x) * given.phi(x)).abs()[edge].max()) for u in (given.f, given.g))
    return top < 1e-6, f"{top:.2g}"


class WeightedParseval(Claim[Given]):
    d: int = option(1, low=1, high=2)  # dimension
    m: int = option(5, low=1, high=50)  # units of each network

    relation = equals(ulps=2.0**20)  # aliasing of the tanh units and of the ends, below 1e-10
    supposes = Suppose(
        "f φ and g φ are square integrable and negligible at the ends",
        left_at_the_ends,
        "The constant function 1 is not square integrable.",
        f=lambda g: lambda x: 1 / g.phi(x),
    )
    symbols = "∫ (f − g)² φ²", "in frequencies"
    rows = ("transforms of the products", "convolved transforms")

    def given(self, rng: Generator) -> Given:
        def network() -> Function:
            w = normal(rng, self.d, self.m)
            b, a = normal(rng, 2, self.m)
            w = w / w.norm(dim=0).clamp(min=1.0)  # steeper units have wider spectra than the grid
            return lambda x: torch.tanh(x @ w + b) @ a / self.m

        return Given(network(), network(), lambda x: torch.exp(-x.square().sum(dim=-1)))

    def predict(self, given: Given) -> float:
        n, step = REACH[self.d]
        x = centred_grid(self.d, 4 * n, step / 2)  # twice as wide and half as coarse
        gap = (given.f(x) - given.g(x)) * given.phi(x)
        return float(gap.square().sum()) * (step / 2) ** self.d

    def measure(self, given: Given) -> Kept:
        n, step = REACH[self.d]
        x = centred_grid(self.d, n, step)
        f, g, phi = given.f(x), given.g(x), given.phi(x)
        found = weighted_l2(f, g, phi, step)
        return Kept([found.frequencies, found.convolved], gap=(f - g) * phi, phi=phi)

    @picture("∫(f − g)²φ² = {predicted:.6g}, in frequencies", x="ω₁", y="modulus")
    def marks(self, trial: Trial[Given]) -> Marks:
        n, step = REACH[self.d]
        line: tuple[slice | int, ...] = (slice(None), *[n // 2] * (self.d - 1))
        gap, alone = transform(trial.kept.gap, step), transform(trial.kept.phi, step)
        w = gap.w[line][:, 0]
        near = w.abs() <= 3
        yield Curve(gap.values[line].abs()[near], w[near], "|(fφ)^ − (gφ)^|")
        yield Curve(alone.values[line].abs()[near], w[near], "|φ^|", "other", dashed=True)
