r"""Maurey's lemma.

A random vector takes the values in the rows of ``V`` with the probabilities ``p``; its mean is
:math:`X`. Of :math:`k` independent copies :math:`V_1, \dots, V_k` the mean is taken.

:source: Notes, Section 4.4, Problem 2.
:a: ``mean_error(V, p, k)`` Return :math:`E\|X - \frac1k \sum_i V_i\|^2`, without a sum over all
    outcomes.
:a-hints: Expand the square of the sum. | Independent vectors of mean 0 have cross terms of mean 0.
    | :math:`\frac1k E\|V - X\|^2`.
:b: ``maurey_bound(V, p, k)`` Yield a chain from :math:`\frac1k E\|V - X\|^2` to :math:`\frac1k \max
    \|V\|^2`, the largest over the values of positive probability, through :math:`\frac1k E\|V\|^2`.
:b-hints: Expand the square. | The cross term is :math:`-2\|X\|^2`. | A mean is at most the largest
    value; values of probability 0 do not count.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Rng, equals


def brute(V: Array, p: Array, k: int) -> float:
    """The mean over all outcomes."""
    total, X = 0.0, p @ V
    for outcome in product(range(len(p)), repeat=k):
        rows = list(outcome)
        total += float(p[rows].prod()) * float(((X - V[rows].mean(0)) ** 2).sum())
    return total


def drawn(rng: Rng) -> Iterator[tuple[Array, Array, int, str]]:
    """Values and probabilities."""
    cases = ((3, 2, 2, ""), (4, 3, 3, ""), (3, 2, 1, "a single copy"))
    for n, d, k, edge in (*cases, (4, 2, 2, "a value of probability 0")):
        V, p = rng.normal(size=(n, d)) + 1, rng.dirichlet(np.ones(n))
        if edge.startswith("a value"):
            V[0] = 9.0
            p[0] = 0
            p /= p.sum()
        yield V, p, k, edge


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by brute force."""
    for V, p, k, edge in drawn(rng):
        error, spread = brute(V, p, k), (V**2).sum(1)
        said = {
            "the copies are averaged: divide by k": k * error,
            "the error falls like 1/k, not like 1/k²": error / k,
            "the mean is not subtracted": float(p @ spread) / k,
            "the probabilities are not used": ((V - V.mean(0)) ** 2).sum(1).mean() / k,
        }
        yield Case({"V": V, "p": p, "k": k}, equals(error, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """Also with a value that never occurs."""
    for V, p, k, edge in drawn(rng):
        squares = (V**2).sum(1)
        start = float(p @ ((V - p @ V) ** 2).sum(1)) / k
        through = {"E‖V‖²/k": float(p @ squares) / k}
        judge = Chain(start, "≤", float(squares[p > 0].max()) / k, through)
        yield Case({"V": V, "p": p, "k": k}, judge, edge)
