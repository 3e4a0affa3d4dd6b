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
:uses: rademacher_bound, matrix_ball_complexity
:loose: The bound assumes that every summand has norm B²‖X‖²; even for one unit and one input, the
    bound is 10 at δ = 0.05, and the deviation is 1/2.
:covers: ntk-quadratic-form-concentration
:erratum: [typo] Theorem 66 bounds f(H) minus the mean of f(H_k) with a slack over 2n; it must be E
    f(H), and 2m with m the number of matrices, as in (8.28). [missing hypothesis] The problem
    allows |a_k| <= 1, but G_hat is the tangent kernel only for a_k = +-1: otherwise the summands
    are weighted by a_k^2. With all a_k = 0.1 the kernel is G_hat/100, and its distance from G at m
    = 4096 is three times the bound for parallel inputs.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, mean_is, normal, option
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.tangent_concentration import (
    ntk_concentration_bound,
    sampled_gram,
)
from corollary.theory.kernels.two_layer import h_infinity
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    X: Float[Tensor, "n d"]  # inputs of length 1
    W: Float[Tensor, "r m d"]  # weights of many networks
    a: Float[Tensor, "r m"]  # output weights of each

    @property
    def widths(self) -> list[int]:
        """Four widths, each four times the one before."""
        return [max(1, self.W.shape[1] // k) for k in (64, 16, 4, 1)]


def parallel(given: Given, rng: Generator) -> Given:
    """One input, repeated, and wide networks: the bound is small."""
    X, W = torch.zeros_like(given.X), normal(rng, 100, 4096, given.X.shape[1])
    X[:, 0] = 1.0
    return Given(X, W, torch.ones(W.shape[:2], dtype=torch.float64))


def small_outputs(given: Given, rng: Generator) -> Given:
    """The output weights are 0.1, as the problem allows, and the kernel is 100 times smaller."""
    wide = parallel(given, rng)
    return wide._replace(a=0.1 * wide.a)


def copies(given: Given, rng: Generator) -> Given:
    """All units are copies of one unit, so the mean does not concentrate."""
    wide = parallel(given, rng)
    return wide._replace(W=wide.W[:, :1].expand_as(wide.W))


def one_sided(given: Given, rng: Generator) -> Given:
    """The weights have a positive mean, so all units are active on the same inputs."""
    wide = parallel(given, rng)
    return wide._replace(W=wide.W.abs())


class TangentConcentration(Claim[Given]):
    m: int = option(256, low=64, high=20_000)  # units of the widest
    n: int = option(8, low=1, high=100)  # inputs
    d: int = option(3, low=1, high=100)  # dimension
    runs: int = option(200, low=100, high=2000)  # networks
    delta: float = option(0.05, low=0.05, high=0.5)  # probability of failure

    relation = at_most(ulps=64)  # a quantile with its confidence built in
    supposes = (
        Suppose(
            "the output weights are -1 or 1",
            lambda g: bool((g.a.abs() == 1).all()),
            without=small_outputs,
        ),
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
    symbols = "⋆", "1 − δ quantile of ‖G − Ĝ‖₂"
    shows = Along(
        "The sampled tangent kernel converges with the width",
        x="m",
        at="widths",
        log="xy",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        X, W = normal(rng, self.n, self.d), normal(rng, self.runs, self.m, self.d)
        return Given(X / X.norm(dim=1, keepdim=True), W, normal(rng, self.runs, self.m).sign())

    def predict(self, given: Given) -> list[float]:
        return [ntk_concentration_bound(given.X, 1.0, m, self.delta) for m in given.widths]

    def measure(self, given: Given) -> list[float]:
        G, relu = h_infinity(given.X), activation("relu")
        grams = [sampled_gram(given.W[:, :m], given.X, relu, given.a[:, :m]) for m in given.widths]
        return [upper_quantile(torch.linalg.matrix_norm(K - G, ord=2), self.delta) for K in grams]
