r"""Gradient descent for least squares.

Let :math:`\ell(w) = \frac12 \|Xw - y\|^2` with :math:`X \in \mathbb{R}^{n \times d}` and
:math:`y = X w_\star`. Gradient descent goes from :math:`w_t` to :math:`w_{t+1} = w_t - \eta
\nabla\ell(w_t)`, and begins at :math:`w_1`. The norm of a matrix is its operator norm.

:source: Notes, Section 5.8, Problem 2.
:a: ``next_iterate(X, y, w, eta)`` Compute the gradient, and return the point that follows
    :math:`w`.
:a-hints: Write the loss as a sum over the rows of :math:`X`. | The gradient is a vector of length
    :math:`d`. | :math:`\nabla \frac12\|r\|^2` is the transposed Jacobian of :math:`r`, times
    :math:`r`.
:b: ``hessian(X, y, w)`` Return a dictionary with the Hessian under ``"hessian"`` and, under
    ``"root"``, a matrix :math:`R` with :math:`R^\top R` equal to it: this shows that :math:`\ell`
    is convex.
:b-hints: The gradient is affine in :math:`w`. | The Hessian depends neither on :math:`w` nor on
    :math:`y`. | It is a Gram matrix: of which vectors?
:c: ``distance_bound(X, w_star, w_1, eta, t)`` Yield a chain from :math:`\|w_{t+1} - w_\star\|` to
    :math:`\|I - \eta X^\top X\|^t \|w_1 - w_\star\|` through :math:`\|I - \eta X^\top X\| \,
    \|w_t - w_\star\|`.
:c-hints: Insert :math:`y = X w_\star` into the update. | The error is multiplied by one matrix in
    each step. | :math:`\|Av\| \le \|A\| \|v\|`, applied :math:`t` times.
:d: ``contraction(X, eta)`` Return the smallest :math:`q` with :math:`\|w_{t+1} - w_\star\| \le q
    \|w_t - w_\star\|` for all :math:`w_t`. Where it is less than 1, gradient descent converges.
:d-hints: It is the operator norm of a symmetric matrix. | Its eigenvalues are :math:`1 - \eta
    \lambda`, with the eigenvalues :math:`\lambda` of :math:`X^\top X`. | Which of them is the
    largest in absolute value, if :math:`\eta` is large? And what if :math:`n < d`?
:e: ``noise_floor(X, w_star, w, eta)`` Stochastic gradient descent takes one row :math:`i` at
    random and steps along :math:`\nabla\ell_i(w) = n (x_i^\top w - y_i) x_i`. For :math:`\eta \le
    1/(2\|X^\top X\|)` yield a chain of at least two steps from :math:`E\|w' - w_\star\|^2`, where
    :math:`w'` follows :math:`w`, down to :math:`\eta^2 E\|\nabla\ell_i(w)\|^2`, through
    :math:`(1 - 2\eta\|X^\top X\|) \|w - w_\star\|^2 + \eta^2 E\|\nabla\ell_i(w)\|^2`. (The notes
    add that this is positive. It is 0 at :math:`w = w_\star`, where every row is fitted.)
:e-hints: Expand the square of :math:`w - w_\star - \eta\nabla\ell_i(w)`. | The mean of
    :math:`\nabla\ell_i` is :math:`X^\top X (w - w_\star)`. | :math:`v^\top X^\top X v \le \|X^\top
    X\| \|v\|^2`, and the coefficient that is left over is not negative.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary.exercises.judging import (
    Array,
    Case,
    Chain,
    Judge,
    Rng,
    equals,
    fields,
    gradient,
    hessian,
)

SHAPES = ((6, 3, ""), (9, 4, ""), (2, 4, "fewer points than parameters"), (1, 1, "one number"))


def loss(X: Array, y: Array, w: Array) -> float:
    """The loss of this problem."""
    return 0.5 * float(((X @ w - y) ** 2).sum())


def norm(A: Array) -> float:
    """The operator norm."""
    return float(np.linalg.norm(A, 2))


def part_a(rng: Rng) -> Iterator[Case]:
    """Points that do not fit exactly."""
    for n, d, edge in SHAPES:
        X, y, w, eta = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d), 0.3
        g = gradient(lambda v, X=X, y=y: loss(X, y, v), w)  # type: ignore[misc]  # X, y are bound
        said = {
            "the sign of the step is wrong; the step goes uphill": w + eta * g,
            "the factor 1/2 of the loss cancels the 2 of the square": w - 2 * eta * g,
            "the sum over the points is not divided by n": w - eta * g / n,
            "your answer is the gradient, not the next point": g,
            "the target y is missing from the residual": w - eta * X.T @ X @ w,
        }
        yield Case({"X": X, "y": y, "w": w, "eta": eta}, equals(w - eta * g, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The Hessian by differences."""
    for n, d, edge in SHAPES:
        X, y, w = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d)
        H = hessian(lambda v, X=X, y=y: loss(X, y, v), w)  # type: ignore[misc]  # X, y are bound
        said = {
            "the factor 1/2 of the loss cancels the 2 of the square": 2 * H,
            "the sum over the points is not divided by n": H / n,
        }
        if n != d:
            said["the matrix is n by n, because the factors are in the wrong order"] = X @ X.T
        yield Case({"X": X, "y": y, "w": w}, _rooted(H, said), edge)


