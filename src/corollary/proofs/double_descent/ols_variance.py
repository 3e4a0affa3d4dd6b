r"""The estimate is off by what least squares makes of the noise.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 81.
"""

from itertools import product

import torch
from torch import Generator

from corollary.claims.double_descent.ols_variance import Given, OlsVariance
from corollary.core import Proof, eq, let
from corollary.data.planted import planted

SETS, SEEN = 400, 8  # training sets; points whose signs are all tried


def proof(claim: OlsVariance, given: Given, rng: Generator) -> Proof:
    n, Sigma, s2 = given.n, given.Sigma, claim.sigma**2
    p = len(Sigma)
    data = planted(n, p, Sigma=Sigma, sigma=claim.sigma, reps=SETS, rng=rng)
    phi, y, star = data.phi, data.y, data.w_star
    inverse = torch.linalg.inv(phi.mT @ phi / n)
    noise = y - phi @ star
    estimate = (inverse @ phi.mT @ y[..., None] / n)[..., 0]
    yield let(r"\bar w = \tfrac1n\bar\Sigma^{-1}\Phi^\top y", estimate)
    pushed = (inverse @ phi.mT @ noise[..., None] / n)[..., 0]
    yield eq(r"w_* + \tfrac1n\bar\Sigma^{-1}\Phi^\top\epsilon", star + pushed, "y = Φw_* + ε")
    yield "Given the features, over noise that is ±σ on a few points, all signs:"
    few, hat = min(SEEN, n), inverse[0] @ phi[0].T / n
    signs = torch.tensor(list(product((-1.0, 1.0), repeat=few)), dtype=Sigma.dtype)
    moved = claim.sigma * signs @ hat[:, :few].T
    yield let(r"\mathbb E_\epsilon\|\bar w-w_*\|_\Sigma^2", (moved @ Sigma * moved).sum(1).mean())
    by = "𝔼εεᵀ = σ²I"
    part = s2 * (Sigma @ hat[:, :few] @ hat[:, :few].T).trace()
    trace = r"\operatorname{tr}(\Sigma\bar\Sigma^{-1}\Phi^\top\Phi\bar\Sigma^{-1})"
    yield eq(r"\tfrac{\sigma^2}{n^2}" + trace, part, by)
    yield "With all points, averaged over the features:"
    whole = n * (Sigma @ inverse @ (phi.mT @ phi / n) @ inverse).diagonal(dim1=1, dim2=2).sum(1)
    yield let(r"\tfrac{\sigma^2}{n^2}\mathbb E" + trace, s2 * whole.mean() / n**2)
    traces = (Sigma @ inverse).diagonal(dim1=1, dim2=2).sum(1).mean()
    tex = r"\tfrac{\sigma^2}n\mathbb E\operatorname{tr}(\Sigma\bar\Sigma^{-1})"
    yield eq(tex, s2 * traces / n, "Φᵀ Φ = nΣ̄ cancels")
    by = "the mean of an inverse Wishart matrix; over 400 training sets"
    yield eq(r"\sigma^2\tfrac p{n-p-1}", s2 * p / (n - p - 1), by, within=0.05)


def as_printed(claim: OlsVariance, given: Given, rng: Generator) -> Proof:
    """The proof calls the quantity 𝔼‖𝔼w̄ − w_*‖², which is the bias, and 0."""
    n, Sigma = given.n, given.Sigma
    data = planted(n, len(Sigma), Sigma=Sigma, sigma=claim.sigma, reps=SETS, rng=rng)
    inverse = torch.linalg.inv(data.phi.mT @ data.phi / n)
    mean = (inverse @ data.phi.mT @ data.y[..., None] / n)[..., 0].mean(0) - data.w_star
    yield let(r"\|\mathbb E\bar w-w_*\|_\Sigma^2", mean @ Sigma @ mean)
    traces = (Sigma @ inverse).diagonal(dim1=1, dim2=2).sum(1).mean()
    tex = r"\tfrac{\sigma^2}n\mathbb E\operatorname{tr}(\Sigma\bar\Sigma^{-1})"
    yield eq(tex, claim.sigma**2 * traces / n, "as printed", within=0.1, wrong=True)
