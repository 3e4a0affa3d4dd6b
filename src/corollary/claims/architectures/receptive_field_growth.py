r"""The receptive field grows with depth, and faster after strides.

One output of layer l depends on

.. math:: r_l=r_{l-1}+(k_l-1)\prod_{i<l}s_i,\qquad r_0=1

inputs in a row, for kernels of length :math:`k_l` and strides :math:`s_l`: linear in the depth
without strides, exponential with them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.3.
:kind: identity
:covers: receptive-field
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional

from corollary.core import Along, Claim, Suppose, equals, option, uniform
from corollary.theory.architectures.windows import receptive_field, seen_inputs, width


class Given(NamedTuple):
    """Kernels, one per layer, and their strides."""

    kernels: list[Tensor]
    strides: tuple[int, ...]

    def output(self, x: Tensor, depth: int) -> Tensor:
        """The output of the first ``depth`` layers."""
        y = x[None, None]
        for h, s in zip(self.kernels[:depth], self.strides, strict=False):
            y = functional.conv1d(y, h[None, None], stride=s)
        return y[0, 0]


class ReceptiveFieldGrowth(Claim[Given]):
    L: int = option(6, low=1, high=9)  # layers
    k: int = option(3, low=2, high=7)  # length of each kernel
    every: int = option(2, low=1, high=9)  # each layer of this number has stride 2

    relation = equals()  # counts
    supposes = Suppose(
        "all weights are positive",
        lambda g: min(float(h.min()) for h in g.kernels),
        "If each kernel ends with a zero weight, the receptive field is smaller.",
        kernels=lambda g: [torch.cat([h[:-1], h.new_zeros(1)]) for h in g.kernels],
    )
    symbols = "r_l", "inputs with a gradient"
    shows = Along("Size of the receptive field", x="layer l", y="inputs", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        strides = tuple(2 if l % self.every == 0 else 1 for l in range(1, self.L + 1))
        return Given([h / h.sum() for h in uniform(rng, self.L, self.k) + 0.5], strides)

    def predict(self, given: Given) -> list[int]:
        lengths = [len(h) for h in given.kernels]
        return list(receptive_field(list(zip(lengths, given.strides, strict=True))))

    def measure(self, given: Given) -> list[int]:
        """The gradient of the first output of each depth, on an input that is long enough."""
        n = 1  # inputs that the last layer needs for one output, then the layer before it, ...
        for h, s in zip(reversed(given.kernels), reversed(given.strides), strict=True):
            n = (n - 1) * s + len(h)
        x = torch.ones(n, dtype=torch.float64)
        layers = range(1, len(given.kernels) + 1)
        return [width(seen_inputs(partial(given.output, depth=l), x, [0])) for l in layers]
