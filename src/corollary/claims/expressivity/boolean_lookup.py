r"""Worst-case width on binary inputs.

Any Boolean function on :math:`\{0,1\}^d` is a network with one hidden layer of threshold units, one
for each vertex at which it is true, so at most :math:`2^d`:

.. math:: f(x) = \sum_{v: f(v)=1} \mathbb 1\Big\{ \sum_{i: v_i=1} x_i - \sum_{i: v_i=0} x_i
          \ge \|v\|_1 - \tfrac12 \Big\} .

It is the width of a table of all answers, not of the function: parity takes :math:`2^{d-1}` units
in this way, and d units that use its symmetry do as well.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem.
:kind: construction
:covers: worst-case-width-lookup
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, equals, option
from corollary.models.lookup import lookup_network, parity_network, vertices


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # inputs, the first 2^d of them the vertices
    y: Float[Tensor, " n"]  # answers wanted there


def centre(given: Given) -> Given:
    """At the centre of the cube no unit is active, although the target is true."""
    middle = torch.full_like(given.x[:1], 0.5)
    return Given(torch.cat([given.x, middle]), torch.cat([given.y, given.y.new_ones(1)]))


class BooleanLookup(Claim[Given]):
    d: int = option(8, low=1, high=12)  # inputs

    relation = equals()  # counts
    supposes = (
        Suppose("the inputs are bits", lambda g: ((g.x == 0) | (g.x == 1)).all(), without=centre),
        Suppose(
            "each input has one answer",
            lambda g: (
                len(g.x.unique(dim=0)) == len(torch.cat([g.x, g.y[:, None]], 1).unique(dim=0))
            ),
            "If a vertex has both answers, every function makes a mistake there.",
            lambda g: Given(torch.cat([g.x, g.x[:1]]), torch.cat([g.y, 1 - g.y[:1]])),
        ),
    )
    symbols = "mistakes and units, as stated", "counted in the network"
    rows = (
        "table: mistakes",
        "table: units",
        "parity by table: mistakes",
        "parity by table: units",
        "parity by symmetry: mistakes",
        "parity by symmetry: units",
    )
    shows = (
        Sweep("Parity by a table", "d", range(1, 9), y="units", entry=3, log="y"),
        Sweep("Parity by its symmetry", "d", range(1, 9), y="units", entry=5, log=""),
    )

    def given(self, rng: Generator) -> Given:
        return Given(vertices(self.d), (torch.rand(2**self.d, generator=rng) < 0.5).double())

    def predict(self, given: Given) -> list[float]:
        true = float(given.y[: 2**self.d].sum())
        return [0.0, true, 0.0, 2.0 ** (self.d - 1), 0.0, float(self.d)]

    def measure(self, given: Given) -> list[float]:
        at = vertices(self.d)
        parity = at.sum(dim=1) % 2
        table, by_table = lookup_network(given.y[: 2**self.d] > 0.5), lookup_network(parity > 0.5)
        tasks = (table, *given), (by_table, at, parity), (parity_network(self.d), at, parity)
        return [n for net, x, y in tasks for n in (float((net(x) != y).sum()), float(net.units))]
