r"""The expectation loss is a probability of error.

For a one-hot target of class :math:`c` the L1 distance of the softmax from it is twice the
probability that a label drawn from the softmax is wrong:

.. math:: \tfrac12\|y-p\|_1=1-p_c=\Pr_{j\sim p}(j\ne c).

It is also the Chebyshev loss :math:`\max_j|p_j-y_j|`. For a soft target the left side is a distance
of laws, which is zero for :math:`p=y`, while labels drawn from both may well differ.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Janocha and
    Czarnecki (2017), "On loss functions for deep neural networks in classification".
:kind: identity
:covers: expectation-loss, chebyshev-loss
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import one_hot

from corollary.core import Claim, Count, Parity, Suppose, normal, option, within_interval
from corollary.train.losses import chebyshev, expectation


class Given(NamedTuple):
    o: Float[Tensor, "n k"]  # outputs
    y: Float[Tensor, "n k"]  # targets


class ExpectationLoss(Claim[Given]):
    n: int = option(6, low=2, high=30)  # outputs
    k: int = option(4, low=2)  # classes
    draws: int = option(60000, low=50000)  # labels drawn from each output

    relation = within_interval(level=0.9999, resolution=0.015)  # binomial with the draws above
    supposes = Suppose(
        "each target is one-hot",
        lambda g: g.y.max(1).values.min() - (1 - 1e-12),
        "If the target is not one-hot, two labels drawn from it differ even if the loss is zero.",
        y=lambda g: g.o.softmax(1),
    )
    symbols = "‖y − p‖₁ / 2, and max|p − y|", "share of wrong labels"
    shows = Parity("Share of wrong labels and expectation loss")

    def given(self, rng: Generator) -> Given:
        o, y = normal(rng, 2, self.n, self.k)
        return Given(o, one_hot(y.argmax(1), self.k).to(o))

    def predict(self, given: Given) -> Tensor:
        half = 0.5 * expectation(*given, reduction="none")
        return torch.cat([half, chebyshev(*given, reduction="none")])

    def measure(self, given: Given, rng: Generator) -> list[Count]:
        guess, truth = (
            torch.multinomial(law, self.draws, replacement=True, generator=rng)
            for law in (given.o.softmax(1), given.y)
        )
        return [Count(int(wrong), self.draws) for wrong in (guess != truth).sum(1)] * 2
