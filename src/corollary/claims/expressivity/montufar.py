r"""Linear regions of deep networks (Montufar).

Among the ReLU networks with d inputs and l hidden layers of width :math:`n \ge d` there is one with
at least

.. math:: \Big\lfloor \frac nd \Big\rfloor^{d(l-1)} \sum_{j=0}^{d} \binom nj

linear regions: all layers but the last fold the cube :math:`\lfloor n/d\rfloor` times along each
axis, and the last cuts the folded cube by n hyperplanes in general position, whose pattern is
repeated on every box. Exponential in the depth, where a single layer is polynomial in its width.

:source: Perez Jensen (2025), Deep Learning, Theorem 2.9; Mathematical Foundations of Deep Learning
    (slides), Montufar's Theorem; Montufar, Pascanu, Cho and Bengio (2014), "On the number of
    linear regions of deep neural networks".
:kind: construction
:uses: space_folding, zaslavsky, activation_cells
:covers: montufar-regions
:erratum: [missing hypothesis] Theorem 2.9 speaks of "a ReLU network"; the bound is for the best
    weights. The network with all weights zero has 1 region, not 44 (d = 2, n = 4, l = 2).
    [possible OCR artefact] The slides show :math:`O(\binom nd^{d(l-1)} n^d)`; the published result
    is :math:`\Omega((n/d)^{d(l-1)} n^d)`. With the binomial it is no lower bound: d = 2, n = 4,
    l = 2 gives 576, above the maximum 121; the right bound is 44.
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Suppose, Sweep, Trial, at_least, option, uniform
from corollary.core.picture import Marks, Regions, picture
from corollary.models.folding import identified_sets, montufar_network
from corollary.models.random_rectifier import random_rectifier
from corollary.theory.expressivity.bounds import montufar_lower, zaslavsky
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.plane import linear_regions

SQUARE = torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]], dtype=torch.float64)


class Given(NamedTuple):
    model: nn.Module  # on the unit cube
    q: Tensor  # points to test the folding with

    def regions(self, side: float = 1.0) -> int:
        """Regions on the box with this side at the origin."""
        if self.q.shape[1] == 1:
            return affine_pieces(self.model, 0.0, side).count
        return linear_regions(self.model, side * SQUARE).count


def folds(self: "Montufar", given: Given) -> Tensor:
    """1e-9 less the largest difference of outputs at points that are folded to one point."""
    low, high = identified_sets(self.d, self.boxes).unbind(1)
    mirrored = (low * self.boxes).round() % 2 == 1
    q = torch.where(mirrored[:, None], 1 - given.q, given.q)  # boxes, points, d
    out: Tensor = given.model((low[:, None] + q * (high - low)[:, None]).flatten(0, 1))
    return 1e-9 - (out.reshape(len(low), -1) - out[: len(given.q), 0]).abs().max()


def zero(given: Given) -> Given:
    """With all weights zero there is one region."""
    model = deepcopy(given.model)
    for weight in model.parameters():
        weight.data.zero_()
    return given._replace(model=model)


class Montufar(Claim[Given]):
    d: int = option(2, low=1, high=2)  # inputs
    n: int = option(4, low=2, high=16)  # width of each hidden layer
    l: int = option(3, low=1, high=4)  # hidden layers

    relation = at_least()  # counts
    supposes = (
        Suppose("the width is at least the input dimension", lambda self: self.n >= self.d),
        Suppose(
            "the folded boxes have the same outputs",
            folds,
            "Random weights fold nothing, and make far fewer regions.",
            model=lambda self, rng: random_rectifier(self.d, [self.n] * self.l, rng=rng),
        ),
        Suppose(
            "the last layer cuts one box as hyperplanes in general position do",
            lambda self, g: g.regions(1 / self.boxes) == zaslavsky(self.n, self.d),
            without=zero,
        ),
    )
    symbols = "⌊n/d⌋^(d(l−1)) Σ C(n, j)", "regions"
    shows = Sweep("The number of regions is exponential in the depth", "l", (1, 2, 3, 4), log="y")

    @property
    def boxes(self) -> int:
        """Boxes along each axis that are folded onto the cube."""
        return int((self.n // self.d) ** (self.l - 1))

    def given(self, rng: Generator) -> Given:
        q = uniform(rng, 16, self.d)
        return Given(montufar_network(self.d, [self.n] * self.l), q)

    def predict(self, given: Given) -> int:
        return montufar_lower(self.d, [self.n] * self.l)

    def measure(self, given: Given) -> int:
        return given.regions()

    @picture("Regions of the folding network", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        if self.d == 1:
            return
        mosaic = linear_regions(trial.given.model, SQUARE)
        on = mosaic.patterns().sum(dim=1).tolist()
        yield Regions(mosaic.polygons(), on, label=f"{mosaic.count} regions by units on")
