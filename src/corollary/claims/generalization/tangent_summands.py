r"""Size of the summands of the tangent kernel.

Unit k of a two-layer network contributes
:math:`(H_k)_{ij}=x_i^\top x_j\,\sigma'(w_k^\top x_i)\,\sigma'(w_k^\top x_j)` to the tangent kernel
of the first layer. If :math:`|\sigma'|\le B`,

.. math:: \|H_k\|_F\le B^2\|XX^\top\|_F\le B^2\|X\|_F^2 ,

since :math:`H_k=D_kXX^\top D_k` with a diagonal :math:`D_k` of slopes. Equality for one input with
the steepest slope.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2a.
:kind: bound
:cost: instant
:covers: ntk-gram-frobenius-bound
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, at_most, option
from corollary.theory.generalization.tangent_concentration import (
    gram_frobenius_bound,
    ntk_summands,
)
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    """Weights, inputs, activation, and the bound on its slope."""

    W: Float[Tensor, "m d"]
    X: Float[Tensor, "n d"]
    act: str
    B: float


@dataclass(frozen=True)
class TangentSummands(Claim[Given]):
    """Frobenius norms of the summands, each against both bounds."""

    m: int = option(200, low=1, high=5000)  # units
    n: int = option(10, low=1, high=100)  # inputs
    d: int = option(5, low=1, high=100)  # dimension
    act: Literal["relu", "tanh", "sigmoid"] = "relu"  # activation
    relation = at_most(ulps=64)  # sums of a hundred products

    def given(self, rng: Generator) -> Given:
        """Normal weights and inputs."""
        W = torch.randn(self.m, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        X = torch.randn(self.n, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(W, X, self.act, activation(self.act).lipschitz)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The slope."""
        steepest = float(activation(given.act).derivative(given.W @ given.X.T).abs().max())
        holds = steepest <= given.B * (1 + 1e-12)
        yield Hypothesis("|σ'| is at most B", holds, f"largest {steepest:.3g}, B = {given.B:.3g}")

    def predict(self, given: Given) -> list[float]:
        """By the Gram matrix, and by the inputs' lengths."""
        return list(gram_frobenius_bound(given.X, given.B))

    def measure(self, given: Given) -> float:
        """The largest summand."""
        return float(_norms(given).max())

    def counterexample(self, rng: Generator) -> Given:
        """A single input and ReLU, whose slope is 1, with B said to be 1/2."""
        one = torch.ones(1, 1, dtype=torch.float64, device=rng.device)
        return Given(one, one, "relu", 0.5)

    def figure(self, given: Given) -> Figure:
        """The norms of all summands."""
        sharp, loose = self.predict(given)
        return Figure(
            "Every unit's summand is bounded by the inputs",
            x="‖H_k‖_F",
            y="density",
            marks=(
                Histogram(_norms(given).tolist(), label=f"{len(given.W)} units"),
                Level(sharp, label="B²‖XXᵀ‖_F", axis="x"),
                Level(loose, label="B²‖X‖²_F", axis="x"),
            ),
        )


def _norms(given: Given) -> Tensor:
    H = ntk_summands(given.W, given.X, activation(given.act))
    return H.flatten(1).norm(dim=1)
