r"""Linear maps that do not see an order.

The matrices :math:`W\in\mathbb{R}^{M\times M}` with :math:`WP=PW` for all permutation matrices
:math:`P` are

.. math:: W=\lambda I+\gamma\mathbf{1}\mathbf{1}^\top:

a space of dimension 2 for every :math:`M\ge2`. If only the rotations of a ring are asked for, it
is the :math:`M` dimensional space of circulant matrices: convolutions.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Lemma 3.
:kind: theorem
:cost: instant
:covers: deep-sets-equivariant
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Points, equals, option
from corollary.theory.geometry.linear_equivariance import equivariant_maps, generators


class Given(NamedTuple):
    """Sizes of sets, and the permutations that maps of each size have to respect."""

    sizes: tuple[int, ...]
    perms: tuple[tuple[tuple[int, ...], ...], ...]


class LinearSetMaps(Claim[Given]):
    sizes: tuple[int, ...] = option((2, 3, 5, 8), low=2, high=14)  # elements of the set, M
    relation = equals()  # dimensions are whole numbers

    def given(self, rng: Generator) -> Given:
        """Two permutations that generate all others."""
        perms = (tuple(tuple(p) for p in generators(M)) for M in self.sizes)
        return Given(self.sizes, tuple(perms))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """All permutations."""
        swaps = all(any(_is_swap(p) for p in perms) for perms in given.perms)
        turns = all(any(_is_turn(p) for p in perms) for perms in given.perms)
        yield Hypothesis("the maps respect a transposition of neighbours", swaps)
        yield Hypothesis("the maps respect the cycle of all rows", turns)

    def predict(self, given: Given) -> list[float]:
        """Two, always."""
        return [2.0] * len(given.sizes)

    def measure(self, given: Given) -> list[float]:
        """Dimensions of the null spaces."""
        pairs = zip(given.sizes, given.perms, strict=True)
        return [float(len(equivariant_maps(M, perms))) for M, perms in pairs]

    def counterexample(self, rng: Generator) -> Given:
        """The cycle alone: circulant matrices."""
        return Given((3, 5, 8), tuple((tuple([*range(1, M), 0]),) for M in (3, 5, 8)))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Dimensions for sets and for rings; and what the maps look like."""
        rings = [float(len(equivariant_maps(M, [[*range(1, M), 0]]))) for M in given.sizes]
        counts = Figure(
            "How many linear maps respect a symmetry",
            x="M, elements",
            y="dimension",
            marks=(
                Curve(self.predict(given), x=given.sizes, label="2", role="predicted"),
                Points(given.sizes, self.measure(given), label="all permutations (sets)"),
                Points(given.sizes, rings, label="rotations alone (rings)", role="other"),
            ),
        )
        M = 8
        W = 2 * torch.eye(M) - 0.5 * torch.ones(M, M)
        pattern = HeatMap(W.flip(0), (0, M), (0, M), label="entries of W")
        picture = Figure(
            "λI + γ11ᵀ with λ = 2, γ = −1/2", x="column", y="row from below", marks=(pattern,)
        )
        return counts, picture


def _is_swap(perm: tuple[int, ...]) -> bool:
    return sum(i != p for i, p in enumerate(perm)) == 2


def _is_turn(perm: tuple[int, ...]) -> bool:
    return all(p == (i + 1) % len(perm) for i, p in enumerate(perm))
