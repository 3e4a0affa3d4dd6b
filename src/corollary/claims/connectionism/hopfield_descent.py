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
:cost: instant
:covers: hopfield-energy, hopfield-update-dynamics
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.dynamics import Flip, flip_sequence, sweep_orders
from corollary.theory.connectionism.hopfield.energy import energy, field
from corollary.theory.connectionism.hopfield.states import has_zero_diagonal, is_symmetric, sign

SWEEPS = 50


class Given(NamedTuple):
    """A network and where it starts."""

    W: Float[Tensor, "n n"]  # couplings
    b: Float[Tensor, " n"]  # thresholds
    x: Float[Tensor, " n"]  # start
    order: Int[Tensor, "sweeps n"]  # order of the visits


@dataclass(frozen=True)
class HopfieldDescent(Claim[Given]):
    """Energies along a run, flip by flip, and the neurons left unstable at its end."""

    n: int = option(60, low=2, high=400)  # neurons
    threshold: float = option(0.3, low=0.0, high=10.0)  # standard deviation of the thresholds b
    relation = equals(ulps=256, scale=100.0)  # sums of n² couplings of either sign, H about -n

    def given(self, rng: Generator) -> Given:
        """Gaussian couplings, a random start and a random order in each sweep."""
        A = torch.randn(self.n, self.n, generator=rng, dtype=torch.float64) / self.n**0.5
        b = self.threshold * torch.randn(self.n, generator=rng, dtype=torch.float64)
        W = (A + A.T).div(2**0.5).fill_diagonal_(0)
        x = random_patterns(self.n, rng=rng)
        return Given(W, b, x, sweep_orders(self.n, SWEEPS, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Symmetry and no self-coupling."""
        yield Hypothesis("the couplings are symmetric", is_symmetric(given.W))
        yield Hypothesis("the diagonal of the couplings is zero", has_zero_diagonal(given.W))

    def predict(self, given: Given) -> list[float]:
        """The start minus twice the fields of the flips; then no unstable neuron."""
        fields = torch.tensor([0.0, *(abs(f.field) for f in _run(given))], dtype=torch.float64)
        start = energy(given.W, given.b, given.x)
        return [*(start - 2 * fields.cumsum(0)).tolist(), 0.0]

    def measure(self, given: Given) -> list[float]:
        """The energy of every state passed, from its definition; unstable neurons at the end."""
        states = torch.stack([given.x, *(f.state for f in _run(given))])
        unstable = (sign(field(given.W, given.b, states[-1])) != states[-1]).sum()
        return [*energy(given.W, given.b, states).tolist(), float(unstable)]

    def counterexample(self, rng: Generator) -> Given:
        """Two neurons, one copying, one opposing the other: four states, round and round."""
        W = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
        x = torch.ones(2, dtype=torch.float64)
        return Given(W, torch.zeros(2, dtype=torch.float64), x, torch.arange(2).repeat(4, 1))

    def figure(self, given: Given) -> Figure:
        """Energy against flips."""
        predicted, measured = self.predict(given)[:-1], self.measure(given)[:-1]
        return Figure(
            "Hopfield energy, flip by flip",
            x="flips t",
            y="H(X)",
            marks=(
                Curve(measured, label="energy of the state", role="measured"),
                Curve(predicted, label="H₀ − 2 Σ |h|", role="predicted", dashed=True),
            ),
            caption="Every flip lowers the energy by twice the field it follows.",
        )


def _run(given: Given) -> list[Flip]:
    return list(flip_sequence(given.W, given.b, given.x, given.order, len(given.order)))
