r"""A narrow deep ReLU network is born dead.

Let a ReLU network have :math:`L` hidden layers of width :math:`n`, no biases at the start, and
independent weights whose law is symmetric and has no atoms. At any input :math:`x\ne0`

.. math:: P(h^l(x)=0)=1-\bigl(1-2^{-n}\bigr)^l\qquad\text{for every depth }l\le L:

given a layer that is not zero, the next :math:`n` units are independent fair coins, and all of them
are off with probability :math:`2^{-n}`. From a layer that is zero nothing comes back, forwards or
backwards: the output is constant around :math:`x` and no gradient reaches a weight. So whatever the
scale of the weights, depth kills a network of fixed width, and a width of :math:`\log_2 L` plus a
little keeps it alive. On many inputs at once a network is dead at most as often.

:source: Lu, Shin, Su and Karniadakis (2020), "Dying ReLU and initialization: theory and numerical
    examples", Theorems 3.1 and 3.3, there as bounds over all inputs.
:kind: identity
:cost: instant
:beyond: The notes scale the weights so that signals keep their size on average; this claim says how
    often no signal is left at all.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Count, Kept, Suppose, normal, option, within_interval
from corollary.core.witness import mean_is


class Given(NamedTuple):
    W: Float[Tensor, "L draws n n"]  # layers of many networks
    x: Float[Tensor, "draws n"]  # one input of each
    bias: float = 0.0  # of every unit


class BornDead(Claim[Given]):
    n: int = option(3, low=1, high=10)  # width
    L: int = option(20, low=1, high=40)  # hidden layers
    draws: int = option(1000, low=100, high=20_000)  # networks

    relation = within_interval(level=0.999999, resolution=0.5)  # chance: one seed in a million
    supposes = (
        Suppose("the weights are symmetric around 0", lambda g: mean_is(g.W, 0.0)),
        Suppose(
            "no unit has a bias",
            lambda g: g.bias == 0,
            "A small positive bias keeps every unit of a dead layer on.",
            bias=0.05,
        ),
    )
    symbols = "1 − (1 − 2⁻ⁿ)ˡ", "share of networks that are dead"
    shows = Along("Networks that are dead at the start", x="hidden layers l", first=1)

    def given(self, rng: Generator) -> Given:
        W = normal(rng, self.L, self.draws, self.n, self.n) * (2 / self.n) ** 0.5
        return Given(W, normal(rng, self.draws, self.n))

    def predict(self, given: Given) -> list[float]:
        return [1 - (1 - 2.0**-self.n) ** l for l in range(1, self.L + 1)]

    def measure(self, given: Given) -> Kept:
        return Kept([Count.of(dead) for dead in _dead(given)])


def _dead(given: Given) -> Bool[Tensor, "L draws"]:
    """Which networks are zero after each layer."""
    h, found = given.x, []
    for W in given.W:
        h = ((W @ h[..., None])[..., 0] + given.bias).relu()
        found.append((h == 0).all(dim=1))
    return torch.stack(found)
