r"""The step that flips the sign is short compared with the input.

The step that flips a random two-layer network has length :math:`2|f|/\|\nabla f\|`: the output is
of order 1 and so is its gradient, in any dimension d. Inputs have length :math:`\sqrt d`, so

.. math:: \frac{\|\Delta\|}{\|x\|}\ \propto\ d^{-1/2}.

Measured: the median relative length over random networks as d grows.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, after Equation 12.9; Bubeck,
    Cherapanamjeri, Gidel and Tachet des Combes (2021), "A single gradient step finds adversarial
    examples on random two-layers neural networks", Theorem 1.
:kind: rate
:cost: seconds
:uses: single_step_flip
:covers: single-step-adversarial-theorem
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, option, slope
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.robustness.single_step import SingleStep, single_step_attack


class Given(NamedTuple):
    steps: list[SingleStep]  # for each dimension, of many networks


class SingleStepSize(Claim[Given]):
    dims: tuple[int, ...] = (25, 50, 100, 200, 400)  # dimensions
    k: int = option(20, low=1, high=500)  # hidden units
    draws: int = option(1500, low=100, high=3000)  # networks of each dimension

    relation = slope(gap=0.2)  # medians scatter by a twentieth, the fit of five by a tenth
    supposes = Suppose(
        "the output is of order one",
        lambda g: 3 - max(s.before.square().mean().sqrt() for s in g.steps),
        "With an output bias of size √d, the flip is as long as the input.",
        lambda self, rng: self.drawn(rng, 1.0),
    )
    symbols = "∝ d^(−1/2)", "median ‖Δ‖ / ‖x‖"
    predicts = -0.5
    shows = Over("Length of the flip / length of the input", x="d")

    def given(self, rng: Generator) -> Given:
        return self.drawn(rng, 0.0)

    def drawn(self, rng: Generator, bias: float) -> Given:
        """Steps of tanh networks with an output bias in units of √d."""

        def steps(d: int) -> SingleStep:
            net = RandomTwoLayer(d, self.k, "tanh", t=self.draws, rng=rng)
            x: Float[Tensor, "t d"] = on_sphere(self.draws, d, rng=rng)
            return single_step_attack(lambda x: net(x) + bias * d**0.5, x)

        return Given([steps(d) for d in self.dims])

    def measure(self, given: Given) -> Series:
        return Series(self.dims, [float(step.relative.median()) for step in given.steps])
