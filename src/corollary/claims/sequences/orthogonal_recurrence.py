r"""A multiple of an orthogonal matrix: exploding, vanishing, standing still.

For a linear recurrence :math:`z_t=Uz_{t-1}+Vx_t` with :math:`U=gQ` and Q orthogonal,

.. math:: \Bigl\|\frac{\partial z_i}{\partial z_t}\Bigr\|_2=g^{\,i-t} :

g = 1.1 explodes, g = 0.9 vanishes, g = 1 keeps every gradient. For other matrices
:math:`\sigma_1(U)` decides nothing of the kind: a large one need not explode.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Arjovsky, Shah and Bengio (2016), "Unitary
    evolution recurrent neural networks".
:kind: identity
:cost: instant
:covers: rnn-vanishing-exploding
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.networks.activations import LINEAR
from corollary.theory.prerequisites.orthogonal import is_orthogonal, random_orthogonal
from corollary.theory.sequences.state_jacobians import rnn_jacobian_norms


class Given(NamedTuple):
    """Matrices whose largest singular values are the gains."""

    Q: Float[Tensor, "m m"]  # largest singular value 1
    gains: Float[Tensor, " k"]


@dataclass(frozen=True)
class OrthogonalRecurrence(Claim[Given]):
    """Norms after a number of steps, at three gains."""

    m: int = option(8, low=2, high=100)  # units
    steps: int = option(60, low=2, high=200)  # i - t
    high: float = option(1.1, low=1.0, high=2.0)  # a gain that explodes
    low: float = option(0.9, low=0.1, high=1.0)  # a gain that vanishes
    relation = equals(ulps=2**14)  # relative: each of up to 200 products is rounded

    def given(self, rng: Generator) -> Given:
        """A uniformly drawn orthogonal matrix."""
        gains = torch.tensor([self.high, 1.0, self.low], dtype=torch.float64)
        return Given(random_orthogonal(self.m, rng=rng), gains)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Orthogonality."""
        yield Hypothesis("U is a multiple of an orthogonal matrix", is_orthogonal(given.Q))

    def predict(self, given: Given) -> list[float]:
        """The powers."""
        return (given.gains**self.steps).tolist()

    def measure(self, given: Given) -> list[float]:
        """Norms of the products of Jacobians."""
        return [float(norms[-1]) for norms in self._norms(given)]

    def counterexample(self, rng: Generator) -> Given:
        """One entry off the diagonal: σ₁ = 1, and its square is zero."""
        given = self.given(rng)
        shift = torch.zeros_like(given.Q)
        shift[0, 1] = 1.0
        return given._replace(Q=shift)

    def figure(self, given: Given) -> Figure:
        """Norms against the lag."""
        lags = list(range(self.steps + 1))
        marks = []
        for g, norms in zip(given.gains.tolist(), self._norms(given), strict=True):
            power = [g**k for k in lags]
            marks.append(Curve(power, x=lags, label=f"{g:g}^(i−t)", role="predicted"))
            marks.append(Points(lags[::6], norms[::6], label=f"g = {g:g}"))
        return Figure("U = gQ with Q orthogonal", x="i − t", y="‖∂z_i/∂z_t‖₂", log_y=True,
                      marks=tuple(marks))  # fmt: skip

    def _norms(self, given: Given) -> list[Tensor]:
        x = given.Q.new_zeros(self.steps, len(given.Q))
        return [rnn_jacobian_norms(g * given.Q, given.Q, x, phi=LINEAR) for g in given.gains]
