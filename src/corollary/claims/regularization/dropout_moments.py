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
:cost: instant
:covers: dropout-layer
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.models.dropout import Dropout


class Given(NamedTuple):
    """Activations, a rate, the form of dropout, and a seed for the masks."""

    a: Float[Tensor, " m"]
    p: float
    inverted: bool
    seed: int


class DropoutMoments(Claim[Given]):
    p: float = option(0.5, low=0.05, high=0.5)  # the share that is dropped
    draws: int = option(60_000, low=100, high=10_000_000)  # masks
    relation = within_interval(level=0.9999, resolution=0.05)  # of numbers of size 1

    def given(self, rng: Generator) -> Given:
        """Two activations near 1."""
        a = 0.7 + 0.3 * torch.rand(2, generator=rng, dtype=torch.float64)
        return Given(a, self.p, True, int(torch.randint(2**31, (1,), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The division by the share that is kept."""
        yield Hypothesis("what is kept is divided by 1 - p", given.inverted)

    def predict(self, given: Given) -> list[float]:
        """Both means, both mean squares, and no covariance."""
        a, p = given.a, given.p
        return [*a.tolist(), *(a.square() / (1 - p)).tolist(), 0.0]

    def measure(self, given: Given) -> list[Sample]:
        """The same of many passes through the layer in training mode."""
        dropped = _passes(given, self.draws)
        away = dropped - given.a
        columns = [*dropped.T, *dropped.square().T, away.prod(dim=1)]
        return [Sample(column.tolist()) for column in columns]

    def counterexample(self, rng: Generator) -> Given:
        """Plain masks."""
        return self.given(rng)._replace(inverted=False)

    def figure(self, given: Given) -> Figure:
        """Mean and standard deviation over the rate, for both forms."""
        grid = torch.linspace(0.05, 0.85, 17)
        one = given.a.new_ones(1)
        found = {}
        for inverted in (True, False):
            runs = [_passes(Given(one, p, inverted, given.seed), 4000)[:, 0] for p in grid.tolist()]
            found[inverted] = torch.stack([torch.stack([r.mean(), r.std()]) for r in runs])
        mean, std = found[True].T
        error = std / 4000**0.5 * 3
        return Figure(
            "Inverted dropout keeps the mean",
            x="p",
            y="of a unit with a = 1",
            marks=(
                Curve(torch.ones_like(grid), x=grid, label="mean a", role="predicted"),
                Points(
                    grid, mean, low=mean - error, high=mean + error, label="mean, inverted form"
                ),
                Curve(
                    (grid / (1 - grid)).sqrt(),
                    x=grid,
                    label="deviation √(p/(1−p)) a",
                    role="predicted",
                    dashed=True,
                ),
                Points(grid, std, label="deviation, inverted form"),
                Points(grid, found[False][:, 0], label="mean, plain form", role="other"),
            ),
        )


def _passes(given: Given, draws: int) -> Tensor:
    layer = Dropout(given.p, inverted=given.inverted, rng=torch.Generator().manual_seed(given.seed))
    return layer.train()(given.a.expand(draws, -1))
