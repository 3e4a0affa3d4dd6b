r"""Derivatives by vectors and matrices.

Gradients have the shape of what the derivative is taken by.

:source: Notes, Section 1.7, Problem 2.
:a: ``squared_error_gradient(A, x, y)`` Return the gradient of :math:`f(x) = \|Ax - y\|^2`.
:a-hints: Write the square as an inner product. | There is no 1/2 in front. | The Jacobian of
    :math:`Ax - y` is :math:`A`.
:b: ``factorization_gradients(U, V, R)`` For :math:`L(U, V) = \frac12 \|UV - R\|_F^2` return a
    dictionary with the gradients under ``"U"`` and ``"V"``.
:b-hints: The shapes leave little choice. | The residual :math:`UV - R` appears in both. | Multiply
    it by the other factor, transposed, from the side on which it stands.
:c: ``nonlinear_derivatives(X, y, l, l1, l2)`` For :math:`L(w) = \frac{1}{2n} \sum_i (y_i -
    \ell(x_i^\top w))^2` return a dictionary with ``"gradient"`` and ``"hessian"``. The arrays
    ``l``, ``l1``, ``l2`` hold :math:`\ell`, :math:`\ell'`, :math:`\ell''` at the :math:`x_i^\top
    w`.
:c-hints: The chain rule, point by point. | The Hessian has two terms. | One has :math:`\ell'^2`,
    the other the residual times :math:`\ell''`; mind its sign.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary.exercises.judging import (
    Array,
    Case,
    Judge,
    Rng,
    equals,
    fields,
    gradient,
    hessian,
)


def named(expected: dict[str, Array], mistakes: dict[str, dict[str, Any]], within: float) -> Judge:
    """A judge of a dictionary of arrays."""

    def judge(answer: Any) -> str:
        for name, value in zip(expected, fields(answer, *expected), strict=True):
            said = mistakes.get(name, {})
            if wrong := equals(expected[name], said, within=within)(value):
                return f"{name}: {wrong}"
        return ""

    return judge


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives."""
    for m, n, edge in ((5, 3, ""), (4, 2, ""), (2, 4, "fewer rows than columns")):
        A, x, y = rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)
        g = gradient(lambda z, A=A, y=y: float(((A @ z - y) ** 2).sum()), x)  # type: ignore[misc]
        said = {
            "the factor 1/2 is wrong: the square has no factor": g / 2,
            "the sign is wrong": -g,
            "y is missing": 2 * A.T @ A @ x,
        }
        yield Case({"A": A, "x": x, "y": y}, equals(g, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives."""
    for n, p, m, edge in ((4, 2, 3, ""), (3, 2, 5, ""), (3, 1, 3, "rank 1")):
        U, V, R = rng.normal(size=(n, p)), rng.normal(size=(p, m)), rng.normal(size=(n, m))

        def loss(U: Array, V: Array, R: Array = R) -> float:
            return 0.5 * float(((U @ V - R) ** 2).sum())

        by_u = gradient(lambda W, V=V, loss=loss: loss(W, V), U)  # type: ignore[misc]
        by_v = gradient(lambda W, U=U, loss=loss: loss(U, W), V)  # type: ignore[misc]
        said = {
            name: {"the factor 1/2 cancels the 2 of the square": 2 * g, "the sign is wrong": -g}
            for name, g in (("U", by_u), ("V", by_v))
        }
        judge = named({"U": by_u, "V": by_v}, said, 1e-6)
        yield Case({"U": U, "V": V, "R": R}, judge, edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """With sine and hyperbolic tangent; by numerical derivatives."""
    for n, d, sine, edge in ((6, 3, True, ""), (5, 2, False, ""), (1, 2, True, "a single point")):
        X, y, w = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d)
        z, t = X @ w, np.tanh(X @ w)
        l, l1, l2 = (
            (np.sin(z), np.cos(z), -np.sin(z)) if sine else (t, 1 - t**2, -2 * t * (1 - t**2))
        )

        def loss(v: Array, X: Array = X, y: Array = y, sine: bool = sine) -> float:
            found = np.sin(X @ v) if sine else np.tanh(X @ v)
            return float(((y - found) ** 2).mean()) / 2

        g, H = gradient(loss, w), hessian(loss, w)
        said = {
            "gradient": {"the sign is wrong": -g, "the mean over the points is missing": n * g},
            "hessian": {
                "the term with ℓ'' is missing": X.T * l1**2 @ X / n,
                "the sign of the term with ℓ'' is wrong": X.T * (l1**2 + (y - l) * l2) @ X / n,
            },
        }
        judge = named({"gradient": g, "hessian": H}, said, 1e-5)
        yield Case({"X": X, "y": y, "l": l, "l1": l1, "l2": l2}, judge, edge)
