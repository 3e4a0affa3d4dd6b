r"""A degenerate saddle: the Hessian of a deep linear network vanishes at zero.

The loss :math:`\frac12(w_1\cdots w_h-1)^2` of a linear network with one unit per layer is critical
at 0. For :math:`h=2` the Hessian there has the eigenvalues :math:`\pm1`. For :math:`h\ge3` it
vanishes, and yet every ball around 0 holds smaller and larger values: along
:math:`w=t(1,\dots,1)/\sqrt h`

.. math:: f(w)-f(0)=-(t/\sqrt h)^h+O(t^{2h}) .

The exponent of descent is :math:`h`: 0 is a saddle that is left ever more slowly with depth.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6, Definitions 22-24 and Theorem 46;
    Kawaguchi (2016), "Deep learning without poor local minima", Corollary 2.4.
:kind: rate
:uses: taylor_remainder
:covers: critical-point-taxonomy
:scale-free: An exponent does not depend on factors; theory says what kind of point it is.
:erratum: [wrong] Definition 24 calls a critical point a saddle only if its Hessian is indefinite.
    Theorem 46(3), every critical point that is no global minimum is a saddle, is false in this
    reading: here the Hessian is zero for h >= 3, and the point is no minimum.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Sweep, option, slope
from corollary.theory.landscape.taxonomy import classify
from corollary.theory.optimization.critical_points import stationarity

RADII = torch.logspace(-1.5, -0.5, 7, dtype=torch.float64)


class Given(NamedTuple):
    target: float  # of the product
    w: Tensor  # the point


def loss(w: Tensor, given: Given) -> Tensor:
    """Half the squared error of the product."""
    return 0.5 * (w.prod(dim=-1) - given.target) ** 2


def saddle(given: Given) -> tuple[bool, str]:
    """Whether the point is a saddle, also where the Hessian does not decide."""
    if stationarity(lambda w: loss(w, given), given.w) > 1e-12:
        return False, "not critical"
    found = classify(lambda w: loss(w, given), given.w, rng=torch.Generator().manual_seed(0))
    return found.kind == "saddle", f"{found.kind}, by {found.by}"


class DegenerateSaddle(Claim[Given]):
    h: int = option(3, low=2, high=6)  # layers

    relation = slope(gap=0.05)  # the correction is of order t^h at t up to 0.3
    supposes = (
        Suppose(
            "the gradient is zero",
            lambda g: 1e-12 - stationarity(lambda w: loss(w, g), g.w),
            "At a point that is not critical the descent is of first order.",
            w=lambda g: g.w + 0.5,
        ),
        Suppose(
            "the point is a saddle",
            saddle,
            "If the target is 0, the point is a minimum, and no direction descends.",
            target=0.0,
        ),
    )
    symbols = "exponent h", "f(0) − f(w)"
    shows = (
        Over("Descent from the saddle at zero", x="t", without=False),
        Sweep(
            "Deeper networks have flatter saddles",
            "h",
            range(2, 7),
            y="exponent of descent",
            log="",
        ),
    )

    def given(self, rng: Generator) -> Given:
        return Given(1.0, torch.zeros(self.h, dtype=torch.float64))

    def predict(self, given: Given) -> int:
        return self.h

    def measure(self, given: Given) -> Series:
        points = given.w + RADII[:, None] / self.h**0.5
        descent = loss(given.w, given) - loss(points, given)
        return Series(RADII, descent.clamp_min(1e-300))
