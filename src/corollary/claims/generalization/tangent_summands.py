r"""Norm bound for the summands of the tangent kernel.

Unit k of a two-layer network contributes
:math:`(H_k)_{ij}=x_i^\top x_j\,\sigma'(w_k^\top x_i)\,\sigma'(w_k^\top x_j)` to the tangent kernel
of the first layer. If :math:`|\sigma'|\le B`,

.. math:: \|H_k\|_F\le B^2\|XX^\top\|_F\le B^2\|X\|_F^2 ,

since :math:`H_k=D_kXX^\top D_k` with a diagonal :math:`D_k` of slopes. Equality for one input with
the steepest slope.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2a.
:kind: bound
:uses: two_layer_gram
:covers: ntk-gram-frobenius-bound
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, below, normal, option
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.theory.generalization.tangent_concentration import (
    gram_frobenius_bound,
    ntk_summands,
)
from corollary.theory.networks.activations import Activation, activation


class Given(NamedTuple):
    W: Float[Tensor, "m d"]  # weights
    X: Float[Tensor, "n d"]  # inputs
    act: Activation  # activation
    B: float  # bound on its slope


class TangentSummands(Claim[Given]):
    m: int = option(200, low=1, high=5000)  # units
    n: int = option(10, low=1, high=100)  # inputs
    d: int = option(5, low=1, high=100)  # dimension
    act: Literal["relu", "tanh", "sigmoid"] = "relu"  # activation

    relation = at_most(ulps=64)  # sums of a hundred products
    supposes = Suppose(
        "|σ'| is at most B",
        lambda g: below(g.act.derivative(g.W @ g.X.T).abs(), g.B),
        "B is a third of the largest slope of the activation.",
        B=lambda g: g.B / 3,
    )
    symbols = "bound", "largest ‖H_k‖_F"
    rows = "B²‖XXᵀ‖_F", "B²‖X‖²_F"

    def given(self, rng: Generator) -> Given:
        act = activation(self.act)
        return Given(normal(rng, self.m, self.d), normal(rng, self.n, self.d), act, act.lipschitz)

    def predict(self, given: Given) -> list[float]:
        return list(gram_frobenius_bound(given.X, given.B))

    def measure(self, given: Given) -> Kept:
        norms = ntk_summands(given.W, given.X, given.act).flatten(1).norm(dim=1)
        return Kept(norms.max(), norms=norms)

    def tight(self) -> Given:
        """One input at which ReLU has its full slope."""
        one = torch.ones(1, 1, dtype=torch.float64)
        return Given(one, one, activation("relu"), 1.0)

    @picture("Frobenius norms of the summands of single units", x="‖H_k‖_F", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Histogram(trial.kept.norms, label=f"{len(trial.given.W)} units")
        for b, r in zip(trial.predicted, self.rows, strict=True):
            yield Level(b, r, axis="x")
