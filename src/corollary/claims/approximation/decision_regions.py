r"""Sigmoid networks approximate decision regions outside a small set.

Let f be the decision function of a finite measurable partition of :math:`[0,1]^d`. For every
:math:`\epsilon>0` there are a sum :math:`G` of sigmoidal units and a set D of measure at least
:math:`1-\epsilon` with :math:`|G-f|<\epsilon` on D:

.. math:: \lambda\{x:|G(x)-f(x)|\ge\epsilon\}\le\epsilon .

The proof is followed: f is changed to a continuous function in a thin band about the boundary
(Lusin), and that function is approximated. On the whole cube the sup error stays at least 1/2,
since f jumps and G does not: it is read at two points on both sides of the boundary.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem,
    Theorem 3; Cybenko (1989), Approximation by superpositions of a sigmoidal function, Theorem 3.
:kind: theorem
:uses: cybenko
:covers: cybenko-decision-regions
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Suppose, Sweep, Trial, at_most, option, uniform
from corollary.core.picture import HeatMap, Marks, picture
from corollary.models.approximators.shallow import fit_superposition

BAND = 0.03  # half width of the strip about the boundary in which f is made continuous
GRID = 120
ENDS = torch.tensor([-1e3, 1e3], dtype=torch.float64)
X = torch.cartesian_prod(*[(torch.arange(GRID, dtype=torch.float64) + 0.5) / GRID] * 2)


class Given(NamedTuple):
    regions: tuple[Callable[[Tensor], Tensor], ...]  # positive inside, in units of the band
    sigma: Callable[[Tensor], Tensor]  # activation


def both_sides(region: Callable[[Tensor], Tensor]) -> Float[Tensor, "2 2"]:
    """A point inside and one outside, as close as bisection brings them."""
    inside, outside = X[region(X).argmax()], X[region(X).argmin()]
    for _ in range(60):
        middle = (inside + outside) / 2
        if float(region(middle[None])) > 0:
            inside = middle
        else:
            outside = middle
    return torch.stack([inside, outside])


class DecisionRegions(Claim[Given]):
    eps: float = option(0.15, low=0.05, high=0.5)  # error, and measure of the set left out
    m: int = option(256, low=16, high=1000)  # hidden units

    relation = at_most(ulps=2**20)  # an area, counted on a grid, and values 1e-15 apart
    supposes = (
        Suppose(
            "σ tends to 0 on the left and to 1 on the right",
            lambda g: g.sigma(ENDS).tolist() == [0.0, 1.0],
            "Networks whose activation is the square are polynomials of degree 2.",
            sigma=lambda g: torch.square,
        ),
        Suppose(
            "f can be made continuous by changing it on less than ε of the square",
            lambda self, g: self.eps - max((r(X).abs() < 1).double().mean() for r in g.regions),
            "On a board of 1600 fields, every point is close to a boundary.",
            regions=lambda g: (lambda x: torch.sin(40 * torch.pi * x).prod(1),) * 2,
        ),
    )
    symbols = "ε, and 1", "measure of {|G − f| ≥ ε}, and ½ / sup |G − f|"
    rows = ("disc", "board", "½ / sup, disc", "½ / sup, board")
    shows = Sweep(
        "Measure of the set where the network misses the checkerboard",
        "m",
        (16, 32, 64, 128, 256),
        y="measure of the set",
        entry=1,
    )

    def given(self, rng: Generator) -> Given:
        u = uniform(rng, 5)
        centre, corner, radius = 0.45 + 0.1 * u[:2], 0.4 + 0.2 * u[2:4], 0.25 + 0.1 * u[4]
        disc = lambda x: (radius - (x - centre).norm(dim=1)) / BAND  # noqa: E731
        board = lambda x: ((x - corner) / BAND).clamp(-1, 1).prod(1)  # noqa: E731
        return Given((disc, board), torch.sigmoid)

    def predict(self, given: Given) -> list[float]:
        return [self.eps] * 2 + [1.0] * 2

    def measure(self, given: Given, rng: Generator) -> Kept:
        def errors(region: Callable[[Tensor], Tensor], x: Tensor, G: nn.Module) -> Tensor:
            out: Tensor = (G(x).detach() - (region(x) > 0).double()).abs()
            return out

        def network(region: Callable[[Tensor], Tensor]) -> nn.Module:
            smooth = lambda x: (1 + region(x).clamp(-1, 1)) / 2  # noqa: E731
            fit = partial(fit_superposition, smooth, given.sigma, self.m, d=2, scale=40.0)
            return fit(points=2500, rng=rng)

        pairs = [(region, network(region)) for region in given.regions]
        missed = [float((errors(r, X, G) >= self.eps).double().mean()) for r, G in pairs]
        sups = [float(errors(r, both_sides(r), G).max()) for r, G in pairs]
        return Kept([*missed, *(0.5 / sup for sup in sups)], disc=pairs[0][1](X).detach())

    @picture("A disc by sigmoid units", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        yield HeatMap(trial.kept.disc.reshape(GRID, GRID).T[::2, ::2], label="G")
