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
:covers: adam
:erratum: [loose] The notes print Adam without bias correction and with 1 in place of the learning
    rate, which is not the method of the cited paper: with beta = 0.9 and alpha = 0.999 the
    uncorrected first step is 0.1/sqrt(0.001) = 3.16 times larger.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, option, uniform
from corollary.theory.optimization.methods.adam import Adam


class Given(NamedTuple):
    gradient: Float[Tensor, " d"]
    g: Float[Tensor, " d"]  # average of gradients at the start
    v: Float[Tensor, " d"]  # average of squares at the start

    @property
    def sizes(self) -> Tensor:
        return self.gradient.abs()


class AdamFirstStep(Claim[Given]):
    eta: float = option(0.001, low=1e-9, high=1e3)  # learning rate
    beta: float = option(0.9, low=0.0, high=0.999)  # decay rate of the average of gradients
    alpha: float = option(0.999, low=0.0, high=0.99999)  # decay rate of the average of squares
    delta: float = option(1e-8, low=0.0, high=1.0)  # small number added to the denominator
    d: int = 6  # dimension

    relation = equals(ulps=2**12)  # 1 - alpha loses three digits
    supposes = (
        Suppose(
            "the average of gradients starts at 0",
            lambda g: near(g.g, 0.0),
            "The average of gradients starts with a value from another task.",
            g=lambda g: g.gradient,
        ),
        Suppose(
            "the average of squares starts at 0",
            lambda g: near(g.v, 0.0),
            "The average of squares starts with a value from another task.",
            v=lambda g: 100 * g.gradient.square(),
        ),
    )
    symbols = "formula", "first step"
    shows = Along(
        "The first step does not depend on the gradient",
        x="|∂h|",
        y="|θ¹ − θ⁰|",
        at="sizes",
        parts=("corrected", "uncorrected"),
        log="xy",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        sizes = torch.logspace(-6, 6, self.d, dtype=torch.float64)
        zero = torch.zeros_like(sizes)
        return Given(sizes * (uniform(rng, self.d) - 0.5).sign(), zero, zero)

    def predict(self, given: Given) -> list[float]:
        size, root = given.sizes, (1 - self.alpha) ** 0.5
        corrected = self.eta * size / (size + self.delta)
        uncorrected = self.eta * (1 - self.beta) * size / (root * size + self.delta)
        return [*corrected.tolist(), *uncorrected.tolist()]

    def measure(self, given: Given) -> list[float]:
        betas, lengths, zero = (float(self.beta), float(self.alpha)), [], 0 * given.g
        for corrected in (True, False):
            method = Adam(float(self.eta), betas, float(self.delta), corrected)
            x, _ = method.step(zero, lambda x: given.gradient, (given.g, given.v, 0))
            lengths += x.abs().tolist()
        return lengths
