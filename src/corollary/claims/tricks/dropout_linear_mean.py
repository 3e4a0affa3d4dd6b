r"""Weight scaling is the exact ensemble of a linear model.

For a linear network with masks :math:`b` of any of its units, independent with keep probabilities
:math:`\pi_i`, the mean output over all masks is the output of the network whose weights are scaled
by :math:`\pi_i`:

.. math:: \sum_bp(b)\,\langle w,b\odot x\rangle=\langle\pi\odot w,x\rangle .

Behind a nonlinear layer it is an approximation.

:source: Perez Jensen (2025), Deep Learning, Section 8.4; Lucchi (2025), Foundations of Deep
    Learning, Section 11.2; Srivastava et al. (2014), "Dropout: a simple way to prevent neural
    networks from overfitting".
:kind: identity
:cost: instant
:covers: dropout-ensemble
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.models.dropout_ensemble import dropout_ensemble, mc_dropout, weight_scaled


class Given(NamedTuple):
    """Inputs, the network, and the seed of sampled masks."""

    x: Float[Tensor, "m n"]
    net: nn.Module
    linear: bool
    seed: int


@dataclass(frozen=True)
class DropoutLinearMean(Claim[Given]):
    """Mean over all masks against the scaled network."""

    n: int = option(4, low=1, high=7)  # inputs, each with a mask
    h: int = option(4, low=1, high=7)  # hidden units, each with a mask
    p: float = option(0.4, low=0.0, high=0.9)  # share that is dropped
    relation = equals(ulps=2**12, scale=1.0)  # sums over 2^(n + h) masks

    def given(self, rng: Generator) -> Given:
        """Two linear layers, with dropout before each."""
        return self._draw(rng, linear=True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The network."""
        yield Hypothesis("the network is linear", given.linear)

    def predict(self, given: Given) -> list[float]:
        """The scaled network."""
        return weight_scaled(given.net, given.x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The exact mean."""
        return dropout_ensemble(given.net, given.x).mean().flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """ReLU between the layers."""
        return self._draw(rng, linear=False)

    def figure(self, given: Given) -> Figure:
        """How sampled masks come near the mean."""
        samples = mc_dropout(
            given.net, given.x[:1], 300, rng=torch.Generator().manual_seed(given.seed)
        ).outputs[:, 0, 0]
        count = torch.arange(1, 301, dtype=torch.float64)
        return Figure(
            "Sampled masks and the scaled network",
            x="masks",
            y="mean output",
            marks=(
                Level(self.predict(given)[0], label="scaled network"),
                Curve(samples.cumsum(0) / count, count, label="mean of sampled masks"),
                Level(self.measure(given)[0], label="mean of all masks", role="measured"),
            ),
        )

    def _draw(self, rng: Generator, *, linear: bool) -> Given:
        first = nn.Linear(self.n, self.h, bias=False).double()
        second = nn.Linear(self.h, 1, bias=False).double()
        with torch.no_grad():
            for layer in (first, second):
                layer.weight.normal_(generator=rng)
        between = nn.Identity() if linear else nn.ReLU()
        net = nn.Sequential(nn.Dropout(self.p), first, between, nn.Dropout(self.p), second)
        x = torch.randn(3, self.n, generator=rng, dtype=torch.float64)
        return Given(x, net, linear, int(torch.randint(2**31, (), generator=rng)))
