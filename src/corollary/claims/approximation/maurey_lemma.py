r"""Maurey's sampling lemma: the mean error of k draws.

Let :math:`X=\mathbb{E}V` in a Hilbert space and :math:`V_1,\dots,V_k` independent copies of V. Then

.. math:: \mathbb{E}\Bigl\|X-\frac1k\sum_{i\le k}V_i\Bigr\|^2=\frac{\mathbb{E}\|V\|^2-\|X\|^2}k .

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 28 and Section 4.4, Problem 2a; Pisier
    (1981), Remarques sur un résultat non publié de B. Maurey.
:kind: identity
:covers: maurey-lemma
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Spread, Suppose, normal, option, uniform, within_interval
from corollary.theory.approximation.maurey import maurey_error


class Given(NamedTuple):
    atoms: Float[Tensor, "N D"]  # of length 1
    p: Float[Tensor, " N"]  # their probabilities
    drawn: Int[Tensor, "trials k"]  # many draws of k of them


def coincide(given: Given) -> tuple[bool, str]:
    """How often the first two atoms of a draw are the same."""
    same = float((given.drawn[:, 0] == given.drawn[:, 1]).double().mean())
    chance = float(given.p @ given.p)
    return same < chance + 0.15, f"equal pairs {same:.3f}, by chance {chance:.3f}"


def law_off(given: Given) -> Tensor:
    """Shares of the atoms among all draws against p, in standard errors; five are allowed."""
    n, count = given.drawn.numel(), given.drawn.flatten().bincount(minlength=len(given.p))
    return 5 - ((count / n - given.p).abs() * (n / given.p).sqrt()).max()


class MaureyLemma(Claim[Given]):
    N: int = option(50, low=2, high=1000)  # atoms
    D: int = option(20, low=2, high=200)  # dimension of the space
    k: int = option(10, low=2, high=100)  # atoms in a draw

    relation = within_interval(level=0.999, resolution=0.06)  # 2000 draws of a number near 1
    supposes = (
        Suppose(
            "the k atoms of a draw are chosen independently",
            coincide,
            "Each draw repeats a single atom k times.",
            drawn=lambda g: g.drawn[:, :1].expand_as(g.drawn),
        ),
        Suppose(
            "each atom is drawn with its probability",
            law_off,
            "If the atoms have other probabilities, the mean of the draws is not X.",
            p=lambda g: g.p**4 / (g.p**4).sum(),
        ),
    )
    symbols = "E‖V‖² − ‖X‖²", "k ‖X − mean of k atoms‖²"
    shows = Spread("Mean squared error of k random atoms")

    def given(self, rng: Generator) -> Given:
        atoms = normal(rng, self.N, self.D)
        p = 0.1 + uniform(rng, self.N)
        drawn = torch.multinomial(p, 2000 * self.k, replacement=True, generator=rng)
        atoms = atoms / atoms.norm(dim=1, keepdim=True)
        return Given(atoms, p / p.sum(), drawn.reshape(2000, self.k))

    def predict(self, given: Given) -> float:
        return given.drawn.shape[1] * maurey_error(given.p, given.atoms, given.drawn.shape[1])

    def measure(self, given: Given) -> Sample:
        gap = given.atoms[given.drawn].mean(1) - given.p @ given.atoms
        return Sample(given.drawn.shape[1] * gap.square().sum(1))
