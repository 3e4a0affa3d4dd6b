r"""Rank constraint of the bottleneck.

With a code of :math:`m` numbers, :math:`C, D^\top\in\mathbb{R}^{m\times d}`,

.. math:: \operatorname{rank}(DC)\le\min\{\operatorname{rank}C,\operatorname{rank}D\}\le m,
   \qquad\text{so}\qquad \operatorname{rank}(DCX)\le m

for any data :math:`X`. Random matrices attain it; a non-linearity after the decoder breaks it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Rank constraint; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Rank Constraint.
:kind: bound
:uses: linear_composition
:covers: autoencoder-rank-constraint
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, near, normal, option
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    models: list[LinearAutoencoder]  # with codes of 1, 2, ... numbers
    phi: Callable[[Tensor], Tensor]  # applied to the reconstruction


class BottleneckRank(Claim[Given]):
    d: int = option(12, low=2, high=64)  # dimension of a point
    n: int = 40  # points

    relation = at_most()  # ranks are whole numbers
    supposes = Suppose(
        "encoder and decoder are linear",
        lambda g: near(g.phi(-g.x), -g.phi(g.x)),
        "With a ReLU after the decoder, a one-dimensional code already reaches rank two.",
        phi=lambda g: torch.relu,
    )
    symbols = "min{rank C, rank D}", "rank of the reconstructed data, and of DC"
    shows = Along("The size of the code bounds the rank", x="size m of the code", at="codes")

    @property
    def codes(self) -> range:
        """Sizes of the codes."""
        return range(1, self.d)

    def given(self, rng: Generator) -> Given:
        models = [LinearAutoencoder(self.d, m, rng=rng) for m in self.codes]
        return Given(normal(rng, self.n, self.d), models, lambda z: z)

    def predict(self, given: Given) -> list[int]:
        pairs = [(model.C.detach(), model.D.detach()) for model in given.models]
        return [min(numerical_rank(C), numerical_rank(D)) for C, D in pairs] * 2

    def measure(self, given: Given) -> list[int]:
        outputs = [given.phi(model(given.x).detach()) for model in given.models]
        ranks = [model.effective_rank() for model in given.models]
        return [*(numerical_rank(output) for output in outputs), *ranks]
