r"""Efficiency of a batch of B examples: the decrease of the loss in one step.

Near a point with gradient G, Hessian H and covariance :math:`\Sigma` of one example's gradient, a
step along the gradient of B examples with the best learning rate lowers a quadratic loss by

.. math:: \mathbb E\,\Delta L(B)=\frac{\Delta L_{\max}}{1+\mathcal B/B},\qquad
   \eta(B)=\frac{\eta_{\max}}{1+\mathcal B/B},\qquad
   \mathcal B=\frac{\operatorname{tr}(H\Sigma)}{G^\top HG} .

So the steps to a target grow like :math:`1+\mathcal B/B`, and the examples like
:math:`1+B/\mathcal B`: the critical batch size costs twice the fewest steps and twice the fewest
examples. Below it the best learning rate is proportional to B, above it constant.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training",
    Eqs. 2.5 to 2.7 and 2.11.
:kind: theorem
:uses: critical_batch_size, descent_lemma
:beyond: The notes say that larger batches have less noise; this claim says what they are worth.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, near, normal, option, within_interval


class Given(NamedTuple):
    G: Float[Tensor, " d"]  # gradient
    curvature: Float[Tensor, " d"]  # eigenvalues of H
    noise: Float[Tensor, " d"]  # variances of one example's gradient
    batches: tuple[int, ...]
    rates: Float[Tensor, " b"]  # learning rate of each batch size
    cubic: float  # third derivative, which a quadratic does not have

    @property
    def scale(self) -> float:
        """The noise scale."""
        return float((self.curvature * self.noise).sum() / (self.curvature * self.G**2).sum())

    @property
    def best(self) -> float:
        """The best learning rate without noise."""
        return float((self.G**2).sum() / (self.curvature * self.G**2).sum())

    @property
    def best_rates(self) -> Float[Tensor, " b"]:
        """The best learning rate of each batch size."""
        return self.best / (1 + self.scale / torch.tensor(self.batches, dtype=torch.float64))


class BatchEfficiency(Claim[Given]):
    d: int = option(10, low=1, high=100)  # dimension
    batches: tuple[int, ...] = (1, 4, 16, 64, 256)  # batch sizes
    runs: int = option(20_000, low=1000, high=10**6)  # steps per batch size

    relation = within_interval(level=0.999, resolution=0.02)  # five means at once
    supposes = (
        Suppose(
            "the learning rate is the best one of each batch size",
            lambda g: near(g.rates, g.best_rates),
            "With the best learning rate of the full gradient, small batches raise the loss.",
            rates=lambda g: torch.full_like(g.rates, g.best),
        ),
        Suppose(
            "the loss is quadratic",
            lambda g: (g.cubic == 0, f"third derivative {g.cubic:g}"),
            "The curvature grows along the step, so less is gained.",
            cubic=-4.0,
        ),
    )
    symbols = "ΔL_max / (1 + 𝓑/B)", "mean decrease of the loss"
    shows = Along("Beyond the critical batch size little is gained", x="size number", y="ΔL")

    def given(self, rng: Generator) -> Given:
        curvature = 0.5 + torch.linspace(0, 1, self.d, dtype=torch.float64)
        G = 1 + 0.2 * normal(rng, self.d).tanh()
        noise = torch.full_like(G, 2.0)
        given = Given(G / G.norm(), curvature, noise, self.batches, noise, 0.0)
        return given._replace(rates=given.best_rates)

    def predict(self, given: Given) -> list[float]:
        most = given.best * float((given.G**2).sum()) / 2
        return [most / (1 + given.scale / b) for b in given.batches]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        pairs = zip(given.batches, given.rates.tolist(), strict=True)
        return [Sample(self._decrease(given, *pair, rng)) for pair in pairs]

    def _decrease(self, given: Given, batch: int, rate: float, rng: Generator) -> Tensor:
        noise = normal(rng, self.runs, self.d) * (given.noise / batch).sqrt()
        step = -rate * (given.G + noise)
        bend = (given.curvature * step**2).sum(1) / 2 + given.cubic * (step**3).sum(1) / 6
        return -(step @ given.G) - bend
