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
:uses: rademacher_linear, tangent_summands
:covers: ntk-rademacher-matrix-class
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Curve, Marks, over_runs, picture
from corollary.theory.generalization.rademacher import random_signs
from corollary.theory.generalization.tangent_concentration import (
    ntk_summands,
    rademacher_matrix_ball,
    rademacher_matrix_bound,
)
from corollary.theory.networks.activations import activation


class Given(NamedTuple):
    W: Float[Tensor, "m d"]  # weights
    X: Float[Tensor, "n d"]  # inputs
    signs: Float[Tensor, "r m"]  # rows of signs


class MatrixBallComplexity(Claim[Given]):
    m: int = option(400, low=8, high=5000)  # units
    n: int = option(6, low=1, high=50)  # inputs
    d: int = option(4, low=1, high=50)  # dimension
    draws: int = option(200, low=2, high=5000)  # draws of signs

    relation = at_most()  # a sample: its interval decides
    supposes = Suppose(
        "the signs are independent coins",
        lambda g: bool((g.signs.mean(dim=1).abs() <= 6 / g.signs.shape[1] ** 0.5).all()),
        "All signs are equal, so nothing cancels, and the norm does not decay.",
        X=lambda g: g.X[:1].expand_as(g.X),
        signs=lambda g: torch.ones_like(g.signs),
    )
    symbols = "B²‖X‖²_F / √m", "‖(1/m) Σ ε_i H_i‖_F"

    def given(self, rng: Generator) -> Given:
        W, X = normal(rng, self.m, self.d), normal(rng, self.n, self.d)
        return Given(W, X / X.norm(dim=1, keepdim=True), random_signs(self.draws, self.m, rng=rng))

    def predict(self, given: Given) -> float:
        return rademacher_matrix_bound(len(given.W), given.X)

    def measure(self, given: Given) -> Kept:
        H = ntk_summands(given.W, given.X, activation("relu"))
        return Kept(Sample((given.signs @ H.flatten(1)).norm(dim=1) / len(H)), H=H)

    def tight(self) -> Given:
        """One unit and one input: there is nothing to cancel."""
        one = torch.ones(1, 1, dtype=torch.float64)
        return Given(one, one, torch.tensor([[1.0], [-1.0]], dtype=torch.float64))

    @picture("The Rademacher complexity falls like 1/√m", x="m", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        H, X, rng = trial.kept.H, trial.given.X, torch.Generator().manual_seed(0)
        sizes = sorted({max(1, len(H) * k // 64) for k in (1, 2, 4, 8, 16, 32, 64)})
        norms = torch.stack([rademacher_matrix_ball(H[:m], rng=rng) for m in sizes])
        bound = [rademacher_matrix_bound(m, X) for m in sizes]
        yield Curve(bound, sizes, self.symbols[0], "predicted")
        yield over_runs(sizes, norms, "mean over signs, middle 90 %", share=0.9)
