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
:cost: instant
:covers: expected-empirical-risk
:erratum: [possible OCR artefact] Chapter 5 shows the expected risk without the label,
    E[l(F(xi;x)], and Chapter 8 the 0-1 loss as the indicator of f(x) = y. It must be f(x) != y, as
    in Chapter 9: the perfect classifier has risk 0, not 1.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Sample,
    option,
    within_interval,
)


class Given(NamedTuple):
    """Repeated samples of two Gaussian classes, and how the threshold is found."""

    x: Float[Tensor, "t n"]
    y: Float[Tensor, "t n"]  # -1 or +1
    s: float  # standard deviation of each class around its label
    fitted: bool  # whether the threshold minimises the risk on the sample

    def empirical(self) -> Float[Tensor, " t"]:
        """The training risk of each sample's classifier 1[x > b]."""
        if self.fitted:
            return _fit(self.x, self.y)[0]
        return ((self.x > 0) != (self.y > 0)).double().mean(dim=1)


@dataclass(frozen=True)
class EmpiricalRisk(Claim[Given]):
    """Mean and variance of the training error over samples."""

    n: int = option(25, low=2, high=400)  # examples in a sample
    s: float = option(1.0, low=0.2, high=5.0)  # standard deviation of each class
    trials: int = option(6000, low=1000, high=20000)  # samples
    relation = within_interval(level=0.999, resolution=0.02)  # so many samples know it to 0.02

    def given(self, rng: Generator) -> Given:
        """The threshold 0, whatever the sample."""
        return Given(*_draw(self.trials, self.n, self.s, rng), self.s, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """When the function was chosen."""
        yield Hypothesis("the function was chosen before the sample", not given.fitted)

    def predict(self, given: Given) -> list[float]:
        """The expected risk, and n times the variance of the empirical one."""
        risk = float(_expected(torch.zeros(1, dtype=torch.float64), given.s))
        return [risk, risk * (1 - risk)]

    def measure(self, given: Given) -> list[Sample]:
        """The same over the samples."""
        found, n = given.empirical(), given.x.shape[1]
        risk = float(_expected(torch.zeros(1, dtype=torch.float64), given.s))
        return [Sample(found), Sample(n * (found - risk).square())]

    def counterexample(self, rng: Generator) -> Given:
        """The threshold with the least training error."""
        return self.given(rng)._replace(fitted=True)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Training risks of the fixed and the fitted classifier; and both risks over n."""
        edges = [(k - 0.5) / given.x.shape[1] for k in range(given.x.shape[1] // 2 + 2)]
        risk = self.predict(given)[0]
        bars = Figure(
            "A fixed function is judged fairly, a fitted one is flattered",
            x="R_S",
            y="density over samples",
            marks=(
                Histogram(given.empirical(), edges=edges, label="f fixed before the sample"),
                Histogram(
                    given._replace(fitted=True).empirical(),
                    edges=edges,
                    label="f chosen on the sample",
                    role="other",
                ),
                Level(risk, label="R(f), the risk", axis="x"),
            ),
        )
        return bars, _optimism(given)


def _draw(t: int, n: int, s: float, rng: Generator) -> tuple[Tensor, Tensor]:
    y = 2.0 * torch.randint(2, (t, n), generator=rng).double() - 1
    return y + s * torch.randn(t, n, generator=rng, dtype=torch.float64), y


def _fit(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The least training error of a rule 1[x > b] on each sample, and the b."""
    order, place = x.sort(dim=1)
    steps = y.gather(1, place)  # a point that moves below b: one more error for +1, one less for -1
    start = (y < 0).double().sum(dim=1, keepdim=True)
    errors = torch.cat([start, start + steps.cumsum(dim=1)], dim=1)
    least, where = errors.min(dim=1)
    cuts = torch.cat([order[:, :1] - 1, order], dim=1)
    return least / x.shape[1], cuts.gather(1, where[:, None])[:, 0]


def _expected(b: Tensor, s: float) -> Tensor:
    """The exact error of the threshold b."""
    return 0.5 * (torch.special.ndtr((b - 1) / s) + torch.special.ndtr((-b - 1) / s))


def _optimism(given: Given) -> Figure:
    """Risks of the fitted threshold for the first n examples of the samples."""
    sizes = [k for k in (2, 4, 7, 12, 18, 25, 50, 100, 200) if k <= given.x.shape[1]]
    sizes = sorted({*sizes, given.x.shape[1]})
    x, y = given.x[:1000], given.y[:1000]
    train, low, high, true = [], [], [], []
    for n in sizes:
        risk, b = _fit(x[:, :n], y[:, :n])
        train.append(float(risk.mean()))
        half = 2 * float(risk.std()) / math.sqrt(len(risk))
        low.append(train[-1] - half)
        high.append(train[-1] + half)
        true.append(float(_expected(b, given.s).mean()))
    return Figure(
        "Below on the sample, above outside it",
        x="n",
        y="risk of the fitted threshold",
        marks=(
            Level(float(_expected(torch.zeros(1), given.s)), label="best possible"),
            Curve(train, sizes, label="on the sample"),
            Band(sizes, low, high, label="two standard errors"),
            Curve(true, sizes, label="expected", role="other"),
        ),
    )
