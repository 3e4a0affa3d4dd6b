r"""A gradient from a few random directions.

With :math:`u_1,\dots,u_q\sim\mathcal N(0,I_d)` and a loss that is linear over the steps,

.. math:: \hat g=\frac1q\sum_{j=1}^q\frac{\ell(x+hu_j)-\ell(x-hu_j)}{2h}\,u_j,\qquad
   \mathbb E\hat g=\nabla\ell,\qquad
   \frac{\mathbb E\|\hat g-\nabla\ell\|^2}{\|\nabla\ell\|^2}=\frac{d+1}q.

So 2q queries, however few, point the right way on average, but it takes about as many as there are
pixels for an estimate that resembles the gradient.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Ilyas, Engstrom, Athalye and Lin
    (2018), "Black-box adversarial attacks with limited queries and information", Section 2.
:kind: identity
:cost: instant
:covers: black-box-finite-difference-attack
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    generator,
    option,
    within_interval,
)
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.black_box import random_direction_gradient


class Given(NamedTuple):
    """A loss, a point, and where the directions come from."""

    loss: Callable[[Tensor], Tensor]
    x: Float[Tensor, "1 d"]
    seed: int


class RandomDirections(Claim[Given]):
    d: int = option(50, low=1, high=500)  # dimension
    q: tuple[int, ...] = (5, 20, 80)  # directions
    h: float = option(0.1, low=1e-4, high=10.0)  # length of the differences
    trials: int = option(400, low=100, high=20000)  # estimates
    relation = within_interval(level=0.999, resolution=0.2)  # of errors in units of (d+1)/q

    def given(self, rng: Generator) -> Given:
        """A linear loss."""
        w = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(lambda x: x @ w, *_place(self.d, rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Third differences vanish."""
        steps = self.h * torch.randn(64, self.d, generator=generator(given.seed, "check")).double()
        g = batch_gradient(given.loss, given.x)[0]
        odd = (given.loss(given.x + steps) - given.loss(given.x - steps)) / 2 - steps @ g
        off = float(odd.abs().max() / (steps @ g).abs().max())
        yield Hypothesis("the loss is linear over the steps", off < 1e-9, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """One, in units of (d + 1)/q."""
        return [1.0] * len(self.q)

    def measure(self, given: Given) -> list[Sample]:
        """Over many estimates."""
        return [Sample(self._errors(given, q) * q / (self.d + 1)) for q in self.q]

    def counterexample(self, rng: Generator) -> Given:
        """A loss that saturates within the step: the estimate is far too short."""
        w = 200 * torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(lambda x: torch.tanh(x @ w), 0 * _place(self.d, rng)[0], 1)

    def figure(self, given: Given) -> Figure:
        """Error against directions, with the middle nine tenths of the estimates."""
        counts = [1, 2, 5, 10, 20, 50, 100, 200]
        law = [(self.d + 1) / q for q in counts]
        errors = [self._errors(given, q, 100).sort().values for q in counts]
        return Figure(
            f"Gradients from q random directions, d = {self.d}",
            x="q",
            y="‖ĝ−∇ℓ‖² / ‖∇ℓ‖²",
            log_x=True,
            log_y=True,
            marks=(
                Curve(law, counts, label="(d+1)/q", role="predicted"),
                Points(
                    counts, [float(e.mean()) for e in errors], label="mean, 5 % to 95 %",
                    low=[float(e[5]) for e in errors], high=[float(e[95]) for e in errors],
                ),
            ),
        )  # fmt: skip

    def _errors(self, given: Given, q: int, trials: int | None = None) -> Tensor:
        rng, t = generator(given.seed, "directions", q), trials or self.trials
        true = batch_gradient(given.loss, given.x)[0]
        with torch.no_grad():
            singles = [
                random_direction_gradient(given.loss, given.x, q, self.h, rng=rng)[0]
                for _ in range(t)
            ]
        return (torch.stack(singles) - true).square().sum(dim=1) / true.square().sum()


def _place(d: int, rng: Generator) -> tuple[Tensor, int]:
    x = torch.randn(1, d, generator=rng, dtype=torch.float64)
    return x, int(torch.randint(2**31, (1,), generator=rng))
