r"""One projection makes symmetric scores.

With one matrix U for queries and keys the scores :math:`S=XUU^\top X^\top` are a Gram matrix,

.. math:: w^\top Sz=\langle U^\top X^\top w,\;U^\top X^\top z\rangle=z^\top Sw,\qquad
   z^\top Sz=\|U^\top X^\top z\|^2\ge0 :

symmetric and positive semidefinite, of rank at most that of U. "i asks for j" and "j asks for i"
cannot differ before the softmax. Separate :math:`W_Q` and :math:`W_K` have neither property.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Adjustable Parameters.
:kind: identity
:cost: instant
:covers: shared-projection-attention
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, HeatMap, Hypothesis, equals, option
from corollary.models.attention.single_head import SharedAttention


class Given(NamedTuple):
    """A sequence, the projections of queries and keys, and pairs of test vectors."""

    X: Float[Tensor, "T d"]
    W_q: Float[Tensor, "d k"]
    W_k: Float[Tensor, "d k"]
    w: Float[Tensor, "m T"]
    z: Float[Tensor, "m T"]


@dataclass(frozen=True)
class SharedProjectionScores(Claim[Given]):
    """The form of the scores in both orders, and with itself."""

    T: int = option(8, low=2, high=200)  # length of the sequence
    d: int = option(5, high=64)  # numbers a position
    k: int = option(3, high=64)  # width of the projection
    m: int = option(16, high=200)  # pairs of test vectors
    relation = equals(ulps=4096, scale=1.0)  # T² products of either sign

    def given(self, rng: Generator) -> Given:
        """Gaussian sequence, projection and test vectors."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64)

        U = normal(self.d, self.k) / self.d**0.5
        return Given(normal(self.T, self.d), U, U, normal(self.m, self.T), normal(self.m, self.T))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One projection."""
        yield Hypothesis("queries and keys share one projection", torch.equal(given.W_q, given.W_k))

    def predict(self, given: Given) -> list[float]:
        """Products of projected vectors, twice, and squared lengths."""
        w, z = ((v @ given.X) @ given.W_q for v in (given.w, given.z))
        cross = (w * z).sum(dim=1).tolist()
        return [*cross, *cross, *z.square().sum(dim=1).tolist()]

    def measure(self, given: Given) -> list[float]:
        """The form of the scores."""
        S, w, z = _scores(given), given.w, given.z
        forms = [((a @ S) * b).sum(dim=1).tolist() for a, b in ((w, z), (z, w), (z, z))]
        return [value for form in forms for value in form]

    def counterexample(self, rng: Generator) -> Given:
        """A projection of its own for the keys."""
        given = self.given(rng)
        W_k = torch.randn(self.d, self.k, generator=rng, dtype=torch.float64) / self.d**0.5
        return given._replace(W_k=W_k)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The scores and the weights that the softmax makes of them."""
        edges = (0.5, len(given.X) + 0.5)
        S = _scores(given)
        scores = HeatMap(S.tolist(), x=edges, y=edges, label="S", role="measured")
        weights = HeatMap(S.softmax(dim=1).tolist(), x=edges, y=edges, label="softmax of the rows")
        return (
            Figure("Scores are symmetric", x="position j", y="position i", marks=(scores,)),
            Figure("Weights are not", x="position j", y="position i", marks=(weights,)),
        )


def _scores(given: Given) -> Tensor:
    if torch.equal(given.W_q, given.W_k):
        return SharedAttention(given.W_q).scores(given.X).detach()
    return (given.X @ given.W_q) @ (given.X @ given.W_k).T
