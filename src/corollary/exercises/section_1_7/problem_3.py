r"""Hessians and Taylor expansion.

Let :math:`f(x) = \frac12 x^\top A x + \sum_i \cos x_i` with a symmetric matrix :math:`A`. Its
gradient is :math:`L`-Lipschitz with :math:`L = \|A\| + 1`.

:source: Notes, Section 1.7, Problem 3.
:a: ``expansion(A, z, x)`` Return the second-order Taylor expansion of :math:`f` at :math:`z`,
    evaluated at :math:`x`.
:a-hints: Value, gradient and Hessian at :math:`z`. | Only the cosines contribute beyond the
    quadratic form. | The second-order term has the factor 1/2.
:b: ``hessian_product(A, x, v)`` Return :math:`H(x) v`, the limit of :math:`(\nabla f(x + tv) -
    \nabla f(x))/t`.
:b-hints: Write down the gradient first. | Differentiate :math:`\nabla f(x + tv)` by :math:`t`. | No
    matrix has to be formed for the cosines.
:c: ``largest_eigenvalue(A, x)`` Let :math:`v` be a unit eigenvector for the largest eigenvalue
    :math:`\lambda` of :math:`H(x)`. Yield a chain from :math:`\lambda` to :math:`L` through
    :math:`\|H(x) v\|`, which is :math:`|\lambda|`.
:c-hints: :math:`\lambda = v^\top H v`. | Cauchy-Schwarz, with :math:`\|v\| = 1`. | The limit of
    part b, with the Lipschitz bound on the gradient.
:d: Bound the operator norm of the Hessian at a minimum.
:d-ungraded: it is part c for the eigenvalue of largest absolute value, which is not negative there.
:e: Bound the rise of the function above a minimum.
:e-ungraded: the remainder is a limit, and numbers do not decide about it.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Rng, equals, gradient, hessian


def function(A: Array, x: Array) -> float:
    """The function of this problem."""
    return 0.5 * float(x @ A @ x) + float(np.cos(x).sum())


def symmetric(rng: Rng, n: int) -> Array:
    """A symmetric matrix, indefinite as a rule."""
    A = rng.normal(size=(n, n))
    return np.asarray(A + A.T)


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives."""
    for n, edge in ((2, ""), (4, ""), (1, "one variable")):
        A, z, x = symmetric(rng, n), rng.normal(size=n), rng.normal(size=n)
        f, step = function(A, z), x - z
        g = gradient(lambda w, A=A: function(A, w), z)  # type: ignore[misc]  # A is bound
        H = hessian(lambda w, A=A: function(A, w), z)  # type: ignore[misc]  # A is bound
        value = f + float(g @ step) + 0.5 * float(step @ H @ step)
        said = {
            "the factor 1/2 of the second-order term is missing": value
            + 0.5 * float(step @ H @ step),
            "your answer is the function f itself": function(A, x),
            "the second-order term is missing": f + float(g @ step),
            "the first-order term is missing, but z is not a minimum": value - float(g @ step),
        }
        yield Case({"A": A, "z": z, "x": x}, equals(value, said, within=1e-5), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives."""
    for n, edge in ((3, ""), (5, ""), (1, "one variable")):
        A, x, v = symmetric(rng, n), rng.normal(size=n), rng.normal(size=n)
        Hv = hessian(lambda w, A=A: function(A, w), x) @ v  # type: ignore[misc]  # A is bound
        said = {
            "the sign of the second derivative of the cosine is wrong": Hv + 2 * np.cos(x) * v,
            "the cosines are missing": A @ v,
            "your numbers are first derivatives of the cosines": A @ v - np.sin(x) * v,
        }
        yield Case({"A": A, "x": x, "v": v}, equals(Hv, said, within=1e-5), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """Also where all eigenvalues are negative."""
    for n, edge in ((2, ""), (4, ""), (3, "all eigenvalues are negative")):
        A, x = symmetric(rng, n), rng.normal(size=n)
        if edge:
            A = -A @ A - 2 * np.eye(n)
        top = float(np.linalg.eigvalsh(A - np.diag(np.cos(x)))[-1])
        end = float(np.linalg.norm(A, 2)) + 1
        judge = Chain(top, "≤", end, {"‖H(x)v‖": abs(top)})
        yield Case({"A": A, "x": x}, judge, edge)
