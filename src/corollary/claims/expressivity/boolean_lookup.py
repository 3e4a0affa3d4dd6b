r"""Worst-case width on binary inputs.

Any Boolean function on :math:`\{0,1\}^d` is a network with one hidden layer of threshold units, one
for each vertex at which it is true, so at most :math:`2^d`:

.. math:: f(x) = \sum_{v: f(v)=1} \mathbb 1\Big\{ \sum_{i: v_i=1} x_i - \sum_{i: v_i=0} x_i
          \ge \|v\|_1 - \tfrac12 \Big\} .

It is the width of a table of all answers, not of the function: parity takes :math:`2^{d-1}` units
in this way, and d units that use its symmetry do as well.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem.
:kind: construction
:cost: instant
:covers: worst-case-width-lookup
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.lookup import lookup_network, parity_network, vertices


class Given(NamedTuple):
    """Inputs and the answers wanted there; the table is read at the vertices."""

    x: Tensor
    y: Tensor
    d: int


@dataclass(frozen=True)
class BooleanLookup(Claim[Given]):
    """Mistakes and units of the table of a drawn function, and of parity in both ways."""

    d: int = option(8, low=1, high=12)  # inputs
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """A function drawn at random: each vertex true with probability 1/2."""
        truth = torch.rand(2**self.d, generator=rng) < 0.5
        return Given(vertices(self.d), truth.double(), self.d)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A function on the vertices."""
        bits = bool(((given.x == 0) | (given.x == 1)).all())
        yield Hypothesis("the inputs are bits", bits)

    def predict(self, given: Given) -> list[float]:
        """Mistakes and units; the same for parity by table and by symmetry."""
        true = float(given.y[: 2**given.d].sum())
        return [0.0, true, 0.0, 2.0 ** (given.d - 1), 0.0, float(given.d)]

    def measure(self, given: Given) -> list[float]:
        """Mistakes at the inputs, and units."""
        table = lookup_network(given.y[: 2**given.d] > 0.5)
        parity = vertices(given.d).sum(dim=1) % 2
        by_table, by_sum = lookup_network(parity > 0.5), parity_network(given.d)
        at = vertices(given.d)
        out: list[float] = []
        for net, x, y in ((table, given.x, given.y), (by_table, at, parity), (by_sum, at, parity)):
            with torch.no_grad():
                out += [float((net(x) != y).sum()), float(net.units)]
        return out

    def counterexample(self, rng: Generator) -> Given:
        """The centre of the cube, wanted true: no unit fires there."""
        x, y, d = self.given(rng)
        return Given(
            torch.cat([x, torch.full((1, d), 0.5).double()]), torch.cat([y, y.new_ones(1)]), d
        )

    def figure(self, given: Given) -> Figure:
        """Units against inputs."""
        ds = list(range(1, given.d + 1))
        parity = [vertices(d).sum(dim=1) % 2 for d in ds]
        tables = [lookup_network(p > 0.5).units for p in parity]
        marks = (
            Curve([2**d for d in ds], ds, "2ᵈ, all vertices", "other", dashed=True),
            Curve([2 ** (d - 1) for d in ds], ds, "2ᵈ⁻¹", "predicted"),
            Points(ds, tables, "parity, a unit a vertex"),
            Points(ds, [parity_network(d).units for d in ds], "parity, by its symmetry", "other"),
        )
        return Figure("Width of a table of answers", x="d", y="units", marks=marks, log_y=True)
