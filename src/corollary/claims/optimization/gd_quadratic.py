r"""Gradient descent on a quadratic.

For :math:`f(x)=\frac12x^\top Qx-q^\top x` with :math:`Q\succ0`, write :math:`z_i` for the
coordinate of x along the eigenvector of :math:`\lambda_i`. Then f is a sum of
:math:`g_i(z_i)=\frac{\lambda_i}2z_i^2-q_iz_i`, and k steps of descent act on each by itself:

.. math:: g_i(z_i^k)-g_i^*=(1-\eta\lambda_i)^{2k}\,\bigl(g_i(z_i^0)-g_i^*\bigr),\qquad
   g_i(z)-g_i^*=\frac{(\lambda_iz-q_i)^2}{2\lambda_i} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4.
:kind: identity
:cost: instant
:covers: gd-quadratic-rate, gradient-descent
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum, quadratic_rate
from corollary.theory.prerequisites.hessians import hessian


class Given(NamedTuple):
    """A function with the quadratic it should be, a start and a step."""

    f: Callable[[Tensor], Tensor]
    Q: Float[Tensor, "d d"]
    q: Float[Tensor, " d"]
    x0: Float[Tensor, " d"]
    eta: float


class GdQuadratic(Claim[Given]):
    d: int = 5  # dimension
    k: int = 6  # steps
    kappa: float = option(10.0, low=1.0, high=1e4)  # condition number of Q
    share: float = option(1.8, low=0.01, high=3.0)  # the step in units of 1/λmax
    relation = equals(ulps=2**12, scale=1.0)  # k steps of rounding on coordinates of size 1

    def given(self, rng: Generator) -> Given:
        """A quadratic with eigenvalues from 1 to kappa."""
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        Q = matrix_with_spectrum(values, rng=rng)
        q, x0 = torch.randn(2, self.d, generator=rng, dtype=torch.float64)
        return Given(lambda x: 0.5 * x @ Q @ x - q @ x, Q, q, x0, self.share / self.kappa)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second derivative is Q wherever one looks."""
        f, Q, q, x0, _ = given
        same = all(torch.allclose(hessian(f, p), Q, atol=1e-9) for p in (x0, 0 * x0, 2 * x0 + 1))
        yield Hypothesis("f is quadratic with Hessian Q", same)
        definite = bool(torch.linalg.eigvalsh(Q)[0] > 0)
        yield Hypothesis("Q is positive definite", definite)

    def predict(self, given: Given) -> list[float]:
        """Factors to the power k, times the gaps of the start."""
        factors = quadratic_rate(given.Q, given.eta).factors
        return (factors**self.k * _gaps(given, given.x0)).tolist()

    def measure(self, given: Given) -> list[float]:
        """The gaps of the last iterate."""
        run = gradient_descent(given.f, given.x0, given.eta, self.k)
        return _gaps(given, run.x[-1]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A quartic term."""
        given = self.given(rng)
        return given._replace(f=lambda x: given.f(x) + (x**4).sum() / 20, eta=given.eta / 4)

    def figure(self, given: Given) -> Figure:
        """The gap in three directions."""
        run = gradient_descent(given.f, given.x0, given.eta, 12)
        found = torch.stack([_gaps(given, x) for x in run.x])
        rate = quadratic_rate(given.Q, given.eta)
        k = torch.arange(len(found), dtype=torch.float64)
        marks: list[Curve | Points] = []
        d = len(given.Q)
        for i in sorted({0, d // 2, d - 1}):
            lam = float(rate.eigenvalues[i])
            marks.append(
                Curve(
                    rate.factors[i] ** k * found[0, i], k, f"(1 − {lam:.3g}η)^{{2k}}", "predicted"
                )
            )
            marks.append(Points(k, found[:, i], label=f"λ = {lam:.3g}"))
        return Figure(
            f"Each eigendirection has its own rate (η = {given.eta:.3g})",
            x="k",
            y="g(z^k) − g*",
            log_y=True,
            marks=tuple(marks),
        )


def _gaps(given: Given, x: Tensor) -> Tensor:
    values, V = torch.linalg.eigh(given.Q)
    return (values * (V.T @ x) - V.T @ given.q).square() / (2 * values)
