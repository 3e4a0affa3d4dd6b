r"""The first step of Adam.

Whatever the size of the gradient, the first step of Adam is as long as the learning rate in each
coordinate; without the bias correction it is longer by a constant factor:

.. math:: |\theta_i^1-\theta_i^0|=\eta\,\frac{|\partial_ih|}{|\partial_ih|+\delta},\qquad
   \text{uncorrected:}\quad
   \eta\,\frac{(1-\beta)|\partial_ih|}{\sqrt{1-\alpha}\,|\partial_ih|+\delta}
   \approx\frac{1-\beta}{\sqrt{1-\alpha}}\,\eta .

For :math:`\beta=0.9,\ \alpha=0.999` the factor is :math:`\sqrt{10}\approx3.16`.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Kingma and Ba (2015), "Adam: a method for
    stochastic optimization", Section 2.1.
:kind: identity
:cost: instant
:covers: adam
:erratum: [loose] The notes print Adam without bias correction and with 1 in place of the learning
    rate, which is not the method of the cited paper: with beta = 0.9 and alpha = 0.999 the
    uncorrected first step is 0.1/sqrt(0.001) = 3.16 times larger.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.optimization.methods.adam import Adam


class Given(NamedTuple):
    """A gradient, and the averages that Adam starts with."""

    gradient: Float[Tensor, " d"]
    g: Float[Tensor, " d"]
    v: Float[Tensor, " d"]


class AdamFirstStep(Claim[Given]):
    eta: float = option(0.001, low=1e-9, high=1e3)  # learning rate
    beta: float = option(0.9, low=0.0, high=0.999)  # what the average of gradients keeps
    alpha: float = option(0.999, low=0.0, high=0.99999)  # what the average of squares keeps
    delta: float = option(1e-8, low=0.0, high=1.0)  # what keeps the quotient finite
    d: int = 6  # dimension
    relation = equals(ulps=2**12)  # 1 - alpha loses three digits

    def given(self, rng: Generator) -> Given:
        """Gradients over twelve orders of magnitude."""
        sizes = torch.logspace(-6, 6, self.d, dtype=torch.float64)
        signs = torch.rand(self.d, generator=rng, dtype=torch.float64) - 0.5
        return Given(sizes * signs.sign(), torch.zeros_like(sizes), torch.zeros_like(sizes))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A fresh start."""
        fresh = not bool(given.g.any()) and not bool(given.v.any())
        yield Hypothesis("both averages start at 0", fresh)

    def predict(self, given: Given) -> list[float]:
        """The formula, corrected steps first."""
        size = given.gradient.abs()
        short = self.eta * size / (size + self.delta)
        root = (1 - self.alpha) ** 0.5
        long = self.eta * (1 - self.beta) * size / (root * size + self.delta)
        return [*short.tolist(), *long.tolist()]

    def measure(self, given: Given) -> list[float]:
        """One step of each form."""
        return [*self._lengths(given, True, 1)[0], *self._lengths(given, False, 1)[0]]

    def counterexample(self, rng: Generator) -> Given:
        """Averages left over from another task."""
        given = self.given(rng)
        return given._replace(v=100 * given.gradient.square())

    def figure(self, given: Given) -> Figure:
        """The steps under a constant gradient: the correction matters for hundreds of them."""
        steps = 1000
        corrected = [row[-1] for row in self._lengths(given, True, steps)]
        plain = [row[-1] for row in self._lengths(given, False, steps)]
        t, factor = range(1, steps + 1), (1 - self.beta) / (1 - self.alpha) ** 0.5
        return Figure(
            "Steps under a constant gradient",
            x="t",
            y="|θᵗ − θᵗ⁻¹|",
            log_x=True,
            log_y=True,
            marks=(
                Level(self.eta, "η"),
                Level(factor * self.eta, f"{factor:.3g} η, the uncorrected first step"),
                Curve(corrected, t, "Adam"),
                Curve(plain, t, "without bias correction", "other"),
            ),
        )

    def _lengths(self, given: Given, corrected: bool, steps: int) -> list[list[float]]:
        betas = (float(self.beta), float(self.alpha))
        method = Adam(float(self.eta), betas, float(self.delta), corrected)
        x, memory, lengths = torch.zeros_like(given.g), (given.g, given.v, 0), []
        for _ in range(steps):
            new, memory = method.step(x, lambda x: given.gradient, memory)
            lengths.append((new - x).abs().tolist())
            x = torch.zeros_like(new)  # so that no step is rounded against a long way
        return lengths
