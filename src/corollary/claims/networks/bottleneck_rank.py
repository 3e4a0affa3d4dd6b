r"""Rank constraint of the bottleneck.

With a code of :math:`m` numbers, :math:`C, D^\top\in\mathbb{R}^{m\times d}`,

.. math:: \operatorname{rank}(DC)\le\min\{\operatorname{rank}C,\operatorname{rank}D\}\le m,
   \qquad\text{so}\qquad \operatorname{rank}(DCX)\le m

for any data :math:`X`. Random matrices attain it; a non-linearity after the decoder breaks it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Rank constraint; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Rank Constraint.
:kind: bound
:cost: instant
:covers: autoencoder-rank-constraint
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.theory.networks.activations import LINEAR, RELU, Activation
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    """Points and autoencoders with codes of 1, 2, ... numbers."""

    x: Float[Tensor, "n d"]
    models: list[LinearAutoencoder]
    phi: Activation  # applied to the reconstruction


class BottleneckRank(Claim[Given]):
    d: int = option(12, low=2, high=64)  # numbers a point has
    n: int = 40  # points
    relation = at_most()  # ranks are whole numbers

    def given(self, rng: Generator) -> Given:
        """Random points and random autoencoders, one of each code size below ``d``."""
        x = torch.randn(self.n, self.d, generator=rng, device=rng.device, dtype=torch.float64)
        models = [LinearAutoencoder(self.d, m, rng=rng) for m in range(1, self.d)]
        return Given(x, models, LINEAR)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Linear all the way."""
        yield Hypothesis("encoder and decoder are linear", given.phi is LINEAR)

    def predict(self, given: Given) -> list[float]:
        """The smaller rank of the two factors, at most the size of the code."""
        pairs = [(model.C.detach(), model.D.detach()) for model in given.models]
        return [float(min(numerical_rank(C), numerical_rank(D))) for C, D in pairs]

    def measure(self, given: Given) -> list[float]:
        """Ranks of the reconstructed data."""
        with torch.no_grad():
            return [float(numerical_rank(given.phi(model(given.x)))) for model in given.models]

    def counterexample(self, rng: Generator) -> Given:
        """A ReLU after the decoder: codes of one number reach rank two already."""
        return self.given(rng)._replace(phi=RELU)

    def figure(self, given: Given) -> Figure:
        """Rank against the size of the code."""
        m = [len(model.C) for model in given.models]
        bent = self.measure(given._replace(phi=RELU))
        return Figure(
            "The code bounds the rank",
            x="m",
            y="rank of the reconstructed data",
            marks=(
                Curve(self.predict(given), x=m, label="min{rank C, rank D}", role="predicted"),
                Points(m, self.measure(given), label="rank(DCX)"),
                Points(m, bent, label="with ReLU after the decoder", role="other"),
            ),
        )
