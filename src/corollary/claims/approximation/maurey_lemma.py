r"""Maurey's sampling lemma: the mean error of k draws.

Let :math:`X=\mathbb{E}V` in a Hilbert space and :math:`V_1,\dots,V_k` independent copies of V. Then

.. math:: \mathbb{E}\Bigl\|X-\frac1k\sum_{i\le k}V_i\Bigr\|^2=\frac{\mathbb{E}\|V\|^2-\|X\|^2}k .

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 28 and Section 4.4, Problem 2a; Pisier
    (1981), Remarques sur un résultat non publié de B. Maurey.
:kind: identity
:cost: instant
:covers: maurey-lemma
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Sample,
    option,
    within_interval,
)
from corollary.theory.approximation.maurey import maurey_error


class Given(NamedTuple):
    """Atoms of length 1, their probabilities, and many draws of k of them."""

    atoms: Float[Tensor, "N D"]
    p: Float[Tensor, " N"]
    drawn: Int[Tensor, "trials k"]


@dataclass(frozen=True)
class MaureyLemma(Claim[Given]):
    """k times the squared error of many draws."""

    N: int = option(50, low=2, high=1000)  # atoms
    D: int = option(20, low=2, high=200)  # dimension of the space
    k: int = option(10, low=2, high=100)  # atoms in a draw
    relation = within_interval(level=0.999, resolution=0.06)  # 2000 draws of a number near 1

    def given(self, rng: Generator) -> Given:
        """Unit vectors and probabilities of all sizes."""
        atoms = torch.randn(self.N, self.D, generator=rng, dtype=torch.float64)
        p = torch.rand(self.N, generator=rng, dtype=torch.float64)
        drawn = torch.multinomial(p, 2000 * self.k, replacement=True, generator=rng)
        atoms = atoms / atoms.norm(dim=1, keepdim=True)
        return Given(atoms, p / p.sum(), drawn.reshape(2000, self.k))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Coincidences within a draw are as rare as chance makes them."""
        same = float((given.drawn[:, 0] == given.drawn[:, 1]).double().mean())
        chance = float(given.p @ given.p)
        yield Hypothesis("the k atoms of a draw are chosen independently", same < chance + 0.15,
                         f"{same:.3f} coincide, {chance:.3f} by chance")  # fmt: skip
        yield Hypothesis("the atoms have a finite second moment",
                         bool(torch.isfinite(given.atoms).all()))  # fmt: skip

    def predict(self, given: Given) -> float:
        """K times the exact mean."""
        return given.drawn.shape[1] * maurey_error(given.p, given.atoms, given.drawn.shape[1])

    def measure(self, given: Given) -> Sample:
        """K times each error."""
        return Sample(_errors(given).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """One atom, k times over."""
        given = self.given(rng)
        return given._replace(drawn=given.drawn[:, :1].expand_as(given.drawn))

    def figure(self, given: Given) -> Figure:
        """The law of the error."""
        bound = float(given.atoms.square().sum(1).max())
        return Figure(
            f"Means of {given.drawn.shape[1]} atoms",
            x="k ‖X − mean of k atoms‖²",
            y="density",
            marks=(
                Histogram(_errors(given), label="draws"),
                Level(self.predict(given), label="exact mean", axis="x"),
                Level(bound, label="sup ‖V‖²", role="other", axis="x"),
            ),
        )


def _errors(given: Given) -> Float[Tensor, " trials"]:
    gap = given.atoms[given.drawn].mean(1) - given.p @ given.atoms
    return given.drawn.shape[1] * gap.square().sum(1)
