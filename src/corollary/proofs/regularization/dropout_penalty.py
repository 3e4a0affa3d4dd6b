r"""A mean square is a squared mean and a variance.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 74.
"""

from itertools import product

import torch
from torch import Tensor

from corollary.claims.regularization.dropout_penalty import DropoutPenalty, Given
from corollary.core import Proof, eq, let


def masks(m: int, p: float, inverted: bool) -> tuple[Tensor, Tensor]:
    """All diagonals of B, and their probabilities."""
    kept = torch.tensor(list(product((0.0, 1.0), repeat=m)), dtype=torch.float64)
    odds = (1 - p) ** kept.sum(1) * p ** (m - kept.sum(1))
    return kept / (1 - p) if inverted else kept, odds


def proof(claim: DropoutPenalty, given: Given) -> Proof:
    W, A, Y, inverted = given
    p = claim.rates[1]
    B, odds = masks(W.shape[1], p, inverted)
    out = torch.einsum("bm,nm,km->bnk", B, A, W)
    yield "For each example and output, over all masks:"
    yield let(r"\mathbb E(y_j - W_jBa)^2", torch.einsum("b,bnk->nk", odds, (Y - out).square()))
    mean = torch.einsum("b,bnk->nk", odds, out)
    spread = torch.einsum("b,bnk->nk", odds, (out - mean).square())
    tex = r"(\mathbb E[y_j - W_jBa])^2 + \operatorname{var}[W_jBa]"
    yield eq(tex, (Y - mean).square() + spread, "the definition of the variance")
    plain = (Y - A @ W.T).square()
    yield eq(r"(y_j - W_ja)^2 + \operatorname{var}[W_jBa]", plain + spread, "𝔼B = I")
    single = odds @ B[:, 0].square() - (odds @ B[:, 0]) ** 2
    parts = A.square() @ W.square().T
    tex = r"(y_j - W_ja)^2 + \sum_l(W_{jl}a_l)^2\operatorname{var}[B_{ll}]"
    yield eq(tex, plain + single * parts, "B is diagonal, its entries are uncorrelated")
    tex = r"(y_j - W_ja)^2 + \tfrac p{1-p}\sum_l(W_{jl}a_l)^2"
    yield eq(tex, plain + p / (1 - p) * parts, "var B = p/(1 − p)")
    yield "Summed over outputs, averaged over examples:"
    yield let(r"L_{Drop}", torch.einsum("b,bnk->", odds, (Y - out).square()) / len(Y))
    penalty = (W.square().sum(0) * A.square().mean(0)).sum()
    whole = plain.sum() / len(Y) + p / (1 - p) * penalty
    yield eq(r"L + \tfrac p{1-p}\sum_l\|W_{:l}\|^2\hat a_l^2", whole, "sums change places")


def as_printed(claim: DropoutPenalty, given: Given) -> Proof:
    """The proof starts from B ~ Ber(1 − p), whose mean is not 1."""
    B, odds = masks(given.W.shape[1], claim.rates[1], inverted=False)
    yield let(r"\mathbb E[B_{ii}]", odds @ B)
    yield eq("1", torch.ones(B.shape[1], dtype=B.dtype), "B ~ Ber(1 − p)", wrong=True)
