r"""Inverted dropout keeps the mean.

A unit that is kept with probability :math:`1-p` and then divided by :math:`1-p` has

.. math:: E[\tilde a_j]=a_j,\qquad E[\tilde a_j^2]=\frac{a_j^2}{1-p},\qquad
   \operatorname{var}[\tilde a_j]=\frac p{1-p}\,a_j^2,

and units are dropped independently of each other. So the identity at evaluation is right on
average, for the layer above sees the mean it was trained with. The plain form, without the
division, has mean :math:`(1-p)a_j` and needs the factor at evaluation.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.2; Perez Jensen (2025), Deep
    Learning, Section 8.4; Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov (2014),
    "Dropout: a simple way to prevent neural networks from overfitting".
:kind: identity
:covers: dropout-layer
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Sweep, option, uniform, within_interval
from corollary.models.dropout import Dropout


class Given(NamedTuple):
    a: Float[Tensor, " m"]  # activations
    p: float  # the share that is dropped
    inverted: bool = True  # the form of dropout


def _largest(given: Given) -> float:
    """Of fifty units with activation 1, those that are kept."""
    layer = Dropout(given.p, inverted=given.inverted, rng=torch.Generator().manual_seed(0))
    return float(layer.train()(given.a.new_ones(50)).max())


class DropoutMoments(Claim[Given]):
    p: float = option(0.5, low=0.05, high=0.5)  # dropout rate
    draws: int = option(60_000, low=100, high=10_000_000)  # masks

    relation = within_interval(level=0.99999, resolution=0.05)  # of numbers of size 1
    supposes = Suppose(
        "kept activations are divided by 1 - p",
        lambda g: 1e-9 - abs(_largest(g) - 1 / (1 - g.p)),
        "Without the division, the mean of the masked activation is (1 - p) a.",
        inverted=False,
    )
    symbols = "a, a²/(1 − p), 0", "mean over masks"
    rows = ("mean of ã₁", "mean of ã₂", "mean of ã₁²", "mean of ã₂²", "covariance")
    shows = (
        Along("Inverted dropout keeps the mean", x="moment", y="value"),
        Sweep(
            "The mean square grows with the rate",
            "p",
            (0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
            entry=2,
            y="mean of ã₁²",
            log="",
        ),
    )

    def given(self, rng: Generator) -> Given:
        return Given(0.7 + 0.3 * uniform(rng, 2), self.p)

    def predict(self, given: Given) -> list[float]:
        a, p = given.a, given.p
        return [*a.tolist(), *(a.square() / (1 - p)).tolist(), 0.0]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        layer = Dropout(given.p, inverted=given.inverted, rng=rng).train()
        dropped = layer(given.a.expand(self.draws, -1))
        return [Sample(c) for c in (*dropped.T, *dropped.square().T, (dropped - given.a).prod(1))]
