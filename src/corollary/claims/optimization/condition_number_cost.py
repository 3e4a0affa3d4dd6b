r"""The iterations of gradient descent grow with the condition number.

With the best constant step, from the worst start, gradient descent on a quadratic needs

.. math:: k=\frac{\log(1/\varepsilon)}{2\log\frac{\kappa+1}{\kappa-1}}
   \approx\frac\kappa4\log\frac1\varepsilon

steps to bring :math:`f-f^*` down by a factor :math:`\varepsilon`: proportional to :math:`\kappa`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4 and Figure 5.4.
:kind: rate
:uses: gd_optimal_step
:covers: gd-optimal-step
:scale-free: An exponent is compared; with another step the run diverges.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, option, slope
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import (
    iterations_to,
    matrix_with_spectrum,
    optimal_step,
)


class Given(NamedTuple):
    Q: tuple[Tensor, ...]  # Hessians in the plane, of growing condition number
    eta: tuple[float, ...]  # learning rate for each


class ConditionNumberCost(Claim[Given]):
    kappas: tuple[int, ...] = option((4, 8, 16, 32), low=2)  # condition numbers
    eps: float = option(1e-3, low=1e-12, high=0.01)  # factor by which f - f* shrinks

    relation = slope(gap=0.15)  # steps are whole numbers, and κ/4 is the limit of large κ
    supposes = Suppose(
        "each step is 2/(λmax + λmin)",
        lambda g: all(
            abs(eta / optimal_step(Q).eta - 1) < 1e-9 for Q, eta in zip(g.Q, g.eta, strict=True)
        ),
        "Steps of 1/(λmax √κ) are too small.",
        eta=lambda g: tuple(optimal_step(Q).kappa ** -1.5 for Q in g.Q),
    )
    symbols = "κ", "steps of gradient descent"
    predicts = 1.0
    shows = Over("Steps until f − f* has shrunk by ε", x="κ", y="steps")

    def given(self, rng: Generator) -> Given:
        spectra = [torch.tensor([1.0, k], dtype=torch.float64) for k in self.kappas]
        Q = tuple(matrix_with_spectrum(values, rng=rng) for values in spectra)
        return Given(Q, tuple(optimal_step(q).eta for q in Q))

    def measure(self, given: Given) -> Series:
        def steps(Q: Tensor, eta: float) -> int:
            values, V = torch.linalg.eigh(Q)
            enough = iterations_to(self.eps, float((1 - eta * values).square().max())) + 2
            worst = V @ values.rsqrt()  # equal shares of both eigenvectors
            gap = gradient_descent(lambda x: 0.5 * x @ Q @ x, worst, eta, enough).f
            return int((gap <= self.eps * gap[0]).nonzero()[0])

        return Series(self.kappas, [steps(*pair) for pair in zip(*given, strict=True)])
