r"""Self-attention without positions is permutation equivariant.

An encoder block without positions and without mask commutes with every permutation P of its rows,

.. math:: f(PX)=Pf(X),\qquad\text{hence}\qquad
   \tfrac1T\mathbf{1}^\top f(PX)=\tfrac1T\mathbf{1}^\top f(X):

the outputs are permuted along with the inputs, and their mean does not change. Positions added to
X, or a causal mask, end this.

:source: Perez Jensen (2025), Deep Learning, Sections 6.3 and 7.4; Lucchi (2025), Foundations of
    Deep Learning, Section 10.4.3.
:kind: theorem
:uses: cross_attention_set
:covers: attention-permutation-equivariance
:erratum: [loose] Lucchi (2025) calls the transformer permutation-invariant, and Perez Jensen (2025)
    explains equivariance as "the order of input tokens does not influence the output". The
    outputs are permuted along with the inputs (equivariance), not unchanged: the figure shows
    f(PX) on P f(X) and away from f(X). Only a readout that forgets the order is invariant.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.transformers.blocks import EncoderBlock
from corollary.theory.networks.permutations import permutation_matrix
from corollary.theory.sequences.masks import causal_mask
from corollary.theory.sequences.positions import sinusoidal_encoding


class Given(NamedTuple):
    X: Float[Tensor, "T d"]  # a sequence
    P: Float[Tensor, "T T"]  # a permutation
    positions: Float[Tensor, "T d"]  # added to the inputs
    mask: Bool[Tensor, "T T"]  # true where a position may read another
    block: EncoderBlock


def run(given: Given, X: Tensor) -> Tensor:
    """The outputs, row after row, and their mean."""
    Y = given.block(X + given.positions, mask=given.mask).detach()
    return torch.cat([Y, Y.mean(dim=0, keepdim=True)])


class AttentionEquivariance(Claim[Given]):
    T: int = option(7, low=2, high=200)  # length of the sequence
    d: int = option(8, low=2, high=64)  # numbers per position, even
    norm: Literal["post", "pre", "none"] = "post"  # place of the normalisation in the block

    relation = equals(ulps=4096, scale=1.0)  # sums of T terms in another order, normalised twice
    supposes = (
        Suppose(
            "no positions are added",
            lambda g: not bool(g.positions.any()),
            "Sinusoidal positions do not move with the rows, so the outputs change.",
            positions=lambda g: sinusoidal_encoding(*g.X.shape),
        ),
        Suppose(
            "every position may read every other",
            lambda g: bool(g.mask.all()),
            "With a causal mask, a row that is moved reads other rows.",
            mask=lambda g: causal_mask(len(g.X)),
        ),
    )
    symbols = "P f(X): equivariance", "f(PX)"

    def given(self, rng: Generator) -> Given:
        """A random block and a cycle of all rows."""
        X = normal(rng, self.T, 2 * (self.d // 2))
        block = EncoderBlock(X.shape[1], 2, norm=self.norm, rng=rng).eval()
        P = permutation_matrix([*range(1, self.T), 0])
        return Given(X, P, torch.zeros_like(X), torch.ones(self.T, self.T).bool(), block)

    def predict(self, given: Given) -> Tensor:
        Y = run(given, given.X)
        return torch.cat([given.P @ Y[:-1], Y[-1:]]).flatten()

    def measure(self, given: Given) -> Tensor:
        return run(given, given.P @ given.X).flatten()

    @picture("Outputs move with the inputs", x="row", y="first entry")
    def marks(self, trial: Trial[Given]) -> Marks:
        X, P = trial.given.X, trial.given.P
        rows = list(range(1, len(X) + 1))
        moved = trial.predicted.reshape(-1, X.shape[1])[:-1]
        yield Curve(moved[:, 0], rows, label=self.symbols[0], role="predicted")
        yield Points(rows, trial.measured.reshape(-1, X.shape[1])[:-1, 0], label=self.symbols[1])
        yield Points(rows, (P.T @ moved)[:, 0], label="f(X): what invariance gives", role="other")
