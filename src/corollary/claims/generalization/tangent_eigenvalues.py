r"""Extreme eigenvalues of the sampled tangent kernel.

In the setting of the concentration of the tangent kernel, with probability at least
:math:`1-\delta`

.. math:: \lambda_{\min}(\hat G)\ge\lambda_{\min}(G)-\star,\qquad
    \lambda_{\max}(\hat G)\le\lambda_{\max}(G)+\star ,

by Weyl's inequality. So the kernel is positive definite, and gradient descent fits the data, from a
width of order :math:`(B^2\|X\|_F^2/\lambda_{\min}(G))^2` on.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2d.
:kind: bound
:cost: instant
:covers: ntk-eigenvalue-concentration
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.theory.generalization.tangent_concentration import (
    ntk_concentration_bound,
    ntk_eigen_bounds,
    sampled_gram,
    width_for_positive_definiteness,
)
from corollary.theory.kernels.two_layer import h_infinity
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    """Inputs of length 1 and weights of many networks."""

    X: Float[Tensor, "n d"]
    W: Float[Tensor, "r m d"]


@dataclass(frozen=True)
class TangentEigenvalues(Claim[Given]):
    """How far the extreme eigenvalues stray beyond those of the expectation."""

    m: int = option(512, low=16, high=20_000)  # units
    n: int = option(4, low=2, high=100)  # inputs
    d: int = option(3, low=2, high=100)  # dimension
    runs: int = option(200, low=20, high=2000)  # networks
    delta: float = option(0.05, low=1e-6, high=0.5)  # probability of failure
    relation = at_most(ulps=64)  # quantiles of eigenvalues, far from the bound

    def given(self, rng: Generator) -> Given:
        """Normal weights."""
        X = torch.randn(self.n, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        shape = self.runs, self.m, self.d
        W = torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(X / X.norm(dim=1, keepdim=True), W)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Units that are not copies of each other."""
        distinct = len(given.W[0].unique(dim=0)) == given.W.shape[1]
        yield Hypothesis("the units are drawn independently", distinct)

    def predict(self, given: Given) -> list[float]:
        """How far each may stray: below the smallest, above the largest."""
        G, m = h_infinity(given.X), given.W.shape[1]
        low, high = ntk_eigen_bounds(G, given.X, 1.0, m, self.delta)
        values = torch.linalg.eigvalsh(G)
        return [float(values[0]) - low, high - float(values[-1])]

    def measure(self, given: Given) -> list[float]:
        """The 1 - delta quantiles of both deviations."""
        values = torch.linalg.eigvalsh(h_infinity(given.X))
        found = _spectra(given.X, given.W)
        strays = values[0] - found[:, 0], found[:, -1] - values[-1]
        return [float(s.quantile(1 - self.delta, interpolation="higher")) for s in strays]

    def counterexample(self, rng: Generator) -> Given:
        """All units are copies of one: the mean of copies does not concentrate."""
        x = torch.zeros(self.n, self.d, dtype=torch.float64, device=rng.device)
        x[:, 0] = 1.0
        one = torch.randn(40, 1, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(x, one.expand(40, 4096, self.d))

    def figure(self, given: Given) -> Figure:
        """The drop of the smallest eigenvalue along the width: below λ_min(G) it stays positive."""
        smallest = float(torch.linalg.eigvalsh(h_infinity(given.X))[0])
        sizes = sorted({max(1, given.W.shape[1] * k // 64) for k in (1, 2, 4, 8, 16, 32, 64)})
        found = [(smallest - _spectra(given.X, given.W[:, :m])[:, 0]).abs() for m in sizes]
        needed = width_for_positive_definiteness(smallest, given.X, 1.0, self.delta)
        wide = [*sizes, needed, 4 * needed]
        star = [ntk_concentration_bound(given.X, 1.0, m, self.delta) for m in wide]
        return Figure(
            "Wide enough, the kernel is positive definite",
            x="m",
            y="|λ_min(Ĝ) − λ_min(G)|",
            log_x=True,
            log_y=True,
            marks=(
                Curve(star, x=wide, label="⋆", role="predicted"),
                Level(smallest, label="λ_min(G): definite below", role="other"),
                Level(needed, label="width that ⋆ asks for", axis="x", role="other"),
                Points(
                    sizes,
                    [float(v.median()) for v in found],
                    label="median (bars: 5 % to 95 %)",
                    low=[float(v.quantile(0.05)) for v in found],
                    high=[float(v.quantile(0.95)) for v in found],
                ),
            ),
        )


def _spectra(X: Tensor, W: Tensor) -> Tensor:
    return torch.linalg.eigvalsh(sampled_gram(W, X, activation("relu")))
