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
:loose: The bound treats every summand as if it had the norm B²‖X‖²; even for one unit and one input
    it is 10 at δ = 0.05, and the deviation 1/2.
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

from corollary.core import Claim, Kept, Suppose, Trial, at_most, mean_is, normal, option
from corollary.core.figure import Curve, Figure, Points
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.tangent_concentration import (
    ntk_concentration_bound,
    sampled_gram,
)
from corollary.theory.kernels.two_layer import h_infinity
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    """Inputs of length 1, weights of many networks, and the output weights of each."""

    X: Float[Tensor, "n d"]
    W: Float[Tensor, "r m d"]
    a: Float[Tensor, "r m"]


def parallel(given: Given, rng: Generator) -> Given:
    """One input, repeated, and wide networks: the bound is small."""
    X, W = torch.zeros_like(given.X), normal(rng, 100, 4096, given.X.shape[1])
    X[:, 0] = 1.0
    return Given(X, W, torch.ones(W.shape[:2], dtype=torch.float64))


def small_outputs(given: Given, rng: Generator) -> Given:
    """Output weights 0.1, as the problem allows: the kernel is a hundredth of what it was."""
    wide = parallel(given, rng)
    return wide._replace(a=0.1 * wide.a)


def copies(given: Given, rng: Generator) -> Given:
    """All units are copies of one: the mean of copies does not concentrate."""
    wide = parallel(given, rng)
    return wide._replace(W=wide.W[:, :1].expand_as(wide.W))


def one_sided(given: Given, rng: Generator) -> Given:
    """Weights with a positive mean: all units are active on the same inputs."""
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
            "the weights have the law of which G is the mean",
            lambda g: mean_is(g.W[:, 0]),
            without=one_sided,
        ),
    )
    symbols = "⋆", "1 − δ quantile of ‖G − Ĝ‖₂"
    rows = "m/64 units", "m/16 units", "m/4 units", "m units"

    def given(self, rng: Generator) -> Given:
        X, W = normal(rng, self.n, self.d), normal(rng, self.runs, self.m, self.d)
        return Given(X / X.norm(dim=1, keepdim=True), W, normal(rng, self.runs, self.m).sign())

    def predict(self, given: Given) -> list[float]:
        """ReLU has B = 1."""
        return [ntk_concentration_bound(given.X, 1.0, m, self.delta) for m in widths(given)]

    def measure(self, given: Given) -> Kept:
        """A value above the quantile, with confidence 0.99."""
        G, relu = h_infinity(given.X), activation("relu")
        off = [
            torch.linalg.matrix_norm(
                sampled_gram(given.W[:, :m], given.X, relu, given.a[:, :m]) - G, ord=2
            )
            for m in widths(given)
        ]
        return Kept([upper_quantile(v, self.delta) for v in off], off=off)

    def figure(self, trial: Trial[Given]) -> Figure:
        """Along the width, on the same networks cut short."""
        X, off, m, d = trial.given.X, trial.kept.off, widths(trial.given), self.delta
        sharp = [ntk_concentration_bound(X, 1.0, k, d, sharp=True) for k in m]
        low, middle = [float(v.min()) for v in off], [float(v.median()) for v in off]
        label = "median (bars: smallest to 1 − δ quantile)"
        marks = (
            Curve(trial.predicted, m, label="⋆", role="predicted"),
            Curve(sharp, m, label="⋆ with ‖XXᵀ‖_F", role="predicted", dashed=True),
            Points(m, middle, label=label, low=low, high=trial.measured),
        )
        axes = {"x": "m", "y": "‖G − Ĝ‖₂", "log_x": True, "log_y": True}
        return Figure("The tangent kernel settles like 1/√m", marks=marks, **axes)


def widths(given: Given) -> list[int]:
    """Four widths, each four times the one before."""
    return [max(1, given.W.shape[1] // k) for k in (64, 16, 4, 1)]
