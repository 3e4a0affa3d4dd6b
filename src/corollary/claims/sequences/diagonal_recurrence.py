r"""A linear recurrence in the basis of its eigenvectors.

If :math:`A=P\Lambda P^{-1}`, the states of :math:`z_t=Az_{t-1}+Bx_t` are :math:`z_t=P\zeta_t` with

.. math:: \zeta_t=\Lambda\zeta_{t-1}+Cx_t,\qquad C=P^{-1}B :

m recurrences of one complex number each, with :math:`O(m)` in place of :math:`O(m^2)` work a step.
A defective matrix has no such basis.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
:kind: identity
:covers: linear-recurrent-unit
"""

from math import tau
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, normal, option, uniform
from corollary.core.picture import Curve, Figure, Points
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.sequences.linear_system import (
    dense_states,
    diagonal_states,
    diagonalised,
    is_diagonalisable,
)


class Given(NamedTuple):
    A: Float[Tensor, "m m"]  # recurrent weights
    B: Float[Tensor, "m n"]  # input weights
    x: Float[Tensor, "T n"]  # inputs


def jordan(given: Given) -> Given:
    """A Jordan block has one eigenvector for m coordinates."""
    eye = torch.eye(len(given.A), dtype=torch.float64)
    return given._replace(A=0.9 * eye + eye.roll(1, dims=1).triu())


class DiagonalRecurrence(Claim[Given]):
    m: int = option(6, low=2, high=60)  # state
    T: int = option(50, low=2, high=500)  # steps

    relation = equals(ulps=2**24, scale=1.0)  # rounding times the condition of P
    supposes = Suppose(
        "A is diagonalisable over the complex numbers",
        lambda g: is_diagonalisable(g.A),
        without=jordan,
    )
    symbols = "Re(Pζ_t), diagonal", "z_t, dense"

    def given(self, rng: Generator) -> Given:
        """A damped turn, stretched a little."""
        A = random_orthogonal(self.m, rng=rng) * (0.98 + 0.02 * uniform(rng, self.m))
        return Given(A, normal(rng, self.m, 2), normal(rng, self.T, 2))

    def predict(self, given: Given) -> Tensor:
        system = diagonalised(given.A, given.B, check=False)
        return (diagonal_states(system, given.x) @ system.P.T).real.flatten()

    def measure(self, given: Given) -> Tensor:
        return dense_states(given.A, given.B, given.x).flatten()

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        """A coordinate, and the eigenvalues."""
        A, m = trial.given.A, len(trial.given.A)
        t = list(range(1, len(trial.given.x) + 1))
        values = torch.linalg.eigvals(A)
        angle = torch.linspace(0, tau, 200, dtype=torch.float64)
        states = (
            Curve(trial.predicted[::m], x=t, label=self.symbols[0], role="predicted"),
            Points(t, trial.measured[::m], label=self.symbols[1]),
        )
        spectrum = (
            Curve(angle.sin(), x=angle.cos(), label="unit circle", role="other"),
            Points(values.real, values.imag, label="eigenvalues of A"),
        )
        return (
            Figure("The first coordinate", x="t", y="z_t", marks=states),
            Figure("The spectrum", x="Re λ", y="Im λ", equal=True, marks=spectrum),
        )
