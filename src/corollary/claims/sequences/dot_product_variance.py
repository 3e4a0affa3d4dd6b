r"""Variance of dot products.

If q and k are independent, with independent entries of mean 0 and variance 1, then

.. math:: \operatorname{Var}(q\cdot k)=d,\qquad \operatorname{Var}\Bigl(\frac{q\cdot k}{\sqrt d}
   \Bigr)=1,

whatever the law of the entries. So scores grow like :math:`\sqrt d` unless they are divided by it.
If queries and keys are related the statement fails: for :math:`q=k` the mean alone is d.

:source: Perez Jensen (2025), Deep Learning, Section 6.1; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.1; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need".
:kind: identity
:covers: attention-variance-scaling
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Suppose, Trial, normal, option, uniform, within_interval
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.core.witness import mean_is, mean_square_is


class Given(NamedTuple):
    q: tuple[Float[Tensor, "r d"], ...]  # queries in several dimensions
    k: tuple[Float[Tensor, "r d"], ...]  # keys, one for each query


def entries(given: Given) -> Tensor:
    """All entries, those of the queries in the first row."""
    return torch.stack([torch.cat([x.flatten() for x in part]) for part in given])


class DotProductVariance(Claim[Given]):
    dims: tuple[int, ...] = (4, 16, 64, 256)  # dimensions of queries and keys
    draws: int = option(4000, low=100, high=100_000)  # pairs in each dimension
    law: Literal["normal", "sign", "uniform"] = "normal"  # distribution of the entries

    relation = within_interval(resolution=0.15)  # 4000 squares have a mean known to about 0.09
    supposes = (
        Suppose(
            "entries have mean 0",
            lambda g: mean_is(entries(g)),
            "If the entries have a mean, the mean of the products grows like d.",
            q=lambda g: tuple(q + 0.5 for q in g.q),
            k=lambda g: tuple(k + 0.5 for k in g.k),
        ),
        Suppose(
            "entries have variance 1",
            lambda g: mean_square_is(entries(g), 1.0),
            "If the queries are twice as long, the variance is four times as large.",
            q=lambda g: tuple(2 * q for q in g.q),
        ),
        Suppose(
            "q and k are not correlated",
            lambda g: mean_is(entries(g).prod(dim=0)),
            "If every query equals its key, the mean of the products is d.",
            k=lambda g: g.q,
        ),
    )
    symbols = "1", "variance of q·k/√d"
    rows = "d = {dims}"

    def given(self, rng: Generator) -> Given:
        """Independent entries of mean 0 and variance 1."""
        draw = [self.drawn(rng, d) for d in self.dims for _ in "qk"]
        return Given(tuple(draw[::2]), tuple(draw[1::2]))

    def drawn(self, rng: Generator, d: int) -> Float[Tensor, "r d"]:
        """Entries of the law."""
        if self.law == "normal":
            return normal(rng, self.draws, d)
        x = 2 * uniform(rng, self.draws, d) - 1
        return x.sign() if self.law == "sign" else x * 3**0.5

    def predict(self, given: Given) -> list[float]:
        return [1.0] * len(given.q)

    def measure(self, given: Given) -> list[Sample]:
        pairs = zip(given.q, given.k, strict=True)
        return [Sample((q * k).sum(dim=1).square() / q.shape[1]) for q, k in pairs]

    @picture(
        "Scores spread like √d unless they are divided by it",
        x="dimension d",
        y="variance",
        log="xy",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        d = torch.tensor([q.shape[1] for q in trial.given.q], dtype=torch.float64)
        r = torch.tensor([[r.value, r.low, r.high] for r in trial.comparison.measured]).T
        for size, law, label in ((d, "d", "variance of q·k"), (1 + 0 * d, *self.symbols)):
            value, low, high = r * size
            yield Curve(size, d, label=law, role="predicted", dashed=law == "1")
            yield Points(d, value, label=label, low=low, high=high)
