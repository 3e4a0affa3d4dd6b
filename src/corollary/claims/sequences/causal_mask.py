r"""The causal mask hides the future.

With :math:`M_{ij}=0` for :math:`j\le i` and :math:`-\infty` for :math:`j>i` added to the scores,

.. math:: \frac{\partial y_i}{\partial x_j}=0\quad(j>i),\qquad A_{ij}=0\quad(j>i),\qquad
   \sum_{j\le i}A_{ij}=1 :

no output depends on a later input, exactly and not only nearly, and the first position reads
itself alone.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5 and Figure 10.23; Vaswani,
    Shazeer, Parmar et al. (2017), "Attention is all you need", Section 3.2.3.
:kind: theorem
:cost: instant
:covers: causal-mask
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, HeatMap, Hypothesis, equals, option
from corollary.models.attention.single_head import SingleHeadSelfAttention
from corollary.theory.sequences.masks import causal_mask


class Given(NamedTuple):
    """A sequence, a layer, and who may read whom."""

    X: Float[Tensor, "T d"]
    layer: SingleHeadSelfAttention
    mask: Bool[Tensor, "T T"]


@dataclass(frozen=True)
class CausalMask(Claim[Given]):
    """Derivatives in later inputs, sums of weights, and the first weight."""

    T: int = option(8, low=2, high=40)  # length of the sequence
    d: int = option(4, high=32)  # numbers a position
    relation = equals(ulps=8)  # T weights are summed; the zeros are exact

    def given(self, rng: Generator) -> Given:
        """A Gaussian sequence, random weights."""
        X = torch.randn(self.T, self.d, generator=rng, dtype=torch.float64)
        layer = SingleHeadSelfAttention(self.d, rng=rng).requires_grad_(False)
        return Given(X, layer, causal_mask(self.T))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nothing later is read."""
        later = int(given.mask.triu(1).sum())
        yield Hypothesis("the mask is lower triangular", later == 0, f"{later} later positions")

    def predict(self, given: Given) -> list[float]:
        """No derivative and no weight, rows that sum to one, and all of the first on itself."""
        return [0.0, 0.0, *[1.0] * len(given.X), 1.0]

    def measure(self, given: Given) -> list[float]:
        """The largest derivative and weight ahead, the sums of rows, the first weight."""
        A = given.layer.weights(given.X, mask=given.mask)
        ahead = _derivatives(given).triu(1).max(), A.triu(1).max()
        return [*map(float, ahead), *A.sum(dim=1).tolist(), float(A[0, 0])]

    def counterexample(self, rng: Generator) -> Given:
        """All may read all."""
        given = self.given(rng)
        return given._replace(mask=torch.ones_like(given.mask))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The size of each derivative, with and without the mask."""
        T = len(given.X)
        bare = given._replace(mask=torch.ones_like(given.mask))
        drawn = ((given, "With the mask"), (bare, "Without a mask"))
        marks = [
            HeatMap(_derivatives(g).tolist(), x=(0.5, T + 0.5), y=(0.5, T + 0.5), label="|∂yᵢ/∂xⱼ|",
                    role="measured" if g is given else "other")
            for g, _ in drawn
        ]  # fmt: skip
        first, second = (
            Figure(title, x="input j", y="output i", marks=(mark,))
            for (_, title), mark in zip(drawn, marks, strict=True)
        )
        return first, second


def _derivatives(given: Given) -> Tensor:
    """The largest entry of the derivative of each output in each input."""
    f = partial(given.layer, mask=given.mask)
    J = torch.autograd.functional.jacobian(f, given.X)  # (i, d, j, d)
    return J.abs().amax(dim=(1, 3))
