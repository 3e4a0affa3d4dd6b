r"""Ridge regression.

Ridge regression minimizes :math:`\|Xw - y\|^2 + \frac{\lambda}{2} \|w\|^2` with :math:`X \in
\mathbb{R}^{n \times d}` and :math:`\lambda > 0`. Let :math:`u_i` and :math:`d_i` be the left
singular vectors and the singular values of :math:`X`.

:source: Notes, Section 11.3, Problem 1.
:a: ``ridge_prediction(X, y, lam)`` Return the prediction :math:`X \hat w` on the points
    :math:`X`.
:a-hints: Set the gradient to zero. | :math:`(X^\top X + c I) w = X^\top y`: which :math:`c`? |
    The factor 2 of the square and the 1/2 of the penalty do not cancel; compare with the formula
    of the notes.
:b: ``shrinkage(X, lam)`` The prediction is :math:`\sum_i f_i \, u_i u_i^\top y`. Return the factors
    :math:`f_i`, in the order of falling singular values; without a penalty all would be 1.
:b-hints: Insert the singular value decomposition. | Directions of small :math:`d_i` shrink most. |
    A singular value 0 has the factor 0.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Rng, equals

SHAPES = ((7, 3, ""), (9, 5, ""), (3, 6, "fewer points than parameters"))


def minimizer(X: Array, y: Array, lam: float) -> Array:
    """The minimizer as a least-squares solution: the penalty is d more points with target 0."""
    d = X.shape[1]
    more = np.vstack([X, np.sqrt(lam / 2) * np.eye(d)])
    return np.asarray(np.linalg.lstsq(more, np.concatenate([y, np.zeros(d)]), rcond=None)[0])


def part_a(rng: Rng) -> Iterator[Case]:
    """Penalties of several sizes."""
    for n, d, edge in SHAPES:
        X, y, lam = rng.normal(size=(n, d)), rng.normal(size=n), float(rng.uniform(0.5, 3))
        said = {
            "your answer is the formula of the notes, which belongs to the penalty λ‖w‖²": (
                X @ minimizer(X, y, 2 * lam)
            ),
            "the penalty is missing": X @ np.linalg.pinv(X) @ y,
            "the penalty is too small by a factor of 2": X @ minimizer(X, y, lam / 2),
        }
        given = {"X": X, "y": y, "lam": lam}
        yield Case(given, equals(X @ minimizer(X, y, lam), said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The factor of each left singular vector, measured on that vector."""
    for n, d, edge in SHAPES:
        X, lam = rng.normal(size=(n, d)), float(rng.uniform(0.5, 3))
        u, s, _ = np.linalg.svd(X, full_matrices=False)
        factors = [v @ X @ minimizer(X, v, lam) for v in u.T]
        said = {
            "the singular values are not squared": s / (s + lam / 2),
            "your answer belongs to the penalty λ‖w‖²": s**2 / (s**2 + lam),
            "your numbers are the factors of the weights, not of the prediction": s
            / (s**2 + lam / 2),
            "the values are sorted by increasing singular values": factors[::-1],
        }
        yield Case({"X": X, "lam": lam}, equals(factors, said), edge)
