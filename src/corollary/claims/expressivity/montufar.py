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
:cost: instant
:covers: montufar-regions
:erratum: [missing hypothesis] Theorem 2.9 speaks of "a ReLU network"; the bound is for the best
    weights. The network with all weights zero has 1 region, not 44 (d = 2, n = 4, l = 2).
    [possible OCR artefact] The slides show :math:`O(\binom nd^{d(l-1)} n^d)`; the published result
    is :math:`\Omega((n/d)^{d(l-1)} n^d)`. With the binomial it is no lower bound: d = 2, n = 4,
    l = 2 gives 576, above the maximum 121; the right bound is 44.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Regions, at_least, option
from corollary.models.folding import identified_sets, montufar_network
from corollary.theory.expressivity.bounds import montufar_lower, product_upper, zaslavsky
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.plane import linear_regions


class Given(NamedTuple):
    """A network on the unit cube, its shape, and a point of the cube to test the folding with."""

    model: nn.Module
    d: int
    n: int
    l: int
    q: Tensor


@dataclass(frozen=True)
class Montufar(Claim[Given]):
    """Regions of the folding network, enumerated, against the lower bound it is built for."""

    d: int = option(2, low=1, high=2)  # inputs
    n: int = option(4, low=2, high=16)  # width of each hidden layer
    l: int = option(3, low=1, high=4)  # hidden layers
    relation = at_least()  # counts

    def given(self, rng: Generator) -> Given:
        """The folding network."""
        q = torch.rand(16, self.d, generator=rng, dtype=torch.float64)
        net = montufar_network(self.d, [self.n] * self.l)
        return Given(net, self.d, self.n, self.l, q)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Width, folding, and a last layer in general position."""
        d, n = given.d, given.n
        yield Hypothesis("the width is at least the input dimension", n >= d)
        yield Hypothesis("the folded boxes have the same outputs", _folds(given))
        one = _regions(given, 1.0 / (n // d) ** (given.l - 1))
        yield Hypothesis(
            "the last layer cuts one box as hyperplanes in general position do",
            one == zaslavsky(n, d), f"{one} regions",
        )  # fmt: skip

    def predict(self, given: Given) -> float:
        """The lower bound."""
        return float(montufar_lower(given.d, [given.n] * given.l))

    def measure(self, given: Given) -> float:
        """Regions of the network on the cube."""
        return float(_regions(given, 1.0))

    def counterexample(self, rng: Generator) -> Given:
        """A network of the same shape with all weights zero: one region."""
        given = self.given(rng)
        with torch.no_grad():
            for weight in given.model.parameters():
                weight.zero_()
        return given

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """Regions against depth, and the mosaic (or the curve) itself."""
        d, n = given.d, given.n
        depths = [l for l in range(1, 5) if montufar_lower(d, [n] * l) <= 3000]
        shapes = [[n] * l for l in depths]
        found = [_regions(Given(montufar_network(d, w), d, n, len(w), given.q)) for w in shapes]
        growth = Figure(
            "Regions grow exponentially with depth",
            x="l",
            y="regions",
            log_y=True,
            marks=(
                Curve([montufar_lower(d, w) for w in shapes], depths, "lower bound", "predicted"),
                Points(depths, found, "folding network"),
                Curve(
                    [product_upper(d, w) for w in shapes], depths, "upper bound for any network",
                    role="other", dashed=True,
                ),
            ),
        )  # fmt: skip
        return growth, _picture(given)


def _regions(given: Given, side: float = 1.0) -> int:
    """Regions on the box with this side at the origin."""
    if given.d == 1:
        return affine_pieces(given.model, 0.0, side).count
    square = side * torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]], dtype=torch.float64)
    return linear_regions(given.model, square).count


def _folds(given: Given) -> bool:
    """Points of different boxes that the folds send to one point have one output."""
    parts = (given.n // given.d) ** (given.l - 1)
    low, high = identified_sets(given.d, parts).unbind(1)
    mirrored = (low * parts).round() % 2 == 1
    q = torch.where(mirrored[:, None], 1 - given.q, given.q)  # boxes, points, d
    with torch.no_grad():
        out = given.model((low[:, None] + q * (high - low)[:, None]).flatten(0, 1))
    out = out.reshape(len(low), -1)
    return bool(torch.allclose(out, out[:1].expand_as(out), rtol=1e-9, atol=1e-12))


def _picture(given: Given) -> Figure:
    if given.d == 1:
        curve = affine_pieces(given.model, 0.0, 1.0)
        line = Curve(curve.values[:, 0], curve.s, f"{curve.count} pieces")
        return Figure("The folding network", x="x", y="f(x)", marks=(line,))
    square = torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]], dtype=torch.float64)
    mosaic = linear_regions(given.model, square)
    on = mosaic.patterns().sum(dim=1).tolist()
    mark = Regions(mosaic.polygons(), on, label=f"{mosaic.count} regions by units on")
    return Figure("Regions of the folding network", x="x₁", y="x₂", equal=True, marks=(mark,))
