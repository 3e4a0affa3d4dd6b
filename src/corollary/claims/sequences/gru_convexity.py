r"""The states of a GRU stay inside the cube [-1, 1]^m.

Every new state of a GRU lies, coordinate by coordinate, between the old one and the candidate,

.. math:: z_t=s_t\odot z_{t-1}+(1-s_t)\odot\tilde z_t,\qquad s_t\in(0,1)^m,\
   \tilde z_t=\tanh(\cdot)\in(-1,1)^m,

so from :math:`z_0\in[-1,1]^m` no state leaves the cube: :math:`\|z_t\|_\infty\le1`.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Cho et al. (2014), "Learning phrase
    representations using RNN encoder-decoder for statistical machine translation".
:kind: bound
:covers: gru
:erratum: [typo] The notes mix the reset gate zeta_t into the state in place of the candidate. With
    that the candidate is never used, and from z_0 = 0 every state lies in [0, 1): the figure shows
    both runs on the same weights.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Band, Curve, Level, Marks, picture
from corollary.models.recurrent.gating import blend, gate
from corollary.models.recurrent.gru import GRUCell


class Given(NamedTuple):
    """A cell, sequences, and where they start."""

    cell: GRUCell
    x: Float[Tensor, "B T n"]
    z0: Float[Tensor, "B m"]


class Unsquashed(GRUCell):
    """A GRU whose candidate is three times as large."""

    def parts(self, z: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """Update gate and candidate."""
        s, candidate = super().parts(z, x)
        return s, 3 * candidate


class GruConvexity(Claim[Given]):
    T: int = option(40, low=1, high=500)  # steps
    m: int = option(8, low=1, high=100)  # units
    B: int = option(16, low=1, high=500)  # sequences

    relation = at_most(ulps=8)  # a sum of two products, of weights that add up to 1
    supposes = (
        Suppose(
            "the first state lies in [-1, 1]^m",
            lambda g: (bool((g.z0.abs() <= 1).all()), f"‖z₀‖∞ = {float(g.z0.abs().max()):g}"),
            "If the first state is outside the cube, it returns only gradually.",
            z0=lambda g: g.z0 + 3.0,
        ),
        Suppose(
            "candidates lie in [-1, 1]^m",
            lambda g: bool((g.cell.parts(g.z0, g.x[:, 0])[1].abs() <= 1).all()),
            "If candidates are outside the cube, the states leave the cube.",
            cell=lambda g, rng: Unsquashed(g.x.shape[2], g.z0.shape[1], rng=rng),
        ),
    )
    symbols = "1", "‖z_t‖∞, and position between old state and candidate"

    def given(self, rng: Generator) -> Given:
        """Large inputs, which drive candidates to the faces of the cube."""
        x = 3 * normal(rng, self.B, self.T, 2)
        return Given(GRUCell(2, self.m, rng=rng), x, x.new_zeros(self.B, self.m))

    def predict(self, given: Given) -> list[float]:
        """1 for every state, and 1 for the part of the way to the candidate."""
        return [1.0] * (given.x.shape[1] + 1)

    @torch.no_grad()
    def measure(self, given: Given) -> Kept:
        """Largest entries at each time, and the largest part of the way that a step takes."""
        z, states, part = given.z0, [], 0.0
        for x in given.x.unbind(1):
            s, candidate = given.cell.parts(z, x)
            fresh = blend(s, z, candidate)
            way = candidate - z
            far = way.abs() > 1e-6  # a quotient of two rounded zeros says nothing
            part = max(part, float(((fresh - z) / way)[far].max()) if far.any() else 0.0)
            z = fresh
            states.append(z)
        run = torch.stack(states, dim=1)
        return Kept([*run.abs().amax((0, 2)), part], run=run)

    @picture("States of a GRU", x="t", y="z_t")
    def marks(self, trial: Trial[Given]) -> Marks:
        run = trial.kept.run
        t = list(range(1, run.shape[1] + 1))
        yield Band(t, run.amin((0, 2)), run.amax((0, 2)), label="range of all states")
        yield Curve(run[0, :, 0], x=t, label="one unit of the GRU")
        yield Curve(
            printed(trial.given)[:, 0], t, "the same unit, as printed in the notes", "other"
        )
        yield Level(1.0, label="the cube, +1")
        yield Level(-1.0, label="the cube, −1")


@torch.no_grad()
def printed(given: Given) -> Float[Tensor, "T m"]:
    """The states of the first sequence if the reset gate stands where the candidate belongs."""
    cell, z, out = given.cell, given.z0[:1], []
    for x in given.x[:1].unbind(1):
        s, _ = cell.parts(z, x)
        z = blend(s, z, gate(torch.cat([z, x], dim=1), cell.H, cell.b_H))
        out.append(z[0])
    return torch.stack(out)
