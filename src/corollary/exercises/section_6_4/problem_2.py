r"""A network near its initialization.

Let :math:`f(W) = \sum_{j=1}^m a_j \sigma(w_j^\top x)` with fixed :math:`a_j = \pm m^{-1/2}` and
:math:`\sigma = \sin`, which is 1-smooth: :math:`|\sigma(r) - \sigma(s) - \sigma'(s)(r-s)| \le
(r-s)^2/2`. Its linearization at :math:`W_0` is :math:`f_0(W) = f(W_0) + \langle \nabla f(W_0), W -
W_0 \rangle_F`.

:source: Notes, Section 6.4, Problem 2.
:a: ``weight_gradient(W, a, x)`` Return :math:`\nabla f(W)`, of the shape of :math:`W`.
:a-hints: Each row of :math:`W` enters one term only. | The derivative of that term is a multiple of
    :math:`x`. | An outer product of two vectors.
:b: ``linear_part(W, W0, a, x)`` Return the number :math:`\langle \nabla f(W_0), W - W_0 \rangle_F`.
:b-hints: The inner product of matrices is the sum over rows. | Use part a at :math:`W_0`, not at
    :math:`W`. | :math:`\sum_j a_j \sigma'(w_{0,j}^\top x) (w_j - w_{0,j})^\top x`.
:c: ``linearization_error(W, W0, a, x)`` Yield a chain from :math:`|f(W) - f_0(W)|` to
    :math:`\frac{1}{2\sqrt m} \|W - W_0\|_F^2 \|x\|^2` through :math:`\frac{1}{2\sqrt m} \sum_j
    ((w_j - w_{0,j})^\top x)^2`.
:c-hints: Bound each term of the sum by smoothness. | All :math:`|a_j|` are :math:`m^{-1/2}`. |
    Cauchy-Schwarz for each row.
:d: What does this say about the role of over-parametrization?
:d-ungraded: the notes ask for a conclusion in prose, which rests on the bound of part c.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Rng, equals, gradient


def output(W: Array, a: Array, x: Array) -> float:
    """The network."""
    return float(a @ np.sin(W @ x))


def drawn(rng: Rng) -> Iterator[tuple[Array, Array, Array, Array, str]]:
    """Weights, their start, signs, a point."""
    for m, d, edge in ((4, 3, ""), (9, 2, ""), (1, 2, "a single unit")):
        W0, a = rng.normal(size=(m, d)), rng.choice([-1.0, 1.0], size=m) / m**0.5
        yield W0 + rng.normal(size=(m, d)), W0, a, rng.normal(size=d), edge


def slope(W: Array, a: Array, x: Array) -> Array:
    """The gradient, by numerical derivatives."""
    return gradient(lambda V: output(V, a, x), W)


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives."""
    for W, _, a, x, edge in drawn(rng):
        g = slope(W, a, x)
        said = {
            "the derivative of σ is missing": np.outer(a, x),
            "the output weights a are missing": np.outer(np.cos(W @ x), x),
            "your answer uses σ instead of the derivative of σ": np.outer(a * np.sin(W @ x), x),
            "the factors of the outer product are in the wrong order": g.T,
        }
        yield Case({"W": W, "a": a, "x": x}, equals(g, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives at the start."""
    for W, W0, a, x, edge in drawn(rng):
        linear = float((slope(W0, a, x) * (W - W0)).sum())
        said = {
            "the gradient is taken at W, not at the start": (slope(W, a, x) * (W - W0)).sum(),
            "your answer is the linearization including its constant term": output(W0, a, x)
            + linear,
            "your answer is the change of f itself": output(W, a, x) - output(W0, a, x),
        }
        yield Case({"W": W, "W0": W0, "a": a, "x": x}, equals(linear, said), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """Weights near and far from the start."""
    for W, W0, a, x, edge in drawn(rng):
        m, moved = len(a), (W - W0) @ x
        linear = float(a @ (np.cos(W0 @ x) * moved))
        start = abs(output(W, a, x) - output(W0, a, x) - linear)
        end = ((W - W0) ** 2).sum() * (x @ x) / (2 * m**0.5)
        through = {"the sum of squares over 2√m": (moved**2).sum() / (2 * m**0.5)}
        given = {"W": W, "W0": W0, "a": a, "x": x}
        yield Case(given, Chain(start, "≤", end, through), edge)
