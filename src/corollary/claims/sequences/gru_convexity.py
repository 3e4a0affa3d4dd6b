r"""A GRU moves inside the cube.

Every new state of a GRU lies, coordinate by coordinate, between the old one and the candidate,

.. math:: z_t=s_t\odot z_{t-1}+(1-s_t)\odot\tilde z_t,\qquad s_t\in(0,1)^m,\
   \tilde z_t=\tanh(\cdot)\in(-1,1)^m,

so from :math:`z_0\in[-1,1]^m` no state leaves the cube: :math:`\|z_t\|_\infty\le1`.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Cho et al. (2014), "Learning phrase
    representations using RNN encoder-decoder for statistical machine translation".
:kind: bound
:cost: instant
:covers: gru
:erratum: [typo] The notes mix the reset gate zeta_t into the state in place of the candidate. With
    that the candidate is never used, and from z_0 = 0 every state lies in [0, 1): the figure shows
    both runs on the same weights.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.models.recurrent.gating import blend, gate
from corollary.models.recurrent.gru import GRUCell


class Given(NamedTuple):
    """A cell, sequences, and where they start."""

    cell: GRUCell
    x: Float[Tensor, "B T n"]
    z0: Float[Tensor, "B m"]


@dataclass(frozen=True)
class GruConvexity(Claim[Given]):
    """How far states go, and whether they overshoot the candidate."""

    T: int = option(40, low=1, high=500)  # steps
    m: int = option(8, low=1, high=100)  # units
    B: int = option(16, low=1, high=500)  # sequences
    relation = at_most(ulps=8)  # a sum of two products, of weights that add up to 1

    def given(self, rng: Generator) -> Given:
        """Large inputs, which drive candidates to the faces of the cube."""
        cell = GRUCell(2, self.m, rng=rng)
        x = 3 * torch.randn(self.B, self.T, 2, generator=rng, dtype=torch.float64)
        return Given(cell, x, torch.zeros(self.B, self.m, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The start."""
        far = float(given.z0.abs().max())
        yield Hypothesis("the first state lies in [-1, 1]^m", far <= 1, f"‖z₀‖∞ = {far:g}")

    def predict(self, given: Given) -> list[float]:
        """1 for every state, and 1 for the part of the way to the candidate."""
        return [1.0] * (given.x.shape[1] + 1)

    def measure(self, given: Given) -> list[float]:
        """Largest entries at each time, and the largest part of the way that a step takes."""
        z, states, part = given.z0, [], 0.0
        with torch.no_grad():
            for x in given.x.unbind(1):
                s, candidate = given.cell.parts(z, x)
                fresh = blend(s, z, candidate)
                way = candidate - z
                far = way.abs() > 1e-6  # a quotient of two rounded zeros says nothing
                part = max(part, float(((fresh - z) / way)[far].max()) if far.any() else 0.0)
                z = fresh
                states.append(float(z.abs().max()))
        return [*states, part]

    def counterexample(self, rng: Generator) -> Given:
        """A start outside."""
        given = self.given(rng)
        return given._replace(z0=given.z0 + 3.0)

    def figure(self, given: Given) -> Figure:
        """The range of the states at each time, of the GRU and of the printed update."""
        t = list(range(1, given.x.shape[1] + 1))
        right, printed = _run(given, printed=False), _run(given, printed=True)
        marks = (
            Band(t, right.amin((0, 2)), right.amax((0, 2)), label="range of all states"),
            Curve(right[0, :, 0], x=t, label="one unit of the GRU"),
            Curve(printed[0, :, 0], x=t, label="the same unit, update as printed in the notes",
                  role="other", dashed=True),
            Level(1.0, label="the cube, +1"),
            Level(-1.0, label="the cube, −1"),
        )  # fmt: skip
        return Figure("States of a GRU", x="t", y="z_t", marks=marks)


@torch.no_grad()
def _run(given: Given, *, printed: bool) -> Tensor:
    """All states; as printed, the reset gate stands where the candidate belongs."""
    cell, z, out = given.cell, given.z0, []
    for x in given.x.unbind(1):
        s, new = cell.parts(z, x)
        if printed:
            new = gate(torch.cat([z, x], dim=1), cell.H, cell.b_H)
        z = blend(s, z, new)
        out.append(z)
    return torch.stack(out, dim=1)
