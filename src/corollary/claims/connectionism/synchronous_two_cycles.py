r"""Synchronous Hopfield updates end in cycles of length at most two.

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
:beyond: The notes update one neuron at a time; here all update at once.
:scale-free: only the signs of fields matter
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.energy import energy, field
from corollary.theory.connectionism.hopfield.states import is_symmetric, sign

STEPS = 200  # transients here last some ten steps


class Given(NamedTuple):
    W: Float[Tensor, "n n"]  # couplings
    b: Float[Tensor, " n"]  # thresholds
    X: Float[Tensor, "starts n"]  # starts

    def step(self, X: Tensor) -> Tensor:
        """All neurons at once."""
        return sign(field(self.W, self.b, X))


def ring(given: Given) -> Given:
    """In a ring that passes signs on and inverts one of them, the period is 2n."""
    W = torch.eye(len(given.W), dtype=torch.float64).roll(1, dims=0)
    W[0] = -W[0]
    return Given(W, 0 * given.b, torch.ones_like(given.X[:1]))


class SynchronousTwoCycles(Claim[Given]):
    n: int = option(40, low=2, high=400)  # neurons
    starts: int = option(200, low=1, high=2000)  # random starting states

    relation = at_most()  # a period is a whole number
    supposes = Suppose("the couplings are symmetric", lambda g: is_symmetric(g.W), without=ring)
    symbols = "2", "longest period"
    predicts = 2.0

    def given(self, rng: Generator) -> Given:
        """Gaussian symmetric couplings; the first two neurons copy each other and no one else."""
        A = normal(rng, self.n, self.n)
        W = (A + A.T).fill_diagonal_(0)
        W[:2], W[:, :2] = 0, 0
        W[0, 1] = W[1, 0] = 1
        X = random_patterns(self.starts, self.n, rng=rng)
        X[0, 0], X[0, 1] = 1, -1
        return Given(W, torch.zeros(self.n, dtype=torch.float64), X)

    def measure(self, given: Given) -> Kept:
        X, first = given.X, []
        for _ in range(STEPS):
            first.append(X[0])
            X = given.step(X)
        home, longest = X, 0
        away = torch.ones(len(X), dtype=torch.bool)
        while bool(away.any()) and longest <= STEPS:
            X = given.step(X)
            away &= (X != home).any(1)
            longest += 1
        S = torch.stack(first[:25])
        return Kept(float(longest), first=S, ends=energy(given.W, given.b, S)[-2:].tolist())

    @picture(
        "Synchronous updates of a symmetric network",
        x="step t",
        y="share of neurons that differ",
        caption="The end swings between states of energies {ends[0]:.4g} and {ends[1]:.4g}.",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        S = trial.kept.first
        one, two = ((S[k:] != S[:-k]).double().mean(1) for k in (1, 2))
        yield Curve(one, x=range(1, 25), label="from the state one step ago", role="other")
        yield Curve(two, x=range(2, 25), label="from the state two steps ago")
        yield Level(0.0, label="period ≤ 2")
