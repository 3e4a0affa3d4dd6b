r"""Dropout on the top layer is a penalty on its columns.

With :math:`B_{jj}=b_j/(1-p)` and independent :math:`b_j\sim\mathrm{Ber}(1-p)`,

.. math:: \frac1n\sum_iE_B\|y_i-WBa_i\|^2=\frac1n\sum_i\|y_i-Wa_i\|^2
   +\frac p{1-p}\sum_j\|W_{:j}\|^2\,\hat a_j^2,\qquad\hat a_j^2=\frac1n\sum_ia_{ij}^2,

whatever the layers below: a weight pays for the size of what it reads. The claim sums the left side
over all :math:`2^m` masks. Without the factor :math:`1/(1-p)` the masks have mean :math:`1-p`, the
outputs shrink, and the identity is lost.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.2, Theorem 74; Arora, Bartlett,
    Mianjy and Srebro (2020), "Dropout: explicit forms and capacity control".
:kind: identity
:cost: instant
:covers: dropout-regression-regularizer
:erratum: [typo] The proof of Theorem 74 starts from B_ii ~ Ber(1-p), whose mean is 1-p; the factor
    1/(1-p) of the definition is needed for mean 1 and variance p/(1-p), and the counterexample does
    without it. (11.24) and (11.25) are called population risks but are averages over examples.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.regularization.dropout import (
    dropout_penalty,
    expected_dropout_loss,
    squared_loss,
)

RATES = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8)


class Given(NamedTuple):
    """Read-out weights, the activations they read, targets, and the form of the masks."""

    W: Float[Tensor, "k m"]
    A: Float[Tensor, "n m"]
    Y: Float[Tensor, "n k"]
    inverted: bool
    seed: int  # of the masks in the figure


class DropoutPenalty(Claim[Given]):
    n: int = option(12, low=1, high=200)  # examples
    m: int = option(8, low=1, high=12)  # units that are dropped
    k: int = option(2, low=1, high=10)  # outputs
    relation = equals(ulps=2**10)  # a sum over up to 2^12 masks

    def given(self, rng: Generator) -> Given:
        """A random ReLU layer, random read-out and targets."""
        x = torch.randn(self.n, 3, generator=rng, dtype=torch.float64)
        first = torch.randn(3, self.m, generator=rng, dtype=torch.float64)
        W = torch.randn(self.k, self.m, generator=rng, dtype=torch.float64) / self.m**0.5
        Y = torch.randn(self.n, self.k, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(W, torch.relu(x @ first), Y, True, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mean of the masks."""
        yield Hypothesis("the masks have mean 1", given.inverted)

    def predict(self, given: Given) -> list[float]:
        """Loss plus penalty."""
        W, A, Y = given[:3]
        loss = squared_loss(W, A, Y)
        return [float(loss + dropout_penalty(W, A, p)) for p in RATES]

    def measure(self, given: Given) -> list[float]:
        """The mean over every mask."""
        W, A, Y, inverted, _ = given
        return [float(expected_dropout_loss(W, A, Y, p, inverted=inverted)) for p in RATES]

    def counterexample(self, rng: Generator) -> Given:
        """Masks of zeros and ones."""
        return self.given(rng)._replace(inverted=False)

    def figure(self, given: Given) -> Figure:
        """Loss plus penalty over the rate, with the spread of single masks."""
        W, A, Y, _, seed = given
        rng = torch.Generator().manual_seed(seed)
        grid = torch.linspace(0.02, 0.8, 25)
        low, mean, high = [], [], []
        for p in grid.tolist():
            keep = torch.full((2000, W.shape[1]), 1 - p, dtype=W.dtype)
            B = torch.bernoulli(keep, generator=rng) / (1 - p)
            loss = (Y - torch.einsum("km,sm,nm->snk", W, B, A)).square().sum(2).mean(1)
            low.append(float(loss.quantile(0.1)))
            high.append(float(loss.quantile(0.9)))
            mean.append(float(loss.mean()))
        exact = [float(squared_loss(W, A, Y) + dropout_penalty(W, A, p)) for p in grid.tolist()]
        return Figure(
            "Dropping units at random, on average, is a penalty",
            x="p",
            y="squared loss",
            marks=(
                Band(grid, low, high, label="middle 80 % of masks"),
                Curve(mean, x=grid, label="mean of 2000 masks"),
                Curve(exact, x=grid, label="loss + penalty", role="predicted", dashed=True),
            ),
        )
