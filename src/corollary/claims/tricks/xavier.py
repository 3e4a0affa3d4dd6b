r"""Xavier initialisation: a compromise between forward and backward gains.

For an :math:`m\times n` layer with independent centred weights of variance :math:`2/(n+m)`,
variances are multiplied by

.. math:: \frac{2n}{n+m}\ \text{forwards},\qquad\frac{2m}{n+m}\ \text{backwards}:

both are 1 iff :math:`n=m`, their mean is always 1. One layer cannot keep both otherwise.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; Lucchi (2025), Foundations of Deep
    Learning, Section 6.2.3; Glorot and Bengio (2010), "Understanding the difficulty of training
    deep feedforward neural networks".
:kind: identity
:uses: lecun
:covers: xavier-init
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Sweep, normal, option, within_interval
from corollary.core.witness import mean_is, mean_square_is
from corollary.models.init import xavier_
from corollary.theory.tricks.initialisation import layer_gains, xavier_std


class Given(NamedTuple):
    W: Float[Tensor, "draws m n"]  # layers
    x: Float[Tensor, "draws n 1"]  # signals forwards
    delta: Float[Tensor, "draws m 1"]  # signals backwards


class Xavier(Claim[Given]):
    n: int = option(60, low=2, high=500)  # inputs
    m: int = option(20, low=2, high=500)  # outputs
    draws: int = option(2000, low=300, high=50_000)  # layers

    relation = within_interval(level=0.999999, resolution=0.1)  # chance: one seed in a million
    supposes = (
        Suppose(
            "the weights have mean 0",
            lambda g: mean_is(g.W),
            "If the weights have a mean, the layer adds up the mean of the signal.",
            W=lambda g: g.W + 2 * g.W.std(),
        ),
        Suppose(
            "the weights have variance 2/(n + m)",
            lambda g: mean_square_is(g.W - g.W.mean(), 2 / sum(g.W.shape[1:])),
            "With twice the variance, both gains double.",
            W=lambda g: g.W * 2**0.5,
        ),
    )
    symbols = "2n/(n + m), 2m/(n + m)", "gain of the mean square"
    rows = "forwards", "backwards"
    shows = (
        Along("One layer keeps both mean squares only if it is square", x="direction"),
        Sweep(
            "Forwards: the gain grows with the number of inputs",
            "n",
            (10, 20, 40, 60, 80),
            x="inputs n",
        ),
    )

    def given(self, rng: Generator) -> Given:
        W = torch.stack(
            [xavier_(torch.empty(self.m, self.n).double(), rng=rng) for _ in range(self.draws)]
        )
        # Signals with a mean, for signals of mean 0 would not notice a mean of the weights.
        x, delta = normal(rng, self.draws, self.n, 1), normal(rng, self.draws, self.m, 1)
        return Given(W, x + 1, delta + 1)

    def predict(self, given: Given) -> list[float]:
        return [*layer_gains(self.n, self.m, xavier_std(self.n, self.m))]

    def measure(self, given: Given) -> list[Sample]:
        ways = (given.W @ given.x, given.x), (given.W.mT @ given.delta, given.delta)
        return [Sample(_square(out) / _square(signal)) for out, signal in ways]


def _square(signal: Tensor) -> Tensor:
    return signal.square().mean(dim=(1, 2))
