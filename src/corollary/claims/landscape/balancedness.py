r"""Conservation law of deep linear networks.

Along the gradient flow of :math:`\frac1{2L}\|W_L\cdots W_1-W^*\|_F^2` (and of every loss of the
product)

.. math:: W_{k+1}^\top\dot W_{k+1}=\dot W_kW_k^\top,\qquad
   \frac{d}{dt}\bigl(W_{k+1}^\top W_{k+1}-W_kW_k^\top\bigr)=0 :

the differences keep their values. They are zero for all times iff the layers start balanced.
Gradient descent with step :math:`\eta` moves them by :math:`O(\eta)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1b), (6.47)-(6.48);
    Arora, Cohen and Hazan (2018), "On the optimization of deep networks", Theorem 1.
:kind: theorem
:cost: instant
:covers: balancedness-conservation
:erratum: [missing hypothesis] (6.48) concludes that the differences are zero from (6.47), with no
    condition at t = 0. They keep whatever values they start with: the numbers here are not zero.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.core.relations import EPS
from corollary.theory.landscape.linear_flow import MatrixSensing, balancedness


class Given(NamedTuple):
    """Target and start, and whether time is continuous."""

    target: Tensor
    layers: list[Tensor]
    eta: float  # 0 for the flow, else the step of gradient descent


class Balancedness(Claim[Given]):
    d: int = option(4, low=2, high=10)  # size of the matrices
    L: int = option(3, low=2, high=5)  # layers
    T: float = option(2.0, low=0.5, high=10.0)  # time
    steps: int = option(200, low=50, high=2000)  # of the Runge-Kutta method
    relation = equals(ulps=1e-5 / EPS, scale=0.1)  # the method's error, fourth order in the step

    def given(self, rng: Generator) -> Given:
        """Gaussian layers of standard size: not balanced."""
        draw = torch.randn(self.L + 1, self.d, self.d, generator=rng, dtype=torch.float64)
        draw = draw / self.d**0.5
        return Given(draw[0], list(draw[1:]), 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Continuous time."""
        yield Hypothesis("the layers follow gradient flow", given.eta == 0, f"η = {given.eta:g}")

    def predict(self, given: Given) -> list[float]:
        """Numbers of the start."""
        return _numbers(given.layers)

    def measure(self, given: Given) -> list[float]:
        """The same numbers at the end."""
        return _numbers(self._path(given)[-1])

    def counterexample(self, rng: Generator) -> Given:
        """Gradient descent with a step of 0.2."""
        return self.given(rng)._replace(eta=0.2)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The conserved number while the layers move, and its drift under gradient descent."""
        path = self._path(given)
        t = [self.T * i / (len(path) - 1) for i in range(len(path))]
        first = [float(balancedness(Ws)[0].norm()) for Ws in path]
        moved = [float((Ws[0] - path[0][0]).norm()) for Ws in path]
        conserved = Figure(
            "Layers move, their difference does not",
            x="t",
            y="norm",
            marks=(
                Level(first[0], label="‖W₂ᵀW₂ − W₁W₁ᵀ‖ at the start"),
                Curve(first, x=t, label="‖W₂ᵀW₂ − W₁W₁ᵀ‖"),
                Curve(moved, x=t, label="‖W₁(t) − W₁(0)‖", role="other"),
            ),
        )
        return conserved, self._drift(given)

    def _drift(self, given: Given) -> Figure:
        sensing, start = MatrixSensing(given.target), balancedness(given.layers)[0]
        etas = [0.1 / 2**i for i in range(5)]
        ends = [sensing.descent(given.layers, e, steps=round(1 / e))[-1] for e in etas]
        drift = [float((balancedness(Ws)[0] - start).norm()) for Ws in ends]
        return Figure(
            "Gradient descent conserves it up to O(η)",
            x="η",
            y="drift of W₂ᵀW₂ − W₁W₁ᵀ up to t = 1",
            log_x=True,
            log_y=True,
            marks=(
                Curve(
                    [drift[-1] * e / etas[-1] for e in etas],
                    x=etas,
                    label="proportional to η",
                    role="predicted",
                ),
                Curve(drift, x=etas, label="gradient descent"),
            ),
        )

    def _path(self, given: Given) -> list[list[Tensor]]:
        sensing = MatrixSensing(given.target)
        if given.eta > 0:
            return sensing.descent(given.layers, given.eta, steps=round(self.T / given.eta))
        return sensing.flow(given.layers, self.T, steps=self.steps)


def _numbers(Ws: list[Tensor]) -> list[float]:
    out = []
    for D in balancedness(Ws):
        out += [float(D.norm()), float(D.trace())]
    return out
