r"""Wide random networks are normal.

As the width k grows, :math:`f(x)=k^{-1/2}\sum_ja_j\sigma(\langle w_j,x\rangle)` at one input of
length :math:`\sqrt d` tends in law to :math:`\mathcal N(0,\mathbb E\,\sigma(Z)^2)`: a sum of k
independent terms with random signs. Measured: the largest distance between the distribution of
many networks and the normal one (Kolmogorov's), at growing widths.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, after Equation 12.7; Neal
    (1996), Bayesian Learning for Neural Networks, Chapter 2.
:kind: limit
:cost: instant
:covers: two-layer-init-clt
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, converges, option
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.networks.activations import RELU
from corollary.theory.robustness.single_step import excess_kurtosis, output_variance


class Given(NamedTuple):
    """Outputs of many networks of each width, and their output weights."""

    outputs: list[Float[Tensor, " t"]]
    signs: Float[Tensor, "t k"]


class TwoLayerNormal(Claim[Given]):
    d: int = option(6, low=2, high=50)  # dimension
    widths: tuple[int, ...] = (1, 4, 16, 64)  # hidden units, growing
    draws: int = option(8000, low=2000, high=50000)  # networks of each width
    relation = converges(gap=0.025)  # 8,000 draws of the limit itself are off by up to 0.02

    def given(self, rng: Generator) -> Given:
        """ReLU networks with random signs."""
        return self._drawn(rng, lambda a: a)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The signs."""
        mean = float(given.signs.mean())
        fair = abs(mean) < 0.1
        yield Hypothesis("the output weights are balanced signs", fair, f"mean {mean:.3g}")

    def predict(self, given: Given) -> float:
        """The distance vanishes."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Kolmogorov distances."""
        return Series(self.widths, [_distance(out) for out in given.outputs])

    def counterexample(self, rng: Generator) -> Given:
        """All output weights +1: the mean grows like the root of k."""
        return self._drawn(rng, torch.ones_like)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Distances, and distribution functions."""
        noise = 1.63 / self.draws**0.5
        distances = self.measure(given).values
        fall = Figure(
            "Random networks become normal as they get wider",
            x="k",
            y="distance from the normal law",
            log_x=True,
            log_y=True,
            marks=(
                Points(self.widths, distances, label="largest gap of the distributions"),
                Curve([noise] * len(self.widths), self.widths,
                      label="what normal draws have (99 %)", role="predicted"),
                Curve([excess_kurtosis(RELU, k) for k in self.widths], self.widths,
                      label="excess kurtosis 3/k", role="other"),
            ),
        )  # fmt: skip
        grid = torch.linspace(-2, 2, 81, dtype=torch.float64)
        scale = output_variance(RELU) ** 0.5
        share = [(out[:, None] <= grid).double().mean(dim=0) for out in given.outputs]
        laws = Figure(
            "Share of networks with an output below t",
            x="t",
            y="P(f ≤ t)",
            marks=(
                Curve(torch.special.ndtr(grid / scale), grid, label="normal", role="predicted"),
                Curve(share[0], grid, label=f"k = {self.widths[0]}", role="other"),
                Curve(share[-1], grid, label=f"k = {self.widths[-1]}"),
            ),
        )
        return fall, laws

    def _drawn(self, rng: Generator, signs: Callable[[Tensor], Tensor]) -> Given:
        out = []
        x = on_sphere(1, self.d, rng=rng).expand(self.draws, -1)
        for k in self.widths:
            net = RandomTwoLayer(self.d, k, t=self.draws, rng=rng)
            with torch.no_grad():
                net.a.copy_(signs(net.a))
                out.append(net(x))
        return Given(out, net.a.detach())


def _distance(out: Float[Tensor, " t"]) -> float:
    ordered, n = out.sort().values, len(out)
    law = torch.special.ndtr(ordered / output_variance(RELU) ** 0.5)
    steps = torch.arange(n + 1, dtype=torch.float64) / n
    return float(torch.maximum((law - steps[:-1]).abs(), (steps[1:] - law).abs()).max())
