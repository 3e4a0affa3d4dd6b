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
:uses: dropout_moments
:covers: dropout-regression-regularizer
:erratum: [typo] The proof of Theorem 74 starts from B_ii ~ Ber(1-p), whose mean is 1-p; the factor
    1/(1-p) of the definition is needed for mean 1 and variance p/(1-p), and the counterexample does
    without it. (11.24) and (11.25) are called population risks but are averages over examples.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.regularization.dropout import (
    dropout_penalty,
    expected_dropout_loss,
    squared_loss,
)


class Given(NamedTuple):
    W: Float[Tensor, "k m"]  # read-out
    A: Float[Tensor, "n m"]  # the activations it reads
    Y: Float[Tensor, "n k"]  # targets
    inverted: bool = True  # the masks are divided by 1 - p


def _mean_mask(given: Given) -> Tensor:
    """(E b² + 1 - E(1 - b)²) / 2 for one unit at rate 1/2."""
    one = given.W.new_ones(1, 1)
    square, off = (
        expected_dropout_loss(one, one, y, 0.5, inverted=given.inverted) for y in (0 * one, one)
    )
    return (square + 1 - off) / 2


class DropoutPenalty(Claim[Given]):
    n: int = option(12, low=1, high=200)  # examples
    m: int = option(8, low=1, high=12)  # units that are dropped
    k: int = option(2, low=1, high=10)  # outputs
    rates: tuple[float, ...] = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8)  # shares p that are dropped

    relation = equals(ulps=2**10)  # a sum over up to 2^12 masks
    supposes = Suppose(
        "the masks have mean 1",
        lambda g: near(_mean_mask(g), 1.0),
        "If the masks are zeros and ones, they shrink the outputs.",
        inverted=False,
    )
    symbols = "loss + penalty", "loss, averaged over all masks"
    rows = "p = {rates}"
    shows = Along("Loss averaged over dropout masks, and loss with the penalty", x="p", at="rates")

    def given(self, rng: Generator) -> Given:
        A = torch.relu(normal(rng, self.n, 3) @ normal(rng, 3, self.m))
        return Given(normal(rng, self.k, self.m) / self.m**0.5, A, normal(rng, self.n, self.k))

    def predict(self, given: Given) -> list[float]:
        W, A, Y, _ = given
        return [float(squared_loss(W, A, Y) + dropout_penalty(W, A, p)) for p in self.rates]

    def measure(self, given: Given) -> list[float]:
        W, A, Y, inverted = given
        return [float(expected_dropout_loss(W, A, Y, p, inverted=inverted)) for p in self.rates]
