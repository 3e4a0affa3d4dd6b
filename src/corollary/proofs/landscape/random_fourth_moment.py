r"""Four indices are paired in three ways, and an entry with itself counts κ.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 50.
"""

from itertools import product

import torch
from torch import Tensor

from corollary.claims.landscape.random_fourth_moment import Given, RandomFourthMoment
from corollary.core import Proof, eq, let


def row_moment(xi: Tensor, kappa: float) -> Tensor:
    """𝔼⟨w, ξ⟩⁴ over all rows of a three-point law of variance 1 and kurtosis κ."""
    values = torch.tensor([-(kappa**0.5), 0.0, kappa**0.5], dtype=xi.dtype)
    odds = torch.tensor([0.5 / kappa, 1 - 1 / kappa, 0.5 / kappa], dtype=xi.dtype)
    which = torch.tensor(list(product(range(3), repeat=len(xi))))
    return odds[which].prod(1) @ (values[which] @ xi) ** 4


def proof(claim: RandomFourthMoment, given: Given) -> Proof:
    W, xi, d = given.W, given.xi[0, 0], claim.d
    kappa = torch.tensor(claim.kurtosis, dtype=W.dtype)
    fourth = torch.stack([row_moment(xi, float(k)) for k in kappa])
    two, four = xi.square().sum() ** 2, (xi**4).sum()
    stretched = torch.einsum("lnij,lnj->lni", W, given.xi).square()
    yield let(r"\mathbb E\|W\xi\|_2^4", stretched.sum(2).square().mean(1))
    by = "rows are independent; means over the draws stand for 𝔼"
    tex = r"\sum_{i\ne j}\mathbb E\langle w_i,\xi\rangle^2\,\mathbb E\langle w_j,\xi\rangle^2"
    rows = d * (d - 1) * two + d * fourth
    yield eq(tex + r" + \sum_i\mathbb E\langle w_i,\xi\rangle^4", rows, by, within=0.1)
    three = 3 * (two - four) + kappa * four
    by = "three pairings of different entries, κ for the same"
    tex = r"d(d-1)\|\xi\|_2^4 + d\,(3(\|\xi\|_2^4-\|\xi\|_4^4) + \kappa\|\xi\|_4^4)"
    yield eq(tex, d * (d - 1) * two + d * three, by)
    total = d * (d + 2) * two + (kappa - 3) * d * four
    yield eq(r"d(d+2)\|\xi\|_2^4 + (\kappa-3)d\|\xi\|_4^4", total, "collected")


def as_printed(claim: RandomFourthMoment, given: Given) -> Proof:
    """Lemma 50 takes an arbitrary random ξ; here it is the direction that W stretches most."""
    W, d = given.W, claim.d
    xi = torch.linalg.eigh(W.mT @ W).eigenvectors[..., -1]
    kappa = torch.tensor(claim.kurtosis, dtype=W.dtype)
    yield let(
        r"\mathbb E\|W\xi\|_2^4",
        torch.einsum("lnij,lnj->lni", W, xi).square().sum(2).square().mean(1),
    )
    four = (xi**4).sum(2).mean(1)
    by = "ξ need not be independent of W, as printed"
    tex = r"d(d+2)\,\mathbb E\|\xi\|_2^4 + (\kappa-3)d\,\mathbb E\|\xi\|_4^4"
    yield eq(tex, d * (d + 2) + (kappa - 3) * d * four, by, within=0.1, wrong=True)
