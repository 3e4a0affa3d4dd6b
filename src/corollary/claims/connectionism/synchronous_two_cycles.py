r"""Synchronous updates end in cycles of at most two.

Let all neurons of a network with symmetric :math:`W` update at once,
:math:`X^{t+1} = \operatorname{sgn}(W X^t - b)`. Then from some time on :math:`X^{t+2} = X^t`: the
run ends in a fixed point or swings between two states,

.. math:: \text{period} \le 2 .

The energy of a pair, :math:`-\langle X^{t+1}, W X^t\rangle + \langle b, X^t + X^{t+1}\rangle`,
never rises. Two neurons that copy each other, started apart, do swing. Asymmetric couplings give
longer cycles: a ring that passes its signs on, one of them inverted, takes :math:`2n` steps.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Goles and Olivos (1981), "Comportement
    périodique des fonctions à seuil binaires et applications".
:kind: theorem
:cost: instant
:covers: hopfield-update-dynamics
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.energy import energy, field
from corollary.theory.connectionism.hopfield.states import is_symmetric, sign

STEPS = 200  # transients here last some ten steps


class Given(NamedTuple):
    """A network and starting states."""

    W: Float[Tensor, "n n"]  # couplings
    b: Float[Tensor, " n"]  # thresholds
    X: Float[Tensor, "starts n"]  # starts


@dataclass(frozen=True)
class SynchronousTwoCycles(Claim[Given]):
    """The longest period over many starts."""

    n: int = option(40, low=2, high=400)  # neurons
    starts: int = option(200, low=1, high=2000)  # random starting states
    relation = at_most()  # a period is a whole number

    def given(self, rng: Generator) -> Given:
        """Gaussian symmetric couplings; the first two neurons copy each other and no one else."""
        A = torch.randn(self.n, self.n, generator=rng, dtype=torch.float64)
        W = (A + A.T).fill_diagonal_(0)
        W[:2], W[:, :2] = 0, 0
        W[0, 1] = W[1, 0] = 1
        X = random_patterns(self.starts, self.n, rng=rng)
        X[0, 0], X[0, 1] = 1, -1
        return Given(W, torch.zeros(self.n, dtype=torch.float64), X)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Symmetry."""
        yield Hypothesis("the couplings are symmetric", is_symmetric(given.W))

    def predict(self, given: Given) -> float:
        """Two."""
        return 2.0

    def measure(self, given: Given) -> float:
        """The longest time after which a state comes back, once the transient is over."""
        X = given.X
        for _ in range(STEPS):
            X = sign(field(given.W, given.b, X))
        home, longest = X, 0
        away = torch.ones(len(X), dtype=torch.bool)
        while bool(away.any()) and longest <= STEPS:
            X = sign(field(given.W, given.b, X))
            away &= (X != home).any(1)
            longest += 1
        return float(longest)

    def counterexample(self, rng: Generator) -> Given:
        """A ring that passes its signs on and inverts one: the period is 2n."""
        W = torch.eye(self.n, dtype=torch.float64).roll(1, dims=0)
        W[0] = -W[0]
        X = torch.ones(1, self.n, dtype=torch.float64)
        return Given(W, torch.zeros(self.n, dtype=torch.float64), X)

    def figure(self, given: Given) -> Figure:
        """Neurons that differ from one and from two steps ago, at the start that keeps swinging."""
        path = [given.X[0]]
        for _ in range(24):
            path.append(sign(field(given.W, given.b, path[-1])))
        S = torch.stack(path)
        ago = {k: (S[k:] != S[:-k]).double().mean(1) for k in (1, 2)}
        energies = energy(given.W, given.b, S)
        return Figure(
            "Synchronous updates of a symmetric network",
            x="step t",
            y="share of neurons that differ",
            marks=(
                Curve(ago[1], x=range(1, 25), label="from the state one step ago", role="other"),
                Curve(ago[2], x=range(2, 25), label="from the state two steps ago"),
                Level(0.0, label="period ≤ 2"),
            ),
            caption="The end swings between two states, with energies "
            f"{float(energies[-1]):.4g} and {float(energies[-2]):.4g}.",
        )
