r"""The median minimises the absolute error, the mean the squared one.

Among constants :math:`c`, and coordinate by coordinate,

.. math:: \arg\min_c\sum_i|y_i-c|=\operatorname{median}(y),\qquad
   \arg\min_c\tfrac12\sum_i(y_i-c)^2=\frac1n\sum_iy_i .

So a network trained on the one estimates a median and on the other a mean. If samples do not count
alike, the minimisers are the weighted median and mean.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Lucchi (2025),
    Foundations of Deep Learning, Chapter 5.
:kind: identity
:cost: instant
:covers: l1-loss, squared-loss
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.train.losses import l1, squared


class Given(NamedTuple):
    """Samples and how much each of them counts."""

    y: Float[Tensor, "n k"]
    weight: Float[Tensor, " n"]

    def risk(self, loss: Callable[..., Tensor], c: Tensor) -> Tensor:
        """The loss of a constant, summed over the samples."""
        return self.weight @ loss(c.expand_as(self.y), self.y, reduction="none")


def minimiser(given: Given, loss: Callable[..., Tensor]) -> Tensor:
    """Where the slope of the risk changes its sign, by bisection in all coordinates at once."""
    low, high = given.y.amin(0), given.y.amax(0)
    for _ in range(60):
        middle = ((low + high) / 2).requires_grad_(True)
        (slope,) = torch.autograd.grad(given.risk(loss, middle), middle)
        middle = middle.detach()
        low, high = torch.where(slope < 0, middle, low), torch.where(slope < 0, high, middle)
    return (low + high) / 2


class MedianAndMean(Claim[Given]):
    n: int = option(51, low=3)  # samples; an even number is made odd, so that the median is one
    k: int = option(3, low=1, high=20)  # coordinates
    relation = equals(ulps=2**10, scale=1.0)  # sixty halvings of the range of the samples

    def given(self, rng: Generator) -> Given:
        """Skewed samples, so that mean and median differ."""
        n = self.n + (self.n + 1) % 2
        y = torch.randn(n, self.k, generator=rng, dtype=torch.float64, device=rng.device).exp()
        return Given(y, torch.ones(n).to(y))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No sample is more equal than others."""
        alike = bool((given.weight == given.weight[0]).all())
        yield Hypothesis("all samples count alike", alike)
        n = len(given.y)
        yield Hypothesis("the number of samples is odd", n % 2 == 1, f"n = {n}")

    def predict(self, given: Given) -> list[float]:
        """Medians, then means."""
        return torch.cat([given.y.median(0).values, given.y.mean(0)]).tolist()

    def measure(self, given: Given) -> list[float]:
        """Minimisers of the L1 loss, then of the squared loss."""
        return torch.cat([minimiser(given, loss) for loss in (l1, squared)]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The large samples count ten times."""
        given = self.given(rng)
        large = given.y[:, 0] > given.y[:, 0].median()
        return given._replace(weight=torch.where(large, 10 * given.weight, given.weight))

    def figure(self, given: Given) -> Figure:
        """Both risks of the first coordinate, each in units of its minimum."""
        y = given.y[:, :1]
        one = given._replace(y=y)
        t = torch.linspace(0, float(y.quantile(0.95)), 161).to(y)
        marks = []
        for name, loss, best in (("L1", l1, y.median()), ("squared", squared, y.mean())):
            values = torch.stack([one.risk(loss, c[None]) for c in t])
            marks.append(Curve(values / values.min(), x=t, label=f"{name} loss"))
            word = "median" if loss is l1 else "mean"
            marks.append(Level(float(best), label=word, axis="x"))
        title = "What a constant prediction becomes"
        return Figure(title, x="c", y="risk / least risk", marks=tuple(marks))
