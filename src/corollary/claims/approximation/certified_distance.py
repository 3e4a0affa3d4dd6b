r"""A Lipschitz constant certifies a uniform distance.

If :math:`f-g` has the Lipschitz constant L on a compact box K, then for any cover of K by cells
with centres c and half diagonals :math:`\rho_c`

.. math:: \max_c|f(c)-g(c)|\le\sup_{x\in K}|f(x)-g(x)|\le\max_c\bigl(|f(c)-g(c)|+L\rho_c\bigr),

and cutting the cells that matter brings the two sides together. Without the constant nothing seen
on a grid excludes a spike between its points.

:source: Perez Jensen (2025), Deep Learning, Section 2.4, Definitions 2.1 to 2.3; Piyavskii (1972),
    An algorithm for finding the absolute extremum of a function.
:kind: bound
:cost: instant
:covers: uniform-distance-on-compacts
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.theory.approximation.grids import box_grid
from corollary.theory.approximation.uniform_distance import Certified, sup_distance


class Given(NamedTuple):
    """A function on the unit cube, its sup, its Lipschitz constant, and the one that is stated."""

    f: Callable[[Tensor], Tensor]
    sup: float
    lipschitz: float
    stated: float


@dataclass(frozen=True)
class CertifiedDistance(Claim[Given]):
    """The true sup against the certificate."""

    d: int = option(2, low=1, high=3)  # dimension
    atol: float = option(1e-3, low=1e-6, high=0.1)  # width of the certified interval
    relation = at_most(ulps=8)  # rounding of one evaluation

    def given(self, rng: Generator) -> Given:
        """A wave with a known crest inside the cube."""
        crest = 0.25 + 0.5 * torch.rand(self.d, generator=rng, dtype=torch.float64)
        height = 0.5 + float(torch.rand(1, generator=rng, dtype=torch.float64))

        def f(x: Tensor) -> Tensor:
            return height * torch.cos(2 * (x - crest)).prod(1)

        return Given(f, height, 2 * height * self.d**0.5, 2 * height * self.d**0.5)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The constant is not understated."""
        yield Hypothesis("the stated constant is at least the Lipschitz constant",
                         given.stated >= given.lipschitz * (1 - 1e-12),
                         f"{given.stated:.3g} for {given.lipschitz:.3g}")  # fmt: skip

    def predict(self, given: Given) -> float:
        """The upper certificate."""
        return self._certified(given).upper

    def measure(self, given: Given) -> float:
        """The sup, known by construction."""
        return given.sup

    def counterexample(self, rng: Generator) -> Given:
        """A spike between the points, with the constant of a flat function."""
        at = 0.4 + 1e-3 * float(torch.rand(1, generator=rng, dtype=torch.float64))

        def spike(x: Tensor) -> Tensor:
            return (1 - 1e6 * (x - at).abs().amax(1)).clamp(min=0)

        return Given(spike, 1.0, 1e6, 0.01)

    def figure(self, given: Given) -> Figure:
        """The certified interval over the number of cuts along each axis."""
        sides, lower, upper = [2, 4, 8, 16, 32, 64][: 6 if self.d < 3 else 5], [], []
        for n in sides:
            centre = 0.5 / n + (1 - 1 / n) * box_grid(self.d, n)
            values = given.f(centre).abs()
            lower.append(float(values.max()))
            upper.append(float(values.max()) + given.stated * self.d**0.5 / (2 * n))
        return Figure(
            "Finer cells, closer bounds",
            x="cells along an axis",
            y="|f − g|",
            log_x=True,
            marks=(
                Curve(upper, sides, label="certified from above", role="predicted"),
                Curve(lower, sides, label="met", role="other"),
                Level(given.sup, label="sup |f − g|", role="measured"),
            ),
        )

    def _certified(self, given: Given) -> Certified:
        def zero(x: Tensor) -> Tensor:
            return torch.zeros_like(x[:, 0])

        box = [(0.0, 1.0)] * self.d
        return sup_distance(given.f, zero, box, lipschitz=given.stated, atol=self.atol)
