r"""Crosstalk between stored patterns.

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
:cost: instant
:covers: hopfield-crosstalk, hopfield-hebbian-storage
:erratum: [missing hypothesis] The notes demand a zero diagonal, yet their Hebb rule gives
    w_ii = s/n and their crosstalk sum keeps j = i. Then the mean of x_ti C_ti is (s-1)/n, not 0
    (the counterexample measures it: 0.095 at n = 200, s = 20), and the limit N(0, s/n) is wrong.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Sample,
    option,
    within_interval,
)
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.states import has_zero_diagonal
from corollary.theory.connectionism.hopfield.storage import hebbian_weights, squared_overlap


class Given(NamedTuple):
    """Networks, each with its own patterns."""

    patterns: Float[Tensor, "networks s n"]
    zero_diagonal: bool  # False: the rule as the notes print it


@dataclass(frozen=True)
class HopfieldCrosstalk(Claim[Given]):
    """Mean and mean square of the crosstalk, averaged over the bits of each network."""

    n: int = option(200, low=10, high=2000)  # neurons
    s: int = option(20, low=2, high=400)  # patterns
    networks: int = option(60, low=4, high=1000)  # independent networks
    relation = within_interval(level=0.999, resolution=0.012)  # spread over networks, 2/n each

    def given(self, rng: Generator) -> Given:
        """Independent fair signs."""
        return Given(random_patterns(self.networks, self.s, self.n, rng=rng), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Random patterns, no diagonal."""
        P = given.patterns
        pairs = P.shape[0] * P.shape[1] * (P.shape[1] - 1) / 2
        overlap = sum(squared_overlap(x) for x in P) / len(P)
        yield Hypothesis(
            "the patterns overlap as independent fair signs do",
            abs(overlap - 1) <= 5 * math.sqrt(2 / pairs),
            f"n times the mean squared overlap is {overlap:.3f}",
        )
        W = hebbian_weights(P[0], zero_diagonal=given.zero_diagonal)
        yield Hypothesis("the diagonal of the couplings is zero", has_zero_diagonal(W))

    def predict(self, given: Given) -> list[float]:
        """Mean 0, mean square (s-1)(n-1)/n²."""
        _, s, n = given.patterns.shape
        return [0.0, (s - 1) * (n - 1) / n**2]

    def measure(self, given: Given) -> list[Sample]:
        """Field minus signal at every stored bit."""
        xC = _crosstalk_along_pattern(given)
        return [Sample(xC.mean((1, 2)).tolist()), Sample((xC**2).mean((1, 2)).tolist())]

    def counterexample(self, rng: Generator) -> Given:
        """The diagonal is kept."""
        return self.given(rng)._replace(zero_diagonal=False)

    def figure(self, given: Given) -> Figure:
        """All crosstalk against the normal law."""
        _, s, n = given.patterns.shape
        xC = _crosstalk_along_pattern(given).flatten()
        edges = (torch.arange(-round(1.5 * n), round(1.5 * n), 8) + 0.5) / n  # 4 values a bin
        z = torch.linspace(-1.5, 1.5, 201)
        density = torch.exp(-(z**2) * n / (2 * s)) * math.sqrt(n / (2 * math.pi * s))
        return Figure(
            "Crosstalk at stored bits",
            x="x C",
            y="density",
            marks=(
                Histogram(xC, edges=edges, label="stored bits of all networks"),
                Curve(density, x=z, label="N(0, s/n)", role="predicted"),
                Level(-(n - 1) / n, label="unstable to the left", role="other", axis="x"),
            ),
        )


def _crosstalk_along_pattern(given: Given) -> Float[Tensor, "networks s n"]:
    """Field minus signal, times the bit: ``x h - w`` with ``w`` the weight of the own pattern."""
    n = given.patterns.shape[-1]
    signal = (n - 1) / n if given.zero_diagonal else 1.0
    fields = [x @ hebbian_weights(x, zero_diagonal=given.zero_diagonal) for x in given.patterns]
    return given.patterns * torch.stack(fields) - signal
