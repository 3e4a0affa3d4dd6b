r"""The receptive field grows with depth, and faster after strides.

One output of layer l depends on

.. math:: r_l=r_{l-1}+(k_l-1)\prod_{i<l}s_i,\qquad r_0=1

inputs in a row, for kernels of length :math:`k_l` and strides :math:`s_l`: linear in the depth
without strides, exponential with them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.3.
:kind: identity
:cost: instant
:covers: receptive-field
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.architectures.windows import receptive_field, seen_inputs, width


class Given(NamedTuple):
    """Kernels, one a layer, and their strides."""

    kernels: list[Tensor]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class ReceptiveFieldGrowth(Claim[Given]):
    """The formula against the inputs whose gradient is not zero."""

    L: int = option(6, low=1, high=9)  # layers
    k: int = option(3, low=2, high=7)  # length of each kernel
    every: int = option(2, low=1, high=9)  # each layer of this number has stride 2
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """Positive weights, so that nothing cancels."""
        draws = torch.rand(self.L, self.k, generator=rng, dtype=torch.float64)
        strides = tuple(2 if l % self.every == 0 else 1 for l in range(1, self.L + 1))
        return Given([h / h.sum() for h in draws + 0.5], strides)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No weight at the ends of a kernel is zero."""
        yield Hypothesis(
            "all weights are positive", all(bool((h > 0).all()) for h in given.kernels)
        )

    def predict(self, given: Given) -> list[float]:
        """The recursion."""
        lengths = [len(h) for h in given.kernels]
        return [float(r) for r in receptive_field(list(zip(lengths, given.strides, strict=True)))]

    def measure(self, given: Given) -> list[float]:
        """The gradient of the first output of each depth, on an input that is long enough."""
        n = 1  # inputs that the last layer needs for one output, then the layer before it, ...
        for h, s in zip(reversed(given.kernels), reversed(given.strides), strict=True):
            n = (n - 1) * s + len(h)
        x = torch.ones(n, dtype=torch.float64)
        depths = range(1, len(given.kernels) + 1)
        return [float(width(seen_inputs(lambda x, l=l: _output(x, given, l), x, [0])))
                for l in depths]  # fmt: skip

    def counterexample(self, rng: Generator) -> Given:
        """Kernels that end in a zero."""
        given = self.given(rng)
        short = [torch.cat([h[:-1], h.new_zeros(1)]) for h in given.kernels]
        return given._replace(kernels=short)

    def figure(self, given: Given) -> Figure:
        """Growth with the depth, and without strides."""
        layers = list(range(1, len(given.kernels) + 1))
        plain = receptive_field([(len(h), 1) for h in given.kernels])
        marks = (
            Curve(self.predict(given), x=layers, label="r_l", role="predicted"),
            Points(layers, self.measure(given), label="inputs with a gradient"),
            Curve(plain, x=layers, label="r_l without strides", role="other", dashed=True),
        )
        return Figure("What one output sees", x="layer l", y="inputs r_l", marks=marks, log_y=True)


def _output(x: Tensor, given: Given, depth: int) -> Tensor:
    """The output of the first ``depth`` layers."""
    y = x[None, None]
    for h, s in zip(given.kernels[:depth], given.strides, strict=False):
        y = functional.conv1d(y, h[None, None], stride=s)
    return y[0, 0]
