r"""Attention descends the Hopfield energy.

With keys and values :math:`K` the update :math:`q' = K^\top \operatorname{softmax}(\beta K q)`,
:math:`\beta > 0`, is the concave-convex procedure for
:math:`E(q) = -\frac1\beta \log \sum_j e^{\beta\langle k_j, q\rangle} + \frac12\|q\|^2 + c`, and

.. math:: E(q) - E(q') \ \ge\ \tfrac12 \|q' - q\|^2 .

So the energy falls until the query rests. If the values are not the keys, as in a transformer with
its own value matrix, there is no such energy.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Ramsauer, Schäfl, Lehner et al. (2020),
    "Hopfield networks is all you need", Theorem 1; Yuille and Rangarajan (2003), "The
    concave-convex procedure". The quadratic term is the strong convexity of the first part.
:kind: theorem
:cost: instant
:covers: modern-hopfield-attention
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, at_least, option
from corollary.theory.connectionism.hopfield.modern import attention_energy


class Given(NamedTuple):
    """Keys, values and queries."""

    K: Float[Tensor, "N d"]
    V: Float[Tensor, "N d"]
    beta: float
    q: Float[Tensor, "queries d"]


@dataclass(frozen=True)
class ModernHopfieldDescent(Claim[Given]):
    """The fall of the energy in each step, summed over queries."""

    N: int = option(20, low=2, high=500)  # patterns
    d: int = option(10, low=1, high=200)  # dimension
    beta: float = option(0.5, low=1e-3, high=100.0)  # inverse temperature
    steps: int = option(5, low=1, high=50)  # updates
    relation = at_least(ulps=64, scale=100.0)  # a difference of two sums of energies of size 100

    def given(self, rng: Generator) -> Given:
        """Gaussian patterns, fifty queries far out."""
        K = torch.randn(self.N, self.d, generator=rng, dtype=torch.float64)
        q = 2 * torch.randn(50, self.d, generator=rng, dtype=torch.float64)
        return Given(K, K, self.beta, q)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Keys are values, and the temperature is positive."""
        yield Hypothesis("the values are the keys", torch.equal(given.K, given.V))
        yield Hypothesis("β is positive", given.beta > 0)

    def predict(self, given: Given) -> list[float]:
        """Half the squared lengths of the steps."""
        path = self._path(given)
        return (0.5 * (path.diff(dim=0) ** 2).sum((1, 2))).tolist()

    def measure(self, given: Given) -> list[float]:
        """The energies lost."""
        energies = attention_energy(given.K, given.beta, self._path(given)).sum(1)
        return (-energies.diff()).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The values are the keys mirrored: each read throws the query to the other side."""
        K, _, beta, q = self.given(rng)
        return Given(K, -K, beta, q)

    def figure(self, given: Given) -> Figure:
        """Energies along the steps."""
        E = attention_energy(given.K, given.beta, self._path(given))  # (steps + 1, queries)
        length = 0.5 * (self._path(given).diff(dim=0) ** 2).sum(2).mean(1)
        guaranteed = E[0].mean() - torch.cat([E.new_zeros(1), length.cumsum(0)])
        steps = range(self.steps + 1)
        low, high = E.quantile(0.1, 1), E.quantile(0.9, 1)
        return Figure(
            "Energy of queries under repeated attention",
            x="updates",
            y="E(q)",
            marks=(
                Band(steps, low, high, label="10 % to 90 % of the queries"),
                Curve(E.mean(1), x=steps, label="mean energy"),
                Curve(guaranteed, x=steps, label="E₀ − ½ Σ ‖q′ − q‖²", role="predicted"),
            ),
        )

    def _path(self, given: Given) -> Float[Tensor, "steps_and_start queries d"]:
        """The queries, read by read."""
        path = [given.q]
        for _ in range(self.steps):
            path.append(torch.softmax(given.beta * path[-1] @ given.K.mT, -1) @ given.V)
        return torch.stack(path)
