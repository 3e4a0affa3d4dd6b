r"""The Stone-Weierstrass theorem and networks of cosines.

An algebra of continuous functions on :math:`[0, 1]^d` that vanishes nowhere and separates points
approximates every continuous function. A network of cosines is :math:`x \mapsto a^\top \cos(Wx +
b)` with any number of units.

:source: Notes, Section 3.5, Problem 2.
:a: ``product_network(a1, W1, b1, a2, W2, b2)`` Networks of cosines are closed under products.
    Return a dictionary with ``"a"``, ``"W"``, ``"b"`` of a network that is the product of the two
    given ones.
:a-hints: Multiply two units first. | :math:`2 \cos s \cos t = \cos(s + t) + \cos(s - t)`. | Every
    pair of units gives two units; where do the weights :math:`a` go?
:b: Show that each of the four hypotheses is needed.
:b-ungraded: the answers are infinite classes of functions, which cannot be returned as data.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary.exercises.judging import Array, Case, Judge, Rng, fields

MOST = 1000  # units


def output(a: Array, W: Array, b: Array, x: Array) -> Array:
    """A network at the points in the rows of x."""
    return np.asarray(np.cos(x @ W.T + b) @ a)


def part_a(rng: Rng) -> Iterator[Case]:
    """Networks of several widths, compared at random points."""
    for m, k, d, edge in ((3, 3, 2, ""), (2, 4, 3, ""), (1, 1, 1, "single units")):
        first = rng.normal(size=m), rng.normal(size=(m, d)), rng.normal(size=m)
        second = rng.normal(size=k), rng.normal(size=(k, d)), rng.normal(size=k)
        given = dict(zip("a1 W1 b1 a2 W2 b2".split(), (*first, *second), strict=True))
        x = rng.uniform(size=(50, d))
        wanted = output(*first, x) * output(*second, x)
        yield Case(given, _network(x, wanted, output(*first, x) + output(*second, x)), edge)


def _network(x: Array, wanted: Array, added: Array) -> Judge:
    def judge(answer: Any) -> str:
        a, W, b = fields(answer, "a", "W", "b")
        units = a.size
        if a.shape != (units,) or b.shape != (units,) or W.shape != (units, x.shape[1]):
            return f"the shapes do not fit together: a {a.shape}, W {W.shape}, b {b.shape}"
        if units > MOST:
            return f"expected at most {MOST} units"
        got = output(a, W, b, x)
        if np.allclose(got, wanted, atol=1e-8):
            return ""
        for words, value in (("twice the product", 2 * wanted), ("the sum", added)):
            if np.allclose(got, value, atol=1e-8):
                return f"your network computes {words} of the two networks"
        return "at some point of the cube the network does not equal the product"

    return judge
