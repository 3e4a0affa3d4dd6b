r"""Attention scores are symmetric if queries and keys share one projection.

With one matrix U for queries and keys the scores :math:`S=XUU^\top X^\top` are a Gram matrix,

.. math:: w^\top Sz=\langle U^\top X^\top w,\;U^\top X^\top z\rangle=z^\top Sw,\qquad
   z^\top Sz=\|U^\top X^\top z\|^2\ge0 :

symmetric and positive semidefinite, of rank at most that of U. "i asks for j" and "j asks for i"
cannot differ before the softmax. Separate :math:`W_Q` and :math:`W_K` have neither property.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Adjustable Parameters.
:kind: identity
:covers: shared-projection-attention
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, HeatMap, Kept, Suppose, Trial, equals, normal, option
from corollary.models.attention.single_head import SharedAttention


class Given(NamedTuple):
    X: Float[Tensor, "T d"]  # a sequence
    W_q: Float[Tensor, "d k"]  # projection of the queries
    W_k: Float[Tensor, "d k"]  # projection of the keys
    w: Float[Tensor, "m T"]  # test vectors
    z: Float[Tensor, "m T"]  # others


def scores(given: Given) -> Float[Tensor, "T T"]:
    """Products of queries and keys."""
    if torch.equal(given.W_q, given.W_k):
        return SharedAttention(given.W_q).scores(given.X).detach()
    return (given.X @ given.W_q) @ (given.X @ given.W_k).T


class SharedProjectionScores(Claim[Given]):
    T: int = option(8, low=2, high=200)  # length of the sequence
    d: int = option(5, high=64)  # numbers per position
    k: int = option(3, high=64)  # width of the projection
    m: int = option(16, high=200)  # pairs of test vectors

    relation = equals(ulps=4096, scale=1.0)  # T² products of either sign
    supposes = Suppose(
        "queries and keys share one projection",
        lambda g: torch.equal(g.W_q, g.W_k),
        "If keys use another projection, the scores are neither symmetric nor positive.",
        W_k=lambda g: g.W_k.roll(1, dims=0),
    )
    symbols = "⟨UᵀXᵀw, UᵀXᵀz⟩", "wᵀSz, zᵀSw and zᵀSz"

    def given(self, rng: Generator) -> Given:
        U = normal(rng, self.d, self.k) / self.d**0.5
        w, z = normal(rng, 2, self.m, self.T)
        return Given(normal(rng, self.T, self.d), U, U, w, z)

    def predict(self, given: Given) -> Tensor:
        w, z = ((v @ given.X) @ given.W_q for v in (given.w, given.z))
        return torch.cat([(a * b).sum(dim=1) for a, b in ((w, z), (w, z), (z, z))])

    def measure(self, given: Given) -> Kept:
        S, w, z = scores(given), given.w, given.z
        forms = [((a @ S) * b).sum(dim=1) for a, b in ((w, z), (z, w), (z, z))]
        return Kept(torch.cat(forms), S=S)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        """The scores and the weights that the softmax makes of them."""
        S, edges = trial.kept.S, (0.5, len(trial.given.X) + 0.5)
        one = HeatMap(S.tolist(), x=edges, y=edges, label="S", role="measured")
        other = HeatMap(S.softmax(dim=1).tolist(), x=edges, y=edges, label="softmax of the rows")
        words: dict[str, Any] = {"x": "position j", "y": "position i"}
        return (
            Figure("Attention scores are symmetric", marks=(one,), **words),
            Figure("Attention weights are not symmetric", marks=(other,), **words),
        )
