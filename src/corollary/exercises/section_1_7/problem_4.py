r"""Means and covariances of Gaussian variables.

:source: Notes, Section 1.7, Problem 4.

The density of :math:`\mathcal{N}(\mu, \Sigma)` on :math:`\mathbb{R}^k` is proportional to
:math:`\exp(-\frac12 (x - \mu)^\top \Sigma^{-1} (x - \mu))`.

:a: ``moments(mu, sigma)`` For the density :math:`(2\pi\sigma^2)^{-1/2} e^{-(x-\mu)^2/(2\sigma^2)}`
    return the mean and the variance, in this order.
:a-hints: Substitute :math:`x = \mu + \sigma z`. | An odd function has the integral 0. | Integrate
    :math:`z \cdot z e^{-z^2/2}` by parts.
:b: ``whitening(mu, Sigma)`` The general case is reduced to independent standard normal variables by
    a substitution :math:`x = c + R z`. Return a dictionary with ``"c"`` and ``"R"`` for which the
    density becomes that of :math:`z`.
:b-hints: Which :math:`c` removes the linear term? | :math:`R^\top \Sigma^{-1} R` has to be the
    identity. | A Cholesky factor, or the symmetric root.
:c: ``affine_moments(mu, Sigma, A, b)`` For :math:`Y = AX + b` return a dictionary with ``"mean"``
    and ``"covariance"``.
:c-hints: The expectation is linear. | :math:`Y - E Y = A(X - \mu)`. | The covariance is an outer
    product, so :math:`A` appears on both sides.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary.exercises.judging import Array, Case, Judge, Rng, equals, fields

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(12)


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by quadrature of the density."""
    for sigma, edge in ((0.6, ""), (1.7, ""), (1.0, "σ = 1")):
        mu = float(rng.normal())
        x = np.linspace(mu - 12 * sigma, mu + 12 * sigma, 4001)
        f = np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)
        step = x[1] - x[0]
        mean = float((x * f).sum() * step)
        spread = float(((x - mean) ** 2 * f).sum() * step)
        said = {
            "your answer is the standard deviation": [mean, sigma],
            "your answer is the second moment": [mean, spread + mean**2],
            "return the mean first, then the variance": [spread, mean],
        }
        yield Case({"mu": mu, "sigma": sigma}, equals([mean, spread], said), edge)


def covariance(rng: Rng, k: int) -> Array:
    """A positive definite matrix."""
    A = rng.normal(size=(k, k + 2))
    return np.asarray(A @ A.T)


def part_b(rng: Rng) -> Iterator[Case]:
    """The answer is judged by the exponent at random points."""
    for k, edge in ((2, ""), (4, ""), (1, "one dimension")):
        mu, Sigma = rng.normal(size=k), covariance(rng, k)
        judge = _whitens(mu, Sigma, rng.normal(size=(6, k)))
        yield Case({"mu": mu, "Sigma": Sigma}, judge, edge)


def _whitens(mu: Array, Sigma: Array, points: Array) -> Judge:
    def judge(answer: Any) -> str:
        c, R = fields(answer, "c", "R")
        if c.shape != mu.shape or R.shape != Sigma.shape:
            return f"expected c of shape {mu.shape} and R of shape {Sigma.shape}"
        x = c + points @ R.T - mu
        exponent = (x * np.linalg.solve(Sigma, x.T).T).sum(1)
        same = np.allclose(exponent, (points**2).sum(1), rtol=1e-6)
        return "" if same else "the exponent does not become that of a standard normal variable"

    return judge


def part_c(rng: Rng) -> Iterator[Case]:
    """The reference is computed by Gauss-Hermite quadrature, which is exact for squares."""
    for p, k, edge in ((3, 2, ""), (2, 2, ""), (1, 2, "a single output")):
        mu, Sigma = rng.normal(size=k), covariance(rng, k)
        A, b = rng.normal(size=(p, k)), rng.normal(size=p)
        z = np.stack(np.meshgrid(NODES, NODES), -1).reshape(-1, 2)
        weights = np.outer(WEIGHTS, WEIGHTS).ravel() / (2 * np.pi)
        Y = (mu + z @ np.linalg.cholesky(Sigma).T) @ A.T + b
        mean = weights @ Y
        yield Case(
            {"mu": mu, "Sigma": Sigma, "A": A, "b": b},
            _both(mean, (Y - mean).T * weights @ (Y - mean), A, Sigma),
            edge,
        )


def _both(mean: Array, cov: Array, A: Array, Sigma: Array) -> Judge:
    squared = {"A appears on both sides, transposed on one": A @ Sigma} if A.size else {}

    def judge(answer: Any) -> str:
        got, spread = fields(answer, "mean", "covariance")
        wrong = equals(mean)(got)
        return f"mean: {wrong}" if wrong else equals(cov, squared)(spread)

    return judge
