r"""A small step lowers the loss by the squared gradient.

A step :math:`\theta\leftarrow\theta-\eta\nabla L(\theta)` of stochastic descent on one example of
the three-layer network changes the loss of that example by

.. math:: L(\theta)-L(\theta-\eta\nabla L)=\eta\,\|\nabla L\|^2+O(\eta^2),

so the ratio of the two tends to 1 as :math:`\eta\to0`. A step along the gradient of another example
may do anything to this one.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, MLP: Learning.
:kind: limit
:cost: instant
:covers: mlp3-sgd
:erratum: [possible OCR artefact] The update in Lucchi (2025) reads L(...)/(partial theta), without
    the partial sign of the numerator; the slides have it. The decrease measured here is that of
    the gradient.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, Series, converges, option
from corollary.models.mlp3 import MLP3


class Given(NamedTuple):
    """A network, an example, and the target whose gradient is followed."""

    beta: Float[Tensor, " m"]
    w: Float[Tensor, "m n"]
    x: Float[Tensor, "1 n"]
    y: Float[Tensor, " 1"]
    followed: Float[Tensor, " 1"]  # y, unless the step belongs to another example


class MLP3Descent(Claim[Given]):
    n: int = 5  # inputs
    m: int = option(10, low=1, high=200)  # hidden units
    inverse_steps: tuple[int, ...] = (10, 100, 1000, 10000)  # the steps are one over these
    relation = converges(gap=0.01)  # the next term is of order η

    def given(self, rng: Generator) -> Given:
        """Gaussian output weights and a Gaussian example."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        w, x, y = normal(self.m, self.n) / self.n**0.5, normal(1, self.n), 2 + normal(1)
        return Given(normal(self.m) / self.m**0.5, w, x, y, y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The step belongs to the example, which is not fitted yet."""
        same = bool((given.y == given.followed).all())
        yield Hypothesis("the step follows the gradient of this example", same)
        slope = MLP3.of(given.beta, given.w).analytic_gradients(given.x, given.y).squared_norm()
        yield Hypothesis("the gradient is not zero", slope > 1e-6, f"squared norm {slope:.2g}")

    def predict(self, given: Given) -> float:
        """The ratio in the limit."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """Decrease over the step size times the squared gradient."""
        ratios = []
        for inverse in self.inverse_steps:
            net = MLP3.of(given.beta, given.w)
            before = float(net.loss(given.x, given.y).detach())
            drop = net.analytic_gradients(given.x, given.followed).squared_norm() / inverse
            net.sgd_step(given.x, given.followed, 1 / inverse)
            ratios.append((before - float(net.loss(given.x, given.y).detach())) / drop)
        return Series(self.inverse_steps, ratios)

    def counterexample(self, rng: Generator) -> Given:
        """The step of an example with the same point and the opposite error."""
        given = self.given(rng)
        f = MLP3.of(given.beta, given.w)(given.x).detach()
        return given._replace(followed=2 * f - given.y)

    def figure(self, given: Given) -> Figure:
        """The ratio over the step size."""
        series = self.measure(given)
        steps = [1 / s for s in series.sizes]
        marks = (
            Level(1.0, label="limit"),
            Points(steps, series.values, label="decrease / (η‖∇L‖²)"),
        )
        return Figure("Small steps keep their promise", x="η", y="ratio", marks=marks, log_x=True)
