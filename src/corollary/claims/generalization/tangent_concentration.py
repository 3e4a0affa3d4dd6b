r"""Concentration of the sampled tangent kernel.

Let :math:`f(x)=\frac1{\sqrt m}\sum_ka_k\sigma(w_k^\top x)` with :math:`a_k=\pm1`, independent
:math:`w_k` and :math:`|\sigma'|\le B`. With probability at least :math:`1-\delta` the tangent
kernel :math:`\hat G` of the first layer on inputs X and its expectation G satisfy, for all
:math:`\|u\|\le1` at once,

.. math:: |u^\top Gu-u^\top\hat Gu|\ \le\ \star=\frac{2B^2\|X\|_F^2}{\sqrt m}
    +6B^2\|X\|_F^2\sqrt{\frac{\ln(2/\delta)}{2m}} .

Checked as what it says of a quantile: the :math:`1-\delta` quantile of :math:`\|G-\hat G\|_2` over
many networks is at most :math:`\star`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2c, (8.28), Theorem 66.
:kind: bound
:cost: instant
:covers: ntk-quadratic-form-concentration
:erratum: [typo] Theorem 66 bounds f(H) minus the mean of f(H_k) with a slack over 2n; it must be E
    f(H), and 2m with m the number of matrices, as in (8.28). [missing hypothesis] The problem
    allows |a_k| <= 1, but G_hat is the tangent kernel only for a_k = +-1: otherwise the summands
    are weighted by a_k^2. With all a_k = 0.1 the kernel is G_hat/100, and its distance from G at m
    = 4096 is three times the bound for parallel inputs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.generalization.tangent_concentration import (
    ntk_concentration_bound,
    sampled_gram,
)
from corollary.theory.kernels.two_layer import h_infinity
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    """Inputs of length 1, weights of many networks, and the output weight all units have."""

    X: Float[Tensor, "n d"]
    W: Float[Tensor, "r m d"]
    a: float  # |a_k|


@dataclass(frozen=True)
class TangentConcentration(Claim[Given]):
    """The largest deviation of quadratic forms over many ReLU networks."""

    m: int = option(256, low=16, high=20_000)  # units
    n: int = option(8, low=1, high=100)  # inputs
    d: int = option(3, low=1, high=100)  # dimension
    runs: int = option(200, low=20, high=2000)  # networks
    delta: float = option(0.05, low=1e-6, high=0.5)  # probability of failure
    relation = at_most(ulps=64)  # a quantile of norms, far from the bound

    def given(self, rng: Generator) -> Given:
        """Normal weights."""
        X = torch.randn(self.n, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        shape = self.runs, self.m, self.d
        W = torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(X / X.norm(dim=1, keepdim=True), W, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Output weights and units."""
        yield Hypothesis("the output weights are -1 or 1", given.a == 1)
        distinct = len(given.W[0].unique(dim=0)) == given.W.shape[1]
        yield Hypothesis("the units are drawn independently", distinct)

    def predict(self, given: Given) -> float:
        """The bound; ReLU has B = 1."""
        return ntk_concentration_bound(given.X, 1.0, given.W.shape[1], self.delta)

    def measure(self, given: Given) -> float:
        """The 1 - delta quantile of the spectral norm, rounded up to a run."""
        return float(_deviations(given).quantile(1 - self.delta, interpolation="higher"))

    def counterexample(self, rng: Generator) -> Given:
        """Output weights 0.1, as the problem allows: the kernel is a hundredth of what it was."""
        x = torch.zeros(self.n, self.d, dtype=torch.float64, device=rng.device)
        x[:, 0] = 1.0
        shape = 4, 4096, self.d
        W = torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(x, W, 0.1)

    def figure(self, given: Given) -> Figure:
        """Along the width, on the same networks cut short."""
        sizes = [max(1, given.W.shape[1] * k // 64) for k in (1, 2, 4, 8, 16, 32, 64)]
        sizes = sorted(set(sizes))
        found = [_deviations(given._replace(W=given.W[:, :m])) for m in sizes]
        bound = [ntk_concentration_bound(given.X, 1.0, m, self.delta) for m in sizes]
        sharp = [ntk_concentration_bound(given.X, 1.0, m, self.delta, sharp=True) for m in sizes]
        return Figure(
            "The tangent kernel settles like 1/√m",
            x="m",
            y="‖G − Ĝ‖₂",
            log_x=True,
            log_y=True,
            marks=(
                Curve(bound, x=sizes, label="⋆", role="predicted"),
                Curve(sharp, x=sizes, label="⋆ with ‖XXᵀ‖_F", role="predicted", dashed=True),
                Points(
                    sizes,
                    [float(v.median()) for v in found],
                    label="median (bars: smallest to 1 − δ quantile)",
                    low=[float(v.min()) for v in found],
                    high=[float(v.quantile(1 - self.delta)) for v in found],
                ),
            ),
        )


def _deviations(given: Given) -> Tensor:
    G = h_infinity(given.X)
    sampled = given.a**2 * sampled_gram(given.W, given.X, activation("relu"))
    return torch.linalg.matrix_norm(sampled - G, ord=2)
