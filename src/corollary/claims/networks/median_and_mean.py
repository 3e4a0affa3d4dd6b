r"""The median minimises the absolute error, the mean the squared one.

Among constants :math:`c`, and coordinate by coordinate,

.. math:: \arg\min_c\sum_i|y_i-c|=\operatorname{median}(y),\qquad
   \arg\min_c\tfrac12\sum_i(y_i-c)^2=\frac1n\sum_iy_i .

So a network trained on the one estimates a median and on the other a mean. If samples do not count
alike, the minimisers are the weighted median and mean.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Lucchi (2025),
    Foundations of Deep Learning, Chapter 5.
:kind: identity
:covers: l1-loss, squared-loss
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.train.losses import l1, squared


class Given(NamedTuple):
    y: Float[Tensor, "n k"]  # samples
    weight: Float[Tensor, " n"]  # how much each of them counts


def minimiser(given: Given, loss: Callable[..., Tensor]) -> Tensor:
    """Where the slope of the risk changes its sign, by bisection in all coordinates at once."""
    low, high = given.y.amin(0), given.y.amax(0)
    for _ in range(60):
        c = ((low + high) / 2).requires_grad_(True)
        risk = given.weight @ loss(c.expand_as(given.y), given.y, reduction="none")
        (slope,) = torch.autograd.grad(risk, c)
        c = c.detach()
        low, high = torch.where(slope < 0, c, low), torch.where(slope < 0, high, c)
    return (low + high) / 2


class MedianAndMean(Claim[Given]):
    n: int = option(51, low=3)  # samples; an even number is made odd, so that the median is one
    k: int = option(3, low=1, high=20)  # coordinates

    relation = equals(ulps=2**10, scale=1.0)  # sixty halvings of the range of the samples
    supposes = (
        Suppose(
            "all samples have equal weight",
            lambda g: (g.weight == g.weight[0]).all(),
            "If large samples have ten times the weight, the weighted median and mean are best.",
            weight=lambda g: 1 + 9 * (g.y[:, 0] > g.y[:, 0].median()).double(),
        ),
        Suppose("the number of samples is odd", lambda g: len(g.y) % 2),
    )
    symbols = "median and mean", "minimiser of the L1 and of the squared loss"
    rows = tuple(f"{name} {i}" for name in ("median", "mean") for i in (1, 2, 3))
    shows = Along("Best constant predictions under both losses", x="coordinate", y="best constant")

    def given(self, rng: Generator) -> Given:
        """Skewed samples, so that mean and median differ."""
        n = self.n + (self.n + 1) % 2
        return Given(normal(rng, n, self.k).exp(), torch.ones(n, dtype=torch.float64))

    def predict(self, given: Given) -> Tensor:
        return torch.cat([given.y.median(0).values, given.y.mean(0)])

    def measure(self, given: Given) -> Tensor:
        return torch.cat([minimiser(given, loss) for loss in (l1, squared)])
