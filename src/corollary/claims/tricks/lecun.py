r"""LeCun's start keeps the variance.

If the entries of x are uncorrelated, with mean 0 and variance :math:`\gamma^2`, and W has n
independent entries of mean 0 and variance :math:`1/n` in each row, then

.. math:: \operatorname{Var}\,(Wx)_i=\gamma^2\,n\,\tfrac1n=\gamma^2

over weights and inputs, and so on through any number of linear layers.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; LeCun, Bottou, Orr and Müller (1998),
    "Efficient backprop", Section 4.6.
:kind: identity
:cost: instant
:covers: lecun-init
:erratum: [notation] The notes call gamma the standard deviation of the inputs, carry it as their
    variance and end with 'gamma'; it is gamma^2, here 9 for inputs of standard deviation 3. The
    mean 0 is not said; the counterexample has another one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Figure, Hypothesis, Level, Points, Sample, option, within_interval
from corollary.models.init import lecun_


class Given(NamedTuple):
    """Mean and standard deviation of the inputs, and the seed of all draws."""

    mean: float
    gamma: float
    seed: int


@dataclass(frozen=True)
class Lecun(Claim[Given]):
    """Variance of the units after each linear layer."""

    n: int = option(32, low=8, high=512)  # width
    L: int = option(4, low=1, high=10)  # layers
    gamma: float = option(3.0, low=0.1, high=10.0)  # standard deviation of the inputs
    law: Literal["normal", "uniform"] = "normal"  # of the weights
    draws: int = option(400, low=200, high=50_000)  # networks
    relation = within_interval(level=0.999999, resolution=0.35)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Inputs of mean 0."""
        return Given(0.0, self.gamma, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mean of the inputs."""
        yield Hypothesis("the inputs have mean 0", given.mean == 0, f"mean {given.mean:g}")

    def predict(self, given: Given) -> list[float]:
        """The variance of the inputs, in units of itself, after each layer."""
        return [1.0] * self.L

    def measure(self, given: Given) -> list[Sample]:
        """Mean squares of all units (whose mean is 0), over the variance of the inputs."""
        rng = torch.Generator().manual_seed(given.seed)
        h = torch.randn(self.draws, self.n, 1, generator=rng, dtype=torch.float64)
        h, out = given.mean + given.gamma * h, []
        for _ in range(self.L):
            # All networks at once: the fan-in of the stacked matrix is the width.
            W = torch.empty(self.draws * self.n, self.n, dtype=torch.float64)
            h = lecun_(W, self.law, rng=rng).reshape(self.draws, self.n, self.n) @ h
            out.append(Sample(h.square().mean(dim=(1, 2)) / given.gamma**2))
        return out

    def counterexample(self, rng: Generator) -> Given:
        """Inputs far from 0, as pixels between 0 and 1 are."""
        return self.given(rng)._replace(mean=2 * self.gamma)

    def figure(self, given: Given) -> Figure:
        """Layer by layer, for inputs of mean 0 and of another mean."""
        marks = [Level(1.0, label="kept")]
        for mean, label, role in ((0.0, "mean 0", "measured"), (2.0, "mean 2γ", "other")):
            reads = [s.read(0.99) for s in self.measure(given._replace(mean=mean * given.gamma))]
            marks.append(
                Points(
                    range(1, self.L + 1),
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label=f"inputs of {label}, 99 %",
                    role=role,
                )
            )
        return Figure(
            "LeCun's start keeps the variance", x="layer", y="E h² / γ²", marks=tuple(marks)
        )
