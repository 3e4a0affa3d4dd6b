r"""Stability of SGD.

If the loss of each example is convex, L-Lipschitz and :math:`\beta`-smooth as a function of the
*parameters*, T steps of stochastic gradient descent with :math:`\eta_t\le2/\beta` on n i.i.d.
examples satisfy, for two data sets that differ in one example and the same order of draws,

.. math:: \mathbb E\|w_T-w_T'\|\le\frac{2L}n\sum_{t=1}^T\eta_t,\qquad
   \bigl|\mathbb E[\hat J(w_T)-J(w_T)]\bigr|\le\epsilon_s=\frac{2L^2}n\sum_{t=1}^T\eta_t .

The sooner one stops, the smaller the gap. Measured on logistic regression with examples on the unit
sphere, where L = 1 and :math:`\beta=1/4`.

:source: Mathematical Foundations of Deep Learning (slides), Hardt's Theorem; Hardt, Recht and
    Singer (2016), "Train faster, generalize better: stability of stochastic gradient descent",
    Theorem 3.8.
:kind: bound
:cost: instant
:covers: hardt-stability
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    at_most,
    option,
)
from corollary.errors import InputError
from corollary.theory.generalization.stability import (
    CONCAVE,
    LOGISTIC,
    CoupledRuns,
    MarginLoss,
    check_convex,
    coupled_sgd,
    divergence_bound,
)


class Given(NamedTuple):
    """A loss, data sets, the replaced examples, fresh examples, a start, steps and a seed."""

    loss: MarginLoss
    z: Float[Tensor, "r n d"]  # signed examples y x
    other: Float[Tensor, "r d"]
    fresh: Float[Tensor, "p d"]
    start: Float[Tensor, "r d"]
    etas: tuple[float, ...]
    seed: int

    def runs(self, every: int = 1_000_000) -> CoupledRuns:
        """The coupled runs, recorded every so many steps and at the end."""
        rng = torch.Generator().manual_seed(self.seed)
        keep = {*range(0, len(self.etas), every), len(self.etas)}
        return coupled_sgd(
            self.loss, self.z, self.other, self.etas, start=self.start, keep=sorted(keep), rng=rng
        )

    def gaps(self, w: Float[Tensor, "r d"]) -> Float[Tensor, " r"]:
        """Expected less training loss of each run."""
        inside = self.loss.phi((self.z @ w[..., None])[..., 0]).mean(dim=1)
        return self.loss.phi(w @ self.fresh.T).mean(dim=1) - inside


class SgdStability(Claim[Given]):
    n: int = option(50, low=5, high=500)  # training examples
    d: int = option(10, low=2, high=50)  # dimension
    T: int = option(100, low=10, high=1000)  # steps
    eta: float = option(1.0, low=0.01, high=8.0)  # step size; 2/beta is 8
    flips: float = option(0.3, low=0.0, high=0.5)  # share of wrong labels
    runs: int = option(400, low=50, high=2000)  # data sets
    relation = at_most(level=0.999)  # Student intervals over the data sets

    def given(self, rng: Generator) -> Given:
        """Points of the sphere, labels by the first coordinate, some of them wrong."""
        z = self._examples(self.runs * (self.n + 1) + 4000, rng)
        fresh, rest = z[:4000], z[4000:].reshape(self.runs, self.n + 1, self.d)
        start = torch.zeros(self.runs, self.d, dtype=torch.float64)
        seed = int(torch.randint(2**31, (), generator=rng))
        etas = (self.eta,) * self.T
        return Given(LOGISTIC, rest[:, 1:], rest[:, 0], fresh, start, etas, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Convexity, by a search for a chord below the loss; and the step size."""
        z = given.z[0, 0]
        try:
            rng = torch.Generator().manual_seed(given.seed)
            check_convex(lambda w: given.loss.phi(w @ z), len(z), rng=rng)
            yield Hypothesis("the loss is convex in the parameters", True)
        except InputError as error:
            yield Hypothesis("the loss is convex in the parameters", False, str(error)[-60:])
        _, beta = given.loss.constants(given.z)
        yield Hypothesis(
            "no step is larger than 2/beta", max(given.etas) <= 2 / beta * (1 + 1e-9), f"{beta:.3g}"
        )

    def predict(self, given: Given) -> list[float]:
        """The bounds on the distance and on the gap."""
        L, _ = given.loss.constants(given.z)
        return [_bound(given, len(given.etas)), L * _bound(given, len(given.etas))]

    def measure(self, given: Given) -> list[Sample]:
        """Distances at the end, and gaps, one for each data set."""
        runs = given.runs()
        return [Sample(runs.distance[-1]), Sample(given.gaps(runs.w[-1]))]

    def counterexample(self, rng: Generator) -> Given:
        """A concave loss at its crest: one example decides to which side both runs fall."""
        given = self.given(rng)
        z = torch.zeros_like(given.z)
        z[..., 0] = 1.0
        z[:, 0, 1] = 1.0
        other, start = z[:, 0].clone(), torch.zeros_like(given.start)
        other[:, 1], start[:, 1] = -1.0, 1.0
        return given._replace(loss=CONCAVE, z=z, other=other, start=start, fresh=-given.fresh.abs())

    def _examples(self, k: int, rng: Generator) -> Tensor:
        x = torch.randn(k, self.d, generator=rng, dtype=torch.float64)
        x = x / x.norm(dim=1, keepdim=True)
        wrong = torch.rand(k, generator=rng, dtype=torch.float64) < self.flips
        y = torch.where(wrong, -1.0, 1.0).to(x) * x[:, 0].sign()
        return y[:, None] * x

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Distance and gap over the steps."""
        runs = given.runs(max(1, len(given.etas) // 20))
        L, _ = given.loss.constants(given.z)
        line = [_bound(given, t) for t in runs.steps]
        far = runs.distance
        gaps = torch.stack([given.gaps(w) for w in runs.w])
        half = 2.6 * gaps.std(dim=1) / gaps.shape[1] ** 0.5
        mean = gaps.mean(dim=1)
        distance = Figure(
            "Two runs that differ in one example",
            x="t",
            y="|w − w′|",
            marks=(
                Curve(line, runs.steps, label="(2L/n) Σ η", role="predicted"),
                Curve(far.mean(dim=1), runs.steps, label="mean distance"),
                Band(runs.steps, far.quantile(0.1, dim=1), far.quantile(0.9, dim=1),
                     label="middle 80 %"),
            ),
        )  # fmt: skip
        gap = Figure(
            "Train faster, generalise better",
            x="t",
            y="J − Ĵ",
            log_y=True,
            marks=(
                Curve([L * v for v in line[1:]], runs.steps[1:], label="(2L²/n) Σ η",
                      role="predicted"),
                Points(runs.steps[1:], mean[1:], label="mean gap, 99 % interval",
                       low=(mean - half)[1:].clamp(min=1e-4), high=(mean + half)[1:]),
            ),
        )  # fmt: skip
        return distance, gap


def _bound(given: Given, t: int) -> float:
    """The bound on the distance after t steps; the step size is a hypothesis of its own here."""
    L, _ = given.loss.constants(given.z)
    return divergence_bound(L, given.etas[:t], given.z.shape[1], beta=0.0)
