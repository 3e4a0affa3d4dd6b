r"""The tangent kernel of a two-layer ReLU network.

Let :math:`f(W, x) = m^{-1/2} \sum_{r=1}^m \sigma(w_r^\top x)` with the ReLU :math:`\sigma`, trained
by gradient flow on :math:`\ell(W) = \frac12 \sum_i (f(W, x_i) - y_i)^2`. The rows of :math:`W` are
the
:math:`w_r`, those of :math:`X` the points, all of length 1.

:source: Notes, Section 7.4, Problem 1.
:a: ``loss_gradient(W, X, y)`` Return the gradient of the loss, of the shape of :math:`W`.
:a-hints: The chain rule: errors times gradients of the predictions. | The derivative of the ReLU is
    1 where its argument is positive. | Do not forget :math:`m^{-1/2}`.
:b: ``velocity(W, X, y)`` Return the derivative of the vector of predictions :math:`u(t)` by time.
:b-hints: The chain rule once more: :math:`\dot u_i = \langle \nabla f(W, x_i), \dot W \rangle`. |
    :math:`\dot W` is minus the gradient of part a. | :math:`\dot u = H (y - u)`.
:c: ``gram_matrix(W, X)`` Return :math:`H`, with the entries :math:`\sum_r \langle \partial f(W,
    x_i)/\partial w_r, \partial f(W, x_j)/\partial w_r \rangle`.
:c-hints: The gradient by :math:`w_r` is a multiple of :math:`x_i`. | A unit counts if it is active
    at both points. | :math:`H_{ij}` is :math:`x_i^\top x_j` times the share of such units.
:d: ``limit_kernel(X)`` Return the limit of :math:`H` at standard normal weights as :math:`m \to
    \infty`.
:d-hints: Only the plane of the two points matters. | The directions that are active at both fill an
    angle of :math:`\pi` minus the angle between the points. | Rounding may take :math:`x_i^\top
    x_i` above 1, where the arccosine is not defined.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Rng, equals, gradient

SHAPES = ((4, 3, 6, ""), (5, 4, 9, ""), (3, 2, 1, "a single unit"), (1, 3, 5, "a single point"))
ANGLES = (np.arange(200_000) + 0.5) * (2 * np.pi / 200_000)


def predictions(W: Array, X: Array) -> Array:
    """The network at all points."""
    return np.asarray(np.maximum(X @ W.T, 0).sum(1) / np.sqrt(len(W)))


def drawn(rng: Rng) -> Iterator[tuple[Array, Array, Array, str]]:
    """Weights and points, no unit near its kink, so that differences are derivatives."""
    for n, d, m, edge in SHAPES:
        while True:
            W, X = rng.normal(size=(m, d)), rng.normal(size=(n, d))
            X /= np.linalg.norm(X, axis=1)[:, None]
            if np.abs(X @ W.T).min() > 0.02:
                break
        yield W, X, rng.normal(size=n), edge


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives."""
    for W, X, y, edge in drawn(rng):

        def loss(V: Array, X: Array = X, y: Array = y) -> float:
            return 0.5 * float(((predictions(V, X) - y) ** 2).sum())

        g, m = gradient(loss, W), len(W)
        said = {
            "your answer is the direction of the flow: minus the gradient": -g,
            "the factor 1/2 of the loss cancels the 2 of the square": 2 * g,
            "the factor 1/√m of the network is missing": g * np.sqrt(m),
        }
        yield Case({"W": W, "X": X, "y": y}, equals(g, said), edge)


def jacobian(W: Array, X: Array) -> Array:
    """The derivatives of all predictions by all weights."""
    rows = [
        gradient(lambda V, x=x: float(predictions(V, x[None])[0]), W).ravel()  # type: ignore[misc]
        for x in X
    ]
    return np.array(rows)


def part_b(rng: Rng) -> Iterator[Case]:
    """The kernel from numerical derivatives."""
    for W, X, y, edge in drawn(rng):
        J = jacobian(W, X)
        v = J @ J.T @ (y - predictions(W, X))
        said = {
            "the sign is wrong: predictions move towards y": -v,
            "the kernel is missing": y - predictions(W, X),
        }
        yield Case({"W": W, "X": X, "y": y}, equals(v, said), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """The kernel from numerical derivatives."""
    for W, X, _, edge in drawn(rng):
        J = jacobian(W, X)
        active = (X @ W.T > 0) * 1.0
        said = {
            "the factor 1/m is missing": J @ J.T * len(W),
            "the product of the points is missing": active @ active.T / len(W),
            "your answer also counts inactive units": X @ X.T,
        }
        yield Case({"W": W, "X": X}, equals(J @ J.T, said), edge)


def part_d(rng: Rng) -> Iterator[Case]:
    """Angles are counted: the share at which both points are active."""
    for n, d, edge in ((4, 3, ""), (5, 6, ""), (3, 4, "opposite points"), (3, 7, "equal points")):
        X = rng.normal(size=(n, d))
        if edge:
            X[1] = -X[0] if edge == "opposite points" else X[0]
        X /= np.linalg.norm(X, axis=1)[:, None]
        z = np.clip(X @ X.T, -1, 1)
        angle = np.arccos(z)
        share = [
            [((np.cos(ANGLES) > 0) & (np.cos(ANGLES - a) > 0)).mean() for a in r] for r in angle
        ]
        K = z * np.array(share)
        said = {
            "the unit must be active at both points, not only at one": z
            * (1 - angle / (2 * np.pi)),
            "the range of angles at which both units are active is π minus the angle": z
            * angle
            / (2 * np.pi),
            "divide by the whole circle, 2π": 2 * K,
            "the product of the points is missing": share,
        }
        yield Case({"X": X}, equals(K, said, within=1e-4), edge)  # 200 000 angles
