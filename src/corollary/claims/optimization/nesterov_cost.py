r"""Nesterov acceleration: the number of steps grows like the root of the condition number.

On a quadratic with curvatures between :math:`\mu` and :math:`L=\kappa\mu`, Nesterov's method with
:math:`\beta=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}` lowers the gap by a given factor in

.. math:: T\propto\sqrt\kappa

steps; gradient descent, which is the same method with :math:`\beta=0`, needs
:math:`T\propto\kappa`.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Nesterov (2004), "Introductory lectures on
    convex optimization", Section 2.2.
:kind: rate
:uses: condition_number_cost
:covers: nesterov-acceleration
:scale-free: An exponent is compared; a momentum above 1 is refused.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.errors import InputError
from corollary.theory.optimization.methods.nesterov import Nesterov, nesterov_momentum

MOST = 200_000  # steps


class Given(NamedTuple):
    x0: Float[Tensor, " d"]  # in coordinates of equal curvature
    beta: tuple[float, ...]  # momentum at each condition number


class NesterovCost(Claim[Given]):
    kappas: tuple[int, ...] = option((64, 128, 256, 512, 1024), low=16, high=10_000)  # κ
    d: int = option(30, low=2)  # dimension
    factor: float = option(1e-3, low=1e-12, high=0.1)  # factor by which the gap shrinks

    relation = slope(gap=0.1)  # the constant in front still settles at these sizes
    supposes = Suppose(
        "the momentum is (√κ − 1)/(√κ + 1)",
        lambda self, g: all(
            abs(nesterov_momentum(float(k)) - b) < 1e-9
            for k, b in zip(self.kappas, g.beta, strict=True)
        ),
        "Without momentum, the method is gradient descent.",
        beta=lambda g: (0.0,) * len(g.beta),
    )
    symbols = "√κ", "steps of Nesterov's method"
    predicts = 0.5
    shows = Over("Steps until the gap is a thousand times smaller", x="κ", y="T")

    def given(self, rng: Generator) -> Given:
        x0 = 1 + 0.1 * normal(rng, self.d)  # equal shares of the gap, up to chance
        return Given(x0, tuple(nesterov_momentum(float(k)) for k in self.kappas))

    def measure(self, given: Given) -> Series:
        pairs = zip(self.kappas, given.beta, strict=True)
        return Series(self.kappas, [self.steps(given.x0, k, beta) for k, beta in pairs])

    def steps(self, start: Tensor, kappa: int, beta: float) -> int:
        """Until the gap is small."""
        values = torch.logspace(0, 1, len(start), base=float(kappa), dtype=torch.float64)
        method, x = Nesterov(1 / kappa, beta), start / values.sqrt()
        memory, goal = method.init(x), self.factor * float(start.square().sum())
        for t in range(MOST):
            if float((values * x.square()).sum()) <= goal:
                return max(t, 1)
            x, memory = method.step(x, lambda x: values * x, memory)
        raise InputError(f"expected at most {MOST} steps for kappa = {kappa}, got more")
