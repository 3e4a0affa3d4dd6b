r"""LeCun initialisation keeps the variance.

If the entries of x are uncorrelated, with mean 0 and variance :math:`\gamma^2`, and W has n
independent entries of mean 0 and variance :math:`1/n` in each row, then

.. math:: \operatorname{Var}\,(Wx)_i=\gamma^2\,n\,\tfrac1n=\gamma^2

over weights and inputs, and so on through any number of linear layers.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; LeCun, Bottou, Orr and Müller (1998),
    "Efficient backprop", Section 4.6.
:kind: identity
:covers: lecun-init
:erratum: [notation] The notes call gamma the standard deviation of the inputs, carry it as their
    variance and end with 'gamma'; it is gamma^2, here 9 for inputs of standard deviation 3. The
    mean 0 is not said; the counterexample has another one.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, within_interval
from corollary.core.witness import mean_is, mean_square_is
from corollary.models.init import lecun_


class Given(NamedTuple):
    x: Float[Tensor, "draws n"]  # one input of each of many networks
    W: Float[Tensor, "L draws n n"]  # their layers


class Lecun(Claim[Given]):
    n: int = option(32, low=8, high=512)  # width
    L: int = option(4, low=1, high=10)  # layers
    gamma: float = option(3.0, low=0.1, high=10.0)  # standard deviation of the inputs
    law: Literal["normal", "uniform"] = "normal"  # distribution of the weights
    draws: int = option(800, low=200, high=50_000)  # networks

    relation = within_interval(level=0.999999, resolution=0.25)  # chance: one seed in a million
    supposes = (
        Suppose(
            "the inputs have mean 0",
            lambda g: mean_is(g.x),
            "The inputs have a mean, like pixels between 0 and 1, so mean squares are five times "
            "γ².",
            x=lambda g: g.x + 2 * g.x.std(),
        ),
        Suppose(
            "the weights have variance 1/n",
            lambda g: mean_square_is(g.W, 1 / g.x.shape[1]),
            "Weights of variance 2/n double the variance in every layer.",
            W=lambda g: g.W * 2**0.5,
        ),
    )
    symbols = "1", "E h² / γ²"
    shows = Along("LeCun initialisation keeps the variance", x="layer", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        W = torch.empty(self.L * self.draws * self.n, self.n).double()
        layers = lecun_(W, self.law, rng=rng).reshape(self.L, self.draws, self.n, self.n)
        return Given(self.gamma * normal(rng, self.draws, self.n), layers)

    def predict(self, given: Given) -> list[float]:
        return [1.0] * self.L

    def measure(self, given: Given) -> list[Sample]:
        h, out = given.x[..., None], []
        for W in given.W:
            h = W @ h
            out.append(Sample(h.square().mean(dim=(1, 2)) / self.gamma**2))
        return out
