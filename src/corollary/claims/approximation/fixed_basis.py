r"""No fixed basis approximates all functions of Barron's class well.

Let V be any linear space of dimension m, fixed before the target is known. Among the functions
:math:`f=\frac C{\|k\|}\cos(2\pi k\cdot x)` and :math:`\frac C{\|k\|}\sin(2\pi k\cdot x)` of lowest
frequency, 2m of them and all with :math:`C_f=C`, one has

.. math:: \min_{v\in V}\|f-v\|^2\ge\frac{C^2}{4K^2},\qquad K=\max\|k\|\asymp m^{1/d},

so the worst squared error falls no faster than :math:`m^{-2/d}`. The reason is a trace: 2m
orthonormal functions have squared projections onto V that sum to at most m. A space that may depend
on the target has no such limit.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1, Remark 3; Barron (1993),
    Universal approximation bounds for superpositions of a sigmoidal function, Theorem 6.
:kind: bound
:uses: barron_scaling
:covers: barron-vs-fixed-basis
:scale-free: Theory supplies the waves and the spaces; the floor holds for every space and is the
    claim's own formula.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.linalg import matrix_rank, qr

from corollary.core import Claim, Curve, Kept, Marks, Suppose, Trial, at_least, option, picture
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.fixed_bases import lowest_frequencies, monomials, waves_at
from corollary.theory.approximation.grids import box_grid


class Given(NamedTuple):
    bases: tuple[Float[Tensor, "p m"], ...]  # at the points of a grid
    targets: Float[Tensor, "p M"]  # orthonormal
    norms: Float[Tensor, " M"]  # ||k|| of each


class FixedBasis(Claim[Given]):
    d: int = option(2, low=1, high=2)  # dimension
    m: int = option(40, low=4, high=60)  # dimension of the space

    relation = at_least(ulps=2**16)  # projections by a QR decomposition
    supposes = (
        Suppose(
            "the space has at most half as many dimensions as there are targets",
            lambda g: all(2 * int(matrix_rank(V)) <= len(g.norms) for V in g.bases),
            "A space that contains all targets has no error.",
            bases=lambda g: (g.targets,) * 3,
        ),
        Suppose(
            "the targets are orthonormal before scaling",
            lambda g: torch.allclose(
                g.targets.T @ g.targets / len(g.targets),
                torch.eye(len(g.norms)).double(),
                atol=1e-9,
            ),
            "Targets that lie in the space have no error.",
            targets=lambda g: g.targets[:, : g.targets.shape[1] // 2].repeat(1, 2),
        ),
    )
    symbols = "C² / 4K²", "worst squared error"
    rows = ("lowest waves", "polynomials", "random tanh units")

    def given(self, rng: Generator) -> Given:
        k = lowest_frequencies(self.d, self.m)  # each has a cosine and a sine
        n = 2 * int(k.abs().max()) + 3  # so that they are orthonormal on the grid
        x = box_grid(self.d, n, 0.0, 1 - 1 / n)
        targets = waves_at(k, x)
        w, b = random_units(self.m, self.d, 10.0, rng=rng)
        bases = (targets[:, : self.m], monomials(x, self.m), torch.tanh(x @ w.T + b))
        return Given(bases, targets, k.norm(dim=1).repeat_interleave(2))

    def predict(self, given: Given) -> Tensor:
        return (1 / (4 * given.norms.max() ** 2)).repeat(len(given.bases))

    def measure(self, given: Given) -> Kept:
        Qs = torch.stack([qr(V).Q for V in given.bases])
        left = given.targets - Qs @ (Qs.mT @ given.targets)
        errors = left.square().mean(1) / (2 * given.norms**2)  # a cosine has squared norm 1/2
        return Kept(errors.amax(1), errors=errors)

    def tight(self) -> Given:
        """Twelve waves of length 5, and sums of pairs of them as the space."""
        k = [[5.0, 0.0], [0.0, 5.0], [3.0, 4.0], [4.0, 3.0], [3.0, -4.0], [4.0, -3.0]]
        targets = waves_at(torch.tensor(k, dtype=torch.float64), box_grid(2, 13, 0.0, 12 / 13))
        return Given((targets[:, :6] + targets[:, 6:],), targets, targets.new_full((12,), 5.0))

    @picture(
        "{m} fixed functions against twice as many targets, d = {d}",
        x="target, by frequency",
        y="squared error",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Curve(trial.predicted[:1].repeat(2 * self.m), label=self.symbols[0], role="predicted")
        for errors, name in zip(trial.kept.errors, self.rows, strict=True):
            yield Curve(errors, label=name)
