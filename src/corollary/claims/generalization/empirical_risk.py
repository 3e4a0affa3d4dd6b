r"""The empirical risk is unbiased for a fixed function.

For a function f chosen before the sample and n i.i.d. examples,

.. math:: \mathbb E_S R_S(f)=R(f),\qquad \operatorname{Var}R_S(f)=\frac{\operatorname{Var}\ell}n
   =\frac{R(f)(1-R(f))}n\quad\text{for the 0-1 loss }\ell=1[f(x)\ne y].

For the function that minimises :math:`R_S` this is false: its training risk is too small on
average, :math:`\mathbb ER_S(f_S)\le\min_fR(f)\le\mathbb ER(f_S)`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5 and Section 8.1; Mathematical
    Foundations of Deep Learning (slides), Objective; Vapnik (1992), "Principles of risk
    minimization for learning theory".
:kind: identity
:covers: expected-empirical-risk
:erratum: [possible OCR artefact] Chapter 5 shows the expected risk without the label,
    E[l(F(xi;x)], and Chapter 8 the 0-1 loss as the indicator of f(x) = y. It must be f(x) != y, as
    in Chapter 9: the perfect classifier has risk 0, not 1.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.generalization._draws import are_independent
from corollary.core import Claim, Kept, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.core.witness import mean_square_is


class Given(NamedTuple):
    """Repeated samples of two Gaussian classes, and the threshold of the rule 1[x > b] on each."""

    x: Float[Tensor, "t n"]
    y: Float[Tensor, "t n"]  # -1 or +1
    s: float  # standard deviation of each class around its label
    b: Float[Tensor, " t"]


class EmpiricalRisk(Claim[Given]):
    n: int = option(25, low=2, high=400)  # examples in a sample
    s: float = option(1.0, low=0.2, high=5.0)  # standard deviation of each class
    trials: int = option(6000, low=1000, high=20000)  # samples

    relation = within_interval(level=0.99999, resolution=0.02)  # chance: one seed in 100,000
    supposes = (
        Suppose(
            "the function was chosen before the sample",
            lambda g: bool((g.b == g.b[0]).all()),
            "The threshold was chosen to minimise the training error, which is then too small.",
            b=lambda g: fitted(g.x, g.y)[1],
        ),
        Suppose(
            "the examples are independent",
            lambda g: are_independent(((g.x > 0) != (g.y > 0)).double()),
            "The sample is one example, copied n times, and the variance is n times as large.",
            x=lambda g: g.x[:, :1].expand_as(g.x),
            y=lambda g: g.y[:, :1].expand_as(g.y),
        ),
        Suppose(
            "each class has standard deviation s",
            lambda g: mean_square_is((g.x - g.y) / g.s, 1.0),
            "The classes overlap more than R(f) assumes.",
            x=lambda g: g.y + 2 * (g.x - g.y),
        ),
    )
    symbols = "formula", "estimate from repeated samples"
    rows = "mean of R_S, R(f)", "n Var R_S, R(f)(1 − R(f))"

    def given(self, rng: Generator) -> Given:
        y = 2.0 * torch.randint(2, (self.trials, self.n), generator=rng).double() - 1
        x = y + self.s * normal(rng, self.trials, self.n)
        return Given(x, y, self.s, torch.zeros_like(x[:, 0]))

    def predict(self, given: Given) -> list[float]:
        risk = float(expected(torch.zeros(1, dtype=torch.float64), given.s))
        return [risk, risk * (1 - risk)]

    def measure(self, given: Given) -> Kept:
        risk = float(expected(torch.zeros(1, dtype=torch.float64), given.s))
        found = ((given.x > given.b[:, None]) != (given.y > 0)).double().mean(dim=1)
        return Kept([Sample(found), Sample(given.x.shape[1] * (found - risk).square())], R=found)

    @picture(
        "The empirical risk is unbiased for a fixed function, and too small for a fitted function",
        x="R_S",
        y="density over samples",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        x, y = trial.given.x, trial.given.y
        n, risk = x.shape[1], trial.predicted[0]
        edges, best = [(k - 0.5) / n for k in range(n // 2 + 2)], fitted(x, y)[0]
        yield Histogram(trial.kept.R, edges=edges, label="f fixed before the sample")
        yield Histogram(best, edges=edges, label="f chosen on the sample", role="other")
        yield Level(risk, label="R(f), the risk", axis="x")


def fitted(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The least training error of a rule 1[x > b] on each sample, and the b."""
    order, place = x.sort(dim=1)
    steps = y.gather(1, place)  # a point that moves below b: one more error for +1, one less for -1
    start = (y < 0).double().sum(dim=1, keepdim=True)
    errors = torch.cat([start, start + steps.cumsum(dim=1)], dim=1)
    least, where = errors.min(dim=1)
    cuts = torch.cat([order[:, :1] - 1, order], dim=1)
    return least / x.shape[1], cuts.gather(1, where[:, None])[:, 0]


def expected(b: Tensor, s: float) -> Tensor:
    """The exact error of the threshold b."""
    wrong: Tensor = torch.special.ndtr((b - 1) / s) + torch.special.ndtr((-b - 1) / s)
    return 0.5 * wrong
