r"""Two numbers describe a Gaussian product, and a layer multiplies them by a matrix.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2.3, the bound used for Theorem 52.
"""

import torch
from torch import Tensor

from corollary.claims.landscape.random_gram_moment import RandomGramMoment
from corollary.core import Proof, eq, le, let


def proof(claim: RandomGramMoment, given: Tensor) -> Proof:
    d, m = claim.d, len(given)
    M = torch.eye(d, dtype=given.dtype).expand_as(given[0])
    sampled = []
    for W in given:
        M = W @ M
        sampled.append((M.mT @ M).square().sum((1, 2)).mean())
    # t = 𝔼‖MᵀM‖², s = 𝔼(tr MᵀM)²; one more layer of variance 1 mixes them
    step = torch.tensor([[d * d + d, d], [2 * d, d * d]], dtype=given.dtype)
    state, exact = torch.tensor([d, d * d], dtype=given.dtype), []
    for _ in range(m):
        state = step @ state
        exact.append(state[0])
    k = torch.arange(2.0, m + 2, dtype=given.dtype)
    up, down = float(d * (d + 2)), float(d * (d - 1))
    yield let(r"\mathbb E\|M^\top M\|_F^2", torch.stack(sampled))
    by = "fourth moments of a Gaussian layer; means over the draws stand for 𝔼"
    tex = r"\bigl[T^m(d, d^2)^\top\bigr]_1"
    yield eq(tex, torch.stack(exact), by, within=0.08)
    closed = (up**k - down**k) / 3
    by = "T has the eigenvalues d(d + 2) and d(d − 1)"
    yield eq(r"\tfrac13[(d(d+2))^{m+1} - (d(d-1))^{m+1}]", closed, by)
    yield le(r"\tfrac13(d(d+2))^{m+1}", up**k / 3, "a positive term less", loose=1.1)


def as_printed(claim: RandomGramMoment, given: Tensor) -> Proof:
    """The notes use Lemma 48, for a factor independent of the rest, on Wᵀ(…)W with W twice."""
    d, W = claim.d, given[0]
    yield let(r"\mathbb E\|W^\top W\|_F^2", (W.mT @ W).square().sum((1, 2)).mean())
    by = "Lemma 48 with A = Wᵀ, as if it were independent of W"
    tex = r"\sigma^2\,\mathbb E\|W^\top\|_F^2\,\|I\|_F^2"
    yield eq(tex, float(d**2 * d), by, within=0.08, wrong=True)