def _rooted(H: Array, said: dict[str, Any]) -> Judge:
    same = equals(H, said, within=1e-5)  # differences of differences

    def judge(answer: Any) -> str:
        got, root = fields(answer, "hessian", "root")
        if wrong := same(got):
            return wrong
        if root.ndim != 2 or root.shape[1] != len(H):
            return f"expected a root with {len(H)} columns, got shape {root.shape}"
        close = equals(H, within=1e-5)((root.T @ root).tolist())
        return close and "the product of the transposed root and the root is not the Hessian"

    return judge


def part_c(rng: Rng) -> Iterator[Case]:
    """Few and many steps, small and large learning rates."""
    cases = [
        (6, 3, 0.5, 5, ""),
        (8, 4, 1.0, 2, ""),
        (5, 3, 2.4, 4, "a learning rate that diverges"),
    ]
    cases += [(2, 4, 0.9, 3, "fewer points than parameters"), (6, 3, 0.5, 1, "a single step")]
    for n, d, speed, t, edge in cases:
        X, star, first = rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=d)
        eta = speed / norm(X.T @ X)
        A = np.eye(d) - eta * X.T @ X
        before = np.linalg.matrix_power(A, t - 1) @ (first - star)
        through = {"‖I − ηXᵀX‖ ‖w_t − w⋆‖": norm(A) * np.linalg.norm(before)} if t > 1 else {}
        end = norm(A) ** t * np.linalg.norm(first - star)
        judge = Chain(np.linalg.norm(A @ before), "≤", end, through, least=2 if t > 1 else 1)
        given = {"X": X, "w_star": star, "w_1": first, "eta": eta, "t": t}
        yield Case(given, judge, edge)


def part_d(rng: Rng) -> Iterator[Case]:
    """The factor on both sides of the best learning rate, and with a direction nobody sees."""
    cases = [(6, 3, 0.5, ""), (9, 4, 0.9, "")]
    cases += [
        (6, 3, 1.9, "a learning rate above 1/‖XᵀX‖"),
        (6, 3, 3.0, "a learning rate that diverges"),
    ]
    cases += [(2, 4, 0.5, "fewer points than parameters: the solution is not unique")]
    for n, d, speed, edge in cases:
        X = rng.normal(size=(n, d))
        eta = speed / norm(X.T @ X)
        q, s = norm(np.eye(d) - eta * X.T @ X), np.linalg.svd(X, compute_uv=False) ** 2
        said = {
            "XᵀX also has the eigenvalue 0, because n < d": np.abs(1 - eta * s).max(),
            "only the smallest eigenvalue is considered": 1 - eta * s.min(),
            "only the largest eigenvalue is considered": abs(1 - eta * s.max()),
            "your answer is the factor of the loss, not of the distance": q**2,
            "the singular values of X are not squared": np.abs(1 - eta * np.sqrt(s)).max(),
        }
        yield Case({"X": X, "eta": eta}, equals(q, said), edge)


def part_e(rng: Rng) -> Iterator[Case]:
    """Learning rates up to the largest that is allowed."""
    cases = [(6, 3, 0.2, ""), (5, 4, 0.35, ""), (6, 3, 0.5, "the largest learning rate allowed")]
    for n, d, speed, edge in cases:
        X, star, w = rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=d)
        top = norm(X.T @ X)
        eta = speed / top
        steps = n * (X @ (w - star))[:, None] * X
        start = float(((w - star - eta * steps) ** 2).sum(1).mean())
        floor = eta**2 * float((steps**2).sum(1).mean())
        between = max(0.0, 1 - 2 * eta * top) * float((w - star) @ (w - star)) + floor
        through = {} if edge else {"(1 − 2η‖XᵀX‖) ‖w − w⋆‖² + η²E‖∇ℓ_i‖²": between}
        yield Case(
            {"X": X, "w_star": star, "w": w, "eta": eta}, Chain(start, "≥", floor, through), edge
        )
