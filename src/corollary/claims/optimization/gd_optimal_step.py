r"""The best constant step and the condition number.

On a quadratic with eigenvalues from :math:`\lambda_{\min}>0` to :math:`\lambda_{\max}` the worst
start loses least per step at

.. math:: \eta^*=\operatorname*{argmin}_\eta\max_i(1-\eta\lambda_i)^2
   =\frac2{\lambda_{\max}+\lambda_{\min}},\qquad
   \rho=\Bigl(\frac{\kappa-1}{\kappa+1}\Bigr)^2\le\Bigl(1-\frac1\kappa\Bigr)^2,\qquad
   \kappa=\frac{\lambda_{\max}}{\lambda_{\min}} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4 and Figure 5.4.
:kind: theorem
:cost: instant
:covers: gd-optimal-step
:erratum: [typo] Section 5.4 prints rho <= (1 - kappa)^2, which says nothing for kappa >= 2
    (kappa = 10: 81 against rho = 0.669); (1 - 1/kappa)^2 = 0.81 is meant. And eta* is an argmin,
    written as a min.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from scipy.optimize import minimize_scalar
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Level, equals, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.grids import values_on_grid
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


class Given(NamedTuple):
    """The Hessian."""

    Q: Float[Tensor, "d d"]


class GdOptimalStep(Claim[Given]):
    d: int = option(6, low=2)  # dimension
    kappa: float = option(10.0, low=1.01, high=1e4)  # condition number of Q
    relation = equals(ulps=2**30, scale=1.0)  # a search of a kinked function stops at 1e-7

    def given(self, rng: Generator) -> Given:
        """Eigenvalues from 1 to kappa."""
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        return Given(matrix_with_spectrum(values, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The matrix."""
        low = float(torch.linalg.eigvalsh(given.Q)[0])
        yield Hypothesis("Q is positive definite", low > 0, f"smallest eigenvalue {low:.3g}")

    def predict(self, given: Given) -> list[float]:
        """Step and rate by the formula."""
        values = torch.linalg.eigvalsh(given.Q)
        low, high = float(values[0]), float(values[-1])
        return [2 / (high + low), ((high - low) / (high + low)) ** 2]

    def measure(self, given: Given) -> list[float]:
        """Step and rate by a search."""
        longest = 4 / float(torch.linalg.matrix_norm(given.Q, 2))
        found = minimize_scalar(
            lambda eta: _worst(given.Q, eta), bounds=(0.0, longest), method="bounded",
            options={"xatol": 1e-11 * longest},
        )  # fmt: skip
        return [float(found.x), float(found.fun)]

    def counterexample(self, rng: Generator) -> Given:
        """A negative eigenvalue: the best step is none."""
        values = torch.linspace(-0.5, 2, self.d + 1, dtype=torch.float64)[[0, *range(2, self.d)]]
        return Given(matrix_with_spectrum(values, rng=rng))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The worst factor by the step; the zigzag in the plane."""
        best, rho = self.predict(given)
        eta = torch.linspace(0.05, 1.15, 111, dtype=torch.float64) * best
        worst = [_worst(given.Q, float(e)) for e in eta]
        curve = Figure(
            "The worst factor of a step",
            x="η",
            y="max (1 − ηλ)²",
            marks=(
                Curve(worst, eta, "‖I − ηQ‖²"),
                Level(rho, label="ρ"),
                Level(best, label="η*", axis="x"),
                Level((1 - 1 / self.kappa) ** 2, label="(1 − 1/κ)²", role="other"),
            ),
        )
        return curve, _zigzag(self.kappa)


def _worst(Q: Tensor, eta: float) -> float:
    """The largest factor of the gap over all starts, as an operator norm."""
    return float(torch.linalg.matrix_norm(torch.eye(len(Q), dtype=Q.dtype) - eta * Q, 2)) ** 2


def _zigzag(kappa: float) -> Figure:
    """Descent from the worst start on a quadratic of two variables."""
    values = torch.tensor([1.0, kappa], dtype=torch.float64)

    def f(x: Tensor) -> Tensor:
        return 0.5 * (values * x.square()).sum()

    start = torch.stack([torch.sqrt(values[1]), torch.sqrt(values[0])])
    marks = []
    for name, eta in (("η*", 2 / (1 + kappa)), ("1/λmax", 1 / kappa)):
        path = gradient_descent(f, start, eta, 25).x
        marks.append(Curve(path[:, 1], path[:, 0], name, "measured" if name == "η*" else "other"))
    a, b = 1.2 * float(start[0]), 1.6 * float(start[1])
    ground = HeatMap(values_on_grid(f, (-a, a), (-b, b)).sqrt(), (-a, a), (-b, b), label="√f")
    return Figure(f"A narrow valley, κ = {kappa:g}", x="x₁", y="x₂", marks=(ground, *marks))
