r"""Three lines in general position divide the plane into seven regions.

A layer of three rectifiers on the plane has three lines :math:`\langle w_i, x\rangle + b_i = 0`.
If no two are parallel and the three do not pass through one point, they cut the plane into

.. math:: 1 + 3 + 3 = 7

regions with seven activation patterns: all but one of the :math:`2^3`. Three lines through a point
make 6, three parallel ones 4.

:source: Perez Jensen (2025), Deep Learning, Figure 2.1.
:kind: experiment
:uses: zaslavsky
:covers: linear-regions-figure
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Marks, Regions, picture
from corollary.theory.expressivity.regions.plane import linear_regions

PAIRS = torch.tensor([[0, 1], [0, 2], [1, 2]])


class Given(NamedTuple):
    W: Float[Tensor, "3 2"]  # weights of the layer
    b: Float[Tensor, " 3"]  # biases
    r: float  # half the side of the square


def reach(g: Given) -> Tensor:
    """The largest coordinate of a point where two of the lines meet, by Cramer's rule."""
    (a, c), (p, q) = g.W[PAIRS].unbind(1)[0].T, g.W[PAIRS].unbind(1)[1].T
    s, t = -g.b[PAIRS].T
    meet: Tensor = torch.stack([s * q - c * t, a * t - s * p]) / (a * q - c * p)
    return meet.abs().max()


class ThreeLines(Claim[Given]):
    wobble: float = option(0.3, low=0.0, high=0.4)  # turn of each line from a regular triangle

    relation = equals()  # counts
    supposes = (
        Suppose(
            "no two lines are parallel",
            lambda g: torch.linalg.det(g.W[PAIRS]).abs().min() - 1e-9,
            "Three parallel lines make four regions.",
            W=lambda g: g.W[:1].repeat(3, 1),
            b=lambda g: torch.tensor([-0.5, 0.0, 0.5], dtype=torch.float64) * g.r,
        ),
        Suppose(
            "the three lines do not pass through one point",
            lambda g: torch.linalg.det(torch.cat([g.W, g.b[:, None]], 1)).abs() - 1e-9,
            "Three lines through a point make six regions.",
            b=lambda g: 0 * g.b,
        ),
        Suppose(
            "the square contains all intersections of the lines",
            lambda g: g.r - reach(g),
            "A small square misses regions.",
            r=0.4,
        ),
    )
    symbols = "1 + 3 + 3", "counted"
    predicts = [7, 7]
    rows = ("regions", "activation patterns")

    def given(self, rng: Generator) -> Given:
        turn = self.wobble * (2 * uniform(rng, 3) - 1)
        angle = 2 * torch.pi * torch.arange(3, dtype=torch.float64) / 3 + turn
        given = Given(
            torch.stack([angle.cos(), angle.sin()], dim=1), torch.full_like(turn, 0.5), 0.0
        )
        return given._replace(r=1.2 * float(reach(given)))

    def measure(self, given: Given) -> Kept:
        layer = nn.Linear(2, 3, dtype=torch.float64)
        layer.weight.data, layer.bias.data = given.W, given.b
        mosaic = linear_regions(nn.Sequential(layer, nn.ReLU()), given.r)
        patterns = mosaic.patterns().unique(dim=0)
        return Kept([mosaic.count, len(patterns)], mosaic=mosaic)

    @picture("Three lines in general position", x="x₁", y="x₂", equal=True, each=2)
    def marks(self, trial: Trial[Given]) -> Marks:
        m = trial.kept.mosaic
        yield Regions(m.polygons(), m.patterns().sum(dim=1), f"{m.count} regions")
