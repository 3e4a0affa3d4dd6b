r"""Away from x the weights are fresh Gaussians, however the units respond.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Proposition 79.
"""

import math

import torch
from torch import Generator

from corollary.claims.robustness.gradient_norm import Given, GradientNorm
from corollary.core import Proof, eq, ge, let
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere

DRAWS = 2000


def proof(claim: GradientNorm, given: Given, rng: Generator) -> Proof:
    d, k, L = claim.dims[0], claim.k, math.log(2 / claim.gamma)
    net = RandomTwoLayer(d, k, t=DRAWS, rng=rng)
    x = on_sphere(DRAWS, d, rng=rng)
    w = net.w.detach() * math.sqrt(given.weight_variances[0])  # the spread of those that are given
    slopes = net.phi.derivative(torch.einsum("nd,nkd->nk", x, w))
    gradient = torch.einsum("nk,nkd->nd", net.a.detach() * slopes, w) / k**0.5
    across = gradient - (gradient * x).sum(1, keepdim=True) * x / d
    root2 = slopes.square().mean(1)
    yield "Let P project away from x."
    yield let(r"\|\nabla f(x)\|^2", gradient.square().sum(1))
    yield ge(r"\|P\nabla f(x)\|^2", across.square().sum(1), "a projection lengthens nothing")
    yield "Given all ⟨w_j, x⟩, P∇f is a Gaussian vector of d − 1 entries:"
    ratio = (across.square().sum(1) / root2).mean()
    yield let(r"\mathbb E[\|P\nabla f(x)\|^2/\tfrac1k\sum\sigma'^2]", ratio)
    yield eq(r"\tfrac{d-1}d", (d - 1) / d, "the weights have variance 1/d", within=0.02)
    dims = torch.tensor(claim.dims, dtype=x.dtype)
    yield "Its length is a chi-square, of which the lower tail is known."
    yield let(r"d - 1 - 4\sqrt{d\log(2/\gamma)}", dims - 1 - 4 * (dims * L).sqrt())
    tail = dims - 5 * (dims * L).sqrt()
    yield ge(r"d - 5\sqrt{d\log(2/\gamma)}", tail, "d ≥ 1 and γ < 2/e")
    share = tail / dims
    yield let(r"\sqrt{1-5\sqrt{\log(2/\gamma)/d}}", share.sqrt())
    by = "the root of a number below 1 is larger"
    yield ge(r"1-5\sqrt{\log(2/\gamma)/d}", share, by, loose=1.2)
    quantiles = torch.stack([r.quantile(claim.gamma) for r in given.ratios])
    yield "The lengths that are given, at their γ-quantile:"
    yield let(r"q_\gamma(\|\nabla f\|/\sqrt{\tfrac1k\sum\sigma'^2})", quantiles)
    yield ge(r"1-5\sqrt{\log(2/\gamma)/d}", share, "the two bounds above", loose=1.4)
