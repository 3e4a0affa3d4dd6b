r"""Convolution and a global pool do not mind a shift.

Convolutions with circular padding and stride 1 move with their input, and a maximum or mean over
all places forgets where: for every shift T of the image around its edges,

.. math:: f(Tx)=f(x).

A fully connected network has no such property, nor has a convolutional one with zero padding.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1; Perez Jensen (2025), Deep
    Learning, Section 4.2.
:kind: theorem
:cost: instant
:covers: cnn-classifier
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.textures import placed_patterns
from corollary.models.small_cnn import SmallCNN, matched_mlp


class Given(NamedTuple):
    """An image, a network, and a fully connected one of its size."""

    x: Float[Tensor, "1 1 s s"]
    net: SmallCNN
    mlp: nn.Module


@dataclass(frozen=True)
class PooledShifts(Claim[Given]):
    """The first output for every shift along the rows."""

    size: int = option(12, low=5, high=64)  # pixels along a side
    relation = equals(ulps=2**10, scale=1.0)  # the same sums, in another order

    def given(self, rng: Generator) -> Given:
        """Random weights and a pattern with noise."""
        return self._draw("circular", rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Padding and stride of every layer."""
        convs = [m for m in given.net.features if isinstance(m, nn.Conv2d)]
        pools = any(isinstance(m, nn.MaxPool2d) for m in given.net.features)
        round_ = all(m.padding_mode == "circular" for m in convs)
        yield Hypothesis("padding is circular", round_)
        yield Hypothesis("strides are 1", not pools and all(m.stride == (1, 1) for m in convs))

    def predict(self, given: Given) -> list[float]:
        """The output for the image as it is."""
        return [float(given.net(given.x)[0, 0].detach())] * self.size

    def measure(self, given: Given) -> list[float]:
        """For each shift."""
        return self._shifted(given, given.net)

    def counterexample(self, rng: Generator) -> Given:
        """Zero padding: the edge of the image is seen."""
        return self._draw("zeros", rng)

    def figure(self, given: Given) -> Figure:
        """Both networks."""
        k = list(range(self.size))
        return Figure(
            "An output as the image is shifted",
            x="shift in pixels",
            y="f",
            marks=(
                Curve(self.predict(given), x=k, label="f(x)", role="predicted"),
                Points(k, self.measure(given), label="convolutions and a pool"),
                Points(k, self._shifted(given, given.mlp), label="fully connected", role="other"),
            ),
        )

    def _shifted(self, given: Given, net: nn.Module) -> list[float]:
        rolled = torch.cat([given.x.roll(k, dims=3) for k in range(self.size)])
        with torch.no_grad():
            return net(rolled)[:, 0].tolist()

    def _draw(self, padding_mode: str, rng: Generator) -> Given:
        x, _ = placed_patterns(1, self.size, noise=0.3, rng=rng)
        how = {"pool": False, "reduce": "mean", "rng": rng}
        net = SmallCNN(1, 3, (6, 6), padding_mode=padding_mode, **how)
        return Given(x, net, matched_mlp(net, self.size**2, 3, rng=rng))
