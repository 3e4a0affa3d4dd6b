r"""A linear recurrence in the basis of its eigenvectors.

If :math:`A=P\Lambda P^{-1}`, the states of :math:`z_t=Az_{t-1}+Bx_t` are :math:`z_t=P\zeta_t` with

.. math:: \zeta_t=\Lambda\zeta_{t-1}+Cx_t,\qquad C=P^{-1}B :

m recurrences of one complex number each, with :math:`O(m)` in place of :math:`O(m^2)` work a step.
A defective matrix has no such basis.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
:kind: identity
:cost: instant
:covers: linear-recurrent-unit
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.sequences.linear_system import (
    dense_states,
    diagonal_states,
    diagonalised,
    is_diagonalisable,
)


class Given(NamedTuple):
    """A linear system and its input."""

    A: Float[Tensor, "m m"]
    B: Float[Tensor, "m n"]
    x: Float[Tensor, "T n"]


@dataclass(frozen=True)
class DiagonalRecurrence(Claim[Given]):
    """States of the dense system against those of the diagonal one."""

    m: int = option(6, low=2, high=60)  # state
    T: int = option(50, low=2, high=500)  # steps
    relation = equals(ulps=2**24, scale=1.0)  # rounding times the condition of P

    def given(self, rng: Generator) -> Given:
        """A damped turn, stretched a little."""
        stretch = 0.98 + 0.02 * torch.rand(self.m, generator=rng, dtype=torch.float64)
        A = random_orthogonal(self.m, rng=rng) * stretch
        B = torch.randn(self.m, 2, generator=rng, dtype=torch.float64)
        return Given(A, B, torch.randn(self.T, 2, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Enough eigenvectors."""
        yield Hypothesis("A is diagonalisable over the complex numbers", is_diagonalisable(given.A))

    def predict(self, given: Given) -> list[float]:
        """The diagonal system, turned back."""
        system = diagonalised(given.A, given.B, check=False)
        return (diagonal_states(system, given.x) @ system.P.T).real.flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The dense system."""
        return dense_states(given.A, given.B, given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A Jordan block: one eigenvector for m coordinates."""
        given = self.given(rng)
        eye = torch.eye(self.m, dtype=torch.float64)
        return given._replace(A=0.9 * eye + torch.diag(eye[0].new_ones(self.m - 1), 1))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """A coordinate, and the eigenvalues."""
        t = list(range(1, len(given.x) + 1))
        first = [numbers[:: len(given.A)] for numbers in (self.predict(given), self.measure(given))]
        values = torch.linalg.eigvals(given.A)
        angle = torch.linspace(0, 2 * torch.pi, 200, dtype=torch.float64)
        marks = (
            Curve(first[0], x=t, label="Re(Pζ_t), diagonal", role="predicted"),
            Points(t, first[1], label="z_t, dense"),
        )
        circle = Curve(angle.sin(), x=angle.cos(), label="unit circle", role="other")
        where = Points(values.real, values.imag, label="eigenvalues of A")
        return (
            Figure("The first coordinate", x="t", y="z_t", marks=marks),
            Figure("The spectrum", x="Re λ", y="Im λ", equal=True, marks=(circle, where)),
        )
