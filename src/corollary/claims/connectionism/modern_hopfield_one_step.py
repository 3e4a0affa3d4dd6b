r"""One-step retrieval of the modern Hopfield network.

Let the patterns :math:`k_1, \dots, k_N` have lengths at most :math:`M`, and let
:math:`\Delta_i = \min_{j \ne i} \langle k_i, k_i - k_j \rangle` be the separation of
:math:`k_i`. A query within :math:`r` of :math:`k_i` is after one update at most

.. math:: \|q' - k_i\| \le 2 M (N - 1)\, e^{-\beta (\Delta_i - 2 M r)}

away from it: well separated patterns are read at once, with an error that falls exponentially in
:math:`\beta`. For small :math:`\beta` the update gives the mean of all patterns instead.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Ramsauer, Schäfl, Lehner et al. (2020),
    "Hopfield networks is all you need", Theorem 4. Stated here with an explicit radius and
    constant, proved in two lines (see ``one_step_error``).
:kind: bound
:uses: modern_hopfield_attention, cauchy_schwarz
:covers: modern-hopfield-attention
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Sweep, at_most, normal, option
from corollary.theory.connectionism.hopfield.modern import attention_update, one_step_error


class Given(NamedTuple):
    K: Float[Tensor, "N d"]  # patterns
    q: Float[Tensor, "N d"]  # a query for each
    beta: float  # inverse temperature
    radius: float  # how far a query may be from its pattern


class ModernHopfieldOneStep(Claim[Given]):
    N: int = option(6, low=2, high=200)  # patterns
    d: int = option(16, low=2, high=400)  # dimension
    beta: float = option(2.0, low=1e-3, high=100.0)  # inverse temperature
    radius: float = option(0.1, low=0.0, high=2.0)  # distance of a query from its pattern

    relation = at_most(ulps=64, scale=1.0)  # the distance of two vectors of length 2
    supposes = Suppose(
        "each query is within r of its pattern",
        lambda g: g.radius * (1 + 1e-12) + 1e-12 - (g.q - g.K).norm(dim=1).amax(),
        "Each query starts at another pattern, and converges to that pattern.",
        q=lambda g: g.K.roll(1, 0),
        beta=lambda g: max(g.beta, 4.0),
    )
    symbols = "2M(N−1) exp(−β(Δ − 2Mr))", "‖q′ − kᵢ‖"
    shows = (
        Sweep(
            "Error after one update, first pattern",
            "beta",
            (0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0),
            x="inverse temperature β",
            log="xy",
        ),
        Along("Error after one update", x="pattern", first=1, log="y"),
    )

    def given(self, rng: Generator) -> Given:
        """Directions of length 2, and queries at the full radius."""
        v = normal(rng, 2, self.N, self.d)
        direction, way = v / v.norm(dim=2, keepdim=True)
        K = 2 * direction
        return Given(K, K + self.radius * way, self.beta, self.radius)

    def predict(self, given: Given) -> list[float]:
        return one_step_error(given.K, given.beta, given.radius).tolist()

    def measure(self, given: Given) -> Tensor:
        read = attention_update(given.K, given.beta, given.q)
        return (read - given.K).square().sum(dim=1).sqrt()

    def tight(self) -> Given:
        """Two opposite patterns, asked at themselves."""
        K = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
        return Given(K, K, 2.0, 0.0)
