r"""Crosstalk between the stored patterns of a Hopfield network.

With Hebbian couplings without diagonal, the field at a stored pattern is signal plus crosstalk,
:math:`h_i(x_t) = \frac{n-1}{n} x_{t,i} + C_{t,i}`. If the :math:`s` patterns are independent fair
signs, :math:`n\,x_{t,i} C_{t,i}` is a sum of :math:`(s-1)(n-1)` independent fair signs, hence

.. math:: \mathbb E[x_{t,i} C_{t,i}] = 0, \qquad
    \operatorname{Var}[C_{t,i}] = \frac{(s-1)(n-1)}{n^2} \approx \frac sn,

and :math:`C_{t,i}` tends to :math:`\mathcal N(0, s/n)`. If the diagonal is kept, the mean is
:math:`(s-1)/n`: every neuron is its own supporter.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hertz, Krogh and Palmer (1991),
    "Introduction to the Theory of Neural Computation", Section 2.2.
:kind: identity
:uses: hebbian_storage
:covers: hopfield-crosstalk, hopfield-hebbian-storage
:erratum: [missing hypothesis] The notes demand a zero diagonal, yet their Hebb rule gives
    w_ii = s/n and their crosstalk sum keeps j = i. Then the mean of x_ti C_ti is (s-1)/n, not 0
    (the counterexample measures it: 0.095 at n = 200, s = 20), and the limit N(0, s/n) is wrong.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, near, option, within_interval
from corollary.core.picture import Curve, Histogram, Level, Marks, picture
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.storage import hebbian_weights, squared_overlap


class Given(NamedTuple):
    patterns: Float[Tensor, "networks s n"]  # of each network
    rule: Callable[[Tensor], Tensor]  # couplings of patterns


def fair(given: Given) -> tuple[bool, str]:
    """Five standard deviations of the mean squared overlap."""
    k, s, _ = given.patterns.shape
    overlap = sum(squared_overlap(x) for x in given.patterns) / k
    words = f"n times the mean squared overlap is {overlap:.3f}"
    return abs(overlap - 1) <= 5 * math.sqrt(4 / (k * s * (s - 1))), words


class HopfieldCrosstalk(Claim[Given]):
    n: int = option(200, low=10, high=2000)  # neurons
    s: int = option(20, low=2, high=400)  # patterns
    networks: int = option(60, low=4, high=1000)  # independent networks

    relation = within_interval(level=0.999, resolution=0.012)  # spread over networks, 2/n each
    supposes = (
        Suppose(
            "the patterns overlap as independent fair signs do",
            fair,
            "If seven of ten signs are +1, the patterns are similar and the crosstalk is larger.",
            patterns=lambda g, rng: random_patterns(*g.patterns.shape, p=0.7, rng=rng),
        ),
        Suppose(
            "the diagonal of the couplings is zero",
            lambda g: near(g.rule(g.patterns[0]).diagonal(), 0.0),
            "If the diagonal is kept, every neuron adds to its own input.",
            rule=lambda g: partial(hebbian_weights, zero_diagonal=False),
        ),
    )
    symbols = "0 and (s−1)(n−1)/n²", "crosstalk at stored bits"
    rows = "mean of x C", "mean of C²"

    def given(self, rng: Generator) -> Given:
        return Given(random_patterns(self.networks, self.s, self.n, rng=rng), hebbian_weights)

    def predict(self, given: Given) -> list[float]:
        _, s, n = given.patterns.shape
        return [0.0, (s - 1) * (n - 1) / n**2]

    def measure(self, given: Given) -> Kept:
        P = given.patterns
        signal = P[0, 0] * (P[0, 0] @ given.rule(P[0, :1]))
        xC = P * torch.stack([x @ given.rule(x) for x in P]) - signal
        means = [Sample(v.mean((1, 2))) for v in (xC, xC.square())]
        return Kept(means, xC=xC.flatten())

    @picture("Crosstalk at stored bits", x="x C", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        _, s, n = trial.given.patterns.shape
        edges = (torch.arange(-round(1.5 * n), round(1.5 * n), 8) + 0.5) / n  # 4 values per bin
        z = torch.linspace(-1.5, 1.5, 201)
        density = torch.exp(-(z**2) * n / (2 * s)) * math.sqrt(n / (2 * math.pi * s))
        yield Histogram(trial.kept.xC, edges=edges, label="stored bits of all networks")
        yield Curve(density, x=z, label="N(0, s/n)", role="predicted")
        yield Level(-(n - 1) / n, label="unstable bits to the left", role="other", axis="x")
