r"""Kaiming's start keeps mean squares through ReLU.

For a centred symmetric z, :math:`\mathbb E(z)_+^2=\frac12\operatorname{Var}z`. So with independent
normal weights of variance :math:`2/n` and ReLU after each layer,

.. math:: \mathbb E\bigl[\|h^{l+1}\|^2\bigm|h^l\bigr]=\|h^l\|^2,\qquad
   \mathbb E\|h^l\|^2=\|x\|^2\quad\text{for every depth }l,

while weights of variance :math:`1/n` (LeCun's) lose a factor 2 a layer: :math:`2^{-l}`.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; He, Zhang, Ren and Sun (2015), "Delving
    deep into rectifiers", Section 2.2.
:kind: identity
:cost: instant
:covers: kaiming-init
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Sample, option, within_interval
from corollary.models.init import kaiming_, lecun_


class Given(NamedTuple):
    """Which start, and the seed of the draws."""

    start: str
    seed: int


@dataclass(frozen=True)
class Kaiming(Claim[Given]):
    """What one layer does to mean squares, in each fifth of the depth."""

    n: int = option(48, low=32, high=1000)  # width
    L: int = option(50, low=30, high=100)  # layers
    draws: int = option(40, low=40, high=10_000)  # networks
    relation = within_interval(level=0.999999, resolution=0.25)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Kaiming's start."""
        return Given("kaiming", int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The variance."""
        yield Hypothesis("the weights have variance 2/n", given.start == "kaiming")

    def predict(self, given: Given) -> list[float]:
        """The mean square of the layer before."""
        return [1.0] * 5

    def measure(self, given: Given) -> list[Sample]:
        """Mean squares over that of the layer before (the whole product has very long tails).

        The factors of a network are averaged over each fifth of its layers: each has mean 1
        whatever came before it, so they are uncorrelated.
        """
        squares = torch.cat([torch.ones(1, self.draws).double(), self._squares(given)])
        factors = squares[1:] / squares[:-1]
        return [Sample(fifth.mean(dim=0)) for fifth in factors.tensor_split(5)]

    def counterexample(self, rng: Generator) -> Given:
        """LeCun's start, which is for linear layers."""
        return self.given(rng)._replace(start="lecun")

    def figure(self, given: Given) -> Figure:
        """Layer by layer, for both starts."""
        layers = list(range(1, self.L + 1))
        marks: list[Band | Curve] = []
        for start, role in (("kaiming", "measured"), ("lecun", "other")):
            squares = self._squares(given._replace(start=start))
            low, high = squares.quantile(torch.tensor([0.1, 0.9]).double(), dim=1)
            marks.append(Band(layers, low, high, label=f"{start}, 8 of 10 networks", role=role))
            marks.append(Curve(squares.mean(dim=1), layers, label=f"{start}, mean", role=role))
        marks.append(Curve([1.0] * self.L, layers, label="kept", role="predicted"))
        marks.append(Curve([2.0**-l for l in layers], layers, "2^(−l)", "predicted", dashed=True))
        return Figure(
            "Mean squares through ReLU",
            x="layer l",
            y="‖h‖² / ‖x‖²",
            log_y=True,
            marks=tuple(marks),
        )

    def _squares(self, given: Given) -> Tensor:
        """Rows: layers; columns: networks, each with weights of its own."""
        rng = torch.Generator().manual_seed(given.seed)
        h = torch.randn(self.draws, self.n, generator=rng, dtype=torch.float64)
        h = h / h.square().mean(dim=1, keepdim=True).sqrt()
        fill = kaiming_ if given.start == "kaiming" else lecun_
        out = []
        for _ in range(self.L):
            W = fill(torch.empty(self.draws * self.n, self.n, dtype=torch.float64), rng=rng)
            h = (W.reshape(self.draws, self.n, self.n) @ h[..., None])[..., 0].relu()
            out.append(h.square().mean(dim=1))
        return torch.stack(out)
