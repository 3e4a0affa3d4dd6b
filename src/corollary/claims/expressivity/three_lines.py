r"""Three lines, seven regions.

A layer of three rectifiers on the plane has three lines :math:`\langle w_i, x\rangle + b_i = 0`.
If no two are parallel and the three do not pass through one point, they cut the plane into

.. math:: 1 + 3 + 3 = 7

regions with seven activation patterns: all but one of the :math:`2^3`. Three lines through a point
make 6, three parallel ones 4.

:source: Perez Jensen (2025), Deep Learning, Figure 2.1.
:kind: experiment
:cost: instant
:covers: linear-regions-figure
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, Hypothesis, Regions, equals, option
from corollary.theory.expressivity.arrangements import in_general_position
from corollary.theory.expressivity.regions.mosaic import Mosaic
from corollary.theory.expressivity.regions.plane import linear_regions


class Given(NamedTuple):
    """The layer, and the square that is looked at."""

    W: Float[Tensor, "3 2"]
    b: Float[Tensor, " 3"]
    r: float


@dataclass(frozen=True)
class ThreeLines(Claim[Given]):
    """Regions and patterns of three rectifiers, enumerated on a square."""

    wobble: float = option(
        0.3, low=0.0, high=0.4
    )  # how far each line turns from a regular triangle
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """Three lines at distance 1/2 from the origin, about 120 degrees apart."""
        turn = self.wobble * (2 * torch.rand(3, generator=rng, dtype=torch.float64) - 1)
        angle = 2 * torch.pi * torch.arange(3, dtype=torch.float64) / 3 + turn
        W = torch.stack([angle.cos(), angle.sin()], dim=1)
        b = torch.full((3,), 0.5, dtype=torch.float64)
        return Given(W, b, 1.2 * _reach(W, b))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Generic lines that meet where we look."""
        general = in_general_position(given.W, given.b)
        yield Hypothesis("no two lines are parallel and the three do not meet", general)
        far = _reach(given.W, given.b) if general else 0.0
        yield Hypothesis("the square holds all points where lines meet", far < given.r)

    def predict(self, given: Given) -> list[float]:
        """Regions and patterns."""
        return [7.0, 7.0]

    def measure(self, given: Given) -> list[float]:
        """Polygons found, and distinct patterns in them."""
        mosaic = relu_regions_2d(given.W, given.b, given.r)
        return [float(mosaic.count), float(len(torch.unique(mosaic.patterns(), dim=0)))]

    def counterexample(self, rng: Generator) -> Given:
        """The same lines moved through the origin: six regions."""
        return self.given(rng)._replace(b=torch.zeros(3, dtype=torch.float64))

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """The seven regions; six with a common point; four with a common direction."""
        parallel = given.W[:1].expand(3, 2).contiguous()
        apart = torch.tensor([-0.5, 0.0, 0.5], dtype=torch.float64) * given.r
        return (
            _mosaic("Three lines in general position", given),
            _mosaic("Three lines through a point", given._replace(b=0 * given.b)),
            _mosaic("Three parallel lines", Given(parallel, apart, given.r)),
        )


def relu_regions_2d(W: Tensor, b: Tensor, r: float) -> Mosaic:
    """The regions of one layer of rectifiers on the square with half side r."""
    layer = nn.Linear(2, len(b), dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(W)
        layer.bias.copy_(b)
    return linear_regions(nn.Sequential(layer, nn.ReLU()), float(r))


def _mosaic(title: str, given: Given) -> Figure:
    found = relu_regions_2d(*given)
    on = found.patterns().sum(dim=1).tolist()
    label = f"{found.count} regions by units on"
    return Figure(
        title, x="x₁", y="x₂", equal=True, marks=(Regions(found.polygons(), on, label=label),)
    )


def _reach(W: Tensor, b: Tensor) -> float:
    """The largest coordinate of a point where two of the lines meet."""
    pairs = torch.combinations(torch.arange(3), 2)
    return float(torch.linalg.solve(W[pairs], -b[pairs]).abs().max())
