r"""Put the bound of a Gaussian product into the lemma, and the layer drops out.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 52.
"""

import torch
from torch import Tensor

from corollary.claims.landscape.deep_linear_gradient import DeepLinearGradient
from corollary.core import Proof, eq, le, let
from corollary.theory.landscape.random_products import gram_fourth_moment


def proof(claim: DeepLinearGradient, given: Tensor) -> Proof:
    d, s2, L = claim.d, claim.gain / claim.d, claim.L
    x, y = torch.eye(d, dtype=given.dtype)[:2, :, None]
    rest = torch.eye(d, dtype=given.dtype).expand_as(given[0])
    for W in given[1:L]:
        rest = W @ rest
    gradient = rest.mT @ (rest @ given[0] @ x - y) @ x.T
    k = torch.arange(1.0, L + 1, dtype=given.dtype)
    second, f = 2 * (d * s2) ** (L - 1), s2**2 * d * (d + 2)
    grams = torch.tensor([gram_fourth_moment(d, s2, L - j) for j in range(1, L + 1)]).double()
    yield "For k = 1, the layer that is furthest from the loss:"
    yield let(r"\mathbb E\|\partial\ell/\partial W^1\|_F^2", gradient.square().sum((1, 2)).mean())
    lemma = 2 * s2 * f ** (k - 1) * grams + second
    by = "the lemma on one layer; the mean over draws stands for 𝔼"
    tex = r"2\sigma^2\rho\,[\sigma^4d(d+2)]^{k-1}\,\mathbb E\|W^{k+1:L}W^{L:k+1}\|_F^2"
    more = r" + 2\gamma(d\sigma^2)^{L-1}"
    yield le(tex + more, lemma[0], by, loose=2.2)
    yield "For every k:"
    yield let(tex + more, lemma)
    bound = 2 * s2 * f ** (k - 1) * s2 ** (2 * (L - k)) * (d * (d + 2)) ** (L - k + 1) / 3 + second
    by = "the bound on a Gaussian product"
    tex = r"\tfrac23\sigma^2\rho\,[\sigma^4d(d+2)]^{k-1}\sigma^{4(L-k)}(d(d+2))^{L-k+1}"
    yield le(tex + more, bound, by)
    total = 2 / (3 * s2) * f**L + second
    yield eq(r"\tfrac{2\rho}{3\sigma^2}[\sigma^4d(d+2)]^L" + more, total, "exponents added")
