r"""Given the layer below, a layer is Gaussian; its covariance is a mean over units.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Theorem 57.
"""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from corollary.claims.kernels.nngp_limit import BATCH, SIGMA_B, SIGMA_W, Given, NngpLimit
from corollary.core import Proof, eq, ge, let, normal
from corollary.theory.kernels.recursion import nngp_kernel

WIDTH, BATCHES = 256, 40


def outputs(K: Tensor, rng: Generator) -> Tensor:
    """Outputs of networks, given the covariance that the layers below leave."""
    root: Tensor = torch.linalg.cholesky(K)
    return (root @ normal(rng, *K.shape[:2], 1))[..., 0]


def proof(claim: NngpLimit, given: Given, rng: Generator) -> Proof:
    two = replace(claim, depth=2)
    w, b = normal(rng, BATCH, given.x.shape[1], WIDTH), normal(rng, BATCH, 1, WIDTH)
    first = SIGMA_W / given.fan(given.x.shape[1], WIDTH) ** 0.5 * given.x @ w + SIGMA_B * b
    limit = nngp_kernel(given.x, 1, None, SIGMA_W, SIGMA_B)
    yield "The first layer is a linear map of Gaussian weights: its units are independent copies."
    yield let(r"\operatorname{Cov}f^1", torch.einsum("bkn,bln->kl", first, first) / BATCH / WIDTH)
    by = "fan-in scaling; over 5,000 units"
    yield eq(r"\Sigma^1 = \sigma_w^2\langle x,x'\rangle/d + \sigma_b^2", limit, by, within=0.1)
    K = torch.cat([two.conditional(given, WIDTH, rng) for _ in range(BATCHES)])
    yield "Given the first layer, the second is Gaussian with covariance K; K is a mean over units."
    yield let(r"\mathbb EK", K.mean(0))
    limit = nngp_kernel(given.x, 2, None, SIGMA_W, SIGMA_B)
    by = "𝔼φ(z)φ(z') over the layer below"
    tex = r"\Sigma^2 = \sigma_w^2\mathbb E[\varphi(z)\varphi(z')] + \sigma_b^2"
    yield eq(tex, limit, by, within=0.05)
    yield "What keeps the output from being Gaussian is the spread of K, which falls like 1/n."
    diagonal = K.diagonal(dim1=1, dim2=2)
    yield let(r"\mathbb Ef^4 = 3\,\mathbb EK^2", 3 * diagonal.square().mean(0))
    yield ge(r"3(\mathbb EK)^2", 3 * diagonal.mean(0).square(), "Jensen")


def as_printed(claim: NngpLimit, given: Given, rng: Generator) -> Proof:
    """Theorem 57 is stated without the limit of infinite width; five units are not Gaussian."""
    narrow = replace(claim, depth=2)
    K = torch.cat([narrow.conditional(given, 5, rng) for _ in range(5 * BATCHES)])
    f = outputs(K + 1e-9 * torch.eye(K.shape[1], dtype=K.dtype), rng)
    limit = nngp_kernel(given.x, 2, None, SIGMA_W, SIGMA_B).diagonal()
    yield let(r"\mathbb Ef^4", (f**4).mean(0))
    by = "f is Gaussian at width 5, as printed"
    yield eq(r"3\,\Sigma^2(x,x)^2", 3 * limit.square(), by, within=0.25, wrong=True)
