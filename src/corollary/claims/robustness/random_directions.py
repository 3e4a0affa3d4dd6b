r"""Gradient estimation from a few random directions.

With :math:`u_1,\dots,u_q\sim\mathcal N(0,I_d)` and a loss that is linear over the steps,

.. math:: \hat g=\frac1q\sum_{j=1}^q\frac{\ell(x+hu_j)-\ell(x-hu_j)}{2h}\,u_j,\qquad
   \mathbb E\hat g=\nabla\ell,\qquad
   \frac{\mathbb E\|\hat g-\nabla\ell\|^2}{\|\nabla\ell\|^2}=\frac{d+1}q.

So 2q queries, however few, point the right way on average, but it takes about as many as there are
pixels for an estimate that resembles the gradient.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Ilyas, Engstrom, Athalye and Lin
    (2018), "Black-box adversarial attacks with limited queries and information", Section 2.
:kind: identity
:uses: difference_quotient
:covers: black-box-finite-difference-attack
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, generator, normal, option, within_interval
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.black_box import random_direction_gradient


class Given(NamedTuple):
    loss: Callable[[Tensor], Tensor]
    x: Float[Tensor, "1 d"]


def _linear(self: "RandomDirections", given: Given) -> tuple[bool, str]:
    steps = self.h * normal(generator(0, "steps"), 64, self.d)
    along = steps @ batch_gradient(given.loss, given.x)[0]
    odd = (given.loss(given.x + steps) - given.loss(given.x - steps)) / 2 - along
    off = float(odd.abs().max() / along.abs().max())
    return off < 1e-9, f"difference {off:.2g}"


def saturated(self: "RandomDirections", rng: Generator) -> Given:
    """The loss saturates within the step, so the estimated gradient is far too short."""
    w = 200 * normal(rng, self.d)
    return Given(lambda x: torch.tanh(x @ w), torch.zeros(1, self.d, dtype=torch.float64))


class RandomDirections(Claim[Given]):
    d: int = option(50, low=1, high=500)  # dimension
    q: tuple[int, ...] = (5, 20, 80)  # directions
    h: float = option(0.1, low=1e-4, high=10.0)  # step length of the differences
    trials: int = option(400, low=100, high=20000)  # estimates

    relation = within_interval(level=0.9999, resolution=0.2)  # of errors in units of (d+1)/q
    supposes = Suppose("the loss is linear over the steps", _linear, without=saturated)
    symbols = "1", "‖ĝ−∇ℓ‖² / ‖∇ℓ‖², over (d+1)/q"
    rows = "q = {q}"
    shows = Along("Gradients from q random directions", x="q", at="q", log="x")

    def given(self, rng: Generator) -> Given:
        w = normal(rng, self.d)
        return Given(lambda x: x @ w, normal(rng, 1, self.d))

    def predict(self, given: Given) -> list[float]:
        return [1.0] * len(self.q)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        loss, x = given
        true = batch_gradient(loss, x)[0]

        def errors(q: int) -> Tensor:
            found = [
                random_direction_gradient(loss, x, q, self.h, rng=rng)[0]
                for _ in range(self.trials)
            ]
            return (torch.stack(found) - true).square().sum(dim=1) / true.square().sum()

        return [Sample(errors(q) * q / (self.d + 1)) for q in self.q]
