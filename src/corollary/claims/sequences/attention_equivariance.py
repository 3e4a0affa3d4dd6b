r"""Attention does not know the order.

An encoder block without positions and without mask commutes with every permutation P of its rows,

.. math:: f(PX)=Pf(X),\qquad\text{hence}\qquad
   \tfrac1T\mathbf{1}^\top f(PX)=\tfrac1T\mathbf{1}^\top f(X):

the outputs are permuted along with the inputs, and their mean does not change. Positions added to
X, or a causal mask, end this.

:source: Perez Jensen (2025), Deep Learning, Sections 6.3 and 7.4; Lucchi (2025), Foundations of
    Deep Learning, Section 10.4.3.
:kind: theorem
:cost: instant
:covers: attention-permutation-equivariance
:erratum: [loose] Lucchi (2025) calls the transformer permutation-invariant, and Perez Jensen (2025)
    explains equivariance as "the order of input tokens does not influence the output". The
    outputs are permuted along with the inputs (equivariance), not unchanged: the figure shows
    f(PX) on P f(X) and away from f(X). Invariant is only a readout that forgets the order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.transformers.blocks import EncoderBlock
from corollary.theory.networks.permutations import permutation_matrix
from corollary.theory.sequences.masks import causal_mask
from corollary.theory.sequences.positions import sinusoidal_encoding


class Given(NamedTuple):
    """A sequence, a permutation, and a block with what is added and hidden."""

    X: Float[Tensor, "T d"]
    P: Float[Tensor, "T T"]
    positions: Float[Tensor, "T d"]  # added to the inputs
    mask: Bool[Tensor, "T T"]  # true where a position may read another
    block: EncoderBlock


@dataclass(frozen=True)
class AttentionEquivariance(Claim[Given]):
    """The block of the reordered rows, and its mean."""

    T: int = option(7, low=2, high=200)  # length of the sequence
    d: int = option(8, low=2, high=64)  # numbers a position, even
    norm: Literal["post", "pre", "none"] = "post"  # where the block normalises
    breaks: Literal["positions", "mask"] = "positions"  # what the counterexample adds
    relation = equals(ulps=4096, scale=1.0)  # sums of T terms in another order, normalised twice

    def given(self, rng: Generator) -> Given:
        """A Gaussian sequence, a random block and a cycle of all rows."""
        d = 2 * (self.d // 2)
        X = torch.randn(self.T, d, generator=rng, dtype=torch.float64)
        block = EncoderBlock(d, 2, norm=self.norm, rng=rng).eval()
        P = permutation_matrix([*range(1, self.T), 0])
        return Given(X, P, torch.zeros_like(X), torch.ones(self.T, self.T).bool(), block)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nothing that tells positions apart."""
        yield Hypothesis("no positions are added", not bool(given.positions.any()))
        yield Hypothesis("every position may read every other", bool(given.mask.all()))

    def predict(self, given: Given) -> list[float]:
        """The outputs in the new order, and the mean of the old ones."""
        Y = _run(given, given.X)
        return [*(given.P @ Y).flatten().tolist(), *Y.mean(dim=0).tolist()]

    def measure(self, given: Given) -> list[float]:
        """The outputs of the reordered inputs, and their mean."""
        Y = _run(given, given.P @ given.X)
        return [*Y.flatten().tolist(), *Y.mean(dim=0).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Sinusoidal positions, or a causal mask."""
        given = self.given(rng)
        if self.breaks == "mask":
            return given._replace(mask=causal_mask(self.T))
        return given._replace(positions=sinusoidal_encoding(self.T, given.X.shape[1]))

    def figure(self, given: Given) -> Figure:
        """One output number of each row."""
        rows = list(range(1, len(given.X) + 1))
        still, moved = _run(given, given.X), _run(given, given.P @ given.X)
        marks = (
            Curve((given.P @ still)[:, 0], rows, label="P f(X): equivariance", role="predicted"),
            Points(rows, moved[:, 0], label="f(PX)"),
            Points(rows, still[:, 0], label="f(X): what invariance would give", role="other"),
        )
        return Figure("Outputs move with the inputs", x="row", y="first entry", marks=marks)


def _run(given: Given, X: Tensor) -> Tensor:
    return given.block(X + given.positions, mask=given.mask).detach()
