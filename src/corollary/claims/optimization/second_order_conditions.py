r"""Second-order sufficient condition.

If :math:`\nabla f(x^*)=0` and :math:`H(x^*)\succ0` with smallest eigenvalue :math:`\lambda`, then
:math:`x^*` is a strict local minimiser. If the Hessian is M-Lipschitz, the ball where that is sure
and the height of its walls are

.. math:: f(x^*+s)\ge f(x^*)+\tfrac\lambda4\|s\|^2\qquad
   \text{for }\|s\|\le\frac{3\lambda}{2M} .

A semi-definite Hessian is necessary for a minimiser and not sufficient (:math:`x^3`); a definite
one is sufficient and not necessary (:math:`x^4`).

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.1.
:kind: theorem
:uses: second_order_remainder, rayleigh_quotient
:covers: second-order-conditions
:erratum: [typo] Positive definiteness is written s^T H s > 0 for all s; s = 0 must be excluded.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function
from corollary.core import Along, Claim, Suppose, at_least, normal, option
from corollary.theory.optimization.critical_points import stationarity
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.prerequisites.hessians import hessian


class Given(NamedTuple):
    f: Function
    x: Float[Tensor, " d"]  # the stationary point
    M: float  # Lipschitz constant of the Hessian
    r: Float[Tensor, " k"]  # radii
    s: Float[Tensor, "n d"]  # directions of length 1

    @property
    def smallest(self) -> float:
        return float(torch.linalg.eigvalsh(hessian(self.f, self.x))[0])


def line(f: Function, M: float, longest: float) -> Given:
    """A function of one variable around 0."""
    sides = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    r = torch.linspace(0.1, 1, 10, dtype=torch.float64) * longest
    return Given(f, torch.zeros(1, dtype=torch.float64), M, r, sides)


def cubic(x: Tensor) -> Tensor:
    """A bowl with λ = M = 1."""
    return (x**2 / 2 - x**3 / 6).sum()


class SecondOrderConditions(Claim[Given]):
    d: int = 3  # dimension
    n: int = 400  # directions in which each sphere is searched
    flattest: float = option(0.5, low=0.05, high=2.0)  # smallest eigenvalue of the Hessian

    relation = at_least(ulps=16, scale=1.0)  # differences of values near 1
    supposes = (
        Suppose(
            "the gradient vanishes at x*",
            lambda g: 1e-9 - stationarity(g.f, g.x),
            "At 0 the function x + x² has slope 1, so there are lower points on one side.",
            lambda: line(lambda x: (x + x**2).sum(), 1.0, 0.3),
        ),
        Suppose(
            "the Hessian at x* is positive definite",
            lambda g: g.smallest,
            "At 0 the function x³ has zero gradient and zero Hessian, but no minimum.",
            lambda: line(lambda x: (x**3).sum(), 6.0, 1.0),
        ),
        Suppose(
            "no radius is larger than 3λ/(2M)",
            lambda g: 1.5 * g.smallest / g.M * (1 + 1e-9) - g.r.max(),
            "At twice this radius, x²/2 - x³/6 is again equal to its value at 0.",
            lambda: line(cubic, 1.0, 3.0),
        ),
    )
    symbols = "λ‖s‖²/4", "lowest f(x* + s) − f(x*)"
    shows = Along("Increase of f around the minimum", x="‖s‖", at="r", without=False)

    def given(self, rng: Generator) -> Given:
        values = torch.linspace(self.flattest, self.flattest + 2, self.d, dtype=torch.float64)
        Q, v, x = (
            matrix_with_spectrum(values, rng=rng),
            normal(rng, self.d, self.d),
            normal(rng, self.d),
        )
        v = v / v.norm(dim=1, keepdim=True)

        def f(p: Tensor) -> Tensor:  # a bowl with cubic terms, each of which adds 1 to M
            h = p - x
            value: Tensor = 1 + 0.5 * h @ Q @ h + (v @ h).pow(3).sum() / 6
            return value

        s = torch.cat([normal(rng, self.n, self.d), torch.linalg.eigh(Q).eigenvectors.T, -v])
        r = torch.linspace(0.1, 1, 10, dtype=torch.float64) * 1.5 * self.flattest / self.d
        return Given(f, x, float(self.d), r, s / s.norm(dim=1, keepdim=True))

    def predict(self, given: Given) -> list[float]:
        return (max(given.smallest, 0.0) / 4 * given.r**2).tolist()

    def measure(self, given: Given) -> list[float]:
        points = given.x + given.r[:, None, None] * given.s
        lowest = torch.vmap(torch.vmap(given.f))(points).min(dim=1).values
        return (lowest - given.f(given.x)).tolist()

    def tight(self) -> Given:
        """A cubic attains it at the largest radius."""
        return line(cubic, 1.0, 1.5)
