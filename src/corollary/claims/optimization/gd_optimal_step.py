r"""The best constant step size of gradient descent, and the condition number.

On a quadratic with eigenvalues from :math:`\lambda_{\min}>0` to :math:`\lambda_{\max}` the worst
start loses least per step at

.. math:: \eta^*=\operatorname*{argmin}_\eta\max_i(1-\eta\lambda_i)^2
   =\frac2{\lambda_{\max}+\lambda_{\min}},\qquad
   \rho=\Bigl(\frac{\kappa-1}{\kappa+1}\Bigr)^2\le\Bigl(1-\frac1\kappa\Bigr)^2,\qquad
   \kappa=\frac{\lambda_{\max}}{\lambda_{\min}} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4 and Figure 5.4.
:kind: theorem
:uses: gd_quadratic
:covers: gd-optimal-step
:erratum: [typo] Section 5.4 prints rho <= (1 - kappa)^2, which says nothing for kappa >= 2
    (kappa = 10: 81 against rho = 0.669); (1 - 1/kappa)^2 = 0.81 is meant. And eta* is an argmin,
    written as a min.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from scipy.optimize import minimize_scalar
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import portrait
from corollary.core import Claim, Curve, Level, Marks, Suppose, Trial, equals, option, picture
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import quadratic
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum, optimal_step


class Given(NamedTuple):
    Q: Float[Tensor, "d d"]  # Hessian

    def worst(self, eta: float) -> float:
        """The largest factor of the gap over all starts, as an operator norm."""
        eye = torch.eye(len(self.Q), dtype=self.Q.dtype)
        return float(torch.linalg.matrix_norm(eye - eta * self.Q, 2)) ** 2


class GdOptimalStep(Claim[Given]):
    d: int = option(6, low=2)  # dimension
    kappa: float = option(10.0, low=1.01, high=1e4)  # condition number of Q

    relation = equals(ulps=2**30, scale=1.0)  # a search of a kinked function stops at 1e-7
    supposes = Suppose(
        "Q is positive definite",
        lambda g: torch.linalg.eigvalsh(g.Q)[0],
        "If Q has a negative eigenvalue, the best step size is zero.",
        Q=lambda g: g.Q - 2 * torch.eye(len(g.Q), dtype=g.Q.dtype),
    )
    symbols = "by the formula", "by a search"
    rows = "η*", "ρ"

    def given(self, rng: Generator) -> Given:
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        return Given(matrix_with_spectrum(values, rng=rng))

    def predict(self, given: Given) -> list[float]:
        values = torch.linalg.eigvalsh(given.Q)
        if values[0] > 0:
            best = optimal_step(given.Q)
            return [best.eta, best.rho]
        low, high = float(values[0]), float(values[-1])  # the formula, where it is not proved
        return [2 / (high + low), ((high - low) / (high + low)) ** 2]

    def measure(self, given: Given) -> list[float]:
        longest = 4 / float(torch.linalg.matrix_norm(given.Q, 2))
        exact = {"xatol": 1e-11 * longest}
        found = minimize_scalar(given.worst, bounds=(0.0, longest), method="bounded", options=exact)
        return [float(found.x), float(found.fun)]

    @picture("Worst-case factor of the error per step", x="η", y="max (1 − ηλ)²")
    def factor(self, trial: Trial[Given]) -> Marks:
        best, rho = trial.predicted
        eta = torch.linspace(0.05, 1.15, 111, dtype=torch.float64) * best
        yield Curve([trial.given.worst(float(e)) for e in eta], eta, "‖I − ηQ‖²")
        yield Level(rho, label="ρ")
        yield Level(best, label="η*", axis="x")
        yield Level((1 - 1 / self.kappa) ** 2, label="(1 − 1/κ)²", role="other")

    @picture("A narrow valley, κ = {kappa:g}", x="x₁", y="x₂", equal=True)
    def valley(self, trial: Trial[Given]) -> Marks:
        f = quadratic(torch.tensor([1.0, self.kappa], dtype=torch.float64).diag()).f
        start = torch.tensor([self.kappa, 1.0], dtype=torch.float64).sqrt()
        steps = {"η*": 2 / (1 + self.kappa), "1/λmax": 1 / self.kappa}
        paths = [(gradient_descent(f, start, eta, 25).x, name) for name, eta in steps.items()]
        yield from portrait(f, *paths, margin=1.2)
