r"""Extreme eigenvalues of the sampled tangent kernel.

In the setting of the concentration of the tangent kernel, with probability at least
:math:`1-\delta`

.. math:: \lambda_{\min}(\hat G)\ge\lambda_{\min}(G)-\star,\qquad
    \lambda_{\max}(\hat G)\le\lambda_{\max}(G)+\star ,

by Weyl's inequality. So the kernel is positive definite, and gradient descent fits the data, from a
width of order :math:`(B^2\|X\|_F^2/\lambda_{\min}(G))^2` on.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2d.
:kind: bound
:uses: tangent_concentration, weyl, h_infinity
:loose: The bound is a bound on the whole matrix, for any bounded summands; a single eigenvalue
    deviates by a fortieth of the bound.
:covers: ntk-eigenvalue-concentration
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, at_most, mean_is, normal, option
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.tangent_concentration import (
    ntk_eigen_bounds,
    sampled_gram,
)
from corollary.theory.kernels.two_layer import h_infinity
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    """Inputs of length 1 and weights of many networks."""

    X: Float[Tensor, "n d"]
    W: Float[Tensor, "r m d"]


def parallel(given: Given, rng: Generator) -> Given:
    """One input, repeated, and wide networks: the bound is small."""
    X = torch.zeros_like(given.X)
    X[:, 0] = 1.0
    return Given(X, normal(rng, 100, 4096, X.shape[1]))


def copies(given: Given, rng: Generator) -> Given:
    """All units are copies of one unit, so the mean does not concentrate."""
    X, W = parallel(given, rng)
    return Given(X, W[:, :1].expand_as(W))


def one_sided(given: Given, rng: Generator) -> Given:
    """The weights have a positive mean, so all units are active, and the kernel doubles."""
    X, W = parallel(given, rng)
    return Given(X, W.abs())


class TangentEigenvalues(Claim[Given]):
    m: int = option(512, low=16, high=20_000)  # units
    n: int = option(4, low=2, high=100)  # inputs
    d: int = option(3, low=2, high=100)  # dimension
    runs: int = option(200, low=100, high=2000)  # networks
    delta: float = option(0.05, low=0.05, high=0.5)  # probability of failure

    relation = at_most(ulps=64)  # quantiles with their confidence built in
    supposes = (
        Suppose(
            "the units are drawn independently",
            lambda g: len(g.W[0].unique(dim=0)) == g.W.shape[1],
            without=copies,
        ),
        Suppose(
            "the weights come from the distribution that defines G",
            lambda g: mean_is(g.W[:, 0]),
            without=one_sided,
        ),
    )
    symbols = "⋆", "1 − δ quantile"
    rows = "λ_min(G) − λ_min(Ĝ)", "λ_max(Ĝ) − λ_max(G)"
    shows = Sweep(
        "Wide enough, the kernel is positive definite",
        "m",
        (64, 128, 256, 512, 1024),
        y=rows[0],
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.n, self.d)
        return Given(X / X.norm(dim=1, keepdim=True), normal(rng, self.runs, self.m, self.d))

    def predict(self, given: Given) -> list[float]:
        G, m = h_infinity(given.X), given.W.shape[1]
        low, high = ntk_eigen_bounds(G, given.X, 1.0, m, self.delta)
        values = torch.linalg.eigvalsh(G)
        return [float(values[0]) - low, high - float(values[-1])]

    def measure(self, given: Given) -> list[float]:
        values, found = torch.linalg.eigvalsh(h_infinity(given.X)), _spectra(*given)
        strays = values[0] - found[:, 0], found[:, -1] - values[-1]
        return [upper_quantile(s, self.delta) for s in strays]


def _spectra(X: Tensor, W: Tensor) -> Tensor:
    values: Tensor = torch.linalg.eigvalsh(sampled_gram(W, X, activation("relu")))
    return values
