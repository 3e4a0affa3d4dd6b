r"""Expected loss of SGD under a learning-rate schedule.

On :math:`L(x)=\frac12\sum_i\lambda_ix_i^2`, with gradient noise of variance :math:`c_i` per example
that does not depend on x, the expected loss after any schedule :math:`\eta_1,\dots,\eta_T` is

.. math:: \mathbb EL=\frac12\sum_i\lambda_im_i(T),\qquad
   m_i(t)=(1-\eta_t\lambda_i)^2m_i(t-1)+\eta_t^2\,\frac{c_i}B .

The first factor rewards large steps, the second term small ones; decaying schedules have both, one
after the other. Measured over independent runs of SGD.

:source: Zhang, Li, Nado, Martens et al. (2019), "Which algorithmic choices matter at which batch
    sizes? Insights from a noisy quadratic model", Section 3.
:kind: theorem
:cost: seconds
:uses: sgd_step
:beyond: The notes have constant and polynomially decaying steps; this claim has any schedule, and
    it is what the comparison of schedules rests on.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.scaling.noisy_quadratic import (
    SHAPES,
    NoisyQuadratic,
    best_peak,
    expected_losses,
    shape,
)


class Given(NamedTuple):
    quadratic: NoisyQuadratic
    rates: dict[str, list[float]]  # of each schedule
    growing: float  # how fast the noise grows with the distance
    draws: int  # different ones of the noise in a run


class NoisyQuadraticLoss(Claim[Given]):
    d: int = option(10, low=1, high=100)  # dimension
    steps: int = option(50, low=5, high=500)  # steps of SGD
    batch: int = option(4, low=1, high=1000)  # batch size
    runs: int = option(2000, low=100, high=100_000)  # runs of SGD

    relation = within_interval(level=0.999, resolution=0.005)  # four means at once
    supposes = (
        Suppose(
            "the noise does not depend on the point",
            lambda g: (g.growing == 0, f"it grows by {g.growing:g} per unit of distance"),
            "The noise is larger far from the minimum, and the loss stays larger.",
            growing=3.0,
        ),
        Suppose(
            "each step draws its noise anew",
            lambda g: (g.draws >= len(g.rates["linear"]), f"{g.draws} draws"),
            "The same batch is used in every step, so the noise does not average out.",
            draws=1,
        ),
    )
    symbols = "recurrence", "mean loss of SGD"
    rows = SHAPES

    def given(self, rng: Generator) -> Given:
        i = torch.arange(1, self.d + 1, dtype=torch.float64)
        scale = 1 + 0.1 * normal(rng, self.d).tanh()
        quadratic = NoisyQuadratic(scale / i, scale / i, torch.ones_like(i))
        rates = {}
        for name in SHAPES:
            factors = shape(name, self.steps)
            peak = best_peak(quadratic, factors, self.batch).rate
            rates[name] = [peak * factor for factor in factors]
        return Given(quadratic, rates, 0.0, self.steps)

    def predict(self, given: Given) -> list[float]:
        courses = (
            expected_losses(given.quadratic, rates, self.batch) for rates in given.rates.values()
        )
        return [float(course[-1]) for course in courses]

    def measure(self, given: Given, rng: Generator) -> Kept:
        found = [self._losses(given, rates, rng) for rates in given.rates.values()]
        return Kept([Sample(losses) for losses in found], found=found)

    def _losses(self, given: Given, rates: list[float], rng: Generator) -> Tensor:
        curvature, noise, start = given.quadratic
        x = normal(rng, self.runs, self.d) * start.sqrt()
        e = x
        for t, rate in enumerate(rates):
            e = normal(rng, self.runs, self.d) if t < given.draws else e
            wider = 1 + given.growing * x.abs()
            x = x - rate * (curvature * x + wider * (noise / self.batch).sqrt() * e)
        return (curvature * x.square()).sum(1) / 2

    @picture(
        "Decay keeps large steps first and little noise at the end", x="step", y="E L", log="y"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        for name, rates in trial.given.rates.items():
            yield Curve(expected_losses(trial.given.quadratic, rates, self.batch), label=name)
