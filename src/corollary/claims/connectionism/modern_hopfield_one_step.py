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
:cost: instant
:covers: modern-hopfield-attention
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.connectionism.hopfield.modern import attention_update, one_step_error


class Given(NamedTuple):
    """Patterns, and a query for each."""

    K: Float[Tensor, "N d"]
    q: Float[Tensor, "N d"]
    beta: float
    radius: float  # how far a query may be from its pattern


@dataclass(frozen=True)
class ModernHopfieldOneStep(Claim[Given]):
    """The error after one update, for every pattern."""

    N: int = option(6, low=2, high=200)  # patterns
    d: int = option(16, low=2, high=400)  # dimension
    beta: float = option(2.0, low=1e-3, high=100.0)  # inverse temperature
    radius: float = option(0.1, low=0.0, high=2.0)  # distance of a query from its pattern
    relation = at_most(ulps=64, scale=1.0)  # the distance of two vectors of length 2

    def given(self, rng: Generator) -> Given:
        """Directions of length 2, and queries at the full radius."""
        K = 2 * _directions(self.N, self.d, rng)
        q = K + self.radius * _directions(self.N, self.d, rng)
        return Given(K, q, self.beta, self.radius)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Queries are close."""
        far = float((given.q - given.K).norm(dim=1).amax())
        yield Hypothesis(
            "each query is within r of its pattern",
            far <= given.radius * (1 + 1e-12),
            f"the farthest is {far:.3g} away",
        )

    def predict(self, given: Given) -> list[float]:
        """The bound for each pattern."""
        return one_step_error(given.K, given.beta, given.radius).tolist()

    def measure(self, given: Given) -> list[float]:
        """The distance after one update."""
        read = attention_update(given.K, given.beta, given.q)
        return (read - given.K).norm(dim=1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Each query starts at the next pattern, and is drawn to that one."""
        given = self.given(rng)
        return given._replace(q=given.K.roll(1, 0), beta=max(self.beta, 4.0))

    def figure(self, given: Given) -> Figure:
        """Error against inverse temperature, for the worst pattern."""
        betas = torch.linspace(0.2, 2 * given.beta, 40, dtype=torch.float64).tolist()
        bound = [float(one_step_error(given.K, b, given.radius).amax()) for b in betas]
        error = [
            float((attention_update(given.K, b, given.q) - given.K).norm(dim=1).amax())
            for b in betas
        ]
        mean = float((given.K - given.K.mean(0)).norm(dim=1).amax())
        return Figure(
            "Error after one update",
            x="inverse temperature β",
            y="‖q′ − kᵢ‖, worst pattern",
            marks=(
                Curve(error, x=betas, label="measured"),
                Curve(bound, x=betas, label="2M(N−1) exp(−β(Δ − 2Mr))", role="predicted"),
                Curve([mean] * 40, x=betas, label="mean of all", role="other", dashed=True),
            ),
            log_y=True,
        )


def _directions(count: int, d: int, rng: Generator) -> Float[Tensor, "count d"]:
    v = torch.randn(count, d, generator=rng, dtype=torch.float64)
    return v / v.norm(dim=1, keepdim=True)
