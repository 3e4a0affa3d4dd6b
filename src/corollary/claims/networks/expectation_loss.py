r"""The expectation loss is a probability of error.

For a one-hot target of class :math:`c` the L1 distance of the softmax from it is twice the
probability that a label drawn from the softmax is wrong:

.. math:: \tfrac12\|y-p\|_1=1-p_c=\Pr_{j\sim p}(j\ne c).

It is also the Chebyshev loss :math:`\max_j|p_j-y_j|`. For a soft target the left side is a distance
of laws, which is zero for :math:`p=y`, while labels drawn from both may well differ.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Janocha and
    Czarnecki (2017), "On loss functions for deep neural networks in classification".
:kind: identity
:cost: instant
:covers: expectation-loss, chebyshev-loss
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Curve, Figure, Hypothesis, Points, option, within_interval
from corollary.train.losses import expectation


class Given(NamedTuple):
    """Outputs, targets and the seed of the labels to be drawn."""

    o: Float[Tensor, "n k"]
    y: Float[Tensor, "n k"]
    seed: int


class ExpectationLoss(Claim[Given]):
    n: int = option(6, low=2, high=30)  # outputs
    k: int = option(4, low=2)  # classes
    draws: int = option(60000, low=50000)  # labels drawn from each output
    relation = within_interval(level=0.9999, resolution=0.015)  # binomial with the draws above

    def given(self, rng: Generator) -> Given:
        """Gaussian outputs and random classes."""
        o, y = self._drawn(rng)
        return Given(o, torch.nn.functional.one_hot(y.argmax(1), self.k).to(o), _seed(rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One class for sure."""
        hard = bool(((given.y == 0) | (given.y == 1)).all() and (given.y.sum(1) == 1).all())
        yield Hypothesis("each target is one-hot", hard)

    def predict(self, given: Given) -> list[float]:
        """Half of the loss."""
        return (0.5 * expectation(given.o, given.y, reduction="none")).tolist()

    def measure(self, given: Given) -> list[Count]:
        """Labels drawn from the softmax and from the target that differ."""
        rng = torch.Generator(given.o.device).manual_seed(given.seed)
        guess, truth = (
            torch.multinomial(law, self.draws, replacement=True, generator=rng)
            for law in (torch.softmax(given.o, 1), given.y)
        )
        return [Count(int(wrong), self.draws) for wrong in (guess != truth).sum(1)]

    def counterexample(self, rng: Generator) -> Given:
        """Soft targets."""
        o, y = self._drawn(rng)
        return Given(o, torch.softmax(y, 1), _seed(rng))

    def figure(self, given: Given) -> Figure:
        """Frequency over half the loss."""
        reads = [count.read(0.99) for count in self.measure(given)]
        marks = (
            Curve([0.0, 1.0], x=[0.0, 1.0], label="equality", role="predicted"),
            Points(
                self.predict(given),
                [r.value for r in reads],
                low=[r.low for r in reads],
                high=[r.high for r in reads],
                label="labels drawn, 99 % intervals",
            ),
        )
        return Figure("A loss one can count", x="‖y − p‖₁ / 2", y="wrong labels", marks=marks)

    def _drawn(self, rng: Generator) -> Tensor:
        shape = (2, self.n, self.k)
        return torch.randn(shape, generator=rng, dtype=torch.float64, device=rng.device)


def _seed(rng: Generator) -> int:
    return int(torch.randint(2**62, (), generator=rng, device=rng.device))
