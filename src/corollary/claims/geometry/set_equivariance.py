r"""Permutation equivariance of set functions: the transpose restores the order.

A map of sets :math:`f(X)_m=\rho(x_m,\sum_k\varphi(x_k))` is equivariant:

.. math:: f(PX)=Pf(X),\qquad\text{equivalently}\qquad f(X)=P^\top f(PX),

for every permutation matrix :math:`P`. The inverse of a permutation is its transpose, and it is
the permutation itself only if that swaps in pairs: for a cycle of three rows :math:`Pf(PX)` is
:math:`f(X)` in another order.

:source: Perez Jensen (2025), Deep Learning, Section 7.1, Definition 7.2; Zaheer, Kottur,
    Ravanbakhsh, Poczos, Salakhutdinov and Smola (2017), "Deep sets".
:kind: identity
:covers: permutation-equivariance, deep-sets-equivariant
:erratum: [wrong] Definition 7.2 prints f(X) = P f(PX); it must be f(X) = Pᵀ f(PX). With f = id and
    a 3-cycle P, P P X is not X. The counterexample here is the notes' form.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.models.equivariant_sets import EquivariantDeepSets
from corollary.models.mlp import MLP
from corollary.theory.networks.permutations import permutation_matrix


class Given(NamedTuple):
    """A set, a permutation, the matrix that is to undo it, and a map of sets."""

    X: Float[Tensor, "M d"]
    P: Float[Tensor, "M M"]
    R: Float[Tensor, "M M"]
    f: nn.Module


class SetEquivariance(Claim[Given]):
    M: int = option(9, low=3, high=100)  # elements of the set
    d: int = 2  # numbers per element

    relation = equals(ulps=256, scale=1.0)  # sums of M terms in another order
    supposes = Suppose(
        "R is the transpose of P",
        lambda g: torch.equal(g.R, g.P.T),
        "P f(PX), as printed in the notes.",
        R=lambda g: g.P,
    )
    symbols = "f(X)", "Pᵀ f(PX)"
    shows = Along(
        "Outputs after the order of rows is restored", x="row m", y="value of row m", first=1
    )

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.M, self.d)
        f = EquivariantDeepSets(
            MLP([self.d, 16, 8], rng=rng), MLP([self.d + 8, 16, 1], "tanh", rng=rng)
        )
        P = permutation_matrix([*range(1, self.M), 0])
        return Given(X, P, P.T.contiguous(), f)

    def predict(self, given: Given) -> Tensor:
        out: Tensor = given.f(given.X).flatten()
        return out

    def measure(self, given: Given) -> Tensor:
        out: Tensor = (given.R @ given.f(given.P @ given.X)).flatten()
        return out
