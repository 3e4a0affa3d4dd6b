r"""Maurey's lemma for signed measures.

Let :math:`g=\int g_w\,d\mu(w)` with a signed measure :math:`\mu=\mu_+-\mu_-` of mass
:math:`\|\mu\|_1`. Draw w from :math:`|\mu|/\|\mu\|_1` and let s be the sign of the part it comes
from. Then :math:`s\|\mu\|_1g_w` has mean g, and

.. math:: \mathbb{E}\Bigl\|g-\frac{\|\mu\|_1}k\sum_{i\le k}s_i\,g_{w_i}\Bigr\|^2
   \le\frac{\|\mu\|_1^2\,\sup_w\|g_w\|^2}k .

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 29 and the proof of Theorem 27.
:kind: bound
:uses: maurey_lemma
:covers: maurey-signed-measure
:erratum: [typo] In the chain of equalities in the proof of Theorem 27 the second line reads
    + ||mu_-||_1 E_{mu_-}; the sign must be minus. Also the finite estimate lacks the factor 1/m,
    and its sign is that of the density p(w_j). With the plus sign, which is the counterexample
    here, the error does not fall with k at all.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, normal, uniform
from corollary.theory.approximation.maurey import SignedMeasure

X = (torch.arange(200, dtype=torch.float64) + 0.5) / 200  # points of [0, 1], equally weighted


class Given(NamedTuple):
    measure: SignedMeasure  # on thresholds
    signs: Float[Tensor, " N"]  # with which each of them is drawn


class MaureySigned(Claim[Given]):
    N: int = 60  # thresholds in the measure
    sizes: tuple[int, ...] = (8, 32, 128, 512)  # numbers k of atoms
    trials: int = 800  # networks of each size

    relation = at_most(level=0.999)  # the mean over the drawn networks
    supposes = Suppose(
        "each draw has the sign of the part of the measure it comes from",
        lambda g: torch.equal(g.signs, g.measure.weights.sign()),
        "With a plus sign instead of a minus sign, the error does not fall.",
        signs=lambda g: g.signs.abs(),
    )
    symbols = "‖μ‖² sup ‖g‖² / k", "squared error"
    rows = "k = {sizes}"
    shows = Along("Squared error of k random thresholds", x="thresholds k", at="sizes", log="xy")

    def given(self, rng: Generator) -> Given:
        b = uniform(rng, self.N, 1)
        weights = normal(rng, self.N)
        return Given(SignedMeasure(b, weights), weights.sign())

    def predict(self, given: Given) -> list[float]:
        largest = float((X >= given.measure.points).double().mean(1).max())
        return [given.measure.mass**2 * largest / k for k in self.sizes]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        units = (X >= given.measure.points).double()  # (N, points)
        target = given.measure.weights @ units

        def errors(k: int) -> Tensor:
            drawn = given.measure.sample(self.trials * k, rng=rng)[2].reshape(self.trials, k)
            counts = torch.zeros(self.trials, len(units), dtype=torch.float64)
            counts.scatter_add_(1, drawn, given.signs[drawn])  # of each unit, with sign
            return (given.measure.mass / k * counts @ units - target).square().mean(1)

        return [Sample(errors(k)) for k in self.sizes]

    def tight(self) -> Given:
        """Equal thresholds with opposite signs; one of small weight is on everywhere."""
        weights = torch.tensor([0.01, 1.0, -1.0], dtype=torch.float64)
        points = weights.new_tensor([[0.0], [0.3], [0.3]])
        return Given(SignedMeasure(points, weights), weights.sign())
