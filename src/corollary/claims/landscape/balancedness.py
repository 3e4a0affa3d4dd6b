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
:uses: matrix_gradients
:covers: balancedness-conservation
:scale-free: The same numbers are compared at two times.
:erratum: [missing hypothesis] (6.48) concludes that the differences are zero from (6.47), with no
    condition at t = 0. They keep whatever values they start with: the numbers here are not zero.
"""

from typing import NamedTuple

from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.core.relations import EPS
from corollary.theory.landscape.linear_flow import MatrixSensing, balancedness


class Given(NamedTuple):
    target: Tensor
    layers: list[Tensor]  # at the start
    eta: float  # 0 for the flow, else the step of gradient descent


def numbers(layers: list[Tensor]) -> list[float]:
    """Norm and trace of each difference."""
    return [float(v) for D in balancedness(layers) for v in (D.norm(), D.trace())]


class Balancedness(Claim[Given]):
    d: int = option(4, low=2, high=10)  # size of the matrices
    L: int = option(3, low=2, high=5)  # layers
    T: float = option(2.0, low=0.1, high=10.0)  # time
    steps: int = option(200, low=50, high=2000)  # steps of the Runge-Kutta method

    relation = equals(ulps=3e-7 / EPS, scale=0.1)  # the method's error, fourth order in the step
    supposes = Suppose(
        "the layers follow gradient flow",
        lambda g: (g.eta == 0, f"η = {g.eta:g}"),
        "Gradient descent with a step of 1/2 changes the differences.",
        eta=0.5,
    )
    symbols = "at the start", "at the end"
    rows = ("‖W₂ᵀW₂ − W₁W₁ᵀ‖", "its trace", "‖W₃ᵀW₃ − W₂W₂ᵀ‖", "its trace")
    shows = Along("Conserved differences at the start and at the end", x="number", y="value")

    def given(self, rng: Generator) -> Given:
        target, *layers = 0.7 * normal(rng, self.L + 1, self.d, self.d) / self.d**0.5
        return Given(target, layers, 0.0)

    def predict(self, given: Given) -> list[float]:
        return numbers(given.layers)

    def measure(self, given: Given) -> list[float]:
        sensing = MatrixSensing(given.target)
        if given.eta > 0:
            path = sensing.descent(given.layers, given.eta, steps=round(self.T / given.eta))
        else:
            path = sensing.flow(given.layers, self.T, steps=self.steps)
        return numbers(path[-1])
