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
:uses: attention_gradient, tangent_below
:covers: modern-hopfield-attention
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, near, normal, option
from corollary.theory.connectionism.hopfield.modern import attention_energy


class Given(NamedTuple):
    K: Float[Tensor, "N d"]  # keys
    V: Float[Tensor, "N d"]  # values
    beta: float  # inverse temperature
    q: Float[Tensor, "queries d"]  # queries


class ModernHopfieldDescent(Claim[Given]):
    N: int = option(20, low=2, high=500)  # patterns
    d: int = option(10, low=1, high=200)  # dimension
    beta: float = option(0.5, low=1e-3, high=100.0)  # inverse temperature
    steps: int = option(5, low=1, high=50)  # updates

    relation = at_least(ulps=64, scale=100.0)  # a difference of two sums of energies of size 100
    supposes = (
        Suppose(
            "the values are the keys",
            lambda g: near(g.V, g.K),
            "With negative keys as values, each update moves the query to the other side.",
            V=lambda g: -g.K,
        ),
        Suppose(
            "β is positive",
            lambda g: g.beta,
            "At a negative temperature the energy rises.",
            beta=lambda g: -4 * g.beta,
        ),
    )
    symbols = "½ ‖q′ − q‖²", "E(q) − E(q′)"
    shows = Along("Energy lost in each update", x="update", first=1, without=False)

    def given(self, rng: Generator) -> Given:
        K = normal(rng, self.N, self.d)
        return Given(K, K, self.beta, 2 * normal(rng, 50, self.d))

    def predict(self, given: Given) -> Tensor:
        return 0.5 * self._path(given).diff(dim=0).square().sum((1, 2))

    def measure(self, given: Given) -> Tensor:
        return -attention_energy(given.K, given.beta, self._path(given)).sum(1).diff()

    def tight(self, rng: Generator) -> Given:
        """The one pattern 0: the energy is ½‖q‖², and all of it is lost at once."""
        K = torch.zeros(1, self.d, dtype=torch.float64)
        return Given(K, K, 1.0, normal(rng, 50, self.d))

    def _path(self, given: Given) -> Float[Tensor, "steps_and_start queries d"]:
        """The queries, read by read."""
        K, V, beta, q = given
        path = [q := torch.softmax(beta * q @ K.mT, -1) @ V for _ in range(self.steps)]
        return torch.stack([given.q, *path])
