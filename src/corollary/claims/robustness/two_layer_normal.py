r"""The output of a wide random network is normally distributed.

As the width k grows, :math:`f(x)=k^{-1/2}\sum_ja_j\sigma(\langle w_j,x\rangle)` at one input of
length :math:`\sqrt d` tends in law to :math:`\mathcal N(0,\mathbb E\,\sigma(Z)^2)`: a sum of k
independent terms with random signs. Measured: the largest distance between the distribution of
many networks and the normal one (Kolmogorov's), at growing widths.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, after Equation 12.7; Neal
    (1996), Bayesian Learning for Neural Networks, Chapter 2.
:kind: limit
:uses: two_layer_variance
:covers: two-layer-init-clt
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, option
from corollary.core.picture import Curve, Marks, picture
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.networks.activations import RELU
from corollary.theory.robustness.single_step import output_variance


class Given(NamedTuple):
    x: Float[Tensor, "t d"]  # one input for all networks
    nets: list[RandomTwoLayer]  # many networks of each width


def _imbalance(given: Given) -> Tensor:
    return 0.1 - given.nets[-1].a.mean().abs()


def all_positive(self: "TwoLayerNormal", given: Given, rng: Generator) -> Given:
    """All output weights are +1, so the mean grows like the square root of k."""
    nets = self.networks(rng)
    with torch.no_grad():
        for net in nets:
            net.a.fill_(1.0)
    return given._replace(nets=nets)


class TwoLayerNormal(Claim[Given]):
    d: int = option(6, low=2, high=50)  # dimension
    widths: tuple[int, ...] = (1, 4, 16, 64)  # hidden units, growing
    draws: int = option(8000, low=2000, high=50000)  # networks of each width

    relation = converges(gap=0.025)  # 8,000 draws of the limit itself are off by up to 0.02
    supposes = Suppose("the output weights are balanced signs", _imbalance, without=all_positive)
    symbols = "0", "largest gap between the distributions"
    predicts = 0.0
    shows = Over("Random networks become normal as they get wider", x="k", log="xy")

    def given(self, rng: Generator) -> Given:
        return Given(on_sphere(1, self.d, rng=rng).expand(self.draws, -1), self.networks(rng))

    def networks(self, rng: Generator) -> list[RandomTwoLayer]:
        """ReLU networks with random signs, of each width."""
        return [RandomTwoLayer(self.d, k, t=self.draws, rng=rng) for k in self.widths]

    def measure(self, given: Given) -> Series:
        return Series(self.widths, [_distance(net(given.x).detach()) for net in given.nets])

    @picture("Share of networks with an output below t", x="t", y="P(f ≤ t)")
    def laws(self, trial: Trial[Given]) -> Marks:
        t = torch.linspace(-2, 2, 81, dtype=torch.float64)
        yield Curve(torch.special.ndtr(t / output_variance(RELU) ** 0.5), t, "normal", "predicted")
        for k, net in list(zip(self.widths, trial.given.nets, strict=True))[
            :: len(self.widths) - 1
        ]:
            share = (net(trial.given.x).detach()[:, None] <= t).double().mean(dim=0)
            yield Curve(share, t, f"k = {k}")


def _distance(out: Float[Tensor, " t"]) -> float:
    """Kolmogorov's, from the normal law."""
    ordered, n = out.sort().values, len(out)
    law = torch.special.ndtr(ordered / output_variance(RELU) ** 0.5)
    steps = torch.arange(n + 1, dtype=torch.float64) / n
    return float(torch.maximum((law - steps[:-1]).abs(), (steps[1:] - law).abs()).max())
