r"""Hopfield energy descent.

Let :math:`W` be symmetric with a zero diagonal. Visit the neurons one at a time and let each take
the sign of its field :math:`h_i = \sum_j w_{ij} X_j - b_i`. A flip of neuron :math:`i` changes the
energy :math:`H(X) = -\frac12 X^\top W X + b^\top X` by

.. math:: \Delta H = -\Delta X_i\, h_i = -2 |h_i| \le 0,

so the energy after :math:`t` flips is :math:`H_0 - 2 \sum_{k \le t} |h^{(k)}|`, and after finitely
many flips no neuron wants to change: :math:`X = \operatorname{sgn}(WX - b)`. Without symmetry the
network can go round in circles for ever.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hopfield (1982), "Neural networks and
    physical systems with emergent collective computational abilities".
:kind: algorithm
:covers: hopfield-energy, hopfield-update-dynamics
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.dynamics import Flip, flip_sequence, sweep_orders
from corollary.theory.connectionism.hopfield.energy import energy, field
from corollary.theory.connectionism.hopfield.states import has_zero_diagonal, is_symmetric, sign

SWEEPS = 50


class Given(NamedTuple):
    W: Float[Tensor, "n n"]  # couplings
    b: Float[Tensor, " n"]  # thresholds
    x: Float[Tensor, " n"]  # start
    order: Int[Tensor, "sweeps n"]  # order of the visits

    @property
    def times(self) -> range:
        """Numbers of flips."""
        return range(len(self.flips()) + 1)

    def flips(self) -> list[Flip]:
        """The run."""
        return list(flip_sequence(self.W, self.b, self.x, self.order, len(self.order)))


def chase() -> Given:
    """One of two neurons copies the other, which opposes it: four states repeat forever."""
    W = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return Given(W, 0 * W[0], W[0] + W[0].flip(0), torch.arange(2).repeat(4, 1))


class HopfieldDescent(Claim[Given]):
    n: int = option(60, low=2, high=400)  # neurons
    threshold: float = option(0.3, low=0.0, high=10.0)  # standard deviation of the thresholds b

    relation = equals(ulps=256, scale=100.0)  # sums of n² couplings of either sign, H about -n
    supposes = (
        Suppose("the couplings are symmetric", lambda g: is_symmetric(g.W), without=chase),
        Suppose(
            "the diagonal of the couplings is zero",
            lambda g: has_zero_diagonal(g.W),
            "With a negative diagonal, neurons flip forever, and the energy rises.",
            W=lambda g: g.W - 9 * torch.eye(len(g.W)),
            order=lambda g: g.order[:4],
        ),
    )
    symbols = "H₀ − 2 Σ |h|", "energy of the state"
    shows = Along("Hopfield energy, flip by flip", x="flips t", y="H(X)", at="times", without=False)

    def given(self, rng: Generator) -> Given:
        A = normal(rng, self.n, self.n) / self.n**0.5
        b = self.threshold * normal(rng, self.n)
        W = (A + A.T).div(2**0.5).fill_diagonal_(0)
        return Given(W, b, random_patterns(self.n, rng=rng), sweep_orders(self.n, SWEEPS, rng=rng))

    def predict(self, given: Given) -> list[float]:
        fields = torch.tensor([0.0, *(abs(f.field) for f in given.flips())], dtype=torch.float64)
        start = energy(given.W, given.b, given.x)
        return [*(start - 2 * fields.cumsum(0)).tolist(), 0.0]

    def measure(self, given: Given) -> list[float]:
        states = torch.stack([given.x, *(f.state for f in given.flips())])
        unstable = (sign(field(given.W, given.b, states[-1])) != states[-1]).sum()
        return [*energy(given.W, given.b, states).tolist(), float(unstable)]
