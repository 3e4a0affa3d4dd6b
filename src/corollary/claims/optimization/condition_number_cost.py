r"""Iterations grow with the condition number.

With the best constant step, from the worst start, gradient descent on a quadratic needs

.. math:: k=\frac{\log(1/\varepsilon)}{2\log\frac{\kappa+1}{\kappa-1}}
   \approx\frac\kappa4\log\frac1\varepsilon

steps to bring :math:`f-f^*` down by a factor :math:`\varepsilon`: proportional to :math:`\kappa`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4 and Figure 5.4.
:kind: rate
:cost: instant
:covers: gd-optimal-step
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import (
    iterations_to,
    matrix_with_spectrum,
    optimal_step,
)


class Given(NamedTuple):
    """Quadratics in the plane of growing condition number, with a step for each."""

    kappas: tuple[float, ...]
    Q: tuple[Tensor, ...]
    eta: tuple[float, ...]


class ConditionNumberCost(Claim[Given]):
    kappas: tuple[int, ...] = option((4, 8, 16, 32), low=2)  # condition numbers
    eps: float = option(1e-3, low=1e-12, high=0.01)  # by how much f - f* is to shrink
    relation = slope(gap=0.15)  # steps are whole numbers, and κ/4 is the limit of large κ

    def given(self, rng: Generator) -> Given:
        """The best step for each."""
        spectra = [torch.tensor([1.0, k], dtype=torch.float64) for k in self.kappas]
        Q = tuple(matrix_with_spectrum(v, rng=rng) for v in spectra)
        return Given(tuple(map(float, self.kappas)), Q, tuple(optimal_step(q).eta for q in Q))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The steps."""
        best = all(
            abs(eta - optimal_step(Q).eta) <= 1e-9 * eta
            for eta, Q in zip(given.eta, given.Q, strict=True)
        )
        yield Hypothesis("each step is 2/(λmax + λmin)", best)

    def predict(self, given: Given) -> float:
        """In proportion."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """Steps of real runs from the worst start."""
        pairs = zip(given.Q, given.eta, strict=True)
        return Series(given.kappas, [_steps(Q, eta, self.eps) for Q, eta in pairs])

    def counterexample(self, rng: Generator) -> Given:
        """Steps that are too careful, 1/(λmax √κ)."""
        given = self.given(rng)
        return given._replace(eta=tuple(k**-1.5 for k in given.kappas))

    def figure(self, given: Given) -> Figure:
        """Steps against the formula."""
        found = self.measure(given)
        formula = [iterations_to(self.eps, optimal_step(Q).rho) for Q in given.Q]
        return Figure(
            f"Steps until f − f* has shrunk to {self.eps:g} of its start",
            x="κ",
            y="steps",
            log_x=True,
            log_y=True,
            marks=(
                Curve(formula, given.kappas, "log ε / log ρ", "predicted"),
                Points(found.sizes, found.values, label="gradient descent"),
            ),
        )


def _steps(Q: Tensor, eta: float, eps: float) -> int:
    """The first step with f at most eps of its start, from equal shares of both eigenvectors."""
    values, V = torch.linalg.eigh(Q)
    start = V @ values.rsqrt()
    enough = iterations_to(eps, float((1 - eta * values).square().max())) + 2
    gap = gradient_descent(lambda x: 0.5 * x @ Q @ x, start, eta, enough).f
    return int((gap <= eps * gap[0]).nonzero()[0])
