r"""Permutation-equivariant linear maps form a space of dimension two.

The matrices :math:`W\in\mathbb{R}^{M\times M}` with :math:`WP=PW` for all permutation matrices
:math:`P` are

.. math:: W=\lambda I+\gamma\mathbf{1}\mathbf{1}^\top:

a space of dimension 2 for every :math:`M\ge2`. If only the rotations of a ring are asked for, it
is the :math:`M` dimensional space of circulant matrices: convolutions.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Lemma 3.
:kind: theorem
:uses: set_equivariance
:covers: deep-sets-equivariant
:scale-free: A dimension is counted; it does not depend on the length of a basis.
"""

from typing import NamedTuple

from torch import Generator

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.theory.geometry.linear_equivariance import equivariant_maps, generators

Permutation = tuple[int, ...]


class Given(NamedTuple):
    sizes: tuple[int, ...]  # elements of the sets
    perms: tuple[tuple[Permutation, ...], ...]  # those that maps of each size have to respect


def is_swap(perm: Permutation) -> bool:
    """Whether two rows are exchanged."""
    return sum(i != p for i, p in enumerate(perm)) == 2


def is_turn(perm: Permutation) -> bool:
    """Whether every row moves by one."""
    return all(p == (i + 1) % len(perm) for i, p in enumerate(perm))


class LinearSetMaps(Claim[Given]):
    sizes: tuple[int, ...] = option((2, 3, 5, 8), low=2, high=14)  # elements of the set, M

    relation = equals()  # dimensions are whole numbers
    supposes = (
        Suppose(
            "the maps commute with the swap of two rows",
            lambda g: all(any(map(is_swap, perms)) for perms in g.perms),
            "Maps that commute with cyclic shifts only are circulant matrices, of dimension M.",
            perms=lambda g: tuple((tuple([*range(1, M), 0]),) for M in g.sizes),
        ),
        Suppose(
            "the maps commute with the cyclic shift of all rows",
            lambda g: all(any(map(is_turn, perms)) for perms in g.perms),
            "Many more maps commute with the swap of two rows only.",
            perms=lambda g: tuple(((1, 0, *range(2, M)),) for M in g.sizes),
        ),
    )
    symbols = "2", "dimension for all permutations"
    rows = "M = {sizes}"
    shows = Along(
        "Dimension of the space of equivariant linear maps",
        x="M, elements",
        y="dimension",
        at="sizes",
    )

    def given(self, rng: Generator) -> Given:
        perms = (tuple(tuple(p) for p in generators(M)) for M in self.sizes)
        return Given(self.sizes, tuple(perms))

    def predict(self, given: Given) -> list[int]:
        return [2] * len(given.sizes)

    def measure(self, given: Given) -> list[int]:
        pairs = zip(given.sizes, given.perms, strict=True)
        return [len(equivariant_maps(M, perms)) for M, perms in pairs]
