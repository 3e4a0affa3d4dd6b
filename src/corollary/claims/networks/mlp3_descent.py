r"""A small step lowers the loss by the learning rate times the squared gradient norm.

A step :math:`\theta\leftarrow\theta-\eta\nabla L(\theta)` of stochastic descent on one example of
the three-layer network changes the loss of that example by

.. math:: L(\theta)-L(\theta-\eta\nabla L)=\eta\,\|\nabla L\|^2+O(\eta^2),

so the ratio of the two tends to 1 as :math:`\eta\to0`. A step along the gradient of another example
may do anything to this one.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, MLP: Learning.
:kind: limit
:uses: mlp3_gradients, descent_direction
:covers: mlp3-sgd
:erratum: [possible OCR artefact] The update in Lucchi (2025) reads L(...)/(partial theta), without
    the partial sign of the numerator; the slides have it. The decrease measured here is that of
    the gradient.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, near, normal, option
from corollary.models.mlp3 import MLP3


class Given(NamedTuple):
    beta: Float[Tensor, " m"]  # a network
    w: Float[Tensor, "m n"]
    x: Float[Tensor, "1 n"]  # an example
    y: Float[Tensor, " 1"]
    followed: Float[Tensor, " 1"]  # y, unless the step belongs to another example


class MLP3Descent(Claim[Given]):
    n: int = 5  # inputs
    m: int = option(10, low=1, high=200)  # hidden units
    inverse_steps: tuple[int, ...] = (10, 100, 1000, 10000)  # the steps are 1 / these numbers

    relation = converges(gap=0.01)  # the next term is of order η
    supposes = (
        Suppose(
            "the step follows the gradient of this example",
            lambda g: near(g.y, g.followed, 0.0),
            "If the error has the opposite sign, the step raises the loss.",
            followed=lambda g: 2 * MLP3.of(g.beta, g.w)(g.x).detach() - g.y,
        ),
        Suppose(
            "the gradient is not zero",
            lambda g: MLP3.of(g.beta, g.w).analytic_gradients(g.x, g.y).squared_norm() - 1e-6,
        ),
    )
    symbols = "limit", "decrease / (η‖∇L‖²)"
    predicts = 1.0
    shows = Over("For small steps, the decrease is as predicted", x="1/η")

    def given(self, rng: Generator) -> Given:
        w, x, y = normal(rng, self.m, self.n) / self.n**0.5, normal(rng, 1, self.n), normal(rng, 1)
        return Given(normal(rng, self.m) / self.m**0.5, w, x, 2 + y, 2 + y)

    def measure(self, given: Given) -> Series:
        def ratio(inverse: int) -> float:
            net = MLP3.of(given.beta, given.w)
            before = net.loss(given.x, given.y).detach()
            drop = net.analytic_gradients(given.x, given.followed).squared_norm() / inverse
            net.sgd_step(given.x, given.followed, 1 / inverse)
            return float(before - net.loss(given.x, given.y).detach()) / drop

        return Series(self.inverse_steps, [ratio(inverse) for inverse in self.inverse_steps])
