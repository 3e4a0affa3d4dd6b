r"""Pinsker's inequality.

The divergence :math:`\mathrm{KL}(P\|Q)=\sum_iP_i\ln(P_i/Q_i)` of probability vectors is zero iff
:math:`P=Q`, not symmetric, infinite unless :math:`P\ll Q`, and

.. math:: \mathrm{KL}(P\|Q)\ \ge\ \tfrac12\|P-Q\|_1^2,\qquad\text{for coins}\quad
    \mathrm{kl}(q\|p)\ge2(q-p)^2 .

Read backwards, :math:`\mathrm{kl}(q\|p)\le c` leaves :math:`p\le q+\sqrt{c/2}`; inverting the
divergence itself leaves less, and for small q much less.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.1, (9.1)-(9.2); Pinsker (1964),
    Information and Information Stability of Random Variables and Processes.
:kind: bound
:cost: instant
:covers: kl-divergence
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option
from corollary.theory.generalization.divergence import kl_bernoulli, kl_inverse


class Given(NamedTuple):
    """Pairs of laws, row by row."""

    P: Float[Tensor, "n k"]
    Q: Float[Tensor, "n k"]


@dataclass(frozen=True)
class Pinsker(Claim[Given]):
    """Divergences against halved squared distances."""

    n: int = option(200, low=2, high=10_000)  # pairs
    k: int = option(3, low=2, high=100)  # outcomes
    relation = at_least(ulps=64, scale=1.0)  # the first pair is equal: a sum that cancels to 0

    def given(self, rng: Generator) -> Given:
        """Random laws; those of the first pair are equal."""
        draw = torch.rand(2, self.n, self.k, generator=rng, device=rng.device, dtype=torch.float64)
        weights = -draw.clamp(min=1e-300).log()
        P, Q = weights / weights.sum(-1, keepdim=True)
        Q[0] = P[0]
        return Given(P, Q)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Both are laws."""
        yield Hypothesis("P is a probability vector", _is_law(given.P))
        yield Hypothesis("Q is a probability vector", _is_law(given.Q))

    def predict(self, given: Given) -> list[float]:
        """Half the squared distances."""
        return ((given.P - given.Q).abs().sum(1).square() / 2).tolist()

    def measure(self, given: Given) -> list[float]:
        """Divergences."""
        P, Q = given
        return (torch.xlogy(P, P) - torch.xlogy(P, Q)).sum(1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Q has mass 2: the sum of P ln(P/Q) is negative."""
        P = torch.tensor([[0.5, 0.5]], dtype=torch.float64, device=rng.device)
        return Given(P, 2 * P)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The divergence of coins and its inverse; and the drawn pairs."""
        q, c = 0.05, 0.1
        p = torch.linspace(0.001, 0.6, 200, dtype=torch.float64)
        kl = kl_bernoulli(torch.full_like(p, q), p)
        coins = (
            Curve(kl.tolist(), x=p.tolist(), label="kl(q‖p)"),
            Curve(
                (2 * (p - q).square()).tolist(), x=p.tolist(), label="2(q − p)²", role="predicted"
            ),
            Level(c, label="c", role="other"),
            Level(kl_inverse(q, c), label="kl⁻¹(q, c)", axis="x"),
            Level(q + (c / 2) ** 0.5, label="q + √(c/2)", axis="x", role="other"),
        )
        x, y = self.predict(given), self.measure(given)
        pairs = (
            Curve([0.0, max(x)], x=[0.0, max(x)], label="equality", role="predicted"),
            Points(x, y, label="drawn pairs"),
        )
        return (
            Figure(f"Two ways to invert, from q = {q}", x="p", y="kl(q‖p)", marks=coins),
            Figure("Never below", x="½‖P − Q‖₁²", y="KL(P‖Q)", marks=pairs),
        )


def _is_law(p: Tensor) -> bool:
    return bool((p >= 0).all()) and bool(((p.sum(1) - 1).abs() < 1e-12).all())
