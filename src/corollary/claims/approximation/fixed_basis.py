r"""No fixed basis serves all functions of Barron's class.

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
:cost: instant
:covers: barron-vs-fixed-basis
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.fixed_bases import lowest_frequencies, monomials, waves_at
from corollary.theory.approximation.grids import box_grid


class Given(NamedTuple):
    """Bases at the points of a grid, the targets there, and their scales."""

    bases: tuple[Float[Tensor, "p m"], ...]
    targets: Float[Tensor, "p 2m"]  # orthonormal
    norms: Float[Tensor, " 2m"]  # ||k|| of each
    fixed: bool  # whether one space serves all targets


@dataclass(frozen=True)
class FixedBasis(Claim[Given]):
    """The worst squared error of three bases: waves, polynomials and random tanh units."""

    d: int = option(2, low=1, high=2)  # dimension
    m: int = option(40, low=4, high=60)  # dimension of the space
    relation = at_least(ulps=2**16)  # projections by a QR decomposition

    def given(self, rng: Generator) -> Given:
        """A grid fine enough for the waves to be orthonormal on it."""
        k = lowest_frequencies(self.d, self.m)  # each has a cosine and a sine
        n = 2 * int(k.abs().max()) + 3
        x = box_grid(self.d, n, 0.0, 1 - 1 / n)
        targets = waves_at(k, x)
        w, b = random_units(self.m, self.d, 10.0, rng=rng)
        bases = (targets[:, : self.m], monomials(x, self.m), torch.tanh(x @ w.T + b))
        return Given(bases, targets, k.norm(dim=1).repeat_interleave(2), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The space, and the targets."""
        gram = given.targets.T @ given.targets / len(given.targets)
        off = float((gram - torch.eye(len(gram), dtype=gram.dtype)).abs().max())
        yield Hypothesis("one space serves all targets", given.fixed)
        yield Hypothesis("the targets are orthonormal before scaling", off < 1e-9, f"{off:.1g}")

    def predict(self, given: Given) -> list[float]:
        """The floor, for C = 1."""
        return [1 / (4 * float(given.norms.max()) ** 2)] * len(given.bases)

    def measure(self, given: Given) -> list[float]:
        """The worst target of each space."""
        return [float(_errors(given, V).max()) for V in given.bases]

    def counterexample(self, rng: Generator) -> Given:
        """A space of its own for each target."""
        return self.given(rng)._replace(fixed=False)

    def figure(self, given: Given) -> Figure:
        """Errors of all targets, in order of frequency."""
        names = ("lowest waves", "polynomials", "random tanh units")
        return Figure(
            f"{self.m} fixed functions against {2 * self.m} targets, d = {self.d}",
            x="target, by frequency",
            y="squared error",
            marks=(
                Level(self.predict(given)[0], label="the worst is at least C² / 4K²"),
                *(
                    Curve(_errors(given, V), label=name, role="measured" if i == 0 else "other",
                          dashed=i == 2)
                    for i, (V, name) in enumerate(zip(given.bases, names, strict=True))
                ),
            ),
        )  # fmt: skip


def _errors(given: Given, V: Tensor) -> Float[Tensor, " 2m"]:
    """Squared distances of the scaled targets from the span of V."""
    scale = 1 / (2 * given.norms**2)  # a cosine has squared norm 1/2
    if not given.fixed:
        return 0 * scale  # the space is the target's own line
    Q, _ = torch.linalg.qr(V)
    left = given.targets - Q @ (Q.T @ given.targets)
    return left.square().mean(0) * scale
