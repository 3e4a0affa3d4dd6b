"""Landscapes that several claims descend on, and a picture of a descent."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Curve, HeatMap, Marks, generator, normal, uniform
from corollary.theory.optimization.grids import values_on_grid
from corollary.theory.optimization.objectives import Objective, ridge_logistic, waves
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, cosines

Function = Callable[[Tensor], Tensor]


def hills(m: int, d: int, rng: Generator) -> Objective:
    """A sum of m waves in d dimensions: valleys, hills and saddles, above 0."""
    return waves(normal(rng, m, d), 6.3 * uniform(rng, m), torch.ones(m, dtype=torch.float64))


def logistic(n: int, d: int, lam: float, rng: Generator) -> Objective:
    """Ridge logistic regression with random labels: strongly convex, not quadratic."""
    return ridge_logistic(normal(rng, n, d), (uniform(rng, n) < 0.5).double(), lam=lam)


def portrait(f: Function, *paths: tuple[Tensor, str], margin: float = 1.3) -> Marks:
    """Paths in the plane, with their labels, on their landscape."""
    side = margin * max(float(x[0].abs().max()) for x, _ in paths)
    square = (-side, side)
    yield HeatMap(values_on_grid(f, square, square).sqrt(), square, square, label="√f")
    for i, (x, label) in enumerate(paths):
        yield Curve(x[:, 1], x[:, 0], label, "other" if i else "measured")


class Stochastic(NamedTuple):
    problem: FiniteSum
    sigma: float  # what is taken for a bound of the stochastic gradients
    x0: Float[Tensor, " d"]

    @property
    def delta(self) -> float:
        """The height of the start above the minimum."""
        return float(self.problem.value(self.x0)) - self.problem.minimum

    def run(self, eta: float, steps: int, runs: int, rng: Generator) -> Float[Tensor, "k runs d"]:
        """Iterates of SGD."""
        x0 = self.x0.expand(runs, -1).contiguous()
        return sgd(self.problem, x0, eta, max(steps - 1, 1), rng=rng).x

    def squares(self, path: Float[Tensor, "k runs d"]) -> Float[Tensor, "k runs"]:
        """Squared lengths of the full gradients."""
        return self.problem.gradient(path).square().sum(dim=-1)


def stochastic_hill(n: int, d: int, rng: Generator) -> Stochastic:
    """Waves whose gradients are no longer than their frequencies, from the slope of a hill."""
    W, b, x0 = normal(rng, n, d), 0.2 * normal(rng, n), normal(rng, d)
    sigma = float(W.square().sum(dim=1).mean().sqrt())
    return Stochastic(cosines(W, b), sigma, x0 / x0.norm())  # the hill stands around 0


def bounded(given: Stochastic, eta: float, steps: int) -> tuple[bool, str]:
    """Whether the second moment of the gradients stays below σ² along some runs, in words."""
    path = given.run(eta, steps, 20, generator(0, "probe"))[:: max(steps // 16, 1)]
    second = given.problem.components(path).square().sum(dim=-1).mean(dim=-1).amax()
    seen = f"seen {float(second) ** 0.5:.3g} for σ = {given.sigma:.3g}"
    return bool(second <= given.sigma**2 * (1 + 1e-9)), seen
