r"""A Lipschitz constant gives a certified bound on the sup distance of two functions.

If :math:`f-g` has the Lipschitz constant L on a compact box K, then for any cover of K by cells
with centres c and half diagonals :math:`\rho_c`

.. math:: \max_c|f(c)-g(c)|\le\sup_{x\in K}|f(x)-g(x)|\le\max_c\bigl(|f(c)-g(c)|+L\rho_c\bigr),

and cutting the cells that matter brings the two sides together. Without the constant nothing seen
on a grid excludes a spike between its points.

:source: Perez Jensen (2025), Deep Learning, Section 2.4, Definitions 2.1 to 2.3; Piyavskii (1972),
    An algorithm for finding the absolute extremum of a function.
:kind: bound
:covers: uniform-distance-on-compacts
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, at_most, option, uniform
from corollary.theory.approximation.uniform_distance import sup_distance


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # a difference on the unit cube
    sup: float  # its sup
    lipschitz: float  # its Lipschitz constant
    stated: float  # the one stated


def spike(rng: Generator) -> Given:
    """The function has a spike between the points, and the stated constant is too small."""
    at = 0.4 + 1e-3 * float(uniform(rng, 1))
    return Given(lambda x: (1 - 1e6 * (x - at).abs().amax(1)).clamp(min=0), 1.0, 1e6, 0.01)


class CertifiedDistance(Claim[Given]):
    d: int = option(2, low=1, high=3)  # dimension
    atol: float = option(1e-3, low=1e-6, high=1.0)  # width of the certified interval

    relation = at_most(ulps=8)  # rounding of one evaluation
    supposes = Suppose(
        "the stated constant is a Lipschitz constant of f − g",
        lambda g: g.stated >= g.lipschitz,
        without=spike,
    )
    symbols = "certified upper bound", "sup |f − g|"
    shows = Sweep("Smaller cells give a tighter bound", "atol", (1.0, 0.3, 0.1, 0.03, 0.01, 0.001))

    def given(self, rng: Generator) -> Given:
        crest = 0.25 + 0.5 * uniform(rng, self.d)
        height = 0.5 + float(uniform(rng, 1))
        slope = 2 * height * self.d**0.5
        return Given(lambda x: height * torch.cos(2 * (x - crest)).prod(1), height, slope, slope)

    def predict(self, given: Given) -> float:
        box = [(0.0, 1.0)] * self.d
        found = sup_distance(
            given.f, lambda x: 0 * x[:, 0], box, lipschitz=given.stated, atol=self.atol
        )
        return found.upper

    def measure(self, given: Given) -> float:
        return given.sup  # known by construction
