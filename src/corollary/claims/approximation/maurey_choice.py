r"""Maurey's lemma: some k atoms are at least as good as the average of random draws.

If X lies in the closed convex hull of a set S in a Hilbert space, then for every k there are
:math:`U_1,\dots,U_k\in S` with

.. math:: \Bigl\|X-\frac1k\sum_{i\le k}U_i\Bigr\|^2\le\frac{\sup_{U\in S}\|U\|^2}k .

They are found by drawing a few times and keeping the best. For X outside the hull there is no such
rate.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 28 and Section 4.4, Problem 2b; Pisier
    (1981), Remarques sur un résultat non publié de B. Maurey.
:kind: bound
:uses: maurey_lemma
:covers: maurey-lemma
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option, uniform


class Given(NamedTuple):
    atoms: Float[Tensor, "N D"]  # of the set S
    p: Float[Tensor, " N"]  # probabilities
    X: Float[Tensor, " D"]  # target


class MaureyChoice(Claim[Given]):
    N: int = option(50, low=2, high=1000)  # atoms
    sizes: tuple[int, ...] = (1, 4, 16, 64, 256)  # numbers k of atoms
    trials: int = option(20, low=1, high=1000)  # draws of which the best is kept

    relation = at_most()  # the best draw is below the bound by far more than rounding
    supposes = Suppose(
        "X is a weighted mean of atoms",
        lambda g: 1e-9 - (g.X - g.p @ g.atoms).norm(),
        "If X is outside the convex hull, no mean of atoms is close to X.",
        X=lambda g: 2 * max(g.atoms, key=torch.norm),
    )
    symbols = "sup ‖U‖² / k", "‖X − mean of k atoms‖²"
    rows = "k = {sizes}"
    shows = Along(
        "The mean of a few atoms approximates the mean of all", x="k", at="sizes", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        atoms = normal(rng, self.N, 20)
        p = uniform(rng, self.N)
        return Given(atoms, p / p.sum(), p / p.sum() @ atoms)

    def predict(self, given: Given) -> list[float]:
        return [float(given.atoms.square().sum(1).max()) / k for k in self.sizes]

    def measure(self, given: Given, rng: Generator) -> list[float]:
        def best(k: int) -> float:
            drawn = torch.multinomial(given.p, self.trials * k, replacement=True, generator=rng)
            means = given.atoms[drawn.reshape(self.trials, k)].mean(1)
            return float((means - given.X).square().sum(1).min())

        return [best(k) for k in self.sizes]

    def tight(self) -> Given:
        """Orthonormal atoms: one of them is 1 - 1/N away from the mean."""
        e = torch.eye(100, dtype=torch.float64)
        return Given(e, e.mean(0), e.mean(0))
