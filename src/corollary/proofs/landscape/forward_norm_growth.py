r"""One layer multiplies the mean square by dσ²; t layers do it t times.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Corollary 49.
"""

import math

import torch
from torch import Tensor

from corollary.claims.landscape.forward_norm_growth import ForwardNormGrowth
from corollary.core import Proof, eq, let

NEAR = 0.03  # 20 deviations of the mean of all entries


def proof(claim: ForwardNormGrowth, given: Tensor) -> Proof:
    d, s2, t = claim.d, claim.gain / claim.d, len(given)
    a = torch.full((d,), d**-0.5, dtype=given.dtype)
    mean, second = given.mean(), given.square().mean()
    yield "For independent entries with the mean and the mean square of those drawn:"
    yield let(r"\mathbb E\|Wa\|^2", d * ((second - mean**2) * a @ a + mean**2 * a.sum() ** 2))
    by = "the entries have mean zero: no cross terms"
    yield eq(r"d\,\mathbb E[w^2]\,\|a\|^2", d * second * (a @ a), by, within=NEAR)
    yield eq(r"d\sigma^2\|a\|^2", d * s2 * (a @ a), "their variance is σ²", within=NEAR)
    powers = torch.arange(1.0, t + 1, dtype=given.dtype)
    grown = torch.ones(t, dtype=given.dtype)
    for k in range(t):
        grown[k] = d * s2 * (grown[k - 1] if k else 1.0)
    yield "Layer after layer, for W^k is independent of what it reads:"
    yield let(r"\mathbb E\|W^{t:1}x\|^2", grown)
    yield eq(r"(d\sigma^2)^t\|x\|^2", (d * s2) ** powers, "induction")


def tight(claim: ForwardNormGrowth) -> Tensor:
    """Entries that are exactly plus or minus σ, half of each."""
    signs = torch.ones(claim.t, 10, claim.d, claim.d, dtype=torch.float64)
    signs[:, ::2] = -1
    return signs * math.sqrt(claim.gain / claim.d)
