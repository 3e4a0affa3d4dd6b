r"""Barron's constant bounds how much a function differs from its value at 0.

.. math:: |f(x)-f(0)|\le2\pi\,\|x\|\,C_f,\qquad C_f=\int\|w\|\,|\hat f(w)|\,dw,

since :math:`|\cos(u+v)-\cos v|\le|u|` under the integral. A single sine attains it at the origin.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 (ii) and (4.3).
:kind: bound
:uses: barron_cosines, cauchy_schwarz
:covers: barron-cosine-representation
:erratum: [wrong] After (4.3) boundedness of f(x) - f(0) is concluded from ||w|| |fhat(w)| being
    bounded; it must be integrable. The counterexample here is a box: ||w|| |fhat(w)| is at most
    1/pi, and with that in place of C_f the bound at x = 0.02 is 0.04, while f falls by 1.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option, uniform
from corollary.theory.approximation.representations import increment_bound
from corollary.theory.approximation.spectra import Cosines, LineSpectrum, Spectrum


class Given(NamedTuple):
    f: Spectrum  # knows its transform
    C: float  # taken for its constant
    x: Float[Tensor, "n d"]  # points

    @property
    def length(self) -> Tensor:
        """Distances from the origin."""
        return self.x.square().sum(dim=1).sqrt()


def box(given: Given) -> Given:
    """A box that ends near 0: ‖w‖|f̂(w)| is at most 1/π, but its integral is infinite."""
    f = LineSpectrum(  # 1 from -1 to 0.01
        lambda x: ((x[:, 0] >= -1) & (x[:, 0] < 0.01)).to(x.dtype),
        lambda w: 1.01 * torch.sinc(1.01 * w[:, 0]),
    )
    return Given(f, 1 / math.pi, given.length[:, None])


class BarronIncrement(Claim[Given]):
    d: int = option(3, low=1, high=50)  # dimension
    waves: int = option(4, low=1, high=50)  # cosines in the function

    relation = at_most(ulps=64, scale=1.0)  # rounding of a sum of cosines
    supposes = (
        Suppose("‖w‖|f̂(w)| is integrable", lambda g: math.isfinite(g.f.constant), without=box),
        Suppose(
            "C is at least its integral",
            lambda g: g.C >= g.f.constant,
            "If C is replaced by C/20, the function changes by more than the bound.",
            C=lambda g: g.C / 20,
        ),
    )
    symbols = "2π‖x‖C", "|f(x) − f(0)|"
    shows = Along("The difference from f(0) is at most 2π‖x‖C", x="‖x‖", at="length", log="xy")

    def given(self, rng: Generator) -> Given:
        w, (c, theta) = normal(rng, self.waves, self.d), uniform(rng, 2, self.waves)
        f, u = Cosines(w, c / c.sum(), theta), normal(rng, 200, self.d)
        t = torch.logspace(-2, 0, 200, dtype=torch.float64)[:, None]
        return Given(f, f.constant, t * u / u.norm(dim=1, keepdim=True))

    def predict(self, given: Given) -> Tensor:
        return increment_bound(given.C, given.x)

    def measure(self, given: Given) -> Tensor:
        return (given.f(given.x) - given.f(torch.zeros_like(given.x[:1]))).abs()

    def tight(self) -> Given:
        """A sine, near the origin."""
        one = torch.ones(1, dtype=torch.float64)
        return Given(Cosines(2 * one[None], one, one / 4), 2.0, 1e-5 * one[None])
