r"""Linear scaling rule of SGD.

SGD with batch size kB and learning rate :math:`k\eta` does, on the same number of examples, what
SGD with B and :math:`\eta` does: on a quadratic with gradient noise the relative difference of the
expected losses falls like

.. math:: \left|\frac{\mathbb EL_{k}-\mathbb EL_{1}}{\mathbb EL_{1}}\right|\propto\eta .

Both are the same diffusion up to terms of order :math:`\eta`. The rule therefore ends at learning
rates near the largest stable one, whatever the noise.

:source: Goyal et al. (2017), "Accurate, large minibatch SGD", Section 2.1; Li, Malladi and Arora
    (2021), "On the validity of modeling SGD with stochastic differential equations".
:kind: rate
:uses: noisy_quadratic
:scale-free: The claim is about ratios of losses.
:beyond: The notes compare batch sizes at one learning rate; this claim says how the learning rate
    changes with the batch size.
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.scaling.noisy_quadratic import NoisyQuadratic, expected_losses

TIME = 4.0  # learning rate times steps, at the small batch


class Given(NamedTuple):
    quadratic: NoisyQuadratic
    power: float  # the learning rate is multiplied by k to this power
    shared: float  # part of the noise that all examples of a batch share


class LinearScalingRule(Claim[Given]):
    d: int = option(5, low=1, high=50)  # dimension
    k: int = option(4, low=2, high=16)  # factor of the batch size
    rates: tuple[float, ...] = (1 / 256, 1 / 128, 1 / 64, 1 / 32, 1 / 16)  # of the small batch

    relation = slope(gap=0.15)  # terms of order η² at the largest rate
    supposes = (
        Suppose(
            "the learning rate grows like the batch size",
            lambda g: (g.power == 1, f"like its power {g.power:g}"),
            "With the square root, the same examples lead less far.",
            power=0.5,
        ),
        Suppose(
            "examples are independent: the noise falls like 1/B",
            lambda g: (g.shared == 0, f"{g.shared:g} of it is shared"),
            "All examples of a batch share their noise, so a larger batch is not quieter.",
            shared=1e4,
        ),
    )
    symbols = "η", "relative difference of the losses"
    predicts = 1.0
    shows = Over("The smaller the learning rate, the better the rule", x="learning rate η")

    def given(self, rng: Generator) -> Given:
        curvature = 0.2 + 0.8 * torch.linspace(0, 1, self.d, dtype=torch.float64)
        noise = 0.02 * (1 + 0.5 * normal(rng, self.d).tanh())
        return Given(NoisyQuadratic(curvature, noise, torch.ones_like(noise)), 1.0, 0.0)

    def measure(self, given: Given) -> Series:
        return Series(self.rates, [self._difference(given, rate) for rate in self.rates])

    def _difference(self, given: Given, rate: float) -> float:
        steps = round(TIME / rate)
        quadratic, power, shared = given

        def end(factor: int) -> float:
            noise = quadratic.noise * (1 + shared * factor)  # per example, so that B divides it
            rates = [rate * factor**power] * (steps // factor)
            return float(expected_losses(quadratic._replace(noise=noise), rates, factor)[-1])

        return abs(end(self.k) / end(1) - 1)
