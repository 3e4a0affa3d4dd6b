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
:uses: bounded_gradient, smooth_suboptimality
:covers: hardt-stability
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, option
from corollary.core.randomness import generator, normal, uniform
from corollary.errors import InputError
from corollary.theory.generalization.stability import (
    CONCAVE,
    LOGISTIC,
    MarginLoss,
    check_convex,
    coupled_sgd,
    divergence_bound,
)


class Given(NamedTuple):
    loss: MarginLoss
    z: Float[Tensor, "r n d"]  # signed examples y x of each data set
    other: Float[Tensor, "r d"]  # what replaces the first
    fresh: Float[Tensor, "p d"]
    start: Float[Tensor, "r d"]
    etas: tuple[float, ...]  # learning rates

    @property
    def times(self) -> list[int]:
        """Steps after which the runs are looked at."""
        return sorted({max(len(self.etas) * k // 5, 1) for k in range(1, 6)})


def is_convex(given: Given) -> tuple[bool, str]:
    """A search for a chord below the loss."""
    z, rng = given.z[0, 0], generator(0, "chords")
    try:
        check_convex(lambda w: given.loss.phi(w @ z), len(z), rng=rng)
    except InputError as error:
        return False, str(error)[-60:]
    return True, ""


def crest(given: Given) -> Given:
    """The loss is concave, and at its maximum one example decides the direction of both runs."""
    z = torch.zeros_like(given.z)
    z[..., 0] = 1.0
    z[:, 0, 1] = 1.0
    other, start = z[:, 0].clone(), torch.zeros_like(given.start)
    other[:, 1], start[:, 1] = -1.0, 1.0
    return given._replace(loss=CONCAVE, z=z, other=other, start=start, fresh=-given.fresh.abs())


class SgdStability(Claim[Given]):
    n: int = option(50, low=5, high=500)  # training examples
    d: int = option(10, low=2, high=50)  # dimension
    T: int = option(100, low=10, high=1000)  # steps
    eta: float = option(1.0, low=0.01, high=8.0)  # learning rate; 2/beta is 8
    flips: float = option(0.3, low=0.0, high=0.5)  # share of wrong labels
    runs: int = option(400, low=50, high=2000)  # data sets

    relation = at_most(level=0.999)  # Student intervals over the data sets
    supposes = (
        Suppose("the loss is convex in the parameters", is_convex, without=crest),
        Suppose(
            "no step is larger than 2/beta",
            lambda g: 2 / g.loss.constants(g.z)[1] * (1 + 1e-9) - max(g.etas),
        ),
    )
    symbols = "(2/n) Σ η, for L = 1", "mean over the data sets"
    shows = Along(
        "Distance of the runs and generalisation gap over the steps",
        x="t",
        y="distance and gap",
        at="times",
        parts=("|w − w′|", "J − Ĵ"),
        log="y",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.runs * (self.n + 1) + 4000, self.d)
        x = x / x.norm(dim=1, keepdim=True)
        wrong = uniform(rng, len(x)) < self.flips
        z = (torch.where(wrong, -1.0, 1.0).to(x) * x[:, 0].sign())[:, None] * x
        fresh, rest = z[:4000], z[4000:].reshape(self.runs, self.n + 1, self.d)
        etas = (self.eta,) * self.T
        return Given(LOGISTIC, rest[:, 1:], rest[:, 0], fresh, 0 * rest[:, 0], etas)

    def predict(self, given: Given) -> list[float]:
        L, n = given.loss.constants(given.z)[0], given.z.shape[1]
        far = [divergence_bound(L, given.etas[:t], n, beta=0.0) for t in given.times]
        return far + [L * v for v in far]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        loss, z, other, fresh, start, etas = given
        runs = coupled_sgd(loss, z, other, etas, start=start, keep=given.times, rng=rng)
        inside = [loss.phi((z @ w[..., None])[..., 0]).mean(dim=1) for w in runs.w]
        outside = [loss.phi(w @ fresh.T).mean(dim=1) for w in runs.w]
        gaps = [a - b for a, b in zip(outside, inside, strict=True)]
        return [Sample(v) for v in (*runs.distance, *gaps)]

    def tight(self) -> Given:
        """One step on opposite examples that are both far on the wrong side."""
        z = torch.tensor([0.1, 0.99**0.5], dtype=torch.float64).expand(2, 1, 2)
        other = z[:, 0] * torch.tensor([1.0, -1.0], dtype=torch.float64)
        start = torch.tensor([-200.0, 0.0], dtype=torch.float64).expand(2, 2)
        return Given(LOGISTIC, z, other, z[0], start, (1.0,))
