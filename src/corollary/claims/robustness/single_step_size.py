r"""The flip is short beside the input.

The step that flips a random two-layer network has length :math:`2|f|/\|\nabla f\|`: the output is
of order 1 and so is its gradient, in any dimension d. Inputs have length :math:`\sqrt d`, so

.. math:: \frac{\|\Delta\|}{\|x\|}\ \propto\ d^{-1/2}.

Measured: the median relative length over random networks as d grows.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, after Equation 12.9; Bubeck,
    Cherapanamjeri, Gidel and Tachet des Combes (2021), "A single gradient step finds adversarial
    examples on random two-layers neural networks", Theorem 1.
:kind: rate
:cost: instant
:covers: single-step-adversarial-theorem
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.robustness.single_step import single_step_attack


class Given(NamedTuple):
    """For each dimension: lengths of the steps, over the length of the input."""

    relative: list[Float[Tensor, " t"]]
    biased: bool  # the outputs have a part that grows with d


class SingleStepSize(Claim[Given]):
    dims: tuple[int, ...] = (50, 100, 200, 400, 800)  # dimensions
    k: int = option(20, low=1, high=500)  # hidden units
    draws: int = option(400, low=100, high=3000)  # networks of each dimension
    relation = slope(gap=0.25)  # medians of a few hundred draws scatter by a tenth

    def given(self, rng: Generator) -> Given:
        """Centred tanh networks."""
        return self._drawn(rng, 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Random signs, so outputs of order one."""
        yield Hypothesis("the output is of order one", not given.biased)

    def predict(self, given: Given) -> float:
        """Minus one half."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Medians."""
        return Series(self.dims, [float(r.median()) for r in given.relative])

    def counterexample(self, rng: Generator) -> Given:
        """An output bias of size sqrt(d): the flip is as long as the input."""
        return self._drawn(rng, 1.0)

    def figure(self, given: Given) -> Figure:
        """Medians with the middle half of the draws."""
        marks = [float(r.median()) for r in given.relative]
        guide = [marks[0] * (self.dims[0] / d) ** 0.5 for d in self.dims]
        return Figure(
            "The flip beside the length of the input",
            x="d",
            y="‖Δ‖ / ‖x‖",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, self.dims, label="∝ d^(−1/2)", role="predicted"),
                Points(
                    self.dims, marks, label="median and quartiles",
                    low=[float(r.quantile(0.25)) for r in given.relative],
                    high=[float(r.quantile(0.75)) for r in given.relative],
                ),
            ),
        )  # fmt: skip

    def _drawn(self, rng: Generator, bias: float) -> Given:
        found = []
        for d in self.dims:
            net = RandomTwoLayer(d, self.k, "tanh", t=self.draws, rng=rng)
            x = on_sphere(self.draws, d, rng=rng)
            shifted = partial(_plus, net, bias * d**0.5)
            found.append(single_step_attack(shifted, x).relative)
        return Given(found, bias != 0)


def _plus(net: RandomTwoLayer, shift: float, x: Tensor) -> Tensor:
    return net(x) + shift
