r"""Change of measure.

For laws :math:`Q\ll P` and any :math:`\phi`

.. math:: E_Q\,\phi\ \le\ \mathrm{KL}(Q\|P)+\ln E_P\,e^\phi ,

with equality iff :math:`dQ/dP\propto e^\phi`. The right side knows Q only through its divergence:
what is proved for a P that is fixed before the data holds for every Q chosen after them.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 68; Donsker and Varadhan (1975),
    "Asymptotic evaluation of certain Markov process expectations for large time".
:kind: theorem
:cost: instant
:covers: donsker-varadhan
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.theory.generalization.change_of_measure import dv_gap, gibbs_tilt, log_mean_exp


class Given(NamedTuple):
    """Pairs of laws on a finite space with functions, row by row."""

    P: Float[Tensor, "n k"]
    Q: Float[Tensor, "n k"]
    phi: Float[Tensor, "n k"]


@dataclass(frozen=True)
class ChangeOfMeasure(Claim[Given]):
    """Expectations under Q against divergence plus log-moment under P."""

    n: int = option(200, low=2, high=10_000)  # triples
    k: int = option(6, low=2, high=100)  # points of the space
    relation = at_most(ulps=64, scale=1.0)  # the first Q is the tilt: equality

    def given(self, rng: Generator) -> Given:
        """Random laws and normal functions; the first Q is the Gibbs tilt."""
        draw = torch.rand(2, self.n, self.k, generator=rng, device=rng.device, dtype=torch.float64)
        weights = -draw.clamp(min=1e-300).log()
        P, Q = weights / weights.sum(-1, keepdim=True)
        phi = torch.randn(self.n, self.k, generator=rng, device=rng.device, dtype=torch.float64)
        Q[0] = gibbs_tilt(P[0], phi[0])
        return Given(P, Q, phi)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Dominance."""
        outside = float(given.Q[given.P == 0].sum())
        yield Hypothesis(
            "Q is dominated by P", outside == 0, f"mass {outside:.3g} where P has none"
        )

    def predict(self, given: Given) -> list[float]:
        """Divergence, summed over the support of P, plus the logarithm of the mean exponential."""
        P, Q, phi = given
        terms = torch.where(P > 0, torch.xlogy(Q, Q) - torch.xlogy(Q, P), torch.zeros_like(P))
        return (terms.sum(1) + log_mean_exp(P, phi)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Expectations under Q."""
        return (given.Q * given.phi).sum(1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Half of Q sits where P has no mass, and so P knows nothing of phi there.

        The divergence is infinite then; the formula with the density dQ/dP, which exists on the
        support of P only, is false.
        """
        P, Q = torch.tensor([[[1.0, 0.0]], [[0.5, 0.5]]], dtype=torch.float64, device=rng.device)
        return Given(P, Q, torch.tensor([[0.0, 10.0]], dtype=torch.float64, device=rng.device))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both sides along a path of laws through the tilt; and the drawn triples."""
        P, phi = given.P[0], given.phi[0]
        beta = torch.linspace(-1, 3, 81, dtype=torch.float64)
        Q = gibbs_tilt(P.expand(81, -1), beta[:, None] * phi)
        left = (Q * phi).sum(1)
        right = left + dv_gap(P.expand_as(Q), Q, phi.expand_as(Q))
        path = (
            Curve(right.tolist(), x=beta.tolist(), label="KL(Q‖P) + ln E_P e^φ", role="predicted"),
            Curve(left.tolist(), x=beta.tolist(), label="E_Q φ"),
            Level(1.0, label="the Gibbs tilt", axis="x", role="other"),
        )
        x, y = self.predict(given), self.measure(given)
        ends = [min(x), max(x)]
        drawn = (
            Curve(ends, x=ends, label="equality", role="predicted"),
            Points(x, y, label="drawn triples"),
        )
        return (
            Figure("They touch at the tilt", x="β in Q ∝ P e^{βφ}", y="both sides", marks=path),
            Figure("Never above", x="KL(Q‖P) + ln E_P e^φ", y="E_Q φ", marks=drawn),
        )
