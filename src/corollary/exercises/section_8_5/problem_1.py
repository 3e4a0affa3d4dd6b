r"""Properties of Rademacher complexity.

A finite class of functions at :math:`n` points is a matrix: one function per row, one point per
column. Its empirical Rademacher complexity is :math:`\hat R(F) = E \max_f \frac1n \sum_i \sigma_i
f(x_i)` over independent signs :math:`\sigma_i`.

:source: Notes, Section 8.5, Problem 1.
:a: ``complexity_of_sum(F, G)`` Return :math:`\hat R(F + G)` for the class of all sums :math:`f +
    g`, exactly.
:a-hints: A maximum over pairs of a sum splits. | So the inequality of the notes is an equality
    here. | Go through all :math:`2^n` signs.
:b: ``contraction_gap(F, L)`` For the :math:`L`-Lipschitz function :math:`\phi(t) = L |t|` return
    :math:`L \hat R(F) - \hat R(\phi \circ F)`, exactly; it is never negative.
:b-hints: Apply :math:`\phi` to every entry. | Go through all signs, twice. | :math:`\hat R(LF) = L
    \hat R(F)` for :math:`L > 0`.
:c: Bound the expected loss by the empirical one and the complexity, with probability 1 - δ.
:c-ungraded: it is a statement on the probability of samples for every class; ``corollary prove
    rademacher_bound`` carries out the argument.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from corollary.exercises.judging import Array, Case, Rng, equals


def complexity(F: Array) -> float:
    """The reference is computed by the definition, over all signs."""
    n = int(F.shape[1])
    signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    return float(np.mean((signs @ F.T).max(1))) / n


def sums(F: Array, G: Array) -> Array:
    """All sums of two rows."""
    return np.asarray((F[:, None] + G[None]).reshape(-1, F.shape[1]))


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by brute force over pairs and signs."""
    for k, n, edge in ((3, 5, ""), (4, 6, ""), (1, 4, "a class of one function")):
        F, G = rng.normal(size=(k, n)), rng.normal(size=(3, n))
        value = complexity(sums(F, G))
        said = {
            "the mean over the points is missing": n * value,
            "your answer is the union of the two classes, not the class of sums": complexity(
                np.vstack([F, G])
            ),
            "the maximum is taken after the absolute value": complexity(
                np.vstack([sums(F, G), -sums(F, G)])
            ),
        }
        yield Case({"F": F, "G": G}, equals(value, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The reference is computed by brute force over signs."""
    for k, n, L, edge in ((3, 5, 1.0, ""), (4, 6, 2.5, ""), (3, 4, 0.4, "L below 1")):
        F = rng.normal(size=(k, n))
        gap = L * complexity(F) - complexity(L * np.abs(F))
        said = {
            "the sign is wrong": -gap,
            "the factor L is missing": gap / L,
            "the subtracted term is missing from the bound": L * complexity(F),
        }
        yield Case({"F": F, "L": L}, equals(gap, said), edge)
