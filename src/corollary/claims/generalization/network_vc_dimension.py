r"""The VC dimension of piecewise linear networks.

A ReLU network with L layers of :math:`k_i` units, :math:`W_i` parameters up to layer i and
:math:`R=\sum_ii\,k_i\ge3` has

.. math:: \operatorname{VCdim}\le L+\Bigl(\sum_iW_i\Bigr)\log_2\bigl(4eR\log_2(2eR)\bigr)
   =O(WL\log W).

The samples needed for a given gap grow *in proportion* to it. From below: m hidden units shatter
m + 1 points of a line, as the measurement shows labeling by labeling. For the networks of Table 1
the bound is tens of millions, so at 55,000 samples a VC bound is vacuous. A single sine in place of
ReLU shatters any number of points.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3 and Table 1; Bartlett, Harvey,
    Liaw and Mehrabian (2019), "Nearly-tight VC-dimension and pseudodimension bounds for piecewise
    linear neural networks", Theorem 7.
:kind: bound
:uses: relu_sum
:loose: The networks here shatter m + 1 points of a line, but the bound counts every parameter,
    times several logarithms.
:covers: vc-neural-networks
:erratum: [wrong] Section 8.3 says that the number of points for a small gap scales inversely
    proportionally to O(WL log W); it scales proportionally: 8.6 million points for a gap of 0.1 at
    dimension 1000, 86 million at dimension 10000.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, at_most, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.theory.generalization.rademacher import sign_vectors
from corollary.theory.generalization.shattering import sine_frequency, sine_labels
from corollary.theory.generalization.vc import vc_samples
from corollary.theory.generalization.vc_networks import (
    TABLE_1,
    relu_vc_upper,
)

SINE_POINTS = 60


def relu_shatters(m: int, rng: Generator) -> int:
    """M + 1 if m hidden units realise all labelings of 0, 1, ..., m; else 0."""
    y = sign_vectors(m + 1)  # all labelings, each the values to be interpolated
    slopes = y[:, 1:] - y[:, :-1]
    a = torch.cat([slopes[:, :1], slopes[:, 1:] - slopes[:, :-1]], dim=1)  # output weights
    x = torch.arange(m + 1, dtype=y.dtype)
    out = y[:, :1] + a @ torch.relu(x[:, None] - x[:-1]).T  # kinks at 0, ..., m - 1
    return m + 1 if bool((out.sign() == y).all()) else 0


def sine_shatters(m: int, rng: Generator) -> int:
    """60 if one sine realises 200 labelings drawn of the points 1/2, 1/4, ..., else 0."""
    labels: Tensor = torch.randint(2, (200, SINE_POINTS), generator=rng) > 0
    found = (sine_labels(sine_frequency(row), SINE_POINTS) for row in labels)
    return SINE_POINTS if all(map(torch.equal, found, labels)) else 0


class Given(NamedTuple):
    """Numbers of hidden units, the unit, and how many points such a network shatters."""

    hidden: tuple[int, ...]
    unit: Callable[[Tensor], Tensor]
    shatters: Callable[[int, Generator], int]


def is_piecewise_linear(given: Given) -> tuple[bool, str]:
    """Almost everywhere the second difference of a unit is 0."""
    f = given.unit(torch.linspace(-3, 3, 601, dtype=torch.float64))
    bends = int((f[2:] - 2 * f[1:-1] + f[:-2]).abs().gt(1e-9).sum())
    return bends <= 4, f"{bends} bends on a grid"


class NetworkVcDimension(Claim[Given]):
    m: int = option(10, low=2, high=13)  # hidden units of the largest network

    relation = at_most()  # a count of points
    supposes = Suppose(
        "the units are piecewise linear",
        is_piecewise_linear,
        "One hidden unit with a sine activation shatters 60 points; the bound for ReLU is 44.",
        hidden=(1,),
        unit=lambda _: torch.sin,
        shatters=lambda _: sine_shatters,
    )
    symbols = "upper bound on the VC dimension", "points shattered"
    rows = "m = {hidden}"
    shows = Along("Points on the line shattered by one hidden layer", x="m", at="hidden", log="y")

    def given(self, rng: Generator) -> Given:
        return Given(tuple(range(2, self.m + 1)), torch.relu, relu_shatters)

    def predict(self, given: Given) -> list[float]:
        return [relu_vc_upper([1, m, 1]) for m in given.hidden]

    def measure(self, given: Given, rng: Generator) -> list[float]:
        return [float(given.shatters(m, rng)) for m in given.hidden]

    @picture("Six networks for binary MNIST", x="W, parameters", y="number", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        nets = sorted((W, relu_vc_upper([784, *hidden, 1]), p) for hidden, W, p in TABLE_1.values())
        W, h, printed = zip(*nets, strict=True)
        needed = [vc_samples(0.1, 0.05, v) for v in h]
        yield Points(W, h, "VC dimension, upper bound", "predicted")
        yield Points(W, [1e6 * v for v in printed], "as printed in the table", "other")
        yield Curve(needed, W, label="samples for a gap of 0.1", role="predicted")
        yield Level(55_000, label="samples there are", role="measured")
        yield Curve(W, W, label="parameters", role="other", dashed=True)
