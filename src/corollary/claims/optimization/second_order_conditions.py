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
:cost: instant
:covers: second-order-conditions
:erratum: [typo] Positive definiteness is written s^T H s > 0 for all s; s = 0 must be excluded.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option
from corollary.theory.optimization.critical_points import stationarity
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.prerequisites.hessians import hessian


class Given(NamedTuple):
    """A function near a stationary point."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]  # the stationary point
    M: float  # Lipschitz constant of the Hessian
    r: Float[Tensor, " k"]  # radii
    s: Float[Tensor, "n d"]  # directions of length 1


class SecondOrderConditions(Claim[Given]):
    d: int = 3  # dimension
    n: int = 400  # directions in which each sphere is searched
    flattest: float = option(0.5, low=0.05, high=2.0)  # smallest eigenvalue of the Hessian
    relation = at_least(ulps=16)  # values of f near 1

    def given(self, rng: Generator) -> Given:
        """A bowl with cubic terms: a local minimum that is not a global one."""
        values = torch.linspace(self.flattest, self.flattest + 2, self.d, dtype=torch.float64)
        Q = matrix_with_spectrum(values, rng=rng)
        v = torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)
        v = v / v.norm(dim=1, keepdim=True)
        x = torch.randn(self.d, generator=rng, dtype=torch.float64)

        def f(p: Tensor) -> Tensor:
            h = p - x
            return 1 + 0.5 * h @ Q @ h + ((v @ h) ** 3).sum() / 6

        s = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        s = torch.cat([s, torch.linalg.eigh(Q).eigenvectors.T, -v])
        M = float(self.d)  # each cubic term adds at most 1
        r = torch.linspace(0.1, 1, 10, dtype=torch.float64) * 1.5 * self.flattest / M
        return Given(f, x, M, r, s / s.norm(dim=1, keepdim=True))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Gradient, Hessian, radius."""
        low = _smallest(given)
        yield Hypothesis("the gradient vanishes at x*", stationarity(given.f, given.x) < 1e-9)
        detail = f"smallest eigenvalue {low:.3g}"
        yield Hypothesis("the Hessian at x* is positive definite", low > 0, detail)
        near = float(given.r.max()) <= 1.5 * low / given.M * (1 + 1e-9)
        yield Hypothesis("no radius is larger than 3λ/(2M)", near)

    def predict(self, given: Given) -> list[float]:
        """The walls."""
        low = max(_smallest(given), 0.0)
        return (given.f(given.x) + low / 4 * given.r**2).tolist()

    def measure(self, given: Given) -> list[float]:
        """The lowest value found on each sphere."""
        points = given.x + given.r[:, None, None] * given.s
        return torch.vmap(torch.vmap(given.f))(points).min(dim=1).values.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A cube: stationary, semi-definite, no minimum."""
        one = torch.ones(1, 1, dtype=torch.float64)
        r = torch.linspace(0.1, 1, 10, dtype=torch.float64)
        return Given(lambda x: (x**3).sum(), 0 * one[0], 6.0, r, torch.cat([one, -one]))

    def figure(self, given: Given) -> Figure:
        """The lowest values, and the section along the lowest direction."""
        low, best = _smallest(given), float(given.r.max())
        ends = torch.vmap(given.f)(given.x + best * given.s)
        u = given.s[int(ends.argmin())]
        t = torch.linspace(-1.5 * best, 5 * best, 161, dtype=torch.float64)
        inner = torch.linspace(-best, best, 41, dtype=torch.float64)
        wall = given.f(given.x) + low / 4 * inner**2
        return Figure(
            "A positive definite Hessian makes a strict local minimum",
            x="t = ±‖s‖",
            y="f(x* + tu)",
            marks=(
                Curve(torch.vmap(given.f)(given.x + t[:, None] * u), t, "f, lowest direction"),
                Points(given.r, self.measure(given), label="lowest value on each sphere"),
                Curve(wall, inner, "f(x*) + λt²/4", "predicted"),
                Level(best, label="3λ/(2M)", role="other", axis="x"),
            ),
        )


def _smallest(given: Given) -> float:
    return float(torch.linalg.eigvalsh(hessian(given.f, given.x))[0])
