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
:cost: instant
:covers: vc-neural-networks
:erratum: [wrong] Section 8.3 says that the number of points for a small gap scales inversely
    proportionally to O(WL log W); it scales proportionally: 8.6 million points for a gap of 0.1 at
    dimension 1000, 86 million at dimension 10000.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    at_most,
    option,
)
from corollary.theory.generalization.rademacher import sign_vectors
from corollary.theory.generalization.shattering import sine_frequency, sine_labels
from corollary.theory.generalization.vc import vc_samples
from corollary.theory.generalization.vc_networks import (
    TABLE_1,
    parameters_up_to,
    relu_vc_upper,
    vc_order,
)

SINE_POINTS = 60


class Given(NamedTuple):
    """Numbers of hidden units, their kind, and a seed for labelings that are drawn."""

    hidden: tuple[int, ...]
    unit: str
    seed: int


@dataclass(frozen=True)
class NetworkVcDimension(Claim[Given]):
    """Points shattered by networks of one hidden layer, against the upper bound."""

    m: int = option(10, low=2, high=13)  # hidden units of the largest network
    relation = at_most()  # a count of points

    def given(self, rng: Generator) -> Given:
        """ReLU networks with 2, 3, ... hidden units."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(tuple(range(2, self.m + 1)), "relu", seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Almost everywhere the second difference of a unit is 0."""
        t = torch.linspace(-3, 3, 601, dtype=torch.float64)
        f = torch.relu(t) if given.unit == "relu" else torch.sin(t)
        bends = int((f[2:] - 2 * f[1:-1] + f[:-2]).abs().gt(1e-9).sum())
        yield Hypothesis("the units are piecewise linear", bends <= 4, f"{bends} bends on a grid")

    def predict(self, given: Given) -> list[float]:
        """The bound for one input, m hidden units, one output."""
        return [relu_vc_upper([1, m, 1]) for m in given.hidden]

    def measure(self, given: Given) -> list[float]:
        """The points of which every labeling that was tried is realised."""
        if given.unit == "sine":
            return [float(_sine_shatters(SINE_POINTS, given.seed))] * len(given.hidden)
        return [float(_relu_shatters(m)) for m in given.hidden]

    def counterexample(self, rng: Generator) -> Given:
        """One hidden unit that is a sine: 60 points, where ReLU would allow 44."""
        return self.given(rng)._replace(hidden=(1,), unit="sine")

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Small networks; and those of the table at 55,000 samples."""
        W = [parameters_up_to([1, m, 1])[-1] for m in given.hidden]
        small = Figure(
            "One hidden layer on the line",
            x="W, parameters",
            y="points",
            log_y=True,
            marks=(
                Curve(self.predict(given), W, label="upper bound", role="predicted"),
                Curve([vc_order(w, 2) for w in W], W, "W L log₂ W", "other", dashed=True),
                Points(W, self.measure(given), label="shattered, all labelings tried"),
            ),
        )
        return small, _table()


def _relu_shatters(m: int) -> int:
    """M + 1 if the networks with m hidden units realise all labelings of 0, 1, ..., m; else 0."""
    p = m + 1
    y = sign_vectors(p)  # 2^p labelings, each the values to be interpolated
    slopes = y[:, 1:] - y[:, :-1]
    a = torch.cat([slopes[:, :1], slopes[:, 1:] - slopes[:, :-1]], dim=1)  # output weights
    x = torch.arange(p, dtype=y.dtype)
    units = torch.relu(x[:, None] - x[:-1])  # p points, m units with kinks at 0, ..., m - 1
    out = y[:, :1] + a @ units.T
    return p if bool((out.sign() == y).all()) else 0


def _sine_shatters(n: int, seed: int, tries: int = 200) -> int:
    """N if one sine realises all labelings drawn of the points 1/2, 1/4, ..., else 0."""
    rng = torch.Generator().manual_seed(seed)
    labels: Tensor = torch.randint(2, (tries, n), generator=rng) > 0
    found = all(torch.equal(sine_labels(sine_frequency(row), n), row) for row in labels)
    return n if found else 0


def _table() -> Figure:
    """Dimension and samples for the six networks of the table."""
    W = [w for _, w, _ in TABLE_1.values()]
    h = [relu_vc_upper([784, *hidden, 1]) for hidden, _, _ in TABLE_1.values()]
    order = sorted(range(len(W)), key=W.__getitem__)
    return Figure(
        "Six networks for binary MNIST",
        x="W, parameters",
        y="number",
        log_x=True,
        log_y=True,
        marks=(
            Points([W[i] for i in order], [h[i] for i in order], "VC dimension, upper bound",
                   "predicted"),
            Points([W[i] for i in order],
                   [1e6 * list(TABLE_1.values())[i][2] for i in order], "as printed in the table",
                   "other"),
            Curve([vc_samples(0.1, 0.05, h[i]) for i in order], [W[i] for i in order],
                  label="samples for a gap of 0.1", role="predicted"),
            Level(55_000, label="samples there are", role="measured"),
            Curve(sorted(W), sorted(W), label="parameters",
                  role="other", dashed=True),
        ),
    )  # fmt: skip
