r"""Forward signal in random deep linear networks.

For independent :math:`d\times d` layers with independent centred entries of variance
:math:`\sigma^2`,

.. math:: \mathbb E\|W^t\cdots W^1x\|^2=(d\sigma^2)^t\|x\|^2 :

the signal keeps its length on average iff :math:`\sigma^2=1/d`, and vanishes or explodes
exponentially in the depth otherwise.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Corollary 49.
:kind: identity
:uses: random_second_moment
:covers: forward-norm-growth
:erratum: [typo] The right side of (6.37) has W^{t-1} where the product W^{t-1:1} is meant. The
    result is right.
"""

from typing import Literal

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Sweep, option, within_interval
from corollary.core.witness import mean_is, mean_square_is
from corollary.theory.landscape.random_products import entries, forward_second_moment


class ForwardNormGrowth(Claim[Tensor]):
    d: int = option(12, low=4, high=100)  # width
    t: int = option(6, low=2, high=20)  # layers
    gain: float = option(1.0, low=0.25, high=1.25)  # d σ²
    law: Literal["gaussian", "rademacher", "uniform", "laplace"] = "gaussian"  # their distribution
    draws: int = option(700, low=500, high=100_000)  # networks

    relation = within_interval(level=0.999999, resolution=0.5)  # chance: one seed in a million
    supposes = (
        Suppose(
            "the entries have mean zero",
            mean_is,
            "If the entries have a mean, the constant direction grows by another factor.",
            lambda g: g + 0.5 * g.std(),
        ),
        Suppose(
            "the entries have variance σ²",
            lambda self, W: mean_square_is(W - W.mean(), self.gain / self.d),
            "If the entries are 25 % larger, the signal explodes.",
            lambda g: 1.25 * g,
        ),
    )
    symbols = "(dσ²)^t", "E‖W^t ⋯ W^1 x‖² / ‖x‖²"
    shows = (
        Along("With σ² = 1/d the signal keeps its length", x="layers t", first=1, log="y"),
        Sweep(
            "The signal vanishes or explodes unless σ² = 1/d",
            "gain",
            (0.25, 0.5, 0.75, 1.0, 1.25),
            x="dσ²",
            entry=-1,
            log="xy",
        ),
    )

    def given(self, rng: Generator) -> Tensor:
        return entries(self.law, (self.t, self.draws, self.d, self.d), self.gain / self.d, rng=rng)

    def predict(self, given: Tensor) -> list[float]:
        s2 = self.gain / self.d
        return [forward_second_moment(self.d, s2, t) for t in range(1, self.t + 1)]

    def measure(self, given: Tensor) -> list[Sample]:
        a = torch.full((self.draws, self.d, 1), self.d**-0.5, dtype=torch.float64)
        out = []
        for W in given:
            a = W @ a
            out.append(Sample(a.square().sum(dim=(1, 2))))
        return out
