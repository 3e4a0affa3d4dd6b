r"""Early stopping and the penalty on the weights.

Near its minimum :math:`w_\star` the risk is :math:`R(w) = R(w_\star) + \frac12 (w - w_\star)^\top H
(w - w_\star)`, with :math:`H = Q \Lambda Q^\top` positive definite. Gradient descent with learning
rate :math:`\eta` begins at :math:`w_0`. (The notes print the penalty as :math:`\lambda\|w\|^2`;
their formula belongs to :math:`\frac{\lambda}{2}\|w\|^2`, which is used here.)

:source: Notes, Section 11.3, Problem 2.
:a: ``next_difference(H, difference, eta)`` Return :math:`w_{k+1} - w_\star` for the given
    :math:`w_k - w_\star`.
:a-hints: The gradient of a quadratic form is linear. | Subtract :math:`w_\star` on both sides of
    the update. | One matrix times the old difference.
:b: ``rates(H, eta)`` In the coordinates :math:`Q^\top (w - w_\star)` each step multiplies every
    coordinate by a number. Return these numbers, in falling order.
:b-hints: Insert :math:`H = Q \Lambda Q^\top`. | :math:`Q^\top Q = I`. | They may be negative.
:c: ``stopped(H, w_star, eta, k)`` Return :math:`w_k`, for :math:`w_0 = 0`, without a loop over the
    steps.
:c-hints: A power of :math:`I - \eta H` is a power of its eigenvalues. | The first difference is
    :math:`-w_\star`. | :math:`w_0` is the point after 0 steps.
:d: ``penalized(H, w_star, lam)`` Return the minimizer of :math:`R(w) + \frac{\lambda}{2} \|w\|^2`.
:d-hints: :math:`H (w - w_\star) + \lambda w = 0`. | In the coordinates :math:`Q^\top w` this is one
    equation per coordinate. | :math:`\Lambda/(\Lambda + \lambda) = 1 - \lambda/(\Lambda +
    \lambda)`.
:e: ``stopping_time(eigenvalue, eta, lam)`` Return the time :math:`\tau`, a real number, at which
    early stopping and the penalty shrink the direction of this eigenvalue alike. For small
    :math:`\eta` and eigenvalues it is about :math:`1/(\eta\lambda)`; the exact time is asked.
:e-hints: Compare the factors in front of :math:`w_\star` in c and d. | :math:`(1 - \eta
    \Lambda)^\tau = \lambda/(\Lambda + \lambda)`. | Take logarithms.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Rng, equals, gradient


def curvature(rng: Rng, d: int) -> Array:
    """A positive definite matrix with eigenvalues between 0.2 and 2."""
    q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return np.asarray(q * np.linspace(0.2, 2.0, d) @ q.T)


def part_a(rng: Rng) -> Iterator[Case]:
    """One step along the numerical gradient."""
    for d, edge in ((3, ""), (5, ""), (1, "one coordinate")):
        H, old, eta = curvature(rng, d), rng.normal(size=d), 0.4
        g = gradient(lambda v, H=H: 0.5 * float(v @ H @ v), old)  # type: ignore[misc]  # H is bound
        said = {
            "the sign of the step is wrong": old + eta * g,
            "the gradient of ½vᵀHv is Hv, not 2Hv": old - 2 * eta * g,
            "your answer is the step, not the difference after it": -eta * g,
        }
        given = {"H": H, "difference": old, "eta": eta}
        yield Case(given, equals(old - eta * g, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """Measured on eigenvectors."""
    for d, eta, edge in ((3, 0.3, ""), (4, 0.2, ""), (3, 0.9, "a learning rate above 1/λ_max")):
        H = curvature(rng, d)
        said = {
            "your numbers are absolute values": sorted(abs(1 - eta * np.linalg.eigvalsh(H)))[::-1],
            "the values are in increasing order": 1 - eta * np.linalg.eigvalsh(H)[::-1],
            "your numbers are the eigenvalues of H": np.linalg.eigvalsh(H)[::-1],
        }
        rates = np.linalg.eigvalsh(np.eye(d) - eta * H)[::-1]
        yield Case({"H": H, "eta": eta}, equals(rates, said), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """Simulated step by step."""
    for d, k, edge in ((3, 4, ""), (4, 15, ""), (3, 0, "no step at all")):
        H, star, eta = curvature(rng, d), rng.normal(size=d), 0.3
        w, late = np.zeros(d), -star
        for _ in range(k):
            w = w - eta * H @ (w - star)
        late = w - eta * H @ (w - star)
        said = {
            "your answer is the difference from the minimum": w - star,
            "your answer is one step too many": late,
            "the sign is wrong: the first difference is −w⋆": 2 * star - w,
        }
        given = {"H": H, "w_star": star, "eta": eta, "k": k}
        yield Case(given, equals(w, said), edge)


def part_d(rng: Rng) -> Iterator[Case]:
    """The reference is computed by least squares: both terms are squares."""
    for d, lam, edge in ((3, 0.5, ""), (4, 2.0, ""), (3, 1e-9, "a penalty of almost 0")):
        H, star = curvature(rng, d), rng.normal(size=d)
        root = np.linalg.cholesky(H).T
        both = np.vstack([root, np.sqrt(lam) * np.eye(d)])
        target = np.concatenate([root @ star, np.zeros(d)])
        w = np.linalg.lstsq(both, target, rcond=None)[0]
        said = {
            "your answer belongs to the penalty λ‖w‖²": np.linalg.solve(
                H + 2 * lam * np.eye(d), H @ star
            ),
            "your answer is the part that the penalty removes": star - w,
            "the factor H is missing on the right side": np.linalg.solve(H + lam * np.eye(d), star),
        }
        yield Case({"H": H, "w_star": star, "lam": lam}, equals(w, said), edge)


def part_e(rng: Rng) -> Iterator[Case]:
    """The root of the difference of both factors, by bisection."""
    for small, edge in ((False, ""), (False, ""), (True, "a large eigenvalue")):
        top, lam = (1.9 if small else float(rng.uniform(0.2, 1))), float(rng.uniform(0.1, 1))
        eta = 0.4
        low, high = 0.0, 1e4
        for _ in range(200):
            mid = (low + high) / 2
            early = 1 - (1 - eta * top) ** mid
            low, high = (mid, high) if early < top / (top + lam) else (low, mid)
        said = {
            "your answer is the approximation for small eigenvalues": 1 / (eta * lam),
            "the sign is wrong": -low,
            "the factor of the penalty is λ/(Λ + λ), not Λ/(Λ + λ)": (
                np.log(top / (top + lam)) / np.log(1 - eta * top)
            ),
        }
        given = {"eigenvalue": top, "eta": eta, "lam": lam}
        yield Case(given, equals(low, said), edge)
