r"""Rademacher complexity of a ball of matrices.

For :math:`\mathcal F=\{U\mapsto\langle U,V\rangle_F:\|V\|_F\le1\}` the supremum is a norm, and on
the summands :math:`H_1,\dots,H_m` of the tangent kernel of a two-layer network with
:math:`|\sigma'|\le B`

.. math:: \mathcal R(\mathcal F|_{\mathcal H})
    =\frac1m\,E_\epsilon\Bigl\|\sum_{i=1}^m\epsilon_iH_i\Bigr\|_F
    \le\frac{B^2\|X\|_F^2}{\sqrt m} .

Random signs make the sum grow like :math:`\sqrt m`, not m: that is all there is to it.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2b.
:kind: bound
:cost: instant
:covers: ntk-rademacher-matrix-class
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.theory.generalization.tangent_concentration import (
    ntk_summands,
    rademacher_matrix_bound,
)
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    """Weights, inputs, and rows of signs."""

    W: Float[Tensor, "m d"]
    X: Float[Tensor, "n d"]
    signs: Float[Tensor, "r m"]


@dataclass(frozen=True)
class MatrixBallComplexity(Claim[Given]):
    """The mean norm of randomly signed sums against the bound."""

    m: int = option(400, low=8, high=5000)  # units
    n: int = option(6, low=1, high=50)  # inputs
    d: int = option(4, low=1, high=50)  # dimension
    draws: int = option(200, low=2, high=5000)  # draws of signs
    relation = at_most()  # a sample: its interval decides

    def given(self, rng: Generator) -> Given:
        """Normal weights, inputs of length 1, independent signs."""
        W = torch.randn(self.m, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        X = torch.randn(self.n, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        coins = torch.randint(0, 2, (self.draws, self.m), generator=rng, device=rng.device)
        return Given(W, X / X.norm(dim=1, keepdim=True), 1 - 2 * coins.to(torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Signs that look like coins."""
        r, m = given.signs.shape
        means = given.signs.mean(dim=1)
        looks = bool((means.abs() <= 6 / m**0.5).all())
        yield Hypothesis("the signs are independent coins", looks, f"{r} rows of {m}")

    def predict(self, given: Given) -> float:
        """The bound; ReLU has B = 1."""
        return rademacher_matrix_bound(len(given.W), given.X)

    def measure(self, given: Given) -> Sample:
        """Norms of signed means."""
        return Sample(_norms(given, len(given.W)).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """All signs equal: nothing cancels, and the norm does not decay (inputs all the same)."""
        given = self.given(rng)
        same = given.X[:1].expand_as(given.X).clone()
        return given._replace(X=same, signs=torch.ones_like(given.signs))

    def figure(self, given: Given) -> Figure:
        """Along the number of units."""
        sizes = sorted({max(1, len(given.W) * k // 64) for k in (1, 2, 4, 8, 16, 32, 64)})
        norms = [_norms(given, m) for m in sizes]
        return Figure(
            "Random signs cancel",
            x="m",
            y="‖(1/m) Σ ε_i H_i‖_F",
            log_x=True,
            log_y=True,
            marks=(
                Curve(
                    [rademacher_matrix_bound(m, given.X) for m in sizes],
                    x=sizes,
                    label="B²‖X‖²_F / √m",
                    role="predicted",
                ),
                Points(
                    sizes,
                    [float(v.mean()) for v in norms],
                    label="mean over signs (bars: 5 % to 95 %)",
                    low=[float(v.quantile(0.05)) for v in norms],
                    high=[float(v.quantile(0.95)) for v in norms],
                ),
            ),
        )


def _norms(given: Given, m: int) -> Tensor:
    H = ntk_summands(given.W[:m], given.X, activation("relu")).flatten(1)
    return (given.signs[:, :m] @ H).norm(dim=1) / m
