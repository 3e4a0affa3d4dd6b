r"""The operator norm.

The operator norm of :math:`A \in \mathbb{R}^{m \times n}` is :math:`\|A\| = \sup_{x \ne 0}
\|Ax\|/\|x\|`.

:source: Notes, Section 1.7, Problem 1.
:a: ``triangle(A, B)`` The triangle inequality. Let :math:`v` be a unit vector with :math:`\|(A +
    B)v\| = \|A + B\|`. Yield a chain from :math:`\|A + B\|` to :math:`\|A\| + \|B\|` through
    :math:`\|Av\| + \|Bv\|`.
:a-hints: Where is the supremum attained? | The triangle inequality for vectors. | Each of the two
    terms is at most a supremum.
:b: ``maximizer(A)`` Return a unit vector at which the supremum is attained.
:b-hints: Use the singular value decomposition. | Orthogonal matrices do not change lengths. | The
    first right singular vector.
:c: ``gram_eigenpair(A)`` Return a dictionary with the largest eigenvalue of :math:`A^\top A` under
    ``"value"`` and an eigenvector of it under ``"vector"``; the root of the value is :math:`\|A\|`.
:c-hints: :math:`A^\top A = V \Sigma^\top \Sigma V^\top`. | Its eigenvalues are squares. | The
    eigenvector is a right singular vector.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Judge, Rng, fields, real

SHAPES = ((5, 3, ""), (6, 4, ""), (3, 3, "a square matrix"), (4, 1, "a single column"))


def norm(A: Array) -> float:
    """The operator norm."""
    return float(np.linalg.norm(A, 2))


def part_a(rng: Rng) -> Iterator[Case]:
    """Two matrices of the same shape."""
    for m, n, edge in SHAPES:
        A, B = rng.normal(size=(m, n)), rng.normal(size=(m, n))
        v = np.linalg.svd(A + B)[2][0]
        between = np.linalg.norm(A @ v) + np.linalg.norm(B @ v)
        through = {"‖Av‖ + ‖Bv‖": between} if n > 1 else {}
        judge = Chain(norm(A + B), "≤", norm(A) + norm(B), through, least=2 if n > 1 else 1)
        yield Case({"A": A, "B": B}, judge, edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The answer is judged by the length of the image."""
    for m, n, edge in SHAPES:
        A = rng.normal(size=(m, n))
        yield Case({"A": A}, _attains(A), edge)


def _attains(A: Array) -> Judge:
    def judge(answer: Any) -> str:
        x = real(answer)
        if x.shape != (A.shape[1],):
            return f"expected a vector of length {A.shape[1]}, got shape {x.shape}"
        if abs(np.linalg.norm(x) - 1) > 1e-8:
            return f"the vector has length {np.linalg.norm(x):.6g}, not 1"
        image = float(np.linalg.norm(A @ x))
        return (
            ""
            if image > norm(A) * (1 - 1e-8)
            else (f"‖Ax‖ = {image:.6g} is not the largest possible value")
        )

    return judge


def part_c(rng: Rng) -> Iterator[Case]:
    """The answer is judged by the equation of an eigenvector."""
    for m, n, edge in SHAPES:
        A = rng.normal(size=(m, n))
        yield Case({"A": A}, _eigenpair(A), edge)


def _eigenpair(A: Array) -> Judge:
    def judge(answer: Any) -> str:
        value, vector = fields(answer, "value", "vector")
        if value.shape or vector.shape != (A.shape[1],):
            return f"expected a number and a vector of length {A.shape[1]}"
        if np.linalg.norm(vector) < 1e-6:
            return "the vector is 0, but an eigenvector must not be 0"
        if np.linalg.norm(A.T @ A @ vector - value * vector) > 1e-6 * np.linalg.norm(vector):
            return "the vector is not an eigenvector of AᵀA for this value"
        return "" if abs(value - norm(A) ** 2) < 1e-6 else "another eigenvalue is larger"

    return judge
